"""What is kept of each dialogue: what was asked for, what was counted, and what judges said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mysteryshopper.core import Fault, Score, Store, StoredDialogue, Unit
from mysteryshopper.dialogue.styles import TITLE, Dictionary, Writing, labels_of, letters, writing_of
from mysteryshopper.items import Catalog
from mysteryshopper.protocols.style_control.cases import ABOUT
from mysteryshopper.protocols.style_control.texts import Stripper, heard_by, is_heard

FEATURES = "features"
_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Talk:
    """One dialogue.

    Attributes:
        unit: The unit it belongs to.
        cluster: The person.
        asked: The value asked for, by style.
        writing: What was counted; None where nothing can be (no words, a failed dialogue, no English).
        fault: Whose fault it was, where the dialogue failed.
        found: The label found, by source (`features`, `judge NAME`) and style; what is missing is absent.
    """

    unit: Unit
    cluster: str
    asked: Mapping[str, str]
    writing: Writing | None
    fault: Fault = "none"
    found: dict[str, dict[str, str]] = field(default_factory=dict)


def read_talks(
    store: Store, cuts: Mapping[str, Sequence[float]], watch: Callable[[StoredDialogue], None] = lambda stored: None
) -> tuple[list[Talk], list[str]]:
    """Read a run.

    Args:
        store: The run.
        cuts: Where features are cut into labels, where it is not as by default.
        watch: Called with every dialogue.

    Returns:
        All dialogues; and who found labels, counting first, judges in the order of the file. Of a judge's repeats the
        first that could be read counts.
    """
    dataset = store.plan.dataset()
    catalog = dataset.catalog() if dataset is not None else None
    stripper, dictionary = Stripper(catalog), Dictionary(_spoken_of(catalog))
    talks: dict[str, Talk] = {}
    for stored in store.dialogues():
        watch(stored)
        talk = _talk(stored, stripper, dictionary)
        if talk.writing is not None:
            labels = labels_of(talk.writing, cuts)
            talk.found[FEATURES] = {style: label for style, label in labels.items() if label is not None}
        talks[stored.unit.key] = talk
    judges = {failed.judge for failed in store.unjudged() if failed.case.data.get("about") == ABOUT}
    for verdict in store.verdicts(messages=False):
        if verdict.case.data.get("about") != ABOUT:
            continue
        judges.add(verdict.judge)
        found = talks[verdict.case.unit].found.setdefault(by_judge(verdict.judge), {})
        for ruling in verdict.verdict.rulings:
            if isinstance(ruling.value, str):
                found.setdefault(ruling.criterion, ruling.value)
    return list(talks.values()), [FEATURES, *(by_judge(name) for name in store.plan.judges if name in judges)]


def style_scores(talks: Sequence[Talk], sources: Sequence[str]) -> Iterator[Score]:
    """Yield for each dialogue and everybody who finds styles the share of the styles asked for that were found so.

    The name is `style_as_asked, SOURCE`; the value is None where one of the labels is missing.
    """
    for talk in talks:
        unit = talk.unit
        for by in sources:
            found = talk.found.get(by, {})
            hits = [found[style] == value for style, value in talk.asked.items() if style in found]
            value = sum(hits) / len(hits) if len(hits) == len(talk.asked) else None
            name = f"{unit.id}|{unit.user}|{unit.repeat}"
            yield Score(
                f"style_as_asked, {by}", name, unit.user, unit.system, talk.cluster, value, talk.fault, "higher"
            )


def by_judge(name: str) -> str:
    """Return how a judge is named among those who find labels."""
    return f"judge {name}"


def _talk(stored: StoredDialogue, stripper: Stripper, dictionary: Dictionary) -> Talk:
    dialogue = stored.dialogue
    writing = None
    language = str(dialogue.data.get("language") or _LANGUAGE)
    if is_heard(stored) and language.casefold().startswith(_LANGUAGE):
        said = {word for message in heard_by(dialogue) for word in letters(message.text)}
        writing = writing_of(stripper.turns(dialogue, TITLE), dictionary, said)
    return Talk(stored.unit, dialogue.root, dialogue.data["requested"], writing, dialogue.fault)


def _spoken_of(catalog: Catalog | None) -> Iterator[str]:
    """Yield what is no slip in talk about a catalogue: titles, attribute values and names."""
    for item in catalog or ():
        yield item.title
        yield from item.aliases
        for name, values in item.attributes.items():
            yield name
            yield from values
