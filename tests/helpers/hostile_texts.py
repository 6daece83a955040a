"""Texts that try to be more than text, and what of a page they must not change."""

import re

from html_outline import Outline

HOSTILE = [
    "<script>document.title='gone'</script>",
    "</p></li></details></main><img src=http://elsewhere.invalid/x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">click</a>',
    "' onmouseover='alert(1)",
    "</style><style>*{display:none}</style>",
    "]]><!-- unclosed <!DOCTYPE html>",
    "[a link](javascript:alert(1)) ![picture](http://elsewhere.invalid/p.png) | a | b |\n```\n# head",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${HOME} %s",
    "\x1b[2J\x1b]0;title\x07 bell",
    "\u202egnp.exe\u2066hidden",
    "lone \ud83d surrogate and \x00 null",
    "&lt;b&gt; &amp;amp; &#60;i&#62;",
    '=HYPERLINK("http://elsewhere.invalid")',
]

_ANCHORS = re.compile(r"d-[0-9a-f]{12}|[0-9a-f]{10}")


def frame(page: Outline) -> list[tuple[str, str | None]]:
    """All attributes but labels, with the digests that links are made of alike."""
    return [(name, value and _ANCHORS.sub("digest", value)) for name, value in page.attributes if name != "aria-label"]
