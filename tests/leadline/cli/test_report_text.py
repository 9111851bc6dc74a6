"""The report in a terminal: laid out within its columns, sources by number, charts as bars, and nothing that a terminal obeys."""

import io
import re
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from leadline.cli.report_text import print_report
from schemas.reporter import Report
from tests.leadline.progress.pseudo_terminal import plain
from tests.services.reports.full import ENGLISH, chart, chinese, english, evidence


def shown(report: Report, width: int = 80, **console: object) -> str:
    """Return what a terminal of this width is told."""
    written = io.StringIO()
    options = {"force_terminal": True, "color_system": "standard", "highlight": False, "_environ": {}, **console}
    print_report(report, Console(file=written, width=width, **options))  # type: ignore[arg-type]  # a dict
    return written.getvalue()


@pytest.mark.parametrize("report", [english(), chinese()], ids=["english", "chinese"])
@pytest.mark.parametrize("width", [30, 80, 120])
def test_no_line_is_wider_than_the_terminal(report: Report, width: int) -> None:
    lines = plain(shown(report, width)).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert not [line for line in lines if line[:1] in {"，", "。", "；", "："}]


@pytest.mark.parametrize("report", [english(), chinese()], ids=["english", "chinese"])
def test_sources_are_numbers_with_a_list_below(report: Report) -> None:
    text = plain(shown(report))
    assert "sources/" not in text
    assert not [source.content_hash for source in report.sources if source.content_hash in text]
    for source in report.sources:
        if source.number is not None:
            assert f"\n[{source.number}] {source.title}\n    {source.url}" in text


def test_markdown_is_laid_out() -> None:
    text = plain(shown(english()))
    assert "**" not in text
    assert not [line for line in text.splitlines() if line.startswith(("#", "```", "|"))]
    assert " HMS Challenger II   1951" in text
    assert "\nMeasurements compared\n" in text


def test_a_chart_stands_as_the_table_of_its_numbers() -> None:
    text = plain(shown(english()))
    assert re.search(r"1875 +8,?184\b", text)
    assert '"type"' not in text
    scatter = chart(
        type="scatter", categories=[], x_unit="year", series=[{"name": "d", "points": [[1875, 8184], [1951, 10863]]}]
    )
    excerpts, sources = evidence(ENGLISH)
    report = Report(title="T", markdown=f"# T\n\n{scatter}", excerpts=excerpts, sources=list(sources.values()))
    assert " d   1875   8184" in plain(shown(report))


@pytest.mark.parametrize(
    "written", ["\x1b]0;owned\x07", "&#27;]0;owned&#7;", "&#x1b;[2J", "&#x9b;2J", "&#13;owned", "&#x202e;owned"]
)
def test_what_a_source_says_cannot_steer_the_terminal(written: str) -> None:
    body = f"# {written} T\n\n{written} a\n\n- {written}\n\n| {written} | b |\n|---|---|\n| {written} | d |\n\n    {written}\n\n[{written}](x)"
    text = plain(shown(Report(title="T", markdown=body)))
    assert not [
        char for char in text if (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160 or char == "\u202e"
    ]


def test_a_wide_table_is_written_row_by_row() -> None:
    names = [f"Column{place}" for place in range(12)]
    table = f"| {' | '.join(names)} |\n|{'---|' * 12}\n| {' | '.join(f'cell{place}' for place in range(12))} |"
    lines = plain(shown(Report(title="T", markdown=f"# T\n\n{table}"))).splitlines()
    assert "- Column0: cell0" in lines
    assert "  Column11: cell11" in lines


def test_colours_are_left_out_where_none_are_wanted() -> None:
    assert "\x1b" not in shown(english(), _environ={"TERM": "dumb"}, color_system="auto")
    coloured = shown(english(), _environ={"TERM": "xterm", "NO_COLOR": "1"}, color_system="auto")
    assert "\x1b[1m" in coloured
    assert "\x1b[36m" not in coloured


def test_a_pipe_gets_markdown_with_web_addresses_in_its_references_alone(capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli.command_run import echo_report

    echo_report(english())
    told, _, listed = capsys.readouterr().out.partition("## References")
    assert "https://" not in told
    assert "near Guam in 1875 [2]." in told
    assert "10,994 metres in 2010 [[1]](sources/01-source-4.txt)." in told
    assert "\n2. Source 1 — <https://example.org/depth/1?a=1&b=2>\n" in listed


def test_an_answer_without_research_has_no_head(monkeypatch: pytest.MonkeyPatch) -> None:
    from leadline.cli.command_run import echo_report

    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    written.isatty = lambda: True  # type: ignore[method-assign]  # a terminal for what asks
    echo_report(Report(title="Hello", markdown="Hello! **Ask** me.", direct=True))
    assert plain(written.getvalue()).strip() == "Hello! Ask me."
