"""What judges see of style control: one user's words in one dialogue, and nothing of what was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from mysteryshopper.core import Address, Case, Exhibit, Message, Store
from mysteryshopper.protocols.style_control.texts import MASK, Stripper, is_heard

ABOUT = "style"
"""What the cases are about: judges of anything else are not asked."""


def style_cases(store: Store) -> Iterator[Case]:
    """Yield one case a dialogue, in planned order: the user's turns alone, titles masked, layout taken out.

    What was asked for is in `data["requested"]`, for rules; a judge reads the turns.
    """
    dataset = store.plan.dataset()
    stripper = Stripper(dataset.catalog() if dataset is not None else None)
    for stored in store.dialogues():
        if not is_heard(stored):
            continue
        unit, dialogue = stored.unit, stored.dialogue
        messages = tuple(Message("user", text, author="simulated") for text in stripper.turns(dialogue, MASK))
        if not messages:
            continue
        name = f"style|{unit.key}"
        yield Case(
            name,
            unit.key,
            (Exhibit("A", dialogue.id, dialogue.nodes[-1].id, messages),),
            (),
            data={
                "about": ABOUT,
                "user": unit.user,
                "systems": [unit.system],
                "cluster": dialogue.root,
                "requested": dialogue.data["requested"],
            },
            address=Address(unit=unit.id, repeat=unit.repeat, path=name, role="judge"),
        )
