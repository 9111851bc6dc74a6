"""Rows that are quoted without the headings of their table, and statements that are checked against them."""

import re

import pytest
from langgraph.store.memory import InMemoryStore

from prompts import render
from schemas.evidence_view import SurroundedView
from schemas.results import StepResult
from schemas.state import ResearchState
from schemas.verifier import VerifierPrompt
from services.check.support import check_support
from services.evidence.citable_excerpts import with_places
from services.run.evidence_store import EvidenceStore, content_hash
from services.text.heads import Heads
from tests.fakes.excerpts import stretch

CSV = "A note, first.\n\nyear,line,passengers_million,punctual_percent\n2016,Harbour,4.38,89.6\n2016,Mill,2.94,92.1\n2017,Harbour,4.31,94.9"
MARKDOWN = (
    "Text.\n\n| Line | 2016 | 2017 |\n|---|---|---|\n| Harbour | 4.38 | 4.31 |\n| Mill | 2.94 | 2.93 |\n\nMore text."
)

PRINTED = """Totals:
region  total_eur  difference  missed
  East   11093.48     -706.52    True
 South   12702.25      202.25   False
rows 500 missing 1

        size  count       sum
West     138    137  14814.22

North    9679.73     12000
Mitte   12702.25     12500"""


@pytest.mark.parametrize(
    ("text", "row", "heads"),
    [
        (CSV, "2016,Mill", "year,line,passengers_million,punctual_percent"),
        (CSV, "2017,Harbour", "year,line,passengers_million,punctual_percent"),
        (CSV, "year,line", ""),
        (CSV, "A note", ""),
        (MARKDOWN, "| Mill", "| Line | 2016 | 2017 |"),
        (MARKDOWN, "More text", ""),
        (PRINTED, "  East", "region  total_eur  difference  missed"),
        (PRINTED, "South", "region  total_eur  difference  missed"),
        (PRINTED, "region", ""),
        (PRINTED, "rows 500", ""),
        (PRINTED, "West", "        size  count       sum"),
        (PRINTED, "Mitte", ""),
    ],
)
def test_a_row_has_the_headings_of_its_table(text: str, row: str, heads: str) -> None:
    assert Heads(text).at(text.index(row)) == heads


def _quote(row: str) -> str:
    start = CSV.index(row)
    return stretch(CSV[start:], CSV, heads=Heads(CSV).at(start)).headed_quote


@pytest.mark.parametrize(
    ("claim", "fails"),
    [
        ("The Mill line carried 2.94 million passengers in 2016.", False),
        ("In 2017, 94.9 percent of the trams on the Harbour line were punctual.", False),
        ("The Mill line carried 4.31 million passengers in 2016.", True),
        ("The Harbour line carried 94.9 million passengers in 2017.", True),
    ],
)
def test_a_statement_is_held_to_the_row_below_its_headings(claim: str, fails: bool) -> None:
    assert bool(check_support(claim, [_quote("2016,Mill")]).fault) is fails


async def test_excerpts_know_the_heading_that_they_stand_under() -> None:
    text = "# Scripts\n\nAbout them.\n\n## [npm ci](/commands/npm-ci)\n\n- preinstall\n- install\n"
    evidence = EvidenceStore(InMemoryStore())
    await evidence.put_text(text)
    quotes = {"E1-1": "About them.", "E1-2": "- install"}
    excerpts = [stretch(quote, text, key, content_hash(text)) for key, quote in quotes.items()]
    state = ResearchState(results={"1": StepResult(step_id="1", status="done", excerpts=excerpts)}, background=None)
    placed = await with_places(state, evidence)
    assert [excerpt.section for excerpt in placed["results"]["1"].excerpts] == ["Scripts", "npm ci"]


def test_a_verifier_sees_the_heads_of_rows_that_follow_each_other_once() -> None:
    heads = ["Year | Line", "Year | Line", "Ship | Depth", "Year | Line"]
    passages = [
        SurroundedView(id=f"E1-{number}", title="Lines", quote=f"| {number} | Mill |", columns=columns)
        for number, columns in enumerate(heads, 1)
    ]
    shown = render("verifier", VerifierPrompt(locale="en", passages=passages, statements=[]))[1].text
    assert re.findall('id="(.+?)".*columns="(.+?)"', shown) == [
        ("E1-1", "Year | Line"),
        ("E1-3", "Ship | Depth"),
        ("E1-4", "Year | Line"),
    ]
