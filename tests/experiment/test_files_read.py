"""A run knows the files it was made from, and does not go on with others."""

import json
import os
import shutil
import time
from hashlib import sha256

import pytest
from fake_runs import read_summary

from mysteryshopper.core import ConfigError, StopRun, note_read, noting
from mysteryshopper.experiment import Experiment, measure_again, resume, run
from mysteryshopper.experiment import sitting as sitting_module
from mysteryshopper.experiment.comparing import compare
from mysteryshopper.experiment.comparing_settings import differing_files
from mysteryshopper.experiment.files_read import FILES, FileRead, FilesRead, read_record
from mysteryshopper.experiment.store import RunStore

PEOPLE = '{"id": "ann", "wish": "the sea"}\n{"id": "bob", "wish": "a desert"}\n'
ITEMS = '{"id": "1", "title": "The Salt Clock", "year": 2004}\n'
SHOP = "def reply(messages, session):\n    return 'ok'\n"
CRITERIA = "takes: one\ncriteria:\n  - {name: warm, text: 'Is the seller warm?'}\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def shop(tmp_path):
    """Make the files of an experiment in a folder of their own; returns the folder."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in (("people.jsonl", PEOPLE), ("items.jsonl", ITEMS), ("bot.py", SHOP), ("nice.yaml", CRITERIA)):
        (folder / name).write_text(text)
    return folder


def experiment(folder, **changes):
    content = {
        "protocol": "conversation",
        "models": {"wise": {"provider": "scripted", "params": {"replies": ['{"warm": 3}']}}},
        "users": [{"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}],
        "systems": [{"name": "bot", "kind": "python", "function": "bot:reply"}],
        "judges": [{"name": "eye", "kind": "rubric", "model": "wise", "options": {"criteria": "nice.yaml"}}],
        "data": {"path": "items.jsonl"},
        "limits": {"turns": 1, "units": 1},
        **changes,
    }
    return Experiment.from_dict(content, folder)


def digest(text):
    return sha256(text.encode()).hexdigest()


def files_of(run_folder):
    return {file["path"]: file for file in read_summary(run_folder)["files"]}


def test_every_file_is_recorded_with_its_hash_and_size_and_shown(shop):
    from mysteryshopper.cli.running import write_run_report

    done = run(experiment(shop), shop / "runs" / "one")
    found = files_of(done.path)
    assert {name: (file["sha256"], file["bytes"]) for name, file in found.items()} == {
        name: (digest(text), len(text))
        for name, text in (("people.jsonl", PEOPLE), ("items.jsonl", ITEMS), ("bot.py", SHOP), ("nice.yaml", CRITERIA))
    }
    page = write_run_report(done).read_text()
    assert all(digest(text) in page for text in (PEOPLE, ITEMS, SHOP, CRITERIA))
    assert str(shop) not in page


@pytest.mark.parametrize("name", ["people.jsonl", "items.jsonl", "bot.py"])
def test_an_edited_file_is_refused_by_its_name_and_nothing_is_changed(shop, name):
    folder = shop / "runs" / "one"
    first = run(experiment(shop), folder)
    before = (folder / "experiment.yaml").read_text()
    old = (shop / name).read_text()
    (shop / name).write_text(old + "\n")
    with pytest.raises(StopRun, match=rf"{name} is not what this run read before .*put the old content back"):
        resume(folder, experiment(shop, limits={"turns": 1, "units": 2}))
    assert (folder / "experiment.yaml").read_text() == before
    assert measure_again(folder).summary == first.summary
    (shop / name).write_text(old)
    assert resume(folder, experiment(shop, limits={"turns": 1, "units": 2})).ran == 1


def test_criteria_may_change_because_a_judge_that_asks_something_else_is_another(shop):
    folder = shop / "runs" / "one"
    run(experiment(shop), folder)
    changed = CRITERIA.replace("warm?", "cold?")
    (shop / "nice.yaml").write_text(changed)
    again = resume(folder)
    assert again.judged == 1
    kept = [file["sha256"] for file in again.summary["files"] if file["path"] == "nice.yaml"]
    assert kept == [digest(CRITERIA), digest(changed)]


def test_what_is_read_only_while_units_run_is_looked_at_before_the_first(shop, monkeypatch):
    (shop / "late.txt").write_text("one")
    (shop / "bot.py").write_text(
        "from pathlib import Path\nfrom mysteryshopper.core import note_read\n\n\n"
        "async def reply(messages, session):\n"
        "    note_read(Path(__file__).with_name('late.txt'))\n    return 'ok'\n"
    )
    folder = shop / "runs" / "one"
    run(experiment(shop), folder)
    assert files_of(folder)["late.txt"]["sha256"] == digest("one")
    grown = experiment(shop, limits={"turns": 1, "units": 2})

    def never(*args, **kwargs):
        raise AssertionError("a unit was begun")

    (shop / "late.txt").write_text("two")
    with monkeypatch.context() as patch:
        patch.setattr(sitting_module, "simulate", never)
        with pytest.raises(StopRun, match=r"late\.txt is not what this run read before"):
            resume(folder, grown)
        (shop / "late.txt").unlink()
        with pytest.raises(StopRun, match=r"late\.txt, which this run reads, is gone"):
            resume(folder, grown)
    (shop / "late.txt").write_text("one")
    assert resume(folder, grown).ran == 1


def test_a_finished_run_is_judged_whatever_became_of_its_system(shop):
    folder = shop / "runs" / "one"
    run(experiment(shop, judges=[]), folder)
    (shop / "bot.py").write_text(SHOP.replace("ok", "well"))
    assert resume(folder, experiment(shop)).judged == 1
    (shop / "bot.py").unlink()
    further = experiment(shop, judges=[*experiment(shop).model_dump()["judges"], {"name": "rules", "kind": "rules"}])
    assert resume(folder, further).judged == 1


def test_a_folder_may_be_reached_through_a_link(shop, tmp_path):
    (shop / "inner").mkdir()
    (shop / "items.jsonl").rename(shop / "inner" / "items.jsonl")
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "shop"
    link.symlink_to(shop / "inner", target_is_directory=True)
    users = [{"name": "u", "kind": "scripted", "profiles": "../people.jsonl", "options": {"turns": ["hello"]}}]
    shutil.copy(shop / "bot.py", shop / "inner")
    done = run(experiment(link, users=users, judges=[]), tmp_path / "one")
    assert "../people.jsonl" in files_of(done.path)
    (shop / "people.jsonl").write_text(PEOPLE + "\n")
    with pytest.raises(StopRun, match=r"people\.jsonl is not what this run read before"):
        resume(done.path)


def test_a_function_may_read_files_in_its_thread(shop):
    (shop / "late.csv").write_text("a,b\n1,2\n")
    (shop / "bot.py").write_text(
        "from pathlib import Path\nfrom mysteryshopper.datasets.rows import read_rows\n\n\n"
        "def reply(messages, session):\n"
        "    return f\"{len(list(read_rows(Path(__file__).with_name('late.csv'))))} rows\"\n"
    )
    folder = shop / "runs" / "one"
    assert run(experiment(shop), folder).exit_code == 0
    assert files_of(folder)["late.csv"]["sha256"] == digest("a,b\n1,2\n")
    (shop / "late.csv").write_text("a,b\n3,4\n")
    with pytest.raises(StopRun, match=r"late\.csv is not what this run read before"):
        resume(folder, experiment(shop, limits={"turns": 1, "units": 2}))


def test_several_users_may_say_again_what_was_said_in_one_run(shop):
    other = {"name": "other", "kind": "python", "function": "other:reply"}
    (shop / "other.py").write_text(SHOP.replace("ok", "no"))
    run(experiment(shop, systems=[{"name": "bot", "kind": "python", "function": "bot:reply"}, other]), shop / "old")
    users = [
        {"name": name, "kind": "replay", "options": {"run": "old", "system": name, "user": "u"}}
        for name in ("bot", "other")
    ]
    folder = shop / "runs" / "one"
    first = experiment(shop, users=users, limits={"turns": 1})
    assert run(first, folder).exit_code == 0
    measure_again(shop / "old")
    again = resume(folder, experiment(shop, users=users, limits={"turns": 1}, repeats=2))
    assert again.ran == 2
    read = [(file["path"], file["part"]) for file in again.summary["files"] if file["part"]]
    assert read == [("old/tables/turns.parquet", f'["u","{name}",0]') for name in ("bot", "other")]


def test_a_pipe_is_left_to_who_reads_it(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names here")
    os.mkfifo(tmp_path / "people.jsonl")
    record = FilesRead(tmp_path, tmp_path / "run")
    record(tmp_path / "people.jsonl")  # would wait for ever
    assert record.files == ()


def test_a_folder_may_move_with_its_run_and_files_may_move_if_they_stay_the_same(shop, tmp_path):
    run(experiment(shop), shop / "runs" / "one")
    moved = tmp_path / "elsewhere"
    shutil.move(shop, moved)
    grown = {"turns": 1, "units": 2}
    assert resume(moved / "runs" / "one", experiment(moved, limits=grown)).ran == 1
    (moved / "who").mkdir()
    for name in ("people.jsonl", "items.jsonl"):
        (moved / name).rename(moved / "who" / name)
    user = {"name": "u", "kind": "scripted", "profiles": "who/people.jsonl", "options": {"turns": ["hello"]}}
    changes = {"users": [user], "data": {"path": "who/items.jsonl"}, "repeats": 2, "limits": grown}
    assert resume(moved / "runs" / "one", experiment(moved, **changes)).ran == 2
    (moved / "who" / "people.jsonl").write_text(PEOPLE.replace("desert", "forest"))
    with pytest.raises(StopRun, match=r"who/people\.jsonl is not what this run read"):
        resume(moved / "runs" / "one", experiment(moved, **{**changes, "repeats": 3}))


def test_another_file_is_another_experiment(shop):
    run(experiment(shop), shop / "runs" / "one")
    (shop / "others.jsonl").write_text(PEOPLE.replace("desert", "forest"))
    user = {"name": "u", "kind": "scripted", "profiles": "others.jsonl", "options": {"turns": ["hello"]}}
    with pytest.raises(ConfigError, match=r"users\.u\.profiles changed"):
        resume(shop / "runs" / "one", experiment(shop, users=[user]))


def test_a_folder_of_data_may_move_and_texts_that_are_no_paths_are_no_files(shop):
    (shop / "stock").mkdir()
    (shop / "items.jsonl").rename(shop / "stock" / "items.jsonl")
    run(experiment(shop, data={"path": "stock"}), shop / "runs" / "one")
    (shop / "stock").rename(shop / "store")
    grown = {"turns": 1, "units": 2}
    assert resume(shop / "runs" / "one", experiment(shop, data={"path": "store"}, limits=grown)).ran == 1
    user = {"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": ["hello"]}}
    for text in ("what\0ever", "x" * 5000):
        odd = [{**user, "options": {"turns": ["hello"], "on_hit": text}}]
        with pytest.raises(ConfigError, match="on_hit changed"):
            resume(shop / "runs" / "one", experiment(shop, data={"path": "store"}, users=odd))


def test_a_new_judge_or_user_may_bring_files_of_its_own(shop):
    folder = shop / "runs" / "one"
    first = experiment(shop)
    run(first, folder)
    (shop / "more.jsonl").write_text('{"id": "cid", "wish": "a city"}\n')
    more = {"name": "v", "kind": "scripted", "profiles": "more.jsonl", "options": {"turns": ["hi"]}}
    users = [first.users[0].model_dump(), more]
    again = resume(folder, experiment(shop, users=users, limits={"turns": 1, "units": 3}))
    assert "more.jsonl" in {file["path"] for file in again.summary["files"]}


def test_an_old_run_without_a_record_goes_on_and_says_what_it_can(shop):
    folder = shop / "runs" / "one"
    run(experiment(shop), folder)
    store = RunStore(folder / "run.sqlite")
    store._commits.write("DELETE FROM meta WHERE key = ?", (FILES,))
    store.close()
    assert measure_again(folder).summary["files"] is None
    (shop / "people.jsonl").write_text(PEOPLE + "\n")
    again = resume(folder, experiment(shop, limits={"turns": 1, "units": 2}))
    assert again.ran == 1
    assert all(file["later"] for file in again.summary["files"])


def test_a_report_needs_none_of_the_files(shop):
    done = run(experiment(shop), shop / "runs" / "one")
    for name in ("people.jsonl", "items.jsonl", "bot.py", "nice.yaml"):
        (shop / name).unlink()
    assert measure_again(done.path).summary == done.summary


def test_the_record_comes_with_the_units_or_not_at_all(shop, monkeypatch):
    """What was planned is known to have been read from these files, even if nothing else was done."""

    def killed(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(sitting_module, "simulate", killed)
    folder = shop / "runs" / "one"
    with pytest.raises(KeyboardInterrupt):
        run(experiment(shop), folder)
    store = RunStore(folder / "run.sqlite")
    assert store.count_units() == 1
    assert {file.path for file in read_record(store.noted(FILES))} == {
        "people.jsonl",
        "items.jsonl",
        "bot.py",
        "nice.yaml",
    }
    store.close()


def test_compare_tells_of_files_that_differ_under_one_name(shop):
    run(experiment(shop), shop / "runs" / "one")
    (shop / "items.jsonl").write_text(ITEMS + '{"id": "2", "title": "Lantern Road"}\n')
    (shop / "bot.py").write_text(SHOP.replace("ok", "well"))
    run(experiment(shop), shop / "runs" / "two")
    found = compare(shop / "runs" / "one", shop / "runs" / "two")
    told = {setting.key: (setting.matters, setting.tested) for setting in found.settings}
    assert told["the file items.jsonl"] == (True, False)
    assert told["the file bot.py"] == (False, True)  # the bot is what is compared
    assert any("the file items.jsonl" in warning for warning in found.warnings)
    assert not any("bot.py" in warning for warning in found.warnings)


def test_where_simulators_are_compared_their_files_are_part_of_it_and_those_of_systems_are_not(shop):
    user = {"name": "v", "kind": "adaptsim", "model": "wise", "options": {"prompt": "file", "path": "how.txt"}}
    first = experiment(
        shop, judges=[], protocol="simulator-comparison", users=[experiment(shop).users[0].model_dump(), user]
    )
    read = [[FileRead(name, sha * 32) for name in ("bot.py", "how.txt", "people.jsonl")] for sha in ("ab", "cd")]
    found = differing_files(first, first, (read[0], read[1]), [("bot", "bot")])
    told = {setting.key: setting.matters for setting in found}
    assert told == {"the file bot.py": True, "the file how.txt": False, "the file people.jsonl": True}


def test_a_file_is_hashed_once_and_again_only_when_it_changed(tmp_path, monkeypatch):
    from mysteryshopper.experiment import files_read

    hashed = []
    true_hash = files_read._hash
    monkeypatch.setattr(files_read, "_hash", lambda path: hashed.append(path) or true_hash(path))
    file = tmp_path / "big.bin"
    file.write_bytes(b"x" * 1000)
    record = FilesRead(tmp_path, tmp_path / "run")
    with noting(record):
        for _ in range(5):
            note_read(file)
        assert len(hashed) == 1
        file.write_bytes(b"y" * 1001)
        for _ in range(2):  # whoever tries again is told again
            with pytest.raises(StopRun, match=r"big\.bin is not what"):
                note_read(file)
    note_read(file)  # nobody listens any more
    assert len(hashed) == 3


def test_hashing_a_large_file_costs_little(tmp_path):
    file = tmp_path / "large.bin"
    file.write_bytes(b"0123456789abcdef" * 65_536 * 100)  # 100 MiB
    record = FilesRead(tmp_path, tmp_path / "run")
    begun = time.process_time()
    record(file)
    assert time.process_time() - begun < 1.5  # 0.1 s where the processor knows SHA-256
    assert record.files[0].bytes == 16 * 65_536 * 100


def test_what_a_run_writes_itself_is_not_its_input(tmp_path):
    (tmp_path / "run" / "prompts").mkdir(parents=True)
    (tmp_path / "run" / "prompts" / "001.txt").write_text("x")
    record = FilesRead(tmp_path, tmp_path / "run")
    record(tmp_path / "run" / "prompts" / "001.txt")
    assert record.files == ()


def test_public_data_is_named_by_its_set_wherever_it_lies(tmp_path, monkeypatch):
    for home in ("one", "two"):
        monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(tmp_path / home))
        (tmp_path / home / "redial").mkdir(parents=True)
        (tmp_path / home / "redial" / "test.jsonl").write_text("{}\n")
        record = FilesRead(tmp_path / "experiments", tmp_path / "run")
        record(tmp_path / home / "redial" / "test.jsonl")
        assert record.files == (FileRead("$MYSTERYSHOPPER_DATA/redial/test.jsonl", digest("{}\n"), 3),)


def test_the_record_survives_its_way_into_the_database(tmp_path):
    file = FileRead("../päckchen.jsonl", "ab" * 32, 7, keyed=True)
    assert read_record(json.dumps([{"path": file.path, "sha256": file.sha256, "bytes": 7, "keyed": True}])) == (file,)
    assert read_record(FilesRead(tmp_path, tmp_path / "run", [file]).text()) == (file,)
    assert read_record(None) is None
