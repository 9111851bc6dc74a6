"""Each side of a contradiction shows its source's date, and which is newer, in every format."""

import html
import io
import re
import zipfile
from pathlib import Path

import pytest

from schemas.evidence import Contradiction
from schemas.reporter import Report
from services.reports.added_sections import side_notes
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.document import words
from services.reports.html.page import render_html
from services.reports.labels import ENGLISH
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from services.reports.slides.pptx import render_pptx
from services.reports.slides.slide_outline import outline
from services.reports.word import render_docx
from tests.services.reports.conftest import Finished, source_of
from tests.services.reports.full import bundle_of, report_of
from tests.services.reports.full import evidence as evidence_of

DATED = ("published 2021-03-04", "published 2023-04-01, newer")


@pytest.fixture
def report(finished: Finished) -> Report:
    dates = {"web": DATED[0].split()[1], "paper": DATED[1].split()[1].strip(",")}
    sources = [source_of(name, published=dates.get(name)) for name in ("web", "paper", "plan")]
    conflict = Contradiction(topic="depth", excerpt_ids=["E1-1", "E2-1"])
    return finished("# Depth\n\nIt was sounded [E1-1].", sources=sources, contradictions=[conflict])


@pytest.mark.parametrize(
    ("dates", "shown"),
    [
        ((None, None), ["", ""]),
        (("2021", None), ["published 2021", ""]),
        (("2021", "2021-03-04"), ["published 2021", "published 2021-03-04"]),
        (("2022", "2021-03-04"), ["published 2022, newer", "published 2021-03-04"]),
        (("spring", "2021-03-04"), ["published spring", "published 2021-03-04"]),
        (("2019", "2023", "2021"), ["published 2019", "published 2023, newer", "published 2021"]),
    ],
)
def test_newer_is_said_only_where_every_date_is_told_and_one_is_later(
    dates: tuple[str | None, ...], shown: list[str]
) -> None:
    excerpts, sources = evidence_of([f"The hall is {place} m long." for place in range(20, 20 + len(dates))])
    for excerpt, date in zip(excerpts, dates, strict=True):
        sources[excerpt.content_hash] = sources[excerpt.content_hash].model_copy(update={"published": date})
    assert side_notes(excerpts, sources, ENGLISH) == shown


def test_a_copy_has_the_date_of_the_source_that_it_is_cited_as() -> None:
    excerpts, sources = evidence_of(["The hall is 24 m long.", "The hall is 30 m long.", "The hall is 24 m long, too."])
    first, _, third = (excerpt.content_hash for excerpt in excerpts)
    sources[third] = sources[third].model_copy(update={"published": "2020"})
    sources[first] = sources[first].model_copy(update={"published": "2023", "duplicate_of": third})
    assert side_notes(excerpts[:2], sources, ENGLISH) == ["published 2020", ""]


def test_the_dates_stand_in_every_format(report: Report) -> None:
    parsed = parse_report(report)
    [conflict] = parsed.disagreements
    assert [words(side).rpartition(" — ")[2] for side in conflict.sides] == list(DATED)
    cards = [card.text for slide in outline(parsed) for card in slide.cards if card.kind == "quote"]
    assert [card.rpartition(" — ")[2] for card in cards] == list(DATED)
    shown = {
        "md": report.markdown,
        "html": render_html(parsed),
        "deck": render_deck(parsed),
        "docx": _texts(render_docx(parsed), "word/document.xml"),
        "pptx": _texts(render_pptx(parsed), "ppt/slides/slide"),
    }
    for name, text in shown.items():
        assert [note for note in DATED if note in html.unescape(re.sub(r"</?span[^>]*>", "", text))] == list(DATED), (
            name
        )


async def test_a_side_without_a_full_stop_is_held_against_its_quote_and_not_with_its_date(tmp_path: Path) -> None:
    texts = ["hall length: 24 m", "hall length: 30 m"]
    _, dated = evidence_of(texts, published="2023-04-01")
    conflict = Contradiction(topic="hall length", excerpt_ids=["E1-1", "E1-2"])
    report = report_of("It is 24 m [E1-1].", texts, sources=dated, contradictions=[conflict])
    await bundle_of(report, tmp_path, texts)
    assert "— published 2023-04-01" in report.markdown
    assert verify_markdown(tmp_path / "report.md").problems == []
    (tmp_path / "report.md").write_text(report.markdown.replace("“hall length: 30 m”", "“hall length: 31 m”"))
    assert len(verify_markdown(tmp_path / "report.md").problems) == 1


@pytest.mark.parametrize(
    ("title", "topic"), [("Survey 50 of the halls", "Survey 50 on lengths"), ("Survey of the halls", "")]
)
def test_a_topic_may_name_a_number_of_a_source_and_no_other(title: str, topic: str) -> None:
    texts = ["The hall is 24 m long.", "The hall is 30 m long."]
    _, titled = evidence_of(texts, title=title)
    conflict = Contradiction(topic="Survey 50 on lengths", excerpt_ids=["E1-1", "E1-2"])
    report = report_of("It is 24 m [E1-1].", texts, sources=titled, contradictions=[conflict])
    assert [one.topic for one in parse_report(report).disagreements] == [topic]


def _texts(data: bytes, begins: str) -> str:
    """Return the texts of the parts of an office file whose names begin so."""
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        read = [parts.read(name).decode() for name in parts.namelist() if name.startswith(begins)]
    return re.sub(r"<[^>]+>", "", " ".join(read))
