"""Labels: blind sheets of what judges ruled on, for people to vote on, and how far judges agree with the votes."""

from mysteryshopper.experiment.labels.agreeing import label_metrics
from mysteryshopper.experiment.labels.keeping import has_votes, kept_votes
from mysteryshopper.experiment.labels.making import make_copies
from mysteryshopper.experiment.labels.reading import Taken, take_votes
from mysteryshopper.experiment.labels.records import FOLDER, Asked, Copy, Entry, Vote
from mysteryshopper.experiment.labels.writing import write_copies

__all__ = [
    "FOLDER",
    "Asked",
    "Copy",
    "Entry",
    "Taken",
    "Vote",
    "has_votes",
    "kept_votes",
    "label_metrics",
    "make_copies",
    "take_votes",
    "write_copies",
]
