"""An agenda user that is asked again says the same thing in words that no detector takes amiss."""

from dataclasses import replace
from random import Random

import pytest

from mysteryshopper.core import Address, History, Profile, Scenario, UserView
from mysteryshopper.users.agenda import AgendaUser
from mysteryshopper.users.agenda import user as module


def view():
    profile = Profile("anna", attributes={"genre": ("comedy",), "decade": ("1950s",)})
    return UserView(Scenario("s", profile, "films"), History((), 1, Address(unit="s")), (), 1)


@pytest.fixture
def touchy(monkeypatch):
    """Detectors that take two thirds of all wordings amiss."""
    monkeypatch.setattr(module, "faults", lambda said: {} if len(said.text) % 3 == 0 else {"role_reversal": said.text})


async def test_a_wording_that_would_be_flagged_again_is_not_said(touchy):
    user, again = AgendaUser(), 0
    for seed in range(60):
        state = user.start(view().scenario, Random(seed))
        first, _ = await user.speak(view(), state)
        if len(first.text) % 3 == 0:
            continue
        turn, _ = await user.speak(replace(view(), complaint="role_reversal"), state)
        assert (turn.action, turn.accepts, turn.end) == (first.action, first.accepts, first.end)
        again += len(turn.text) % 3 == 0
    assert again > 30  # six tries each: about 37 of 40


async def test_a_first_wording_is_not_picked_by_detectors(touchy):
    user = AgendaUser()
    states = [user.start(view().scenario, Random(seed)) for seed in range(60)]
    flagged = [len((await user.speak(view(), state))[0].text) % 3 != 0 for state in states]
    assert sum(flagged) > 20  # rates are of first attempts, and must stay what they are
