"""Reads a page of HTML from a folder as a browser shows it."""

import re

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import NavigableString
from lxml import html

from schemas.card import Card
from services.search.files.content_type import decode_page
from services.search.files.missing_text import RUNNING
from services.search.files.page_card import html_card
from services.text.spans import without_number

_BLANKS = re.compile(r"[ \t\r\n\f]{2,}|[\t\r\n\f]")
"""What is a single blank in the text of a page, outside of `pre`."""
_PARTS = ["article", "main", "section", "blockquote"]
"""Parts of a page whose headers and footers belong to their text."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def prepared(data: bytes) -> tuple[str, Card]:
    """Return a page as a converter takes it, with what its scripts would show and without what is not its text, and its card; an empty text where it holds nothing."""
    page = BeautifulSoup(decode_page(data, None), "lxml")
    for comment in page.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for script in page("script", type=_of_template):  # a browser's scripts show what it holds
        script.replace_with(*BeautifulSoup(script.get_text(), "lxml").find_all("body", limit=1))
    if not page.find(True):
        return "", Card()
    for text in page.find_all(string=_BLANKS):
        if type(text) is NavigableString and text.find_parent("pre") is None:
            text.replace_with(_BLANKS.sub(" ", text))
    heading = page.find("h1") or page.title
    for line_break in heading("br") if heading else ():
        line_break.insert_before(" ")
    title = without_number(" ".join(heading.get_text().split())) if heading else ""
    card = html_card(html.document_fromstring(str(page)), title)
    for boilerplate in page(["script", "nav", "select", "noscript", "template"]):
        boilerplate.decompose()
    for edge in page(["header", "footer"]):
        if edge.find_parent(_PARTS) is None and edge.find("h1") is None:
            edge.decompose()
    for item in page("li"):
        first = item.find(True, recursive=False)
        if isinstance(first, Tag) and first.name in _HEADINGS and item.parent:  # a list of sections
            item.name = "div"
            item.parent.name = "div" if item.parent.name in {"ol", "ul"} else item.parent.name
    return str(page), card


def _of_template(kind: str | None) -> bool:
    """Tell whether a script's type is one that no browser runs, other than of data."""
    kind = (kind or "").strip().lower()
    return kind not in RUNNING and "json" not in kind
