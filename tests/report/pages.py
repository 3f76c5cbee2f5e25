"""Reads a page as a browser without script would, and complains about what a careful reader would not forgive."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "input", "br", "img", "hr", "circle", "rect", "line", "path"}
FETCHING = {"src", "href", "action", "data", "poster", "srcset", "background", "formaction", "xlink:href"}


@dataclass
class Page(HTMLParser):
    """What is in a page."""

    tags: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    headings: dict[str, list[int]] = field(default_factory=dict)
    fetched: list[str] = field(default_factory=list)
    scripted: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.fetched += [str(value) for name, value in attrs if name in FETCHING and value != "data:,"]
        self.scripted += [name for name in given if name.startswith("on")] + [tag] * (tag == "script")
        self.ids += [str(given["id"])] if "id" in given else []
        language = given.get("lang") or (self.open[-1][1] if self.open else "")
        if tag in ("h1", "h2", "h3"):
            self.headings.setdefault(language, []).append(int(tag[1]))
        if tag not in VOID:
            self.open.append((tag, language))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop()[0] == tag, f"{tag} is closed where something else is open"

    def handle_data(self, data: str) -> None:
        if self.open and data.strip() and self.open[-1][0] != "style":
            self.texts.setdefault(self.open[-1][1], []).append(data.strip())


def read(page: str) -> Page:
    """Return what is in the page, once every tag has been closed."""
    found = Page()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def complaints(page: str) -> list[str]:
    """Return what is wrong with a page of ours."""
    found = read(page)
    wrong = [f"fetches {one}" for one in found.fetched] + [f"runs {one}" for one in found.scripted]
    wrong += ["names an address"] * any(scheme in page for scheme in ("http:", "https:", "//www.", "@import", "url("))
    wrong += ["is a megabyte or more"] * (len(page.encode()) >= 1_000_000)
    wrong += [f"has the id {one} twice" for one in set(found.ids) if found.ids.count(one) > 1]
    for language, levels in found.headings.items():
        skipped = any(later > earlier + 1 for earlier, later in pairwise(levels))
        wrong += [f"skips a heading level in {language}"] * skipped + [f"has no one h1 in {language}"] * (
            levels.count(1) != 1
        )
    return wrong
