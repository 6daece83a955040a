"""The seams of the house: what a user, a system, a judge, a model and a protocol must be able to do."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from mysteryshopper.core.asking import Answer, Case, Choice, Option, Question, Task, Verdict
from mysteryshopper.core.chat import Address, Call, ChatReply, ChatRequest, Tool, ToolResult
from mysteryshopper.core.errors import Ended, Fault
from mysteryshopper.core.results import Metric, Score, Unit
from mysteryshopper.core.talk import (
    Dialogue,
    History,
    Opening,
    Profile,
    Scenario,
    Side,
    State,
    SystemReply,
    UserTurn,
    UserView,
)
from mysteryshopper.core.things import Scored
from mysteryshopper.core.values import Json

if TYPE_CHECKING:
    from pydantic import BaseModel

# --- models ---------------------------------------------------------------------------------------------------------


@runtime_checkable
class ChatModel(Protocol):
    """A language model.

    `form` says what it takes: `chat` messages, or a raw `completion` (the local model, which follows examples, not
    instructions).
    """

    form: Literal["chat", "completion"]

    async def chat(self, request: ChatRequest, address: Address) -> ChatReply:
        """Answer one request.

        Raises:
            CallFailed: It failed for good, after its retries.
            StopRun: Nothing sent to this endpoint can succeed (a refused key).
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """A text embedding model."""

    name: str

    async def embed(self, texts: Sequence[str]) -> Any:
        """Return a float32 array of shape (len(texts), dimension), rows of length 1."""
        ...


class CallLog(Protocol):
    """Where calls are kept. A reply is handed on only once it is committed."""

    async def find(self, key: str) -> Call | None:
        """Return the committed good call with this cache key, from this run or the shared cache."""
        ...

    async def commit(self, call: Call) -> None:
        """Keep a call; returns once it is durable."""
        ...


# --- the two sides and the judge ------------------------------------------------------------------------------------


@runtime_checkable
class User(Protocol):
    """A simulated user: one side of a dialogue. All its memory is in `State`."""

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state before the first turn."""
        ...

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Say the next thing; return it with the state after it."""
        ...


class Session(Protocol):
    """One conversation with a system."""

    async def reply(self, history: History) -> SystemReply:
        """Answer the history, which ends with the user's turn (or is empty, when the system opens)."""
        ...


@runtime_checkable
class System(Protocol):
    """A system under test. `memory` says whether it lives in the messages or behind a session id."""

    memory: Literal["messages", "session"]

    def open(self, opening: Opening, history: History) -> AbstractAsyncContextManager[Session]:
        """Open a conversation that goes on from `history`."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Somebody who answers criteria about a case.

    One that prompts a model says so in an attribute `prompt`, name and hash of its template: another prompt is another
    judge, whose verdicts are asked for anew. An attribute `takes` says which cases it is asked about: `one` exhibit, or
    a `pair`; without it, all. An attribute `criteria` holds its own criteria, for cases that bring none. One that
    judges simulated users says so in an attribute `about` (`users`), and is asked about such cases alone
    (`case.data["about"]`).
    """

    async def judge(self, case: Case) -> Verdict:
        """Judge one case in every order it wants to."""
        ...


# --- capabilities, found by isinstance ------------------------------------------------------------------------------


@runtime_checkable
class Respondent(Protocol):
    """Somebody who answers one question outside a dialogue."""

    async def answer(self, question: Question) -> Answer:
        """Answer one question."""
        ...


@runtime_checkable
class Rater(Protocol):
    """A simulated user who can be asked, after the dialogue, how satisfied it is."""

    async def rate(self, view: UserView, state: State) -> Answer:
        """Rate the dialogue from 1 (very dissatisfied) to 5 (very satisfied); the view holds all of it."""
        ...


@runtime_checkable
class Ranker(Protocol):
    """A system that ranks items for a history."""

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the best k items, best first, and all further items that tie with the k-th."""
        ...


@runtime_checkable
class Chooser(Protocol):
    """A system that chooses what to do next among options."""

    async def choose(self, options: Sequence[Option], history: History) -> Choice:
        """Choose one option."""
        ...


@runtime_checkable
class World(Protocol):
    """What both sides can act on through tools."""

    def tools(self, side: Side) -> Sequence[Tool]:
        """Return the tools of one side."""
        ...

    async def call(self, side: Side, name: str, arguments: dict[str, Json]) -> ToolResult:
        """Call one tool; a mistake of the caller comes back as a result with `error`."""
        ...

    def fork(self) -> World:
        """Return an independent copy, for a branch."""
        ...


@runtime_checkable
class Agent(Protocol):
    """A system that solves a task with tools by itself."""

    async def solve(self, task: Task, tools: Sequence[Tool]) -> Answer:
        """Work on the task until there is an answer."""
        ...


# --- protocols ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """A planned unit and how far it came. `status` is planned, complete or failed."""

    unit: Unit
    status: Literal["planned", "complete", "failed"]
    ended: Ended | None = None
    fault: Fault = "none"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StoredDialogue:
    """A dialogue with the unit it belongs to."""

    unit: Unit
    dialogue: Dialogue


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict with the judge that gave it. `judge_key` is a digest of its kind, model and prompts."""

    case: Case
    verdict: Verdict
    judge: str
    judge_key: str
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A case that a judge could not rule on, in the newest try: how it failed (`status`), and why in a sentence."""

    case: Case
    judge: str
    judge_key: str
    status: str
    reason: str = ""
    repeat: int = 0


class Store(Protocol):
    """What a run left, for reading. Iterators stream; nothing is held in memory."""

    plan: Plan

    def units(self) -> Iterator[UnitRecord]:
        """All planned units."""
        ...

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        """All finished dialogues, or those of these ids, in planned order; with `nodes=False` without what was said."""
        ...

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """The newest verdicts of every judge, by case; with `messages=False` their cases without what was said."""
        ...

    def unjudged(self) -> Iterator[Unjudged]:
        """Cases that judges could not rule on, without what was said in them."""
        ...

    def calls(self) -> Iterator[Call]:
        """All calls."""
        ...

    def noted(self, key: str) -> str | None:
        """A text that the protocol kept by name; None if it kept none."""
        ...


class Plan(Protocol):
    """The experiment as a protocol sees it.

    Attributes:
        seed: Seed of the run.
        users: Names of the user blocks, in the order of the file.
        systems: Names of the system blocks.
        judges: Names of the judge blocks.
        turns: `limits.turns`.
    """

    seed: int
    users: Sequence[str]
    systems: Sequence[str]
    judges: Sequence[str]
    turns: int | None

    def is_control(self, system: str) -> bool:
        """Whether a system block is a control (its kind says so): shown beside the results, not as one."""
        ...

    def profiles(self, user: str) -> Sequence[Profile] | None:
        """Profiles of one user block, or None if the block names no file."""
        ...

    def dataset(self) -> Any:
        """The data set of the experiment, or None."""
        ...


class RunContext(Protocol):
    """What a protocol works with while one unit runs.

    Attributes:
        plan: The experiment.
        address: Where the unit lies in the run; calls are named from here.
        attempt: How often this unit was started before; sessions that can't be resumed take a new id each time.
    """

    plan: Plan
    address: Address
    attempt: int

    def user(self, name: str) -> User:
        """The user block of that name, built once a run."""
        ...

    def system(self, name: str) -> System:
        """The system block of that name, built once a run."""
        ...

    def model(self, name: str) -> ChatModel:
        """A model of the `models:` block, for calls on the protocol's own behalf."""
        ...

    def rng(self, *names: Json) -> Random:
        """Randomness that depends on the run's seed, the unit and these names alone."""
        ...

    def save(self, dialogue: Dialogue) -> None:
        """Keep a finished dialogue; all of a unit are committed together with its outcome."""
        ...


@runtime_checkable
class Procedure(Protocol):
    """What a protocol does. Built once with its validated options."""

    options: ClassVar[type[BaseModel]]

    def units(self, plan: Plan) -> Iterable[Unit]:
        """All units, repeat 0: every scenario with every user and system it is for.

        Order and content depend on the experiment alone.
        """
        ...

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Run one unit and save its dialogues. A failure that a dialogue records is no exception."""
        ...

    def cases(self, store: Store) -> Iterable[Case]:
        """What judges shall see; empty where there is nothing to judge."""
        ...

    def measure(self, store: Store) -> Iterable[Metric]:
        """The numbers."""
        ...


@runtime_checkable
class Scoring(Protocol):
    """A protocol whose metrics are made of one value a unit, so that systems and runs can be compared in pairs."""

    def scores(self, store: Store) -> Iterable[Score]:
        """Every unit's value on every such metric, streaming."""
        ...
