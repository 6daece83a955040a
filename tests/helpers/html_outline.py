"""Reads the elements and attributes of a page, for comparing what content may not change."""

from html.parser import HTMLParser

VOID = {"meta", "br", "line", "ellipse", "input"}


class Outline(HTMLParser):
    """Elements in order with their attributes, and the text.

    `open` holds what was opened and not closed at the end, `broken` end tags that closed nothing.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.open: list[str] = []
        self.broken: list[str] = []
        self.comments: list[str] = []
        self.texts: list[str] = []
        self.style = ""
        self.script = ""
        self.feed(page)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.elements]

    @property
    def attributes(self) -> list[tuple[str, str | None]]:
        return [pair for _, pairs in self.elements for pair in pairs]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))
        if tag == "br":
            self.texts.append("\n")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
            if tag in {"td", "th"}:
                self.texts.append(" ")
        else:
            self.broken.append(tag)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        elif self.open and self.open[-1] == "script":
            self.script += data
        else:
            self.texts.append(data)
