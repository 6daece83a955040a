"""Texts that Python calls printable are passed on as they are, which must not hide a character that others show."""

import sys

from mysteryshopper.report.text import visible


def test_every_character_that_hides_something_is_shown_otherwise():
    hidden = [chr(code) for code in range(sys.maxunicode + 1) if visible(f"a{chr(code)}b") != f"a{chr(code)}b"]
    assert len(hidden) == (0x20 - 2) + (0xA0 - 0x7F) + 5 + 4 + 0x800 + 2  # as `visible` says, tab and newline apart
