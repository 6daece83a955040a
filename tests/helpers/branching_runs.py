"""Small runs of the protocols that branch: invented people, items and shops, and what came of it."""

import json

from mysteryshopper.experiment import Experiment
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.view import procedure_of

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
GENRES = ("comedy", "war", "drama")


def shop(name, reply):
    """A shop without memory."""
    return {"name": name, "kind": "python", "function": reply, "memory": "messages"}


def scripted(*turns):
    """A user who tells the wish, and then says these turns."""
    options = {"turns": list(turns), "wish_first": True}
    return {"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": options}


def write_people(folder, people, wish):
    """Write so many people; `wish` is filled in with `genre` and `n`."""
    rows = ((n, GENRES[n % 3]) for n in range(people))
    persons = (
        {"id": f"p{n}", "wish": wish.format(genre=genre, n=n), "attributes": {"genre": [genre]}} for n, genre in rows
    )
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))


def write_dialogue(folder):
    """Make a data set of these items and one dialogue between people, of two turns that recommend."""
    folder.mkdir()
    (folder / "items.csv").write_text(ITEMS)
    said = [
        {"role": "user", "content": "A comedy?"},
        {"role": "assistant", "content": "So", "items": [1]},
        {"role": "user", "content": "Rather not that one"},
        {"role": "assistant", "content": "Then", "items": [2]},
    ]
    (folder / "dialogues.jsonl").write_text(json.dumps({"id": "d", "messages": said}) + "\n")


def experiment(folder, protocol, people, wish, content, changes):
    """Return an experiment; `changes` replace parts of `content`, and add to its options."""
    write_people(folder, people, wish)
    (folder / "items.csv").write_text(ITEMS)
    options = {"guard": "off", "controls": 0, **content.get("options", {}), **changes.get("options", {})}
    whole = {"protocol": protocol, "data": {"path": "items.csv"}, "limits": {"turns": 3}, **content, **changes}
    return Experiment.from_dict({**whole, "options": options}, folder)


def wise(url, **more):
    """Blocks of a pairwise judge whose model is at a URL."""
    models = {"wise": {"name": "any", "base_url": f"{url}/v1", "temperature": 0}}
    return {"models": models, "judges": [{"name": "duel", "kind": "pairwise", "model": "wise"}], **more}


def stored(folder):
    """Return the dialogues and the calls of a run."""
    _, store = open_run(folder)
    try:
        return list(store.dialogues()), list(store.calls())
    finally:
        store.close()


def cases(folder):
    """Return the cases of a run."""
    made, store = open_run(folder)
    try:
        return list(procedure_of(made).cases(store))
    finally:
        store.close()


def scores(folder):
    """Return the scores of a run, by name, unit and system."""
    made, store = open_run(folder)
    try:
        return {(one.name, one.unit, one.system): one.value for one in procedure_of(made).scores(store)}
    finally:
        store.close()


def metric(done, name, **group):
    """Return the one metric of that name whose group holds these entries and nothing but them and the user."""
    found = [
        one
        for one in done.summary["metrics"]
        if one["name"] == name and {key: value for key, value in one["group"].items() if key != "user"} == group
    ]
    assert len(found) == 1, (name, group, [one["group"] for one in done.summary["metrics"] if one["name"] == name])
    return found[0]
