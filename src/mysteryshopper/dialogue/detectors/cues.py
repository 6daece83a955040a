"""Words without which a turn cannot leak or speak as a machine, whatever else it sounds like.

Formal English alone is no fault: a turn must name what gives it away.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mysteryshopper.dialogue.detectors.scoring import scorers
from mysteryshopper.dialogue.detectors.utterance import Utterance

_WORDS = {
    "speaks_as_system": """
    access ai algorithm algorithms anthropic artificial assist assistance assistant automated bot browse capable
    catalog catalogue chatbot chatgpt claude code computer consciousness conversation created data database designed
    desires developed developers digital emotions experience experiences eyes fulfil fulfill gemini gpt guide human
    humans inappropriate internet knowledge language limitations llm machine meta model models openai personal
    preferences process program programmed programming real recommender request requests software system text
    trained training unable unlike update users virtual
    """,
    "leaked_instructions": """
    act allowed assigned assignment background behave brief briefing card constraint constraints customer describes
    description directive directives disclose evaluate evaluating evaluation exercise experiment fictional forbid
    forbidden goal guideline guidelines hidden hint imaginary impersonate impersonating instruct instructed
    instruction instructions instructs marker meant message naming naturally objective orders participant permitted
    persona personas play playing pretend pretending profile profiles prompt prompts purposes recommender remain
    replies reply requested required requirements requires respond response reveal revealing role roleplay
    roleplaying rules scenario script secret seeker sentence sentences setup sheet shopper simulate simulated
    simulating simulation study supposed target task tester testing user users voice
    """,
    "leaked_thoughts": """
    accepting acknowledge action analysis answer answering answers assistant bot casual casually chatbot consider
    considering consistent constraints context conversation craft customer customers decline dialogue draft express
    goal hint inner intent internal internally message messages monologue natural naturally observation output
    persona personality polite politely preferences produce profile rationale react reaction reason reasoning
    recommender reconsider refusal refuse reject rejecting replies reply respond responding response reveal scratch
    scratchpad seeker seekers sound speak steer step target thinking thought thoughts tone user users utterance
    vague wish wording
    """,
}

HARD: Mapping[str, frozenset[str]] = MappingProxyType({name: frozenset(text.split()) for name, text in _WORDS.items()})
"""Words that name the machine, the prompt or the planning, by detector: a model judges no turn without one."""


def judged(detector: str, utterance: Utterance) -> str | None:
    """Return the sentence that a detector's model finds faulty, or None; a turn without a hard word passes."""
    if utterance.vocabulary.isdisjoint(HARD[detector]):
        return None
    return scorers()[detector].telling(utterance.pieces)
