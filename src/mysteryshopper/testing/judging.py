"""The conformance checks of judges and of chat models."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, get_args

from mysteryshopper.core import (
    Address,
    Case,
    ChatMessage,
    ChatModel,
    ChatReply,
    ChatRequest,
    Judge,
    Ruling,
    Status,
    Verdict,
)
from mysteryshopper.testing import samples
from mysteryshopper.testing.checking import essence, json_copy, require, snapshot, survives


async def check_model(model: ChatModel, *, repeatable: bool = True) -> None:
    """Check that a chat model keeps the contract of `core.ChatModel`.

    Checked: `form` is right; replies have the right types; at temperature 0 equal requests get equal replies, also at
    the same time; all scripts and hostile texts are borne; log-probabilities, where there are any, are none above 0
    and best first; the request is not changed.

    Args:
        model: The model.
        repeatable: False for an endpoint that does not promise equal replies at temperature 0.

    Raises:
        AssertionError: It breaks the contract; the sentence says where.
    """
    require(isinstance(model, ChatModel), f"{type(model).__name__} has no `chat` or no `form`, so it is no model")
    require(model.form in ("chat", "completion"), f"form is {model.form!r}; a model takes `chat` or a `completion`")
    request = _request(model, "Name one slow film with trains.")
    replies = [await _chat(model, request, "a plain question") for _ in range(2)]
    replies += await asyncio.gather(*(_chat(model, request, "a plain question, twice at once") for _ in range(2)))
    if repeatable:
        texts = [essence(reply).text for reply in replies]
        require(len(set(texts)) == 1, f"equal requests at temperature 0 got different replies: {texts!r}")
    for what, text in samples.HOSTILE.items():
        if text.strip():  # an empty message is never sent to a model
            await _chat(model, _request(model, text[:1000]), what)


async def check_judge(judge: Judge, *cases: Case, repeatable: bool = True) -> None:
    """Check that a judge keeps the contract of `core.Judge`.

    Checked: verdicts name their case and rule on its criteria alone (a case without any gets the judge's own), at most
    once for each order; only readable rulings carry a value, and it is one of the labels, for a pair the label of an
    exhibit or `tie`, or lies between lowest and highest score; equal cases get equal rulings; replies that are hostile,
    or try to close their fence, are borne; cases are not changed.

    Args:
        judge: The judge.
        cases: What it is for; by default a pair, and one reply to be scored, as far as the judge `takes` them.
        repeatable: False for a judge that draws a new ruling each time.

    Raises:
        AssertionError: It breaks the contract; the sentence says where.
    """
    require(isinstance(judge, Judge), f"{type(judge).__name__} has no `judge`, so it is no judge")
    takes = getattr(judge, "takes", None)
    require(takes in (None, "one", "pair"), f"takes is {takes!r}; a judge takes `one` or a `pair`, or says nothing")
    own = tuple(getattr(judge, "criteria", ()))
    usual = (() if takes == "one" else (samples.pair(),)) + (() if takes == "pair" else (samples.graded(),))
    bare = tuple(replace(case, criteria=()) for case in usual if own)
    for case in cases or (*usual, *bare):
        first = await _judge(judge, case, "a plain case")
        second = await _judge(judge, case, "the same case again")
        if repeatable:
            require(
                [ruling.value for ruling in first.rulings] == [ruling.value for ruling in second.rulings],
                "the same case got two different rulings",
            )
    if not cases:
        for what, text in samples.HOSTILE.items():
            if takes != "one":
                await _judge(judge, samples.pair(first=text), f"a pair with {what}")
            if takes != "pair":
                await _judge(judge, samples.graded(text), f"a reply with {what}")


def _request(model: ChatModel, text: str) -> ChatRequest:
    if model.form == "completion":
        return ChatRequest(completion=f"Question: {text}\nAnswer:", max_tokens=8, temperature=0, stop=("\n",))
    messages = (ChatMessage("system", "You answer in a few words."), ChatMessage("user", text))
    return ChatRequest(messages, max_tokens=8, temperature=0)


async def _chat(model: ChatModel, request: ChatRequest, what: str) -> ChatReply:
    before = snapshot(request)
    address = Address(unit="check", role="user", component="checked", purpose=what)
    reply: Any = await survives(f"chat with {what}", model.chat(request, address))
    require(request == before, f"chat with {what} changed its request")
    require(isinstance(reply, ChatReply), f"chat with {what} returned {type(reply).__name__}, not a ChatReply")
    require(
        reply.text is None or isinstance(reply.text, str),
        f"chat with {what} has a text that is no text: {reply.text!r}",
    )
    require(bool(reply.finish), f"chat with {what} does not say why it stopped (`finish`)")
    counts = (reply.usage.input_tokens, reply.usage.output_tokens)
    require(all(isinstance(n, int) and n >= 0 for n in counts), f"chat with {what} counted tokens as {counts!r}")
    for token in reply.logprobs:
        values = list(token.values())
        require(all(value <= 1e-6 for value in values), f"chat with {what} has a log-probability above 0: {token!r}")
        require(values == sorted(values, reverse=True), f"chat with {what} has alternatives not best first: {token!r}")
    checked: ChatReply = reply
    return checked


async def _judge(judge: Judge, case: Case, what: str) -> Verdict:
    before = snapshot(case)
    verdict: Any = await survives(f"judge with {what}", judge.judge(case))
    require(case == before, f"judge with {what} changed its case")
    require(isinstance(verdict, Verdict), f"judge with {what} returned {type(verdict).__name__}, not a Verdict")
    require(verdict.case == case.id, f"judge with {what} ruled on {verdict.case!r}, not on {case.id!r}")
    if not case.criteria:
        case = replace(case, criteria=tuple(getattr(judge, "criteria", ())))
    seen: set[tuple[str, str, str]] = set()
    for ruling in verdict.rulings:
        _check_ruling(case, ruling, what)
        place = (ruling.criterion, ruling.order, ruling.node)
        require(place not in seen, f"judge with {what} ruled twice on {ruling.criterion!r} in order {ruling.order!r}")
        seen.add(place)
    missing = {criterion.name for criterion in case.criteria} - {ruling.criterion for ruling in verdict.rulings}
    require(not missing, f"judge with {what} has no ruling on {sorted(missing)!r}; one not answered has value None")
    checked: Verdict = verdict
    return checked


def _check_ruling(case: Case, ruling: Ruling, what: str) -> None:
    criterion = next((one for one in case.criteria if one.name == ruling.criterion), None)
    if criterion is None:
        raise AssertionError(f"judge with {what} ruled on {ruling.criterion!r}, which it was not asked")
    require(ruling.status in get_args(Status), f"judge with {what} has the unknown status {ruling.status!r}")
    json_copy(f"the value of judge with {what}", ruling.value)
    readable = ruling.status in ("ok", "repaired")
    require(
        readable == (ruling.value is not None),
        f"judge with {what} has value {ruling.value!r} with status {ruling.status!r}; only ok and repaired carry one",
    )
    if not readable:
        return
    pair = len(case.exhibits) == 2
    if criterion.labels or pair:
        allowed = (*(exhibit.label for exhibit in case.exhibits), "tie") if pair else criterion.labels
        require(ruling.value in allowed, f"judge with {what} ruled {ruling.value!r}; the labels are {allowed!r}")
    else:
        number = isinstance(ruling.value, (int, float)) and not isinstance(ruling.value, bool)
        require(
            number and criterion.low <= ruling.value <= criterion.high,
            f"judge with {what} scored {ruling.value!r}; scores go from {criterion.low:g} to {criterion.high:g}",
        )
