"""Describes the result of a check of a watched report."""

from collections.abc import Iterable
from datetime import datetime

from leadline.runs.recheck import ClaimNow
from leadline.runs.watch import NewFinding, WatchResult
from services.run.ui_text import say
from services.text.quotable import as_prose


def watch_markdown(found: WatchResult) -> str:
    """Describe in Markdown new findings, then the state of the report's claims; one line without news."""
    locale, since = found.locale, f"{datetime.fromisoformat(found.since):%Y-%m-%d %H:%M} UTC"
    fell_before = say("watch_fell_before", locale, count=found.fell_before) if found.fell_before else ""
    if not found.has_news:
        nothing = say("watch_nothing", locale, since=since, holding=found.holding, question=found.question)
        lines = [f"{nothing}{fell_before}"]
        return "\n".join([*lines, *_failures(found)]) + "\n"
    states = {
        state: [claim for claim in found.claims if claim.state == state] for state in ("fallen", "changed", "holds")
    }
    numbers = {"holding": found.holding, "figures": len(found.other_figures), "found": len(found.findings)}
    numbers |= {state: len(claims) for state, claims in states.items()}
    counts = [say(f"watch_count_{name}", locale, count=count) for name, count in numbers.items() if count]
    counted = say(
        "watch_counts", locale, since=since, counts=say("searched_between", locale).join(counts), run=found.run_id
    )
    lines = [f"# {' '.join(found.question.split())}", "", f"{counted}{fell_before}"]
    lines += _section("watch_findings", locale, map(_finding, found.findings))
    lines += _section("watch_figures", locale, (_claim(claim, locale) for claim in found.other_figures))
    for state, claims in states.items():
        lines += _section(f"watch_{state}", locale, (_claim(claim, locale) for claim in claims))
    gone = (f"- {source.id} {source.title} ({source.url}): {source.problem}" for source in found.gone)
    lines += _section("watch_gone", locale, gone)
    return "\n".join([*lines, *_failures(found)]) + "\n"


def _section(heading: str, locale: str, items: Iterable[str]) -> list[str]:
    written = list(items)
    return ["", f"## {say(heading, locale)}", "", *written] if written else []


def _failures(found: WatchResult) -> list[str]:
    return _section("watch_failures", found.locale, (f"- {_line(failure)}" for failure in found.failures))


def _finding(finding: NewFinding) -> str:
    where = ", ".join(filter(None, (_line(finding.title), finding.published, finding.url)))
    return f"- “{_line(as_prose(finding.quote))}” ({where})"


def _claim(claim: ClaimNow, locale: str) -> str:
    lines = [f"- {_line(claim.text)} ({', '.join(claim.sources)})"]
    lines += [f"  - {say('watch_was', locale)}: “{_line(claim.was)}”"] if claim.was else []
    lines += [f"  - {say('watch_now', locale)}: “{_line(claim.now)}”"] if claim.now else []
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())
