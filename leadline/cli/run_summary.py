"""The five lines that `leadline runs show` begins with: question, answer, sources, cost and files."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline.progress.run_view import clock
from leadline.runs.run_ids import holds_run, shown_folder
from leadline.runs.store import RunRecord
from schemas.clean_text import beginning
from schemas.document import Paragraph
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.bundle_files import read_report
from services.reports.document import ParsedReport, words
from services.reports.labels import counts_of, labels_for
from services.reports.parser import parse_report
from services.run.ui_text import is_chinese, say

_BEFORE_CITATION = re.compile(r"(?<! ) +(?=[.,;:!?，。；：！？、])")
"""The blank that is left where a citation stood before a punctuation mark."""
LONGEST = 400
"""Maximum characters of a question or an answer."""


def summary(record: RunRecord, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield a label and a text for each line."""
    report: Report | None = values.get("report") if record.has_answer else None  # else it is that of the run before
    locale = terminal_locale(values)
    parsed = None if report is None else parse_report(report)
    lines = (
        _line(record.question),
        _answer(record, values, parsed, locale),
        "-" if report is None or parsed is None else _sources(report, parsed, locale),
        _cost(values.get("usage") or Usage(), report, locale),
        _files(record, locale),
    )
    yield from zip(say("show_labels", locale).split("|"), lines, strict=True)


def of_folder(folder: Path) -> tuple[RunRecord, dict[str, Any]]:
    """Return what the folder of a report tells of its run, which is on another machine.

    Raises:
        BundleError: the folder cannot be read.
    """
    report = read_report(folder)
    record = RunRecord(id=report.run_id, question=report.question, status="done", folder=str(folder))
    return record, {"report": report, "usage": report.usage, "locale": report.locale}


def terminal_locale(values: Mapping[str, Any]) -> str:
    """Return the locale of what the terminal says of a run: Chinese for Chinese ones, English for all others."""
    locale = str(values.get("locale") or "")
    return locale if is_chinese(locale) else "en-US"


def _answer(record: RunRecord, values: Mapping[str, Any], parsed: ParsedReport | None, locale: str) -> str:
    """Return the first words of the report, or what there is instead of it."""
    if not record.has_answer and record.status == "running":
        return say("show_running", locale, run=record.id)
    if not record.has_answer:
        return say("show_unfinished", locale, status=record.status, command=f"leadline resume {record.id}")
    if parsed is None:
        return _line(values["triage"].reply)
    if parsed.by_rules and (report := values["report"]):
        told = "show_by_rules" if report.without_model else "show_no_text"
        return say(told if parsed.cited else "nothing_close", locale)
    blocks = [*parsed.lead, *(block for section in parsed.body for block in section.blocks)]
    paragraphs = [words(block.content) for block in blocks if isinstance(block, Paragraph)]
    return _BEFORE_CITATION.sub("", _line(words(parsed.summary) or next(filter(None, paragraphs), "-")))


def _sources(report: Report, parsed: ParsedReport, locale: str) -> str:
    labels = labels_for(locale)
    counts = {
        "sources": sum(not source.duplicate_of for source in report.sources),
        "cited": len(parsed.cited),
        "statements": counts_of(report.citations, report.answered, labels).shown or labels.no_statements,
    }
    return say("show_sources", locale, **counts)


def _cost(usage: Usage, report: Report | None, locale: str) -> str:
    if report is not None and report.without_model:
        return say("show_free", locale, time=clock(usage.seconds))
    total = usage.total
    money = say("show_no_price", locale) if total.cost is None else f"${total.cost:.4f}"
    values = {"calls": total.calls, "read": f"{total.input_tokens:,}", "wrote": f"{total.output_tokens:,}"}
    cost = say("show_cost", locale, **values, money=money, time=clock(usage.seconds))
    if not total.abandoned:
        return cost
    return f"{cost}; {say('abandoned', locale, calls=total.abandoned, tokens=f'{total.abandoned_tokens:,}')}"


def _files(record: RunRecord, locale: str) -> str:
    folder = Path(record.folder) if record.folder else None
    if folder is None:
        return "-"
    names = sorted(file.name for file in folder.iterdir() if file.is_file()) if holds_run(folder, record.id) else []
    gone = say("show_no_files", locale, command=f"leadline runs export {record.id} --format md")
    return f"{shown_folder(folder)} ({', '.join(names) if names else gone})"


def _line(text: str) -> str:
    return beginning(text, LONGEST)
