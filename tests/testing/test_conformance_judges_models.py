"""`check_judge` and `check_model` pass what keeps the contract, and catch what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mysteryshopper.core import Address, Case, ChatReply, ChatRequest, Json, Ruling, Usage, Verdict
from mysteryshopper.testing import ScriptedModel, check_judge, check_model


class Longest:
    """Prefers the longer reply, scores by length; both orders for pairs."""

    async def judge(self, case: Case) -> Verdict:
        rulings: list[Ruling] = []
        for criterion in case.criteria:
            if criterion.labels:
                value: Json = max(case.exhibits, key=lambda shown: len(shown.messages[0].text)).label
                rulings += [Ruling(criterion.name, value, "ok", order) for order in ("AB", "BA")]
            else:
                rulings.append(Ruling(criterion.name, min(5, 1 + len(case.exhibits[0].messages[0].text) // 20), "ok"))
        return Verdict(case.id, tuple(rulings))


def changed(**changes: Any) -> Any:
    """Return a judge whose rulings are all changed in one way."""

    class Broken(Longest):
        async def judge(self, case: Case) -> Verdict:
            verdict = await super().judge(case)
            return replace(verdict, rulings=tuple(replace(ruling, **changes) for ruling in verdict.rulings))

    return Broken()


class Silent:
    async def judge(self, case: Case) -> Verdict:
        return Verdict(case.id, ())


class Elsewhere(Longest):
    async def judge(self, case: Case) -> Verdict:
        return replace(await super().judge(case), case="another")


class Moody(Longest):
    turn = 0

    async def judge(self, case: Case) -> Verdict:
        self.turn += 1
        verdict = await super().judge(case)
        return replace(verdict, rulings=tuple(replace(r, value="AB"[self.turn % 2]) for r in verdict.rulings))


class Fenced(Longest):
    async def judge(self, case: Case) -> Verdict:
        if any("```" in message.text for shown in case.exhibits for message in shown.messages):
            raise ValueError("the fence is broken")
        return await super().judge(case)


async def test_sound_judges_pass() -> None:
    await check_judge(Longest())
    await check_judge(changed(value=None, status="refused"))


@pytest.mark.parametrize(
    ("judge", "sentence"),
    [
        (changed(value=9), r"ruled 9; the labels are"),
        (changed(value=None), "only ok and repaired carry one"),
        (changed(status="invalid"), "only ok and repaired carry one"),
        (changed(status="fine"), "unknown status 'fine'"),
        (changed(criterion="style"), "'style', which it was not asked"),
        (changed(order="AB"), "ruled twice on 'better'"),
        (Silent(), r"no ruling on \['better'\]"),
        (Elsewhere(), "ruled on 'another'"),
        (Moody(), "two different rulings"),
        (Fenced(), "a pair with markup raised ValueError"),
    ],
)
async def test_broken_judges_are_caught(judge: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_judge(judge)


async def test_sound_models_pass() -> None:
    await check_model(ScriptedModel(lambda request, address: f"{len(request.messages)} messages"))
    await check_model(ScriptedModel(lambda request, address: request.completion or "none", form="completion"))


def saying(**changes: Any) -> ScriptedModel:
    return ScriptedModel(lambda request, address: ChatReply("yes")._replace(**changes))


class Counter:
    form = "chat"
    n = 0

    async def chat(self, request: ChatRequest, address: Address) -> ChatReply:
        self.n += 1
        return ChatReply(f"call {self.n}")


def choking(request: ChatRequest, address: Address) -> str:
    return request.messages[-1].content.encode("utf-16").hex()[:8]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (saying(text=7), "a text that is no text: 7"),
        (saying(finish=""), "does not say why it stopped"),
        (saying(usage=Usage(-1, 0)), "counted tokens as"),
        (saying(logprobs=({"a": 0.5},)), "a log-probability above 0"),
        (saying(logprobs=({"a": -2.0, "b": -1.0},)), "not best first"),
        (Counter(), "equal requests at temperature 0 got different replies"),
        (ScriptedModel(choking), "a lone surrogate raised UnicodeEncodeError"),
        (ScriptedModel([]), "a plain question raised ShopperError"),
        (ScriptedModel([], form="words"), "form is 'words'"),  # type: ignore[arg-type]
    ],
)
async def test_broken_models_are_caught(model: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        await check_model(model)
