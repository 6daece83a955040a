"""The recording layer: keys, seeds, equal calls, budget, and what is handed on when."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress

import pytest
from call_logs import MemoryLog

from mysteryshopper.core import Address, Call, CallFailed, ChatMessage, ChatReply, ChatRequest, ConfigError, Usage
from mysteryshopper.models import Budget, CallLimits, ModelBlock, Models, Price, SimpleSender, check_priced
from mysteryshopper.models.record import RecordedModel, Recorder
from mysteryshopper.models.sending import Prepared
from mysteryshopper.testing import FakeServer


class Slow(SimpleSender):
    """Answers after a turn or two of the loop, and counts how often it was asked."""

    def __init__(self, replies: list[ChatReply | Exception] | None = None, **keys: object) -> None:
        super().__init__(ModelBlock.model_validate({"provider": "slow", **keys}))
        self.asked: list[tuple[str, int | None]] = []
        self.replies = replies or []

    async def answer(self, request: ChatRequest, address: Address, seed: int | None) -> ChatReply:
        self.asked.append((request.messages[0].content, seed))
        number = len(self.asked)
        await asyncio.sleep(0.01)
        said = self.replies.pop(0) if self.replies else ChatReply(f"reply {number}", usage=Usage(5, 2))
        if isinstance(said, Exception):
            raise said
        return said


def asked(text: str = "hello", temperature: float | None = None) -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), temperature=temperature)


def recorded(sender: Slow, log: MemoryLog, seed: int = 7) -> RecordedModel:
    return RecordedModel("m", sender, Recorder(log, seed=seed))


async def test_at_temperature_zero_equal_requests_are_one_call_also_at_once() -> None:
    sender, log = Slow(temperature=0.0), MemoryLog()
    model = recorded(sender, log)
    replies = await asyncio.gather(*(model.chat(asked(), Address(unit=str(number))) for number in range(8)))
    assert {reply.text for reply in replies} == {"reply 1"}
    assert [reply.cached for reply in replies].count(False) == 1
    assert len({reply.call for reply in replies}) == 1
    assert len(log.calls) == 1
    assert (await model.chat(asked(), Address(unit="later"))).cached
    assert sender.asked == [("hello", None)]


async def test_above_it_every_address_is_a_draw_of_its_own_that_it_alone_meets_again() -> None:
    sender, log = Slow(temperature=0.7), MemoryLog()
    model = recorded(sender, log)
    first, second = await asyncio.gather(*(model.chat(asked(), Address(unit=name)) for name in "ab"))
    assert first.text != second.text
    assert len({seed for _, seed in sender.asked}) == 2
    again = await model.chat(asked(), Address(unit="a"))
    assert (again.text, again.cached, again.call) == (first.text, True, first.call)
    retry = await model.chat(asked(), Address(unit="a", attempt=1))
    assert not retry.cached
    assert len(log.calls) == 3


async def test_another_seed_of_the_run_is_another_draw() -> None:
    log = MemoryLog()
    one, two = Slow(temperature=0.7), Slow(temperature=0.7)
    await recorded(one, log, seed=1).chat(asked(), Address(unit="a"))
    await recorded(two, log, seed=2).chat(asked(), Address(unit="a"))
    assert one.asked[0][1] != two.asked[0][1]


async def test_the_key_is_the_whole_request_and_the_model_but_not_where_or_how_fast_it_is_asked() -> None:
    async with FakeServer() as server, Models(log := MemoryLog()) as models:
        plain = {"name": "m", "base_url": server.base_url, "temperature": 0.0}
        moved = {**plain, "base_url": server.base_url + "/", "rpm": 9000, "concurrency": 3, "attempt_timeout": 9.0}
        moved |= {"price": Price(input=1.0, output=1.0), "headers": {"X-Team": "shop"}}
        blocks = [plain, moved, {**plain, "name": "n"}, {**plain, "params": {"top_p": 0.5}}, {**plain, "max_tokens": 9}]
        for number, keys in enumerate(blocks):
            await models.model(f"model {number}", ModelBlock.model_validate(keys)).chat(asked(), Address())
        await models.model("model 0", ModelBlock.model_validate(plain)).chat(asked("hello "), Address())
        assert server.count() == 5
        assert len({call.key for call in log.calls}) == 5


async def test_the_same_bodies_with_the_same_seeds_at_any_concurrency() -> None:
    seen: list[Counter[bytes]] = []
    for concurrency in (1, 8):
        async with (
            FakeServer() as server,
            Models(MemoryLog(), seed=3, limits=CallLimits(concurrency=concurrency)) as models,
        ):
            model = models.model("m", ModelBlock(name="m", base_url=server.base_url, temperature=0.9))
            places = [
                Address(f"u{unit}", repeat, f"0.{turn}") for unit in range(4) for repeat in (0, 1) for turn in (0, 1)
            ]
            if concurrency == 1:
                for place in places:
                    await model.chat(asked(), place)
            else:
                await asyncio.gather(*(model.chat(asked(), place) for place in reversed(places)))
            seen.append(Counter(request.raw for request in server.requests))
            assert len({json.loads(raw)["seed"] for raw in seen[-1]}) == len(places)
    assert seen[0] == seen[1]


async def test_who_waited_for_a_call_that_was_cancelled_makes_it() -> None:
    sender, log = Slow(temperature=0.0), MemoryLog()
    model = recorded(sender, log)
    calls = [asyncio.ensure_future(model.chat(asked(), Address())) for _ in range(3)]
    await asyncio.sleep(0.002)
    calls[0].cancel()
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert [reply.text for reply in done[1:]] == ["reply 2", "reply 2"]  # type: ignore[union-attr]
    assert len(log.calls) == 1


async def test_who_waited_for_a_call_that_failed_fails_alike() -> None:
    failure = CallFailed("gone", ended="timeout", fault="infra", status=None)
    sender, log = Slow([failure], temperature=0.0), MemoryLog()
    model = recorded(sender, log)
    done = await asyncio.gather(*(model.chat(asked(), Address()) for _ in range(3)), return_exceptions=True)
    assert [(str(error), error.ended) for error in done] == [("gone", "timeout")] * 3  # type: ignore[union-attr]
    assert len({id(error) for error in done}) == 3
    assert [call.status for call in log.calls] == ["error"]
    assert (await model.chat(asked(), Address())).text == "reply 2"


async def test_a_reply_is_handed_on_only_once_it_is_committed() -> None:
    order: list[str] = []

    class Late(MemoryLog):
        async def commit(self, call: Call) -> None:
            await asyncio.sleep(0.02)
            order.append("committed")

    await recorded(Slow(), Late()).chat(asked(), Address())  # type: ignore[arg-type]
    order.append("handed on")
    assert order == ["committed", "handed on"]


async def test_bad_replies_and_errors_are_rows_of_their_own() -> None:
    bad = [ChatReply(""), ChatReply("half", "length"), CallFailed("x", ended="http_error")]
    sender, log = Slow([*bad], temperature=0.0), MemoryLog()
    model = recorded(sender, log)
    await model.chat(asked(), Address())
    await model.chat(asked(), Address())
    with pytest.raises(CallFailed):
        await model.chat(asked(), Address())
    await model.chat(asked(), Address())
    assert [call.status for call in log.calls] == ["bad", "bad", "error", "ok"]
    assert len({call.key for call in log.calls}) == 1
    assert len({call.id for call in log.calls}) == 4


# --- money ----------------------------------------------------------------------------------------------------------


def priced(server: FakeServer, **keys: object) -> ModelBlock:
    given = {"name": "m", "base_url": server.base_url, "price": {"input": 0, "output": 1_000_000}, "max_tokens": 4}
    return ModelBlock.model_validate({**given, **keys})  # a token costs 1, a call at worst 4, and really 2


async def test_a_call_that_could_pass_the_limit_is_not_sent_and_one_that_meets_it_is() -> None:
    async with FakeServer() as server:
        budget = Budget(limit=8.0)
        async with Models(log := MemoryLog(), budget=budget) as models:
            model = models.model("judge", priced(server))
            for number in range(3):  # 2 + 2 + 4 at worst is the limit exactly
                await model.chat(asked(), Address(unit=str(number)))
            assert budget.spent == 6.0
            with pytest.raises(CallFailed) as failure:
                await model.chat(asked(), Address(unit="9"))
            assert (failure.value.ended, failure.value.fault) == ("budget", "infra")
            assert server.count() == len(log.calls) == 3
            small = ChatRequest((ChatMessage("user", "hello"),), max_tokens=2)
            await model.chat(small, Address(unit="9"))
            assert budget.spent == 8.0


async def test_calls_at_once_reserve_their_worst_case() -> None:
    async with FakeServer(latency=0.02) as server, Models(MemoryLog(), budget=Budget(limit=9.0)) as models:
        model = models.model("judge", priced(server))
        done = await asyncio.gather(
            *(model.chat(asked(), Address(unit=str(number))) for number in range(5)), return_exceptions=True
        )
        assert sum(isinstance(reply, ChatReply) for reply in done) == 2  # 4 + 4, and no third
        assert server.count() == 2


async def test_an_attempt_that_got_lost_counts_at_its_worst() -> None:
    limits = CallLimits(retries=2, backoff=0.001, attempt_timeout=0.1)
    async with FakeServer(faults=["hang", "hang"]) as server:
        budget = Budget(limit=11.0)
        async with Models(MemoryLog(), limits=limits, budget=budget) as models:
            with pytest.raises(CallFailed) as failure:  # 4 + 4, and 4 more would pass 11
                await models.model("judge", priced(server)).chat(asked(), Address())
            assert failure.value.ended == "budget"
            assert budget.spent == 8.0
            assert server.count() == 2


async def test_what_an_earlier_try_spent_counts_and_cached_calls_cost_nothing() -> None:
    async with FakeServer() as server:
        log = MemoryLog()
        async with Models(log, budget=Budget(limit=4.0)) as models:
            await models.model("m", priced(server, temperature=0.0)).chat(asked(), Address())
        async with Models(log, budget=Budget(limit=4.0, spent=2.0)) as models:
            model = models.model("m", priced(server, temperature=0.0))
            assert (await model.chat(asked(), Address())).cached
            with pytest.raises(CallFailed):
                await model.chat(asked("other"), Address())


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"price": None}, "models.writer.price"),
        ({"max_tokens": None}, "models.writer.max_tokens"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused(keys: dict[str, object], key: str) -> None:
    given = {"name": "m", "base_url": "http://h/v1", "price": {"input": 1, "output": 1}, "max_tokens": 9}
    block = ModelBlock.model_validate({**given, **keys})
    check_priced({"writer": block}, None)
    with pytest.raises(ConfigError) as error:
        check_priced({"writer": block}, 5.0)
    assert error.value.key == key
    check_priced({"writer": ModelBlock.model_validate(given), "small": ModelBlock(provider="local")}, 5.0)
    check_priced({"writer": ModelBlock.model_validate({**given, "max_tokens": None})}, 5.0, embedders=["writer"])


@pytest.mark.parametrize("said", [ChatReply("yes", usage=Usage(1000, 1000)), CallFailed("no", ended="http_error")])
async def test_money_is_set_aside_until_the_call_is_recorded(said: ChatReply | CallFailed) -> None:
    told: list[float] = []
    budget = Budget(10.0, at_risk=told.append)
    holds: list[float] = []

    class Watching(MemoryLog):
        async def commit(self, call: Call) -> None:
            holds.append(budget._reserved)
            await super().commit(call)

    class Charged(Slow):
        free = False

        def prepare(self, request: ChatRequest, address: Address, seed: int) -> Prepared:
            return super().prepare(request, address, seed)._replace(input_bound=1000, output_bound=1000)

    sender = Charged([said], price={"input": 1000, "output": 2000}, temperature=0.5)
    model = RecordedModel("m", sender, Recorder(Watching(), budget=budget))
    with suppress(CallFailed):
        await model.chat(asked(), Address())
    assert holds == [3.0]
    assert (budget._reserved, told) == (0.0, [3.75])
