"""The prompts of a run as files, and the child experiment in which a user is given one of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.blocks import UserBlock
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import check_texts
from mysteryshopper.experiment.kinds import USERS
from mysteryshopper.experiment.summary import write_whole
from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.story import Story

PROMPTS, ROUNDS = "prompts", "rounds"
BEST = "best.txt"

_FILE = ("prompt", "path")
"""Options of a user that reads its instruction from a file: `prompt: file`, `path: FILE`."""
_TEXT = "instruction"


def prompt_file(run: Path, number: int) -> Path:
    """Return where a run keeps a prompt: `prompts/initial.txt`, `prompts/round-03.txt`."""
    return run / PROMPTS / (f"round-{number:02d}.txt" if number else "initial.txt")


def child_folder(run: Path, number: int) -> Path:
    """Return the folder of the dialogues with a prompt: `rounds/03`."""
    return run / ROUNDS / f"{number:02d}"


def write_prompts(run: Path, story: Story) -> None:
    """Write all prompts of a story into their files, that of a round under way too, and the best as `prompts/best.txt`.

    Raises:
        StopRun: One can't be written.
    """
    (run / PROMPTS).mkdir(parents=True, exist_ok=True)
    told = story.rounds if story.begun is None else (*story.rounds, story.begun)
    for one in told:
        if one.prompt:
            write_whole(prompt_file(run, one.number), one.prompt + "\n")
    if told:
        write_whole(run / PROMPTS / BEST, told[story.best].prompt + "\n")


def slot_of(block: UserBlock, options: OptimisationOptions) -> str:
    """Return the option of a user that takes the prompt: `path`, a file's, or else one that takes the text.

    Raises:
        ConfigError: The kind has no such option.
    """
    kind: Any = USERS.load(block.kind, key="user.kind")
    known = set(getattr(getattr(kind, "options", None), "model_fields", {}))
    if options.slot is not None:
        if options.slot not in known:
            raise ConfigError(
                f"the user kind {block.kind!r} has no option {options.slot!r}; it has"
                f" {', '.join(sorted(known)) or 'none'}.",
                key="options.slot",
            )
        return options.slot
    if known.issuperset(_FILE):
        return "path"
    if _TEXT in known:
        return _TEXT
    raise ConfigError(
        f"the user kind {block.kind!r} takes no instruction, so there is nothing to optimise: take one with the options"
        " `prompt` and `path` (adaptsim) or `instruction`, or name the option that takes the text in `options.slot`.",
        key="user.kind",
    )


def can_be_given(text: str, slot: str) -> bool:
    """Whether a user can be given a text in this option: in a file any, in an experiment file none with a variable."""
    if slot == "path":
        return True
    try:
        check_texts({"options": {slot: text}})
    except ConfigError:
        return False
    return True


def child(experiment: Experiment, options: OptimisationOptions, run: Path, number: int, prompt: str) -> Experiment:
    """Return the experiment of the dialogues with one prompt.

    It is the parent's with the protocol `conversation`, the same user with the prompt, and nothing to judge; people,
    systems and seeds are the same in every round. Sessions are not: a bot that remembers them must not take one round's
    talk for another's.
    """
    block = experiment.users[0]
    slot = slot_of(block, options)
    given: dict[str, Any]
    if slot == "path":
        path = os.path.relpath(prompt_file(run, number).resolve(), Path(experiment.folder).resolve())
        given = {"prompt": "file", "path": path}
    else:
        given = {slot: prompt}
    told = {key: value for key, value in block.options.items() if key != "from"} | given
    conversation = options.conversation.model_copy(update={"sessions": f"round {number}"})
    return experiment.model_copy(
        update={
            "protocol": "conversation",
            "users": (block.model_copy(update={"options": told}),),
            "judges": (),
            "options": conversation.model_dump(mode="json"),
            "limits": experiment.limits.model_copy(update={"units": options.batch, "max_cost": None}),
            "repeats": 1,
            "assert_": (),
        }
    )
