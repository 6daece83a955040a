"""Two runs of one experiment can be told apart by a bot that remembers sessions."""

from mysteryshopper.experiment import Experiment, arun


async def sessions(tmp_path, server, name, **options):
    (tmp_path / "people.jsonl").write_text('{"id": "one"}\n{"id": "two"}\n', "utf-8")
    content = {
        "protocol": "conversation",
        "seed": 7,
        "user": {"kind": "agenda", "profiles": "people.jsonl"},
        "system": {"kind": "http", "url": server.reply_url},
        "options": {"guard": "off", **options},
        "limits": {"turns": 1},
    }
    server.clear()
    await arun(Experiment.from_dict(content, tmp_path), tmp_path / name)
    return {body["session"] for body in server.bodies("/reply")}


async def test_a_text_of_the_experiment_makes_other_sessions(tmp_path, fake_server):
    plain = await sessions(tmp_path, fake_server, "a")
    assert len(plain) == 2
    assert await sessions(tmp_path, fake_server, "b") == plain  # the same experiment, the same sessions
    other = await sessions(tmp_path, fake_server, "c", sessions="second")
    assert len(other) == 2
    assert not other & plain
