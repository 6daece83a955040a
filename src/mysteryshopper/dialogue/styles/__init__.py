"""How a person writes, told by counting: length, formality, mood and slips, and which label that comes to."""

from mysteryshopper.dialogue.styles.features import TITLE, Writing, writing_of
from mysteryshopper.dialogue.styles.labels import SCALES, Scale, labels_of
from mysteryshopper.dialogue.styles.spelling import Dictionary, letters

__all__ = ["SCALES", "TITLE", "Dictionary", "Scale", "Writing", "labels_of", "letters", "writing_of"]
