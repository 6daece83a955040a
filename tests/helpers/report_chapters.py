"""A made-up report with every chapter that some protocols bring, and a sheet for people."""

from report_samples import FakeStore, report

from mysteryshopper.core import Case, Criterion, Estimate, Exhibit, Message, Metric, encode_text
from mysteryshopper.experiment.labels import Asked, Copy, Entry, Vote
from mysteryshopper.experiment.labels.agreeing import Labelled
from mysteryshopper.optimize.story import Problem, Round, Story, Tally
from mysteryshopper.report.label_sheet import render_label_sheet


class Optimised(FakeStore):
    """A store that also holds the story of a prompt."""

    text = ""

    def noted(self, key):
        first = Round(0, self.text, dialogues=3, problems=(Problem(self.text, 3, self.text),), reviewed=3)
        second = Round(1, f"{self.text} more", 0, (), 3, {"user": 1}, Tally(3, 1, 0, 0, 0, 1, 0), ())
        return encode_text(Story((first, second), "rounds"))


def number(name, value=0.4, low=0.2, high=0.6, *, text, control=False, **group):
    found = Estimate(value, low, high, 20, 20, method=text, reason=text)
    return Metric(name, group, found, definition=text, control=control, better="higher")


def of_chapters(text):
    """Numbers of every chapter, with a text as every name in them."""
    other = f"{text}2"
    judge = {"judge": text, "criterion": text}
    pair = {"user": text, "versus": other}
    arm = {"user": text, "system": text}
    told = [
        *(("role_reversal_rate", {"user": text, "per": per}) for per in ("turn", "dialogue")),
        *((name, {"about": "users", **judge, **pair}) for name in ("wins", "losses", "ties", "inconsistent")),
        ("win_rate", {"about": "users", **judge, **pair}),
        *((name, {"about": "users", **judge, **pair, "system": text}) for name in ("wins", "win_rate")),
        *((name, {"about": "users", **judge, "user": text}) for name in ("strength", "rank")),
        *((name, {**judge, **arm}) for name in ("strength", "rank")),
        ("root_win_rate", {**judge, **arm, "versus": other}),
        ("win_rate_by_words", {**judge, **arm, "versus": other, "holds": text}),
        *(("noisy_win_rate", {**judge, **arm, "noise": text, "rate": rate}) for rate in ("0.1", "0.4")),
        ("robustness_trend", {**judge, **arm, "noise": text}),
        ("intent_findable", {**arm, "noise": text, "rate": "0.4"}),
        *(("rank_spearman", {"score": text, "first": a, "second": b}) for a, b in ((text, other), (other, "x"))),
        ("tied_systems", {"score": text, "under": text}),
        ("style_f1", {"user": text, "style": text, "by": text}),
        ("found_as", {"user": text, "style": text, "by": text, "asked": text, "found": text}),
        *(("gain", {"judge": text, "part": part}) for part in ("decided", "held out")),
        ("rounds", {}),
        ("improvements", {}),
        ("people_alpha", {"criterion": text}),
        ("people_with_others", {"criterion": text}),
        ("constant_with_others", {"criterion": text}),
        ("people_kappa", {"criterion": text, "annotator": text, "other": other}),
        ("judge_people_agreement", {**judge, "annotator": "majority"}),
        ("judge_people_agreement", {**judge, "annotator": "majority", "pair": text}),
        ("judge_with_others", judge),
    ]  # fmt: skip
    return [number(name, text=text, **group) for name, group in told]


def page_of(text):
    """A report with a text at every place of these chapters."""
    sample = report()
    store = Optimised(sample.store.dialogue_list, sample.store.unit_list, sample.store.verdict_list)
    store.text = text.replace("\ud83d", "\ufffd")  # as `clean` makes it before it is kept
    vote = Vote(text, text, text, text, "pair", 0.0, text, text, (text, f"{text}2"), note=text)
    voted = Labelled(text, text, "pair", vote.systems, {text: 0.0}, {text: 1.0}, vote)
    return report(store=store, metrics=of_chapters(text), labelled=(voted,))


def sheet_of(text):
    """A sheet for people with a text wherever one goes, as its page."""
    said = (Message("user", text, author="simulated"), Message("assistant", text))
    exhibits = tuple(Exhibit(label, text, text, said) for label in "AB")
    case = Case(text, text, exhibits, (Criterion("overall", text),), said)
    asked = (Asked(text, text, text, "pair"),)
    return render_label_sheet(Copy("kzvt", "1", asked, (Entry("bcdf", case, swapped=True),)))
