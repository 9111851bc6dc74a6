"""Checks the files that were made of a report: none may have changed, and what the report states must stand in its page, which is what people share."""

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.clean_text import beginning
from schemas.document import Block, Code, Heading
from services.reports.bundle_files import MAX_EXPORT_BYTES, BundleContent, Clock, exports_in, read_inside
from services.reports.charts.written import is_chart
from services.reports.checking.bundle_result import BundleCheck
from services.reports.checking.written_text import recorded_sentences
from services.reports.document import BOXES, letters, within, words
from services.reports.formats import FORMATS
from services.reports.labels import ENGLISH, SUMMARY_LABEL, labels_for
from services.run.ui_text import say
from services.text.quotable import as_read

if TYPE_CHECKING:
    from lxml.html import HtmlElement

PAGE = FORMATS["html"].file
MAX_PAGE_BYTES = 10_000_000
"""Maximum bytes of a page; ECharts is a tenth of that."""
MAX_SHOWN = 80
"""Maximum characters of a sentence that a problem names."""
_NOT_TEXT = frozenset({"head", "nav", "script", "style"})
_AT_STATEMENTS = frozenset({"cite", "figures", "marked", "references"})
"""Classes of what stands in or beside the text: citations with their quotes, key figures, the list of marked statements, and the references."""


def check_exports(folder: Path, content: BundleContent, blocks: Sequence[Block], check: BundleCheck) -> None:
    """Check the files of a report that lie in its folder by their recorded digests, and its page by what the report states, too.

    Remarks name the files that are at fault, and those without a record: an earlier version, a server or somebody else made them.
    """
    faulty: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for name, file in exports_in(folder).items():
        found = len(check.problems)
        if recorded := content.exports.get(file):
            check.checked["files"] = check.checked.get("files", 0) + 1
            check.add(f"{file} ", _changes(folder, file, recorded), file)
        else:
            unknown[name] = say("verify_page_partly", file=file) if file == PAGE else file
        if file == PAGE:
            check.add(f"{file} ", page_problems(folder, content, blocks), file)
        if len(check.problems) > found:
            faulty[name] = file
    for key, named in (("verify_anew", faulty), ("verify_exports", unknown)):
        if named:
            files, formats = ", ".join(named.values()), ",".join(named)
            check.remarks.append(say(key, files=files, folder=shlex.quote(str(folder)), formats=formats))


def _changes(folder: Path, file: str, recorded: str) -> Iterator[str]:
    try:
        data = read_inside(folder, file, MAX_EXPORT_BYTES)
    except OSError as error:
        yield say("verify_page_unread", reason=error.strerror)
    else:
        if hashlib.sha256(data).hexdigest() != recorded:
            yield say("verify_export_changed")


def page_problems(folder: Path, content: BundleContent, blocks: Sequence[Block]) -> Iterator[str]:
    """Yield what the page in a folder does not say as the report does, as often: its claims, its recorded sentences, its key figures, and its quotes.

    Letters and digits alone are compared. Charts are not, nor is what references say beside their quotes.

    Raises:
        OutOfTime: the check takes too long.
    """
    from lxml import etree, html

    try:
        data = read_inside(folder, PAGE, MAX_PAGE_BYTES)
        page = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8"))
    except (OSError, etree.ParserError) as error:
        yield say("verify_page_unread", reason=getattr(error, "strerror", None) or error)
        return
    recorded = list(recorded_sentences(_compared(blocks, content.locale), set(content.report_sentences)))
    own = "".join(letters(_unlabelled(text)) for text in recorded)
    stated = (*(claim.text for claim in content.claims), *recorded)
    shown, clock = letters(_text(page)), Clock()
    for said, sentence in clock.each({letters(_unlabelled(text)): text for text in stated}.items()):
        if shown.count(said) < max(1, own.count(said)):
            yield say("verify_not_on_page", text=beginning(sentence, MAX_SHOWN))
    for figures in page.find_class("figures"):
        for part in clock.each(figures.iter("p")):
            if letters(text := _text(part)) not in shown:
                yield say("verify_page_figure", text=beginning(text, MAX_SHOWN))
    quotes = "\n".join(letters(text) for each in content.excerpts for text in (each.quote, as_read(each.quote)))
    for quote in clock.each(page.xpath("//q | //*[contains(@class, 'references')]//blockquote")):
        if letters(text := _text(quote)) not in quotes:
            yield say("verify_page_quote", text=beginning(text, MAX_SHOWN))


def _compared(blocks: Sequence[Block], locale: str) -> Iterator[Block]:
    """Yield the blocks above the references, without charts."""
    references = {labels_for(locale).references, ENGLISH.references}
    above = takewhile(lambda block: not (isinstance(block, Heading) and words(block.content) in references), blocks)
    for part in (part for block in above for part in within(block)):
        if not (isinstance(part, Code) and is_chart(part.language)):
            yield part


def _unlabelled(sentence: str) -> str:
    """Return a sentence without what a page shows in its own way: the label of the summary, and the box of a task."""
    if label := SUMMARY_LABEL.match(sentence):
        return sentence[label.end() :]
    return sentence[4:] if sentence[:4] in BOXES else sentence


def _text(element: "HtmlElement") -> str:
    """Return the text of an element as far as it is the report's own; of formulas, what they were written as."""
    from lxml import etree

    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, part in walk:
        if event == "start":
            written = part.get("aria-label") if part.tag == "math" else None
            repeats = part is not element and not _AT_STATEMENTS.isdisjoint(part.get("class", "").split())
            if written is not None or repeats or part.tag in _NOT_TEXT:
                walk.skip_subtree()
            parts.append(written or ("" if repeats or part.tag in _NOT_TEXT else part.text or ""))
        elif part is not element:
            parts.append(part.tail or "")
    return "".join(parts)
