"""The judges' calls in a plan against those of the run: right where nothing is lost, else no less than were made."""

import branching_runs
import pytest

from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sheets import plan_sheets

GENRES = branching_runs.GENRES
CRITERIA = "takes: {takes}\ncriteria:\n  - {{name: overall, text: 'Which served the person?'}}\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def server_of_wishes(name):
    def reply(messages, session):
        wish = next(one["content"] for one in messages if "evening" in one["content"])
        number = next(place for place, genre in enumerate(GENRES, 1) if genre in wish)
        return {"content": f"{name}: {messages[-1]['content']}", "items": [{"id": str(number)}]}

    return branching_runs.shop(name, reply)


def blocks(folder, *kinds):
    """Judges of these kinds, whose model says at once what they take."""
    for takes in ("one", "pair"):
        (folder / f"{takes}.yaml").write_text(CRITERIA.format(takes=takes))
    replies = {
        "rubric": '{"overall": 3}',
        "pairwise": '{"overall": "A"}',
        "simulators": '{"naturalness": "A", "usefulness": "A"}',
    }
    files = {"rubric": {"criteria": "one.yaml"}, "pairwise": {"criteria": "pair.yaml"}, "simulators": {}}
    return {
        "models": {kind: {"provider": "scripted", "params": {"replies": [replies[kind]]}} for kind in kinds},
        "judges": [{"name": kind, "kind": kind, "model": kind, "options": files[kind]} for kind in kinds],
    }


def held(folder, protocol, people, controls=2, users=("ann",), systems=("one", "two"), kinds=(), turns=2, **more):
    branching_runs.write_people(folder, people, "a {genre} for evening {n}, one of those of long ago")
    (folder / "items.csv").write_text(branching_runs.ITEMS)
    content = {
        "protocol": protocol,
        "users": [
            {
                "name": name,
                "kind": "scripted",
                "profiles": "people.jsonl",
                "options": {
                    "turns": [f"{name} says something else, please", f"{name} would like another one", "and now?"],
                    "wish_first": True,
                    **({} if protocol == "tree" else {"on_hit": f"{name} takes that one, thank you"}),
                },
            }
            for name in users
        ],
        "systems": [server_of_wishes(name) for name in systems],
        "data": {"path": "items.csv"},
        "options": {"controls": controls, "guard": "off", **more.pop("options", {})},
        "limits": {"turns": turns},
        **blocks(folder, *kinds),
        **more,
    }
    return Experiment.from_dict(content, folder)


def planned_and_made(folder, experiment):
    """Return by judge the planned (expected, most) calls, and those that were made."""
    planned = {row.block: row.calls for row in make_plan(experiment).rows if row.role == "judge"}
    run(experiment, folder / "run")
    _, calls = branching_runs.stored(folder / "run")
    made = {name: sum(call.address.component == name for call in calls) for name in planned}
    return {name: (calls.expected, calls.most, made[name]) for name, calls in planned.items()}


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_conversation_is_asked_about_as_planned(tmp_path, repeats):
    made = held(tmp_path, "conversation", people=6, kinds=("rubric", "pairwise"), repeats=repeats)
    found = planned_and_made(tmp_path, made)
    dialogues, pairs, controls = 6 * 2 * repeats, 6 * repeats, 2
    assert found["rubric"] == (dialogues + controls, 2 * (dialogues + controls), dialogues + controls)
    assert found["pairwise"] == (2 * (pairs + 2 * controls), 4 * (pairs + 2 * controls), 2 * (pairs + 2 * controls))


def test_there_are_no_more_controls_than_dialogues(tmp_path):
    made = held(tmp_path, "conversation", people=2, systems=("one",), kinds=("pairwise",), controls=12)
    assert planned_and_made(tmp_path, made)["pairwise"] == (2 * (2 + 2), 4 * (2 + 2), 2 * (2 + 2))


def test_simulators_are_asked_about_as_planned(tmp_path):
    made = held(
        tmp_path,
        "simulator-comparison",
        people=4,
        users=("ann", "bob", "cid"),
        systems=("one",),
        kinds=("simulators",),
        turns=3,
    )
    pairs, sorts = 4 * 3, 5
    assert planned_and_made(tmp_path, made)["simulators"] == (
        2 * (pairs + 2 * sorts),
        4 * (pairs + 2 * sorts),
        2 * (pairs + 2 * sorts),
    )


def test_a_tree_is_asked_about_as_planned(tmp_path):
    made = held(tmp_path, "tree", people=4, kinds=("pairwise",), turns=2)
    pairs = 4 * 3  # a history of depth one, two of depth two
    expected, most, asked = planned_and_made(tmp_path, made)["pairwise"]
    assert (expected, most) == (2 * (pairs + 4), 4 * (pairs + 4))
    assert asked == expected


def test_where_dialogues_are_lost_or_alike_the_plan_is_an_upper_bound_and_says_so(tmp_path):
    made = held(tmp_path, "conversation", people=5, kinds=("pairwise",), controls=0)

    def silent(messages, session):
        raise RuntimeError("closed")

    systems = [server_of_wishes("one"), branching_runs.shop("two", silent)]
    made = Experiment.from_dict({**made.model_dump(), "systems": systems, "folder": "."}, tmp_path)
    expected, most, asked = planned_and_made(tmp_path, made)["pairwise"]
    assert asked == 0 < expected < most
    notes = " ".join(note for sheet in plan_sheets(make_plan(made)) for note in sheet.notes)
    assert "their most is an upper bound" in notes


def test_judges_of_users_and_of_systems_are_asked_about_their_own_pairs(tmp_path):
    """iEvaLM's chats: a pair of systems for the one judge; two users and the person of the data for the other."""
    branching_runs.write_dialogue(tmp_path / "data")
    script = {"turns": ["Hmm.", "What else?"]}
    content = {
        "protocol": "ievalm",
        "users": [{"name": name, "kind": "scripted", "options": script} for name in ("ann", "bob")],
        "systems": [
            branching_runs.shop(name, lambda messages, session, name=name: f"{name} has Nine Winters (1987).")
            for name in ("one", "two", "three")
        ],
        "data": {"path": "data"},
        "options": {"setting": "free", "guard": "off", "compare_users": True},
        "limits": {"turns": 1},
        **blocks(tmp_path, "pairwise", "simulators"),
    }
    units = 2  # recommending turns
    report = make_plan(Experiment.from_dict(content, tmp_path))
    calls = {row.block: row.calls for row in report.rows if row.role == "judge"}
    assert calls["pairwise"].most == 4 * units * 2 * 3  # two users, three pairs of systems
    assert calls["simulators"].most == 4 * units * 3 * 3  # three systems; ann with bob, each with the person


def test_a_judge_of_other_cases_is_asked_nothing(tmp_path):
    made = held(tmp_path, "conversation", people=3, kinds=("simulators", "rubric"))
    calls = {row.block: row.calls for row in make_plan(made).rows if row.role == "judge"}
    assert calls["simulators"] == (0, 0, 0)
    assert calls["rubric"].expected == 3 * 2 + 2
