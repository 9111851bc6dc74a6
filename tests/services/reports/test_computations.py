"""The section of programs: it shows the program of each cited computation and names its tables, and states nothing itself."""

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from schemas.coder import COPIED
from schemas.document import Code
from schemas.evidence import NO_INPUT, Source
from schemas.reporter import Report
from schemas.usage import Usage
from services.evidence.computation import Computation, program_behind
from services.reports.added_sections import FIRST_LINES, LAST_LINES
from services.reports.html.page import render_html
from services.reports.markdown import ReportInputs, finish_report
from services.reports.markdown_blocks import read_draft
from services.reports.parser import parse_report
from services.run.evidence_store import content_hash
from tests.fakes.excerpts import stretch

CODE = "import pandas\n\nprint('The casts add up to', pandas.read_csv('harbour.csv').depth.sum(), 'metres.')"
SAID = "The casts add up to 400 metres."


def report_of(
    code: str = CODE, *, locale: str = "en-US", body: str = f"{SAID[:-1]} [E1-1].", **source: object
) -> Report:
    """Return the report of one computation."""
    text = Computation(code, "casts of 1875", SAID, {"harbour.csv": b"depth\n100\n300", "other.csv": b""}).text()
    key = content_hash(text)
    stored = Source(url="computation:code-1", title="casts of 1875", kind="computation", content_hash=key)
    stored = stored.model_copy(update=source)
    program = program_behind(stored, text)
    assert program
    excerpt = stretch(SAID, text, content_hash=key)
    draft = ReportInputs("How deep is the harbour?", locale, "", read_draft(body), [excerpt], {key: stored})
    return finish_report(replace(draft, programs={key: program}), Usage())


def section(report: Report) -> str:
    """Return the Markdown of the section."""
    return report.markdown.partition("## Computations\n" if report.locale == "en-US" else "## 计算过程\n")[2]


@pytest.mark.parametrize(("locale", "tables"), [("en-US", "Tables: harbour.csv"), ("zh-CN", "表格：harbour.csv")])
def test_a_cited_computation_is_shown_with_its_number_its_tables_and_its_program(locale: str, tables: str) -> None:
    report = report_of(locale=locale)
    shown, _, references = section(report).partition("\n## ")
    assert f"**casts of 1875** [[1]](sources/01-casts-of-1875.txt)\n\n{tables}\n\n```python\n{CODE}\n```" in shown
    assert references
    parsed = parse_report(report)
    assert parsed.sections[-2].role == "computations"


def test_what_is_not_cited_is_not_shown() -> None:
    assert not section(report_of(body="The harbour is blue [E1-7]."))


def test_no_number_of_a_program_is_a_claim_and_no_mark_in_it_a_citation() -> None:
    report = report_of(f"# 99,999 metres [E1-1]\n{CODE}")
    assert [claim.text for claim in report.citations] == [SAID]
    assert "# 99,999 metres [E1-1]" in section(report)


def test_a_program_cannot_end_its_own_block() -> None:
    report = report_of(f'note = """\n```\n## Limits\n<b>it</b>\n````\n"""\n{CODE}')
    fences = [token for token in MarkdownIt("commonmark").parse(report.markdown) if token.type == "fence"]
    assert [fence.content.strip().endswith(CODE) for fence in fences] == [True]
    assert [one.role for one in parse_report(report).sections] == ["computations", "references"]


@pytest.mark.parametrize("quoting", [0, 20])
def test_of_a_long_program_the_beginning_and_the_end_of_what_it_computes_are_shown(quoting: int) -> None:
    filler = "\n".join(f"step_{place} = None" for place in range(100))
    quotes = "".join(f"\nprint('{COPIED}a.md: words {place}')" for place in range(quoting))
    report = report_of(f"{filler}\n{CODE}{quotes}")
    [code] = [block for block in parse_report(report).sections[-2].blocks if isinstance(block, Code)]
    lines = code.text.split("\n")
    assert len(lines) == FIRST_LINES + LAST_LINES + 1
    assert lines[FIRST_LINES] == f"# … {91 + quoting} more lines in {report.sources[0].file}"
    assert code.text.endswith(CODE)


@pytest.mark.parametrize(
    ("untraced", "locale", "words_of_it"),
    [
        (
            [NO_INPUT, "8184"],
            "en-US",
            "⚠ Computed from numbers that are in no source: the program reads no input, 8184.",
        ),
        (["8184"], "en-US", "The program prints as they stand in it: 8184. That is right for periods,"),
        ([NO_INPUT], "zh-CN", "⚠ 由没有来源给出的数字计算得出：程序没有读取任何输入。"),
    ],
)
def test_numbers_from_nowhere_are_named(untraced: list[str], locale: str, words_of_it: str) -> None:
    assert words_of_it in section(report_of(locale=locale, untraced=untraced))


def test_the_page_folds_the_program_away() -> None:
    page = render_html(parse_report(report_of(f"# <script>\n{CODE}")), interactive=False)
    folded = page.partition('<section class="computations"')[2].partition("</section>")[0]
    assert '<details><summary>The program</summary><pre tabindex="0"><code># &lt;script&gt;' in folded
    assert "Tables: harbour.csv" in folded
