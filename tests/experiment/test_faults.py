"""Whatever models and systems do wrong: every unit is accounted with the right fault, and the others go on."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from itertools import product

import pyarrow.parquet
import pytest
from fake_runs import conversation, program, read_database, read_summary, results, write_experiment

from mysteryshopper import ConfigError, Experiment, StopRun, aresume, arun
from mysteryshopper.cli.main import run as command_line
from mysteryshopper.testing import FAULTS, FakeServer, Fault, Reply, ServerProcess

SECRET = 'correct-"horse"\\battery-staple'
OTHER_SECRET = "wholly-different-password"
RATING = 2  # calls after a dialogue: what the fake server says is no rating, so it is asked for once more
QUICK = {"turns": 2, "concurrency": 8, "attempt_timeout": 5, "retries": 1, "max_wait": 0.02}


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def experiment(folder, url, people=6, **changes):
    content = conversation(url, **{"limits": QUICK, **changes})
    return Experiment.load(write_experiment(folder, content, people))


# --- 500 faults of all kinds ----------------------------------------------------------------------------------------

_OUTCOMES = {
    # what happens if a side's calls always fail so: (ended, fault of a model, fault of a system)
    **dict.fromkeys(("rate_limit", "rate_limit_date", "rate_limit_bare"), ("http_error", "infra", "infra")),
    **dict.fromkeys(("error_500", "error_502", "error_503", "reset"), ("http_error", "infra", "system")),
    **dict.fromkeys(("cut_json", "cut_body", "html", "wrong_shape"), ("unreadable", "infra", "system")),
    **dict.fromkeys(("slow_bytes", "hang", "late"), ("timeout", "infra", "system")),
    **dict.fromkeys(("forbidden", "not_found", "bad_request"), ("http_error", "infra", "system")),
    **dict.fromkeys(
        ("context_code", "context_text", "context_size", "context_413"), ("context_exceeded", "user", "system")
    ),
    **dict.fromkeys(
        ("null_message", "content_filter", "empty", "blank", "think_unclosed", "reasoning_field", "refusal_field"),
        ("empty", "user", "system"),
    ),
    "empty_choices": ("empty", "user", None),
}
_HARMLESS = ("split_bytes", "length", "think", "think_end_only", "refusal", "surrogate", "no_usage")
_NOT_RETRIED = frozenset(
    {"forbidden", "not_found", "bad_request", "context_code", "context_text", "context_size", "context_413"}
)


def expected(name, side, times):
    """Return (ended, fault) of a dialogue in which one side's calls fail so, each time or the first time."""
    if name in _HARMLESS:
        return "max_turns", "none"
    if name == "empty_choices" and side == "system":
        return "unreadable", "system"  # `{}` is JSON, but no reply: asking again would not help
    if times == "once" and name not in _NOT_RETRIED and (name, side) != ("wrong_shape", "system"):
        return "max_turns", "none"
    ended, model, system = _OUTCOMES[name]
    return ended, model if side == "user" else system


def faulty():
    """A behaviour: who talks of a fault gets it, on the side they name; the number keeps the cases apart."""
    met = Counter()

    def behave(seen):
        said = seen.raw.decode()
        side = "user" if seen.door == "chat" else "system"
        found = re.search(r"fault (\w+) at the (\w+) (\w+) number (\d+)", said)
        if found and found[2] == side:
            met[found[0]] += 1
            if found[3] == "always" or met[found[0]] == 1:
                return Fault(found[1], 30 if found[1] == "late" else None)
        keys = f"{seen.headers.get('authorization')} or {seen.headers.get('x-key')}"
        if "tell me your key" in said:
            return Reply(
                f"It is {keys}. Now tell me your key", items=[{"title": f"The {keys}"}] if side == "system" else ()
            )
        if "refuse my key" in said:
            return {"error": {"message": f"I don't like {keys}", "code": 400}}
        text = f"I think of {found[0]}" if found else "Something calm"
        return f"{text}, {met.total()}{len(said)}."

    return behave


def faulty_people(copies):
    yield from ({"id": f"calm-{number}", "wish": "no trouble"} for number in range(30))
    yield {"id": "curious", "wish": "tell me your key"}
    yield {"id": "refused", "wish": "refuse my key"}
    names = [name for name in FAULTS if name != "unauthorized"]
    for name, side, times, number in product(names, ("user", "system"), ("always", "once"), range(copies)):
        yield {"id": f"{name} {side} {times} {number}", "wish": f"fault {name} at the {side} {times} number {number}"}


def every_byte(folder):
    """Everything that lies in a folder, with what compression and pages could hide."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()
        if path.suffix == ".parquet":
            yield path, str(pyarrow.parquet.read_table(path).to_pylist()).encode()
        if path.suffix == ".sqlite":
            with closing(sqlite3.connect(path)) as database:
                yield path, "\n".join(database.iterdump()).encode()


@pytest.mark.slow
async def test_500_faults_of_all_kinds_are_each_accounted_rightly(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("MY_KEY", SECRET)
    monkeypatch.setenv("SHOP_KEY", OTHER_SECRET)
    people = list(faulty_people(3))
    async with FakeServer(faulty()) as server:
        content = conversation(server.url, limits={**QUICK, "concurrency": 32, "attempt_timeout": 3})
        content["models"]["writer"]["api_key_env"] = "MY_KEY"
        content["systems"][0]["headers"] = {"X-Key": {"env": "SHOP_KEY"}}
        path = write_experiment(tmp_path, content)
        path.with_name("people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
        run = await arun(path, tmp_path / "out")
        committed = sum(count for (_, outcome), count in server.counts.items() if outcome != "ok")
        assert committed >= 500
        answered = [seen for seen in server.requests if seen.door == "chat" and seen.outcome in ("ok", *_WITH_USAGE)]
        answered = [seen for seen in answered if b"refuse my key" not in seen.raw]  # an error, sent with 200
        assert {seen.headers["authorization"] for seen in server.requests if seen.door == "chat"} == {
            f"Bearer {SECRET}"
        }
    assert run.summary["usage"]["user"]["input_tokens"] == 10 * len(answered)

    came = {row["profile"]: (row["ended"], row["fault"]) for row in run.table("dialogues").to_pylist()}
    right = {person["id"]: ("max_turns", "none") for person in people} | {"refused": ("http_error", "infra")}
    for person in people:
        if person["id"].count(" ") == 3:
            name, side, times, _ = person["id"].split(" ")
            right[person["id"]] = expected(name, side, times)
    assert came == right
    faults = Counter(fault for _, fault in right.values())
    assert run.summary["units"] == {
        "planned": len(people),
        "complete": faults["none"],
        "faults": {name: faults[name] for name in ("user", "system", "judge", "infra")},
        "pending": 0,
    }
    assert run.exit_code == 3

    assert command_line(["report", str(tmp_path / "out")]) == 3
    said = capfd.readouterr()
    places = [*every_byte(tmp_path), (None, said.out.encode()), (None, said.err.encode())]
    assert len(places) > 10
    forms = {form for secret in (SECRET, OTHER_SECRET) for form in (secret, json.dumps(secret)[1:-1])}
    for path, content in places:
        for form in forms:
            assert form.encode() not in content, path
    echoed = [row["text"] for row in run.table("turns").to_pylist() if row["dialogue"].startswith("curious")]
    assert echoed == ["It is Bearer *** or None. Now tell me your key", "It is None or ***. Now tell me your key"] * 2
    details = {row["profile"]: row["detail"] for row in run.table("dialogues").to_pylist()}
    assert "I don't like Bearer *** or None" in details["refused"]


_WITH_USAGE = (
    "split_bytes",
    "length",
    "think",
    "think_unclosed",
    "think_end_only",
    "refusal",
    "surrogate",
    "content_filter",
    "empty",
    "blank",
    "reasoning_field",
    "refusal_field",
    "null_message",
    "empty_choices",
)


# --- what stops a run, and what does not ----------------------------------------------------------------------------


async def test_401_stops_the_run_at_once_and_it_goes_on_with_the_right_key(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", OTHER_SECRET)
    async with FakeServer("hashed", key=SECRET) as server:
        content = conversation(server.url)
        content["models"]["writer"]["api_key_env"] = "MY_KEY"
        content["systems"][0]["headers"] = {"Authorization": {"env": "SHOP_KEY"}}
        monkeypatch.setenv("SHOP_KEY", f"Bearer {SECRET}")
        path = write_experiment(tmp_path, content, people=100)
        with pytest.raises(StopRun) as stop:
            await arun(path, tmp_path / "out")
        assert "model 'writer'" in str(stop.value)
        assert "MY_KEY" in str(stop.value)
        assert "\n" not in str(stop.value)
        assert OTHER_SECRET not in str(stop.value)
        assert server.count() <= content["limits"]["concurrency"]
        states = Counter(read_database(tmp_path / "out", "SELECT status, fault FROM units"))
        assert states == {("planned", "none"): 100}
        monkeypatch.setenv("MY_KEY", SECRET)
        run = await aresume(tmp_path / "out")
    assert run.summary["units"]["complete"] == 100


@pytest.mark.parametrize("name", ["forbidden", "not_found"])
@pytest.mark.parametrize("side", ["user", "system"])
async def test_403_and_404_stop_the_run_if_the_first_three_calls_get_them(tmp_path, name, side):
    doors = {"user": "chat", "system": "reply"}

    def refuse(seen):
        return Fault(name) if seen.door == doors[side] else "Hello."

    async with FakeServer(refuse) as server:
        with pytest.raises(StopRun, match="its first 3 calls"):
            await arun(experiment(tmp_path, server.url, 20, limits={**QUICK, "concurrency": 1}), tmp_path / "out")
        assert server.count({"user": "/v1/chat/completions", "system": "/reply"}[side]) == 3
    states = Counter(read_database(tmp_path / "out", "SELECT status, fault FROM units"))
    assert states == {("failed", "infra" if side == "user" else "system"): 2, ("planned", "none"): 18}


async def test_403_later_is_a_fault_of_that_call_alone(tmp_path):
    async with FakeServer(faults=["ok", "ok", "ok", "forbidden", "not_found"]) as server:
        run = await arun(experiment(tmp_path, server.url, 5, limits={**QUICK, "concurrency": 1}), tmp_path / "out")
    assert run.summary["units"]["complete"] == 3
    assert run.summary["units"]["faults"] == {"user": 0, "system": 1, "judge": 0, "infra": 1}


@pytest.mark.parametrize("name", ["slow_bytes:0.05", "hang"])
async def test_a_deadline_holds_for_the_whole_attempt(tmp_path, name):
    async with FakeServer(faults=[name]) as server:
        limits = {**QUICK, "attempt_timeout": 0.5, "retries": 0, "concurrency": 1}
        run = await asyncio.wait_for(arun(experiment(tmp_path, server.url, 2, limits=limits), tmp_path / "out"), 20)
    ended = [(row["ended"], row["fault"]) for row in run.table("dialogues").to_pylist()]
    assert ended == [("timeout", "infra"), ("max_turns", "none")]
    assert 450 < max(run.table("calls").column("ms").to_pylist()) < 5000


@pytest.mark.parametrize("form", ["rate_limit:1", "rate_limit_date:1"])
async def test_retry_after_holds_all_calls_to_an_endpoint_in_either_form(tmp_path, form):
    async with FakeServer(faults=["ok"] * 8 + [form], latency=0.02) as server:
        limits = {"turns": 2, "concurrency": 4, "max_wait": 30, "attempt_timeout": 0.8}
        run = await arun(experiment(tmp_path, server.url, 6, limits=limits), tmp_path / "out")
        times = [seen.at for seen in server.requests]
    assert run.summary["units"]["complete"] == 6  # the wait was no part of a deadline
    refused = times[8]
    early = [at for at in times if refused < at < refused + 0.95]
    assert len(early) <= 3  # those that were on their way
    assert all(at < refused + 0.5 for at in early)
    assert max(run.table("calls").column("attempts").to_pylist()) == 2


async def test_a_wait_is_cut_to_max_wait(tmp_path):
    async with FakeServer(faults=["rate_limit:3600"]) as server:
        limits = {**QUICK, "max_wait": 0.2}
        run = await asyncio.wait_for(arun(experiment(tmp_path, server.url, limits=limits), tmp_path / "out"), 30)
    assert run.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("kilobytes", [1, 90, 400])
def test_a_full_disk_gives_one_clear_line_and_the_run_goes_on_afterwards(tmp_path, kilobytes):
    with ServerProcess("--behaviour", "hashed") as server:
        path = write_experiment(tmp_path, conversation(server.url), 60)
        words = ["run", path.name, "--out", "out", "--quiet"]
        code, out, err = program(tmp_path, *words, kilobytes=kilobytes)
        assert (code, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert "disk I/O error" in err
        assert "free some space" in err or "see that the disk has room" in err
        kept = read_database(tmp_path / "out", "SELECT reply FROM calls")
        assert (len(kept) > 20) is (kilobytes > 200)
        sent = server.stats()["total"]
        assert sent - len(kept) <= 8
        again = ["resume", "out", "--quiet"] if "`mysteryshopper resume out`" in err else words
        assert program(tmp_path, *again)[0] == 0
        assert server.stats()["total"] == 60 * (6 + RATING) + sent - len(kept)
    assert read_summary(tmp_path / "out")["units"]["complete"] == 60


# --- money ----------------------------------------------------------------------------------------------------------

_INPUT = 10  # tokens that the fake server reports


def priced(url, limit, **limits):
    content = conversation(url, limits={"turns": 3, "concurrency": 1, "max_cost": limit, **limits})
    # 1000 for a million tokens in: a call that takes ten costs 0.01, and at most 1 a thousand bytes of its body
    content["models"]["writer"]["price"] = {"input": 1000, "output": 0}
    return content


@pytest.mark.slow
def test_a_cost_limit_stops_before_it_is_passed_and_the_report_is_written(tmp_path, capsys):
    with ServerProcess("--behaviour", "hashed") as server:
        path = write_experiment(tmp_path, priced(server.url, 4.0), people=100)
        assert command_line(["run", str(path), "--out", str(tmp_path / "out"), "--quiet"]) == 3
        summary = read_summary(tmp_path / "out")
        assert (tmp_path / "out" / "report.html").exists()
        calls = len(server.bodies("/v1/chat/completions"))
        spent = summary["usage"]["user"]["cost"]
        assert spent == pytest.approx(calls * _INPUT / 1000)
        worst = max(len(json.dumps(body)) for body in server.bodies("/v1/chat/completions")) / 1000
        assert 4.0 - worst < spent <= 4.0
        ended = Counter(read_database(tmp_path / "out", "SELECT ended, fault FROM units"))
        assert set(ended) == {("max_turns", "none"), ("budget", "infra")}
        path.write_text(path.read_text().replace("max_cost: 4.0", "max_cost: 100"))
        capsys.readouterr()
        words = ["resume", str(tmp_path / "out"), "--file", str(path), "--quiet"]
        assert command_line(words) == 0
        bodies = server.bodies("/v1/chat/completions")
    calls = 100 * (3 + RATING)
    assert len(bodies) == len({json.dumps(body) for body in bodies}) == calls
    assert read_summary(tmp_path / "out")["usage"]["user"]["cost"] == pytest.approx(calls * _INPUT / 1000)


async def test_a_spend_equal_to_the_limit_is_allowed(tmp_path):
    async with FakeServer("hashed") as server:
        first = await arun(write_experiment(tmp_path, priced(server.url, 1000.0)), tmp_path / "first")
        needed = 0.0
        spent = 0.0
        for body in server.bodies("/v1/chat/completions"):
            needed = max(needed, spent + len(json.dumps(body, separators=(",", ":"))) / 1000)
            spent += _INPUT / 1000
        assert first.exit_code == 0
        for limit, fits in ((needed, True), (needed - 0.01, False)):
            out = tmp_path / f"out-{fits}"
            experiment = Experiment.load(write_experiment(tmp_path, priced(server.url, limit)))
            shared = tmp_path / f"cache-{fits}"
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("MYSTERYSHOPPER_CACHE", str(shared))
                run = await arun(experiment, out)
            assert (run.exit_code == 0) is fits


async def test_what_an_unanswered_call_may_have_cost_stays_spent_on_resume(tmp_path):
    async with FakeServer(faults=["hang"] * 9) as server:
        content = priced(server.url, 1000.0, attempt_timeout=0.3, retries=0, turns=1)
        path = write_experiment(tmp_path, content, people=1)
        await arun(path, tmp_path / "probe")
        worst = len(server.bodies()[0]["messages"][0]["content"]) / 1000  # a little less than the worst case
        server.clear()
        content["limits"]["max_cost"] = 1.9 * worst
        first = await arun(write_experiment(tmp_path, content, people=1), tmp_path / "out")
        assert first.table("dialogues").column("ended").to_pylist() == ["timeout"]
        again = await aresume(tmp_path / "out")
        assert again.table("dialogues").column("ended").to_pylist() == ["budget"]
        assert server.count() == 1
        content["limits"]["max_cost"] = 1000.0
        raised = await aresume(tmp_path / "out", write_experiment(tmp_path, content, people=1))
        assert raised.table("dialogues").column("ended").to_pylist() == ["timeout"]
        assert server.count() == 2


async def test_every_attempt_is_counted_under_its_role(tmp_path):
    # a cut reply is paid for, and asked for again
    async with FakeServer(faults=["null_message", "ok", "ok", "error_500"]) as server:
        run = await arun(
            write_experiment(tmp_path, priced(server.url, 100.0, max_wait=0.02), people=1), tmp_path / "out"
        )
        assert server.count("/v1/chat/completions") == 5 + RATING
    usage = run.summary["usage"]["user"]
    assert (usage["calls"], usage["input_tokens"]) == (4 + RATING, (4 + RATING) * _INPUT)
    assert usage["cost"] == pytest.approx((4 + RATING) * _INPUT / 1000)
    assert sum(row["attempts"] for row in run.table("calls").to_pylist() if row["role"] == "user") == 5 + RATING


async def test_an_unknown_price_is_unknown_and_no_limit_is_kept_with_it(tmp_path):
    async with FakeServer() as server:
        run = await arun(experiment(tmp_path, server.url), tmp_path / "out")
        assert run.summary["usage"]["user"]["cost"] is None
        with pytest.raises(ConfigError, match=r"models\.writer\.price"):
            experiment(tmp_path, server.url, limits={"max_cost": 5.0})


# --- the same, whatever the order -----------------------------------------------------------------------------------


async def _once(folder, server, monkeypatch, concurrency, out):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(folder / f"cache-{out}"))
    server.clear()
    limits = {**QUICK, "retries": 10, "turns": 3, "concurrency": concurrency}
    run = await arun(experiment(folder, server.url, 30, limits=limits), folder / out)
    return run, sorted(seen.raw for seen in server.requests)


async def test_the_same_seed_gives_the_same_run_whatever_the_concurrency(tmp_path, monkeypatch):
    faults = ("error_500", "error_503", "cut_json", "html", "reset", "empty", "null_message", "refusal", "think")
    sent, runs = [], []
    for out, concurrency in (("one", 1), ("eight", 8), ("many", 64)):
        # which requests fail depends on the body and how often it came
        async with FakeServer("hashed", fault_rate=0.15, fault_mix=faults, port=0) as server:
            run, bodies = await _once(tmp_path, server, monkeypatch, concurrency, out)
            assert server.max_in_flight <= concurrency
        runs.append(run)
        sent.append(bodies)
    assert sent[0] == sent[1] == sent[2]
    assert len(sent[0]) > 180
    for run in runs[1:]:
        assert results(run.summary) == results(runs[0].summary)
        for table in ("dialogues", "turns"):
            assert _said(run.table(table)) == _said(runs[0].table(table))


def _said(table):
    """The rows of a table without how long things took and which calls they rest on: bad ones have ids of their own."""
    found = table.drop_columns([name for name in ("ms", "call") if name in table.column_names]).to_pylist()
    for row in found:
        if "data" in row:
            row["data"] = json.loads(row["data"])
            row["data"].get("rating", {}).pop("calls", None)
    return found


async def test_another_seed_draws_anew(tmp_path):
    async with FakeServer("hashed") as server:
        await arun(experiment(tmp_path, server.url), tmp_path / "one")
        first = {seen.raw for seen in server.requests}
        server.clear()
        await arun(experiment(tmp_path, server.url, seed=8), tmp_path / "two")
        assert not first & {seen.raw for seen in server.requests}


# --- growing --------------------------------------------------------------------------------------------------------


def units_of(run):
    rows = run.table("dialogues").to_pylist()
    return {(row["unit"], row["user"], row["system"], row["repeat"]) for row in rows}


async def test_a_run_grows_by_units_systems_users_and_repeats_and_repeats_no_call(tmp_path):
    async with FakeServer("hashed") as server:
        content = conversation(server.url, limits={**QUICK, "units": 4})
        run = await arun(write_experiment(tmp_path, content, 20), tmp_path / "out")
        before = units_of(run)
        assert len(before) == 4
        sent = [seen.raw for seen in server.requests]
        another = {**content["systems"][0], "name": "rival"}
        again = {**content["users"][0], "name": "second"}
        steps = (
            ({"limits": {**QUICK, "units": 9}}, 9),
            ({"limits": {**QUICK, "units": 9, "concurrency": 2}, "repeats": 2}, 18),
            ({"systems": [content["systems"][0], another]}, 36),
            ({"users": [content["users"][0], again]}, 72),
        )
        for change, number in steps:
            content = {**content, **change}
            server.clear()
            run = await aresume(tmp_path / "out", write_experiment(tmp_path, content, 20))
            assert len(units_of(run)) == number == run.summary["units"]["complete"]
            assert before < units_of(run)
            before = units_of(run)
            new = [seen.raw for seen in server.requests]
            assert not set(new) & set(sent)
            sent += new
        # what a user says before a system has spoken is one draw for both systems
        assert len(sent) == len(set(sent)) == 72 * (4 + RATING) - 36
    fresh = await _fresh(tmp_path, content)
    assert units_of(fresh) == before


async def _fresh(folder, content):
    """The grown experiment run at once; its units are the same."""
    async with FakeServer("hashed") as server:
        content = {**content, "systems": [{**block, "url": server.reply_url} for block in content["systems"]]}
        content["models"] = {"writer": {**content["models"]["writer"], "base_url": server.base_url}}
        return await arun(write_experiment(folder, content, 20), folder / "fresh")


def _with(content, path, value):
    changed = json.loads(json.dumps(content))
    *way, last = path
    inner = changed
    for step in way:
        inner = inner[step]
    inner[last] = value
    return changed


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("seed",), 8, "seed changed from 7 to 8"),
        (("limits", "turns"), 4, "limits.turns changed from 2 to 4"),
        (("limits", "units"), 2, "limits.units may only grow"),
        (("options",), {"closing_turn": False}, "options.closing_turn"),
        (("models", "writer", "temperature"), 0.1, "models.writer.temperature"),
        (("models", "writer", "name"), "else", "models.writer.name"),
        (("users", 0, "options"), {"end_marker": "[OVER]"}, "users.plain.options.end_marker"),
        (("users", 0, "name"), "other", "users: 'plain' is gone"),
        (("systems", 0, "memory"), "session", "systems.shop.memory"),
    ],
)
async def test_nothing_else_may_change_on_resume_and_it_is_named(tmp_path, path, value, named):
    async with FakeServer("hashed") as server:
        content = conversation(server.url, limits={**QUICK, "units": 3})
        await arun(write_experiment(tmp_path, content), tmp_path / "out")
        before = {file: file.read_bytes() for file in (tmp_path / "out").glob("*.*") if file.suffix != ".lock"}
        server.clear()
        changed = write_experiment(tmp_path, _with(content, path, value), name="changed.yaml")
        with pytest.raises(ConfigError, match=re.escape(named)):
            await aresume(tmp_path / "out", changed)
        assert server.count() == 0
    assert {file: file.read_bytes() for file in before} == before


async def test_where_and_how_fast_may_change_freely(tmp_path):
    async with FakeServer("hashed") as old, FakeServer("hashed") as new:
        content = conversation(old.url, limits={**QUICK, "units": 2})
        await arun(write_experiment(tmp_path, content), tmp_path / "out")
        moved = conversation(new.url, limits={**QUICK, "units": 4, "concurrency": 1, "retries": 0, "max_wait": 5})
        old.clear()
        run = await aresume(tmp_path / "out", write_experiment(tmp_path, moved))
        assert run.summary["units"]["complete"] == 4
        assert old.count() == 0
        assert new.count() == 2 * (4 + RATING)
