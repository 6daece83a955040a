"""JUnit's XML, the form in which CI servers take test results."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from mysteryshopper.experiment.assertions import Result

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(results: Sequence[Result], name: str, notes: str = "") -> str:
    """Return the results of assertions as JUnit XML, one test case each.

    Args:
        results: What came out.
        name: Name of the suite, usually the run's.
        notes: Further words for the suite's output, as how many units were lost.
    """
    failures = sum(not result.holds for result in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0", "skipped": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _fit(name), **counts})
    for result in results:
        group = " ".join(f"{key}={value}" for key, value in result.group.items())
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _fit(f"{name} {group}".strip()), "name": _fit(result.assertion)}
        )
        if result.holds:
            ElementTree.SubElement(case, "system-out").text = _fit(result.reason)
        else:
            ElementTree.SubElement(case, "failure", {"message": _fit(result.reason), "type": "assertion"})
    if notes:
        ElementTree.SubElement(suite, "system-out").text = _fit(notes)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write_junit(path: Path, results: Sequence[Result], name: str, notes: str = "") -> None:
    """Write the results of assertions as JUnit XML, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(junit_text(results, name, notes), encoding="utf-8")
    os.replace(partial, path)


def _fit(text: str) -> str:
    """Replace what XML can't hold, not even escaped."""
    return _UNFIT.sub("\ufffd", text)
