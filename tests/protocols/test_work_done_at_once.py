"""Work of one unit done at once: what comes back, and which failure its caller hears of."""

import asyncio

import pytest

from mysteryshopper.core import CallFailed, StopRun
from mysteryshopper.protocols.at_once import both, together


async def done(value, after=0.0):
    await asyncio.sleep(after)
    return value


async def fails(error, after=0.0):
    await asyncio.sleep(after)
    raise error


async def test_results_come_in_the_order_of_the_work():
    assert await together([done("a", 0.01), done("b")]) == ["a", "b"]
    assert await both(done("a", 0.01), done(2)) == ("a", 2)
    assert await together([]) == []


async def test_a_failed_call_comes_out_as_it_was_raised():
    failure = CallFailed("the limit is reached", ended="budget")
    with pytest.raises(CallFailed) as one:
        await together([done("a"), fails(failure), fails(CallFailed("cancelled before", ended="timeout"), 0.05)])
    with pytest.raises(CallFailed) as other:
        await both(fails(failure), done("a", 0.05))
    assert one.value is other.value is failure


async def test_an_order_to_stop_goes_before_any_other_failure():
    stop = StopRun("the key is refused")
    with pytest.raises(StopRun) as raised:
        await together([fails(CallFailed("late", ended="timeout")), fails(stop)])
    assert raised.value is stop
    with pytest.raises(StopRun):  # also from work that itself did several things at once
        await both(both(fails(ValueError("odd")), fails(stop)), done("a", 0.05))
