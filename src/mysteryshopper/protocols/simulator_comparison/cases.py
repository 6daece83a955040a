"""What judges see of simulators: two dialogues of one person with one system, behind what both were told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mysteryshopper.core import Address, Case, Exhibit, JsonObject, Message, Store
from mysteryshopper.prompts import Prompt
from mysteryshopper.protocols.simulator_comparison.spoiling import Controls
from mysteryshopper.protocols.simulator_comparison.talks import Talk, is_judged, met, pairs

ABOUT = "users"
_PERSON = "protocols/simulator-person"


def simulator_cases(store: Store, controls: int, seed: int) -> Iterator[Case]:
    """Yield all cases of a run: every two simulators' dialogues of one scenario, system and repeat; controls last.

    A pair in which a dialogue failed, or the user said nothing, is not judged.

    Args:
        store: The run.
        controls: How many controls of each sort.
        seed: Draws the controls.
    """
    chosen = Controls.choose(store, controls, seed)
    for talks in met(store):
        for first, second in pairs(talks, store.plan.users):
            if is_judged(first, second):
                yield pair_case(first, second)
        for talk in talks.values():
            chosen.keep(talk)
    yield from chosen.cases(pair_case)


def pair_case(first: Talk, second: Talk, name: str = "", **more: Any) -> Case:
    """Return the case of two dialogues over one person and system.

    Its id names the simulators in alphabetical order, so that it is the same whatever the order of the file. Its data
    names them as `systems`: whoever stands in an exhibit.

    Args:
        first: One dialogue.
        second: The other.
        name: Id of the case, where it is no plain pair.
        more: `control` and further `data`.
    """
    unit = first.unit
    users = [first.unit.user, second.unit.user]
    name = name or "|".join(("users", unit.id, unit.system, *sorted(users), str(unit.repeat)))
    data = {
        "about": ABOUT,
        "user": "",
        "systems": users,
        "system": unit.system,
        "cluster": first.cluster,
        **more.pop("data", {}),
    }
    exhibits = tuple(
        Exhibit(label, talk.dialogue, talk.nodes[-1].id if talk.dialogue else "", talk.messages)
        for label, talk in (("A", first), ("B", second))
    )
    address = Address(unit=unit.id, repeat=unit.repeat, path=name, role="judge")
    context = (*told(first.person), *first.before)
    return Case(name, unit.key, exhibits, (), context, data, address=address, **more)


def told(person: JsonObject) -> tuple[Message, ...]:
    """Return what the simulators were told about the person, as a note to the judge; none where that is nothing."""
    values = {
        "persona": person.get("persona", ""),
        "wish": person.get("wish", ""),
        "requires": person.get("constraints", {}),
        "prefers": person.get("prefers", {}),
        "hidden": person.get("hidden", []),
        "style": person.get("style", {}),
    }
    text = Prompt.load(_PERSON).render(**values).text
    return (Message("system", text, author="simulated"),) if text else ()
