"""Which words of a person tell something about what they want."""

from __future__ import annotations

import re

from mysteryshopper.items import fold_value

_STOP = """
a about after again ain't all already also always am an and another any anybody anyone anything are aren't
around as at be because been before being but by bye can can't cannot could couldn't did didn't do does doesn't
doing don't done each either else enough even ever every everybody everyone everything few find fine for from
get give go going good got great guess had has have haven't having he hello help her here hey hi him his hmm how
i i'd i'll i'm i've if in instead into is isn't it it's its just know let let's like liked looking lot lots love
loved many maybe me mean might mine more most much my myself need never nice no nobody none nope nor not nothing
of off oh ok okay on once one ones only or other others our out over own perhaps please pls prefer preference
pretty quite rather really recommend recommendation right same say see seen shall she should show so some
somebody someone something somewhere sorry still stuff such suggest suggestion sure take tell than thank thanks
that that's the their them then there there's these they thing things think this those though to too try under
until up upon us very wanna want wanted was watch watched watching way we well were what what's whatever when
where which while who whose why will with won't would wouldn't wow yeah yep yes yet you you're your
book books film films flick flicks movie movies title titles
"""

STOP_WORDS = frozenset(word for word in re.split(r"\s+|'", _STOP) if word)
"""Our own list: words of grammar and of small talk, and words for what all items of a catalogue are."""

_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{1,80})[\"”]")


def content_words(text: str) -> str:
    """Return a text without the words that tell nothing; all words in double quotes are kept, as a title's."""
    quoted = [word for found in _QUOTED.finditer(text) for word in _WORD.findall(fold_value(found[1]))]
    told = (word for word in _WORD.findall(fold_value(_QUOTED.sub(" ", text))) if word not in STOP_WORDS)
    return " ".join([*told, *quoted])
