"""The command that watches a report: the state of its claims, and news on its question."""

import asyncio
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli import EXIT_FAILED
from leadline.cli.command_list import examples
from leadline.cli.command_run import echo_report, until_interrupted
from leadline.cli.options import FinishedRun
from leadline.progress.terminal import echo
from leadline.runs.actions import awatch
from leadline.runs.recheck import ClaimNow
from leadline.runs.run_ids import shown_folder
from leadline.runs.watch import NewFinding, WatchResult
from schemas.regular_file import read_regular
from schemas.reporter import Report
from services.reports.bundle import write_files
from services.reports.bundle_files import MAX_REPORT_BYTES
from services.run.ui_text import say
from services.text.quotable import as_prose

commands = typer.Typer()
FILE = "watch.md"
"""Name of the file of all news, in the report's folder."""


@commands.command(epilog=examples("watch"))
def watch(
    run: FinishedRun = None,
    _: Annotated[bool, typer.Option("--once", help="Check once, as by default.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Check a report's statements again, and search for what is new on its question. Needs no model.

    Exit code 1: a statement that held the last time no longer holds.
    """  # fmt: skip
    if until_interrupted(_check(run, as_json), "leadline watch").has_fallen:
        raise typer.Exit(EXIT_FAILED)


async def _check(run: str | None, as_json: bool) -> WatchResult:
    outcome, folder = await awatch(run)
    text = watch_markdown(outcome)
    if outcome.has_news and folder is not None and await asyncio.to_thread(Path(folder).is_dir):
        earlier = await asyncio.to_thread(_earlier, Path(folder) / FILE, text.partition("\n")[0])
        await write_files(Path(folder), {FILE: f"{text}{earlier}".encode()}, "watch")
        echo(say("watch_written", outcome.locale, file=f"{shown_folder(folder)}/{FILE}"), err=True)
    if as_json:
        echo(outcome.model_dump_json())
    elif outcome.has_news:
        echo_report(Report(title=outcome.question, markdown=text))
    else:
        echo(text.rstrip())
    return outcome


def _earlier(file: Path, heading: str) -> str:
    """Return the news of earlier checks below a line, the latest first, without the heading of all. Blocking."""
    try:
        written = read_regular(file, MAX_REPORT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return f"\n---\n\n{written.removeprefix(heading).lstrip()}"


def watch_markdown(outcome: WatchResult) -> str:
    """Describe in Markdown new findings, then the state of the report's claims; one line without news."""
    locale, since = outcome.locale, f"{datetime.fromisoformat(outcome.since):%Y-%m-%d %H:%M} UTC"
    fell_before = say("watch_fell_before", locale, count=outcome.fell_before) if outcome.fell_before else ""
    failures = _section("watch_failures", locale, (f"- {_line(failure)}" for failure in outcome.failures))
    if not outcome.has_news:
        nothing = say("watch_nothing", locale, since=since, holding=outcome.holding, question=outcome.question)
        return "\n".join([f"{nothing}{fell_before}", *failures, ""])
    states = {
        state: [claim for claim in outcome.claims if claim.state == state] for state in ("fallen", "changed", "holds")
    }
    numbers = {
        "holding": outcome.holding,
        "figures": len(outcome.other_figures),
        "found": len(outcome.findings),
        "gone": len(outcome.gone),
    }
    numbers |= {state: len(claims) for state, claims in states.items()}
    counts = [say(f"watch_count_{name}", locale, count=count) for name, count in numbers.items() if count]
    counted = say(
        "watch_counts", locale, since=since, counts=say("searched_between", locale).join(counts), run=outcome.run_id
    )
    lines = [f"# {' '.join(outcome.question.split())}", "", f"{counted}{fell_before}"]
    lines += _section("watch_findings", locale, map(_finding, outcome.findings))
    lines += _section("watch_figures", locale, (_claim(claim, locale) for claim in outcome.other_figures))
    for state, claims in states.items():
        lines += _section(f"watch_{state}", locale, (_claim(claim, locale) for claim in claims))
    gone = (f"- {source.id} {source.title} ({source.url}): {source.problem}" for source in outcome.gone)
    lines += _section("watch_gone", locale, gone)
    return "\n".join([*lines, *failures, ""])


def _section(heading: str, locale: str, items: Iterable[str]) -> list[str]:
    written = list(items)
    return ["", f"## {say(heading, locale)}", "", *written] if written else []


def _finding(finding: NewFinding) -> str:
    where = ", ".join(filter(None, (_line(finding.title), finding.published, finding.url)))
    return f"- “{_line(as_prose(finding.quote))}” ({where})"


def _claim(claim: ClaimNow, locale: str) -> str:
    lines = [f"- {_line(claim.text)} {' '.join(f'[{source[1:]}]' for source in claim.sources)}"]
    lines += [f"  - {say('watch_was', locale, quote=_line(claim.was))}"] if claim.was else []
    lines += [f"  - {say('watch_now', locale, quote=_line(claim.now))}"] if claim.now else []
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
