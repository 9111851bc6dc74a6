"""Extracts the text of web pages and plain text in a separate, confined process (see `services/sandbox/workers.py`).

A hostile page can neither block nor end the run, nor read its secrets, nor reach anything.
"""

import re
from collections.abc import Callable
from copy import copy
from pathlib import PurePath
from typing import cast

import trafilatura
from lxml import etree, html
from trafilatura.metadata import extract_metadata
from trafilatura.settings import Document

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.files.cards import HEAD, card_of, past_date, text_card
from services.search.files.content_type import decode_page
from services.search.files.hidden import INVISIBLE, remove_hidden
from services.search.files.missing_text import needs_scripts, script_signs, weight
from services.search.files.page_card import html_card, publisher_of
from services.search.files.shown_html import as_shown
from services.search.pages.extraction import AROUND, Extracted, Job
from services.search.pages.plain_text import links_of, render
from services.search.pages.walls import LONGEST_BEGINNING, wall
from services.text.normal_form import normalise_text

NO_TEXT = "it holds no text that a person would see"
SHORT = 600
"""Characters of main text below which all text of a page is taken: the extractor removes too much of short pages."""
LONG = 1_000_000
"""Characters of a page above which second opinions on its main text take too long."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_REFERENCE = re.compile(r"&#(x[0-9a-f]{1,8}|\d{1,9});?", re.IGNORECASE)


Extractor = Callable[[bytes, Job], Extracted]


def extract(job: Job, body: bytes, extractor: Extractor | None = None) -> Extracted:
    """Extract the text of one body, by the extractor of its kind; a failure is returned as `error`."""
    try:
        extracted = (extractor or _EXTRACTORS[job["kind"]])(body, job)
    except etree.ParserError:
        return {"error": NO_TEXT}
    except MemoryError:
        return {"error": "it takes more memory than a page may"}
    except Exception:  # noqa: BLE001 - parsers raise anything at all on broken input
        return {"error": "it cannot be converted"}
    if "error" in extracted:
        return extracted
    text = INVISIBLE.sub("", extracted["text"]).strip("\n")
    if not text.strip():
        return {"error": NO_TEXT, "needs_scripts": extracted.get("needs_scripts")}
    extracted["cut"] = len(text) > job["characters"]
    extracted["text"] = normalise_text(text[: job["characters"]])
    return extracted


def _text(body: bytes, job: Job) -> Extracted:
    text = decode_page(body, job["charset"], html=False)
    path = PurePath(job["name"])
    card = text_card(normalise_text(text[:HEAD]), path.stem).filled(Card(title=path.name))
    return {"text": text, "card": card.model_dump()}


def _html(body: bytes, job: Job) -> Extracted:
    source = _REFERENCE.sub(_character, _CONTROL.sub("", INVISIBLE.sub("", decode_page(body, job["charset"]))))
    if not source.strip():
        return {"text": ""}
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False)
    tree = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    signs = script_signs(tree)
    remove_hidden(tree)
    as_shown(tree)
    about = extract_metadata(
        copy(tree), default_url=job["url"], date_config={"original_date": True, "extensive_search": False}
    )
    publisher, claimed = publisher_of(tree)
    date = about.date if about.date and re.fullmatch(r"\d{4}-\d\d-\d\d", about.date) else ""
    named = " ".join((tree.findtext(".//title") or "").split())
    title = about.title if about.title and about.title in named else named or about.title
    written = card_of([("author", about.author or "")])
    card = html_card(tree, title or "", past_date(date)).filled(written)
    etree.strip_elements(tree, "script", with_tail=False)  # data for search engines is not text for people
    main = trafilatura.bare_extraction(
        copy(tree), url=job["url"], fast=len(source) > LONG, include_comments=False, include_tables=True
    )
    text = render(main.body) if isinstance(main, Document) else ""
    if len(text) < SHORT:
        whole = render(tree, AROUND)
        text = whole if len(whole) < 5 * SHORT or not text else text
    if weight(text) <= LONGEST_BEGINNING and (
        stands_before := wall(html.document_fromstring(source.encode("utf-8", "replace"), parser=parser), text)
    ):
        return {"error": stands_before}
    return {
        "text": text,
        "card": card.model_dump(),
        "publisher": publisher,
        "claimed": claimed,
        "needs_scripts": needs_scripts(signs, INVISIBLE.sub("", text)),
        "links": links_of(tree, job["url"]) if job.get("links") else [],
    }


def _character(match: re.Match[str]) -> str:
    """Return a browser's character for a numeric reference: none for what cannot be seen, Windows' quotes for 128 to 159."""
    code = int(match[1][1:], 16) if match[1][0] in "xX" else int(match[1])
    if 0x80 <= code < 0xA0:
        return bytes([code]).decode("cp1252", "ignore")
    control = (code < 0x20 and code not in {9, 10, 13}) or code == 0x7F
    unseen = control or 0xD800 <= code < 0xE000 or code > 0x10FFFF or INVISIBLE.match(chr(code))
    return "" if unseen else match[0]


_EXTRACTORS: dict[str, Extractor] = {"html": _html, "text": _text}


def main() -> None:
    """Do the jobs from standard input."""
    serve(lambda job, body: extract(cast("Job", job), body))
