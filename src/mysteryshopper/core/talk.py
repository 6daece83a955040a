"""Dialogues: messages, the two sides' turns, what each side sees, and the stored tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mysteryshopper.core.chat import Address, Role, ToolCall, Usage
from mysteryshopper.core.errors import Ended, Fault
from mysteryshopper.core.things import Item, ItemRef, Shown
from mysteryshopper.core.values import JsonObject

Side = Literal["user", "system"]
Author = Literal["simulated", "system", "human"]
State = JsonObject
"""All memory of one side: a JSON object that is never changed in place, stored on the node after the turn."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it was said.

    Attributes:
        role: `user` and `assistant` for the two sides, `system` for instructions, `tool` for results.
        text: Its text, unchanged.
        items: Items it shows or names.
        entities: Other linked entities (people, genres), as the data names them.
        author: Who wrote it.
        tool_calls: Tools called in it.
        tool_call_id: For role `tool`: the call it answers.
    """

    role: Role
    text: str
    items: tuple[ItemRef, ...] = ()
    entities: tuple[str, ...] = ()
    author: Author = "system"
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def side(self) -> Side:
        """The side that said it: `user`, else `system`."""
        return "user" if self.role == "user" else "system"


@dataclass(frozen=True, slots=True)
class History:
    """What has been said so far, and where in the run the next turn will be spoken.

    Attributes:
        messages: All messages, oldest first, as they were.
        turn: Number of the coming turn of the side that is asked, from 1 (a prefix from people not counted).
        address: Where the answer to this history lies in the run; not shown to systems.
    """

    messages: tuple[Message, ...] = ()
    turn: int = 1
    address: Address = Address()


@dataclass(frozen=True, slots=True)
class Opening:
    """All that a system learns at the start."""

    session: str
    domain: str = ""
    language: str = "en"
    catalog: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Who a simulated user is: one line of a profiles file. Only `id` is required.

    Attributes:
        id: Unique in its file.
        persona: Who, in sentences.
        wish: What this person wants now, in sentences.
        likes: Titles or ids.
        dislikes: Titles or ids.
        seen: Titles or ids already known.
        attributes: What is wished for, by attribute name; all of it is required.
        prefers: What would please beside it, by attribute name; none of it is required.
        hidden: Attributes of the wish that are told only when asked for, or when an item shown lacks them.
        style: formality, sentiment, conciseness, carelessness.
        patience: How many system turns the person bears; None is no limit of their own.
        language: BCP 47 tag.
        notes: What the maker of the profile wants kept with it.
    """

    id: str
    persona: str = ""
    wish: str = ""
    likes: tuple[str, ...] = ()
    dislikes: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prefers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    style: Mapping[str, str] = field(default_factory=dict)
    patience: int | None = None
    language: str = "en"
    notes: JsonObject = field(default_factory=dict)

    def __hash__(self) -> int:
        """Hash the name alone: the mappings have no hash, and two people of one name are seldom met."""
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a simulated user knows before the dialogue. Titles of targets are absent by type: see `Goal`."""

    id: str
    profile: Profile
    domain: str = ""
    prefix: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """What would satisfy the wish; held by the loop, never by the user or the system.

    Attributes:
        targets: The items wanted. An item shown is `mine` if its id is one of theirs.
        constraints: Without targets, an item is `mine` if for every attribute it has one of the values.
    """

    targets: tuple[Item, ...] = ()
    constraints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UserView:
    """What the simulated person sees when it is their turn.

    Attributes:
        scenario: Profile and wish.
        history: The dialogue so far; this side's messages have role `user`.
        shown: Every item shown so far, oldest first, each marked by the loop.
        turn: Number of this user turn, from 1.
        address: Address for the calls made for this turn.
        complaint: What was wrong with the first attempt, when the turn is asked for once more.
        tools: Tools this side may call (worlds with two-sided control).
    """

    scenario: Scenario
    history: History
    shown: tuple[Shown, ...] = ()
    turn: int = 1
    address: Address = Address()
    complaint: str | None = None
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InsiderView(UserView):
    """The view of a published simulator that was given its targets (`sees_targets = True`)."""

    targets: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the simulated user says and does.

    Attributes:
        text: What the system gets to read.
        action: Name of the action, for users that choose one.
        thought: Reasoning, never shown to the other side.
        accepts: Ids of shown items taken.
        rejects: Ids of shown items turned down.
        rating: Rating given in this turn, if any.
        end: `done` or `gave_up` when this turn ends the dialogue.
        tool_calls: Tools this side calls.
        notes: Anything worth keeping on the node.
        prompt: Name and hash of the template behind it.
        calls: Ids of the calls that made it.
        raw: The reply as it came, where `text` was cut or read from it.
    """

    text: str
    action: str = ""
    thought: str = ""
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    rating: float | None = None
    end: Literal["done", "gave_up"] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    notes: JsonObject = field(default_factory=dict)
    prompt: str = ""
    calls: tuple[str, ...] = ()
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class SystemReply:
    """What a system answers: one or more texts and a ranked, possibly empty, list of items."""

    messages: tuple[str, ...]
    items: tuple[ItemRef, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    notes: JsonObject = field(default_factory=dict)
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)  # no slots: see `read_by`
class Node:
    """One turn of one side in the tree.

    Attributes:
        id: Path in the tree: children of `0.1` are `0.1.0`, `0.1.1` … The root is `0`.
        parent: Path of the parent; None at the root.
        side: Who spoke.
        turn: Number of this side's turn, from 1; 0 for the prefix.
        messages: What was said, everything as it was.
        items: Items shown in a system turn, ranked, as marked for this user.
        turn_data: The user's action, thought, accepts … or the system's notes, without the messages.
        state: The speaking side's state after the turn.
        flags: Names of the fault detectors that fired on the first attempt.
        seen_by: Names of the blocks whose side got to read it.
        prompt: Name and hash of the template behind it.
        calls: Ids of the calls that made it.
    """

    id: str
    parent: str | None
    side: Side
    turn: int
    messages: tuple[Message, ...]
    items: tuple[Shown, ...] = ()
    turn_data: JsonObject = field(default_factory=dict)
    state: JsonObject = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    seen_by: tuple[str, ...] = ()
    prompt: str = ""
    calls: tuple[str, ...] = ()
    ms: float = 0.0

    def read_by(self, name: str) -> Node:
        """Return the node marked as read by one more block."""
        read = object.__new__(Node)  # every turn is read, and this takes a tenth of the time that `replace` does
        read.__dict__.update(self.__dict__, seen_by=(*self.seen_by, name))
        return read


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A tree of nodes and how it ended. A plain dialogue is a tree without branches.

    Attributes:
        id: Unique in the run.
        profile: Id of the user's profile.
        nodes: Parents before children.
        ended: How it ended.
        fault: Whose fault it was.
        detail: One sentence more, for people.
        success: An accepted item met the wish; None where the protocol has no such thing.
        root: Cluster for intervals: repeats of one user and branches of one root share it.
        data: What the protocol measures from (targets, positions of targets …).
    """

    id: str
    profile: str
    nodes: tuple[Node, ...]
    ended: Ended
    fault: Fault = "none"
    detail: str = ""
    success: bool | None = None
    root: str = ""
    data: JsonObject = field(default_factory=dict)
