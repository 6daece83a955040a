"""From what a model wrote to a value and a status. Pure: no I/O, no model, and nothing is ever guessed into a value.

Every reader takes a text, None or a `ChatReply` and returns a `Reading`; none raises on a reply.
"""

from mysteryshopper.reading.choices import read_choice
from mysteryshopper.reading.json_values import read_json
from mysteryshopper.reading.numbers import read_score, read_stars
from mysteryshopper.reading.rankings import read_ranking
from mysteryshopper.reading.reasoning import strip_reasoning
from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply
from mysteryshopper.reading.room import more_room
from mysteryshopper.reading.title_lists import read_titles
from mysteryshopper.reading.titles import split_year, title_key
from mysteryshopper.reading.verdicts import read_verdict
from mysteryshopper.reading.yes_no import read_yes_no

__all__ = [
    "Reading",
    "Reply",
    "is_refusal",
    "more_room",
    "read_choice",
    "read_json",
    "read_ranking",
    "read_score",
    "read_stars",
    "read_titles",
    "read_verdict",
    "read_yes_no",
    "split_year",
    "strip_reasoning",
    "title_key",
]
