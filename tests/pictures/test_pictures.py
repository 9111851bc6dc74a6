"""The terminal, a report, a deck and the page at work, as pictures."""

import io
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from leadline import aresearch
from leadline.progress.live import Board
from leadline.progress.run_view import Watched
from schemas.events import Event
from services.run.settings import forget_settings
from tests.conftest import EXAMPLES, PROJECT
from tests.fakes.browser import Page, chromium, needs_chromium
from tests.fakes.editing import blocks_in, whole
from tests.pages.conftest import Site, ask, browser, choose, opened, page, served, site  # noqa: F401 - fixtures
from tests.pictures import KEPT, keep, makes

pytestmark = pytest.mark.skipif(not KEPT, reason="pictures are made by `make pictures`")

LEADLINE = [sys.executable, "-m", "leadline"]
BORN = "Where was the professor who first sounded with piano wire from the schooner Lalla Rookh born?"
CAST = "How long does a cast to 2,000 fathoms take with piano wire?"
THREE = f"{CAST[:-1]}, and who owned the schooner Lalla Rookh?"
OUTDOORS = "每天户外活动多少分钟能预防近视？"
ABOVE, CITING = "#sec-1-timed-echoes-1951-and-1957", "#sec-2-a-gauge-in-a-dive-1960"
"""Sections of the recorded report: where its picture begins, and whose first citation opens."""
FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
"""Of rich's template: they would be fetched from elsewhere."""


@pytest.fixture(autouse=True)
def _as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words and by meaning, as a user who installed Leadline does."""
    monkeypatch.setenv("LEADLINE_EMBEDDINGS_MODEL", "use")
    forget_settings()


def sharp(tab: Page, width: int, height: int) -> None:
    """Draw more points than one for each, as screens do that people read on."""
    tab.evaluate("document.documentElement.style.scrollbarWidth = 'none'")
    tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1.6, mobile=False)
    tab.evaluate("document.fonts.ready.then(() => new Promise(done => setTimeout(done, 600)))")


@makes("terminal.svg")
async def test_the_live_view_of_a_terminal(tmp_path: Path) -> None:
    drawn = Console(record=True, width=84, height=30, force_terminal=True, color_system="truecolor", file=io.StringIO())
    watched = Watched()
    seen = False

    def draw(event: Event) -> None:
        """Draw once: as the second plan's step has found what it searches."""
        nonlocal seen
        watched.see(event)
        steps = [step for plan in watched.plans[1:] for step in plan.steps]
        if not seen and any(step.state == "running" and step.sources for step in steps):
            seen = True
            drawn.print(f'[green]$[/] leadline research "{BORN[:-1]}?"\n', highlight=False)
            drawn.print(Board(drawn, watched)())

    await aresearch(BORN, docs=[EXAMPLES / "deep-sea"], on_event=draw)
    assert seen
    picture = tmp_path / "terminal.svg"
    title = "leadline: plans, steps and sources as they come"
    drawn.save_svg(str(picture), title=title, code_format=FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="terminal")
    text = picture.read_text("utf-8")
    assert "Plan&#160;2" in text
    assert "https://cdnjs" not in text
    keep(picture)


@makes("verify.svg")
def test_verify_finds_a_changed_word(tmp_path: Path) -> None:
    drawn = Console(record=True, width=58, force_terminal=True, color_system="truecolor", file=io.StringIO())
    subprocess.run([*LEADLINE, "demo", "--seconds", "0"], cwd=tmp_path, check=True, capture_output=True)

    def verified() -> str:
        drawn.print("[green]$[/] leadline verify out/challenger-deep", highlight=False)
        ran = subprocess.run(
            [*LEADLINE, "verify", "out/challenger-deep"], check=False, cwd=tmp_path, capture_output=True, text=True
        )
        told = (ran.stdout + ran.stderr).strip().splitlines()
        for line in told:
            drawn.print(Text(line, style="red" if ran.returncode else "green"))
        drawn.print()
        return "\n".join(told)

    assert "what code checked holds" in verified()
    report = tmp_path / "out" / "challenger-deep" / "report.md"
    drawn.print(
        "[green]$[/] sed -i 's/undocumented correction/documented correction/' out/challenger-deep/report.md",
        highlight=False,
    )
    report.write_text(report.read_text("utf-8").replace("undocumented correction", "documented correction", 1), "utf-8")
    assert "report.md does not say it" in verified()
    picture = tmp_path / "verify.svg"
    title = "leadline verify: one changed word"
    drawn.save_svg(str(picture), title=title, code_format=FONTS.sub("", CONSOLE_SVG_FORMAT), unique_id="verify")
    keep(picture)


def made(out: Path, name: str) -> Path:
    """Find a file of the one report."""
    [place] = out.rglob(name)
    return place


def shown(out: Path, tab: Page, cited: str, *, width: int, height: int, dark: bool = False) -> None:
    """Open a report's page, and the quote of the first of these citations."""
    tab.open(made(out, "report.html"), width=width, height=height, dark=dark)
    sharp(tab, width, height)
    tab.evaluate(f"document.querySelector('{cited}').focus({{preventScroll: true}})")
    assert tab.evaluate("getComputedStyle(document.activeElement.nextElementSibling).display") == "block"


@needs_chromium
@makes("report.png")
def test_a_report_with_the_quote_behind_a_citation(tmp_path: Path) -> None:
    shutil.copy(PROJECT / "docs" / "samples" / "report.html", tmp_path)
    with chromium() as tab:
        shown(tmp_path, tab, f"{CITING} ~ p .cite .mark", width=740, height=600)
        tab.evaluate(f"document.querySelector('{ABOVE}').scrollIntoView()")
        tab.screenshot(tmp_path / "report.png")
    keep(tmp_path / "report.png")


@needs_chromium
@makes("report-zh.png")
@makes("slides-zh.png")
async def test_a_chinese_report_in_the_dark_and_its_deck(tmp_path: Path) -> None:
    await aresearch(OUTDOORS, docs=[EXAMPLES / "myopia"], out=tmp_path, output_formats=["html", "slides"])
    with chromium() as tab:
        shown(tmp_path, tab, "[id=report] .cite .mark", width=1000, height=760, dark=True)
        tab.screenshot(tmp_path / "report-zh.png")
        tab.open(made(tmp_path, "slides.html"), width=960, height=540)
        tab.press("ArrowRight", 39)
        sharp(tab, 960, 540)
        tab.screenshot(tmp_path / "slides-zh.png")
    for name in ("report-zh.png", "slides-zh.png"):
        keep(tmp_path / name)


@needs_chromium
@makes("page.png")
def test_the_page_at_work(page: Page, site: Site, tmp_path: Path) -> None:  # noqa: F811 - the fixtures
    model = site.model
    waits: list[int] = []

    def second_waits(number: int) -> None:
        """Let the first step be done while the others are at work."""
        if model.endpoint.roles[number - 1] == "researcher":
            waits.append(number)
            if len(waits) > 1:
                model.let.wait(30)

    model.let.clear()
    model.endpoint.on_request = second_waits
    try:
        opened(page, site.address, width=1100, height=800)
        choose(page, max_plan_iterations=1)
        ask(page, THREE)
        page.wait("document.querySelector('.steps [data-status=done]')", "a finished step")
        page.wait("document.querySelectorAll('.arrived').length > 1", "sources")
        sharp(page, 1100, 800)
        page.screenshot(tmp_path / "page.png")
        words = page.evaluate("document.body.textContent")
    finally:
        model.endpoint.on_request = model.on_request
        model.release()
    page.wait("document.querySelector('.turn[data-status=done]')", "the end of the run")
    keep(tmp_path / "page.png", words)


@needs_chromium
@makes("revising.png")
def test_a_report_that_was_changed(page: Page, site: Site, tmp_path: Path) -> None:  # noqa: F811 - the fixtures
    def shorter(body: dict[str, Any]) -> str | None:
        """Keep the opening of the report, and what it says of tallow."""
        if "<instruction>" not in body["messages"][-1]["content"]:
            return None
        blocks = list(blocks_in(body).values())
        filled = next(block for block in blocks if "Tallow held" in block)
        return whole("\n\n".join([*blocks[:2], "## What the tallow was", filled]))(body)

    opened(page, site.address, width=1100, height=900)
    choose(page, max_plan_iterations=1)
    ask(page, "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?")
    page.wait("document.querySelector('form.change')", "the report")
    site.model.endpoint.choose = shorter
    page.click("document.querySelector('[data-change=changeShorter]')")
    page.wait("document.querySelector('[data-version=\"2\"][aria-pressed=true]')", "the second version")
    site.model.endpoint.choose = None
    page.click("document.querySelector('.what-changed')")
    page.wait("document.querySelector('.difference')", "what changed")
    page.evaluate("document.querySelector('.versions').scrollIntoView({block: 'start'})")
    sharp(page, 1100, 900)
    page.screenshot(tmp_path / "revising.png")
    keep(tmp_path / "revising.png", page.evaluate("document.body.textContent"))


@needs_chromium
@makes("steering.png")
def test_a_run_that_is_steered(page: Page, site: Site, tmp_path: Path) -> None:  # noqa: F811 - the fixtures
    model, second = site.model, threading.Event()

    def waits(number: int) -> None:
        """Let the second plan's first step wait, too."""
        model.on_request(number)
        step = str(model.endpoint.requests[number - 1]["messages"]).partition("<step")[2]
        if "chromate" in step.partition("</step>")[0]:
            second.wait(30)

    model.hold_role("researcher")
    model.endpoint.on_request = waits
    try:
        opened(page, site.address, width=1100, height=900)
        choose(page, max_plan_iterations=1)
        ask(page, "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?")
        assert model.reached.wait(30)
        page.click("document.getElementById('question')")
        page.write("also the silver chromate tube")
        page.press("Enter", 13, text="\r")
        page.wait("document.querySelector('.said li')", "what was said")
        model.release()
        page.wait("document.querySelector('.said + .plan .steps [data-status=running]')", "the step that was asked for")
        page.evaluate("document.querySelector('.graph').hidden = true")
        page.click("document.getElementById('question')")
        page.write("And who made that tube?")
        sharp(page, 1100, 900)
        page.screenshot(tmp_path / "steering.png")
        words = page.evaluate("document.body.textContent")
    finally:
        second.set()
        model.endpoint.on_request = model.on_request
        model.release()
    page.wait("document.querySelector('.turn[data-status=done]')", "the end of the run")
    keep(tmp_path / "steering.png", words)
