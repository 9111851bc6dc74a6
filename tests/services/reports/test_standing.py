"""A tick, and green, mean that every statement is verified, in every format; less is amber and says how much less."""

import io
import json
import re
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import pytest
from rich.console import Console

from leadline.batch.questions import Outcome
from leadline.progress.lines import Lines, batch_progress
from schemas.context import OutputFormat
from schemas.events import Event
from schemas.evidence import EXCERPT_ID, Standing, standing
from schemas.reporter import Report
from services.reports.formats import render
from services.reports.html.notebook import notebook_html
from services.reports.html.page import asset, render_fragment
from services.reports.parser import parse_report
from services.reports.pdf import find_browser
from tests.fakes.openai_server import OpenAIServer, role_of, think
from tests.services.reports.full import chinese, english

pytestmark = pytest.mark.long

GREEN, AMBER = "17693A", "8A4B00"
SHARES: list[Standing] = ["all", "some", "none"]


def standing_at(stands: Standing, report: Report) -> Report:
    """Return a report of which all, some or none of the statements are verified."""
    claims = report.citations
    verified = {"all": len(claims), "some": 1, "none": 0, "empty": 0}[stands]
    marked = [one.model_copy(update={"verified": place < verified}) for place, one in enumerate(claims)]
    return report.model_copy(update={"citations": marked})


def counted(report: Report) -> str:
    """Return the words that say how many statements are verified."""
    claims, verified = len(report.citations), sum(one.verified for one in report.citations)
    if report.locale == "zh-CN":
        return f"{claims} 条论断中有 {verified} 条已与原文核实"
    return f"{verified} of {claims} statements verified"


@pytest.mark.parametrize(
    ("claims", "verified", "stands"), [(2, 2, "all"), (2, 1, "some"), (2, 0, "none"), (0, 0, "empty")]
)
def test_only_all_of_at_least_one_is_all(claims: int, verified: int, stands: Standing) -> None:
    assert standing(claims, verified) == stands


@pytest.mark.parametrize("stands", SHARES)
@pytest.mark.parametrize("made", [english(), chinese()], ids=["en", "zh"])
async def test_text_formats_have_a_tick_for_all_alone(made: Report, stands: Standing) -> None:
    report = standing_at(stands, made)
    names: list[OutputFormat] = ["md", "html", "slides"]
    files = {name: data.decode() for name, data in (await render(report, names)).items()}
    files["view"] = render_fragment(parse_report(report))
    files["notebook"] = notebook_html(report)
    assert {name for name, said in files.items() if "✓" in said} == (
        {"report.html", "view", "notebook"} if stands == "all" else set()
    )
    for name in ("report.html", "view", "notebook"):
        assert counted(report) in files[name]
    badge = re.search(r'<span class="badge (\w+)">', files["view"])
    assert badge
    assert badge[1] == stands


def test_only_the_badge_of_all_is_green() -> None:
    assert ".badge { color: var(--warn);" in asset("html/page.css")
    assert ".badge.all { color: var(--good); }" in asset("html/page.css")
    assert f"--good: #{GREEN.lower()}" in asset("html/tokens.css")
    assert f"--warn: #{AMBER.lower()}" in asset("html/tokens.css")


@pytest.mark.parametrize("stands", SHARES)
@pytest.mark.parametrize("made", [english(), chinese()], ids=["en", "zh"])
async def test_office_formats_have_a_tick_and_green_for_all_alone(made: Report, stands: Standing) -> None:
    pytest.importorskip("pptx", reason="PowerPoint needs the extra formats")
    docx = pytest.importorskip("docx", reason="Word needs the extra formats")
    report = standing_at(stands, made)
    files = await render(report, ["docx", "pptx"])
    runs = [run for one in docx.Document(io.BytesIO(files["report.docx"])).paragraphs for run in one.runs]
    [mark] = [run for run in runs if counted(report) in run.text]
    assert mark.text.startswith("✓") == (stands == "all")
    assert str(mark.font.color.rgb) == (GREEN if stands == "all" else AMBER)
    deck = zipfile.ZipFile(io.BytesIO(files["report.pptx"]))
    assert "✓".encode() not in b"".join(deck.read(one) for one in deck.namelist() if one.endswith(".xml"))


@pytest.mark.parametrize("stands", ["all", "none"])
async def test_the_pdf_has_a_tick_for_all_alone(stands: Standing) -> None:
    pypdf = pytest.importorskip("pypdf")
    if find_browser() is None:
        pytest.importorskip("weasyprint", reason="PDF needs Chromium or the extra pdf")
    report = standing_at(stands, english())
    data = (await render(report, ["pdf"]))["report.pdf"]
    pages = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    said = re.sub(r"\s+", "", unicodedata.normalize("NFKC", pages))  # letters that are set together are taken apart
    assert counted(report).replace(" ", "") in said
    assert ("✓" in said) == (stands == "all")


@pytest.mark.parametrize(("claims", "verified", "mark"), [(2, 2, "✓"), (2, 1, "!"), (2, 0, "!"), (0, 0, "·")])
def test_the_terminal_has_a_tick_for_all_alone(
    claims: int, verified: int, mark: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(file=io.StringIO())
    data = {"claims": claims, "verified": verified}
    with console.capture() as captured:
        Lines(console)(Event(type="report", node="reporter", title="Report", data=data))
    assert captured.get().startswith(f"{mark} Report")
    with batch_progress(1) as ended:
        ended(Outcome(id="1", question="How deep?", status="done", **data))
    assert f"{mark} 1  How deep?" in capsys.readouterr().err


def test_the_command_gives_no_tick_to_a_report_of_which_nothing_is_verified(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.choose = unsupported
    command = [str(Path(sys.executable).with_name("leadline")), "research", "Who was William Thomson?", "--quick"]
    ran = subprocess.run([*command, "--docs", str(docs)], capture_output=True, text=True, timeout=100, check=True)
    assert "! Report: 2 claims, 0 verified" in ran.stderr
    assert "✓" not in ran.stderr + ran.stdout
    evidence = json.loads(next(Path("out").glob("*/evidence.json")).read_text())
    assert [one["verified"] for one in evidence["claims"]] == [False, False]


def unsupported(body: dict[str, object]) -> str | None:
    """Write a report of which its quotes support nothing, where the reporter is asked."""
    if role_of(body) != "reporter":
        return None
    cited = re.search(rf"\[{EXCERPT_ID}\]", think("reporter", body))
    assert cited
    return f"# A tale\n\nThe moon has 77777 lighthouses {cited[0]}. Its king weighed 88888 tons {cited[0]}.\n"
