"""The conformance check of simulated users."""

from __future__ import annotations

from random import Random
from typing import Any

from mysteryshopper.core import Answer, Rater, State, User, UserTurn, UserView
from mysteryshopper.testing import samples
from mysteryshopper.testing.checking import essence, json_copy, require, snapshot, survives


async def check_user(user: User, *, repeatable: bool = True) -> None:
    """Check that a simulated user keeps the contract of `core.User`, and of `Rater` where it has it.

    Checked: the state is JSON and never changed in place; the same randomness gives the same state; a turn depends on
    view and state alone, so branches don't feel each other and a state read back from disk goes on the same way; only
    shown items are accepted or rejected; empty histories, hostile texts and all scripts are borne. A rating is a number
    from 1 to 5, or none with a status that says why.

    Call it in a test of your own, with models whose replies depend on the request alone:

        async def test_my_user_keeps_the_contract() -> None:
            await check_user(MyUser(model=ScriptedModel(...)))

    Args:
        user: The user.
        repeatable: False for a user whose model draws a new reply each time; equality of turns is then not checked.

    Raises:
        AssertionError: It breaks the contract; the sentence says where.
    """
    require(isinstance(user, User), f"{type(user).__name__} has no `start` or no `speak`, so it is no user")
    state = _check_start(user)
    inside = bool(getattr(user, "sees_targets", False))
    first = samples.view(samples.history(), inside=inside)
    turn, after = await _speak(user, first, state, "with nothing said yet")
    said = samples.history(turn.text or "Hello?", "You may like Paper Lighthouse or The Quiet Tram.")
    second = samples.view(said, inside=inside)
    answered, later = await _speak(user, second, after, "after a reply with items")
    other = samples.view(samples.history(turn.text or "Hello?", "What do you like?"), inside=inside)
    await _speak(user, other, after, "on another branch")
    again, again_later = await _speak(user, second, json_copy("the state", after), "with the state read back from JSON")
    if repeatable:
        require(
            essence(again) == essence(answered) and again_later == later,
            "the same view and state gave another turn after other branches were spoken: the user keeps memory outside "
            f"its state, or draws randomness outside it ({answered.text!r}, then {again.text!r})",
        )
    complaint = samples.view(said, inside=inside, complaint="The last try was written as the recommender.")
    await _speak(user, complaint, after, "when asked once more")
    for what, text in samples.HOSTILE.items():
        hostile = samples.view(samples.history(turn.text or "Hello?", text), inside=inside)
        await _speak(user, hostile, after, f"after the system said {what}")
        if isinstance(user, Rater):
            await _rate(user, hostile, after, f"a dialogue in which the system said {what}")
    if isinstance(user, Rater):
        await _rate(user, second, later, "a dialogue")


def _check_start(user: User) -> State:
    scenario = samples.scenario()
    before = snapshot(scenario)
    try:
        states = [user.start(scenario, Random(7)) for _ in range(2)]
    except Exception as error:
        raise AssertionError(f"start raised {type(error).__name__}: {error}") from error
    require(scenario == before, "start changed its scenario")
    json_copy("the state that start returns", states[0])
    require(isinstance(states[0], dict), "the state that start returns is not a JSON object")
    require(
        states[0] == states[1],
        f"start gave two states from the same randomness: {states[0]!r}, then {states[1]!r}; draw from the rng it gets",
    )
    return states[0]


async def _speak(user: User, view: UserView, state: State, when: str) -> tuple[UserTurn, State]:
    kept, seen = snapshot(state), snapshot(view)
    answer: Any = await survives(f"speak {when}", user.speak(view, state))
    require(state == kept, f"speak {when} changed the state it was given; return a new one")
    require(view == seen, f"speak {when} changed the view it was given")
    require(
        isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], UserTurn),
        f"speak {when} returned {type(answer).__name__}, not a UserTurn and a state",
    )
    turn: UserTurn = answer[0]
    after: State = answer[1]
    json_copy(f"the state after speak {when}", after)
    require(isinstance(after, dict), f"the state after speak {when} is not a JSON object")
    require(isinstance(turn.text, str), f"speak {when} returned a text of type {type(turn.text).__name__}")
    require(turn.end in (None, "done", "gave_up"), f"speak {when} ended with {turn.end!r}; it takes done or gave_up")
    shown = {entry.item.id for entry in view.shown}
    strange = [item for item in (*turn.accepts, *turn.rejects) if item not in shown]
    require(not strange, f"speak {when} accepted or rejected {strange!r}, which nobody had shown")
    json_copy(f"the notes of speak {when}", dict(turn.notes))
    return turn, after


async def _rate(user: Rater, view: UserView, state: State, what: str) -> None:
    kept, seen = snapshot(state), snapshot(view)
    answer: Any = await survives(f"rating {what}", user.rate(view, state))
    require(state == kept and view == seen, f"rating {what} changed the state or view it was given")
    require(isinstance(answer, Answer), f"rating {what} returned {type(answer).__name__}, not an Answer")
    readable = answer.status in ("ok", "repaired")
    require(
        (answer.value is not None) == readable,
        f"rating {what} has the value {answer.value!r} with status {answer.status!r}; only ok and repaired carry one",
    )
    require(
        answer.value is None or (type(answer.value) in (int, float) and 1 <= answer.value <= 5),
        f"rating {what} gave {answer.value!r}; a rating is a number from 1 to 5, or None",
    )
