"""The page of an evaluation: figures and reports, escaped, in one file, readable on a telephone."""

import json
import re
from pathlib import Path

import pytest

from leadline.evaluation.evaluate import Evaluated
from leadline.evaluation.measures import Figures
from leadline.evaluation.page import render_page
from leadline.evaluation.results import Evaluation, QuestionResult, RunResult
from schemas.evidence import Claim
from schemas.reporter import Report
from tests.fakes.browser import chromium, needs_chromium
from tests.leadline.conftest import Leadline

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">" onclick="alert(3)'


def evaluation(*figures: Figures, name: str = "set.jsonl", error: str = "") -> Evaluation:
    """Return an evaluation of one setting a row of figures, over one question."""
    names = [f"setting {number}" for number in range(1, len(figures) + 1)]
    results = {one: RunResult(figures=row, error=error) for one, row in zip(names, figures, strict=True)}
    question = QuestionResult(id="q", question=name, results=results)
    return Evaluation(set=name, settings={one: {} for one in names}, questions=[question]).summarised()


def report(*claims: str) -> Report:
    return Report(
        title="t", question="?", markdown="# t\n", citations=[Claim(text=text, verified=True) for text in claims]
    )


def test_what_comes_from_outside_is_escaped() -> None:
    made = evaluation({"facts_stated": 0.0, "input_tokens": 5.0}, name=HOSTILE, error=HOSTILE)
    page = render_page(Evaluated(made, {("q", "setting 1"): report(HOSTILE)}))
    assert "<script" not in page
    assert "<img" not in page
    assert not re.search(r"<[^>]*\sonclick", page)
    assert "default-src &#39;none&#39;" in page


@needs_chromium
def test_the_page_is_whole_in_a_browser_and_on_a_telephone(leadline: Leadline, docs: Path, tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    row = {
        "question": "Who designed the wire sounding machine, and why was tallow pressed into the lead?",
        "facts": ["Thomson"],
    }
    file.write_text(json.dumps(row))
    ran = leadline("eval", file, "--docs", docs, "--depth", "quick", "--depth", "standard")
    assert ran.code == 0, ran.err
    with chromium() as tab:
        for width in (1280, 390):
            tab.open(Path("eval/set/eval.html").resolve(), width=width)
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert not tab.logged
            assert not tab.asked
        ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
        assert len(ids) == len(set(ids))
        links = tab.evaluate("[...document.querySelectorAll('.report a[href^=\"#\"]')].map(one => one.hash.slice(1))")
        assert set(links) <= set(ids)
        assert links
        assert tab.evaluate("document.querySelectorAll('.column .report').length") == 2


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_settings_fits(count: int) -> None:
    rows: list[Figures] = [{"facts_stated": number / 4, "input_tokens": 5.0} for number in range(count)]
    made = evaluation(*rows)
    page = render_page(Evaluated(made))
    assert page.count('<article class="column">') == count
    assert ('<th scope="col">p</th>' in page) is False
