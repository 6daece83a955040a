"""The pages hang together: each is in the menu, links lead somewhere, and none fetches or names what it should not."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
_LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")

# Put together here so that this file does not name them either.
_REGISTRIES = re.compile("|".join([r"py" + r"pi\.org", r"python" + r"hosted\.org", r"npm" + r"js\.(com|org)"]), re.I)


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    for page in PAGES:
        assert str(page.relative_to(DOCS)) in menu, page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_links_lead_somewhere(page):
    for target in _LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_files_named_in_backticks_exist():
    later = {  # what a run or a reader writes
        "better.html",
        "bot.py",
        "experiment.yaml",
        "first.yaml",
        "judges.yaml",
        "mine.yaml",
        "report-dialogues-2.html",
        "report.html",
        "report.md",
        "results.xml",
        "shop.py",
        "summary.json",
    }
    for page in [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for name in re.findall(
            r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|yaml|toml|txt|html|json|xml))`", page.read_text("utf-8")
        ):
            if name in later or name.startswith("runs/"):
                continue
            places = [ROOT / name, ROOT / "src/mysteryshopper" / name]
            assert any(place.exists() for place in places), f"{page.name} names {name}"


@pytest.mark.parametrize(
    "pattern", ["*.md", "docs/**/*", "*.toml", "*.txt", "*.yml", "Makefile", "src/**/*.py", "tests/**/*.py"]
)
def test_nothing_names_a_package_registry(pattern):
    for path in ROOT.glob(pattern):
        if path.is_file() and path.suffix not in {".png"}:
            assert not _REGISTRIES.search(path.read_text("utf-8")), path


def test_the_theme_fetches_nothing():
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert re.search(r"^  font: false\b", settings, re.M)
    assert not re.search(r"https?://", settings)
