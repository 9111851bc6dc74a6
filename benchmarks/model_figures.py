"""What one research at a real model came to: its calls by its journal, its report by the files that it wrote."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leadline.evaluation.question_set import EvalQuestion
from leadline.runs.store import open_home
from services.reports.bundle import verify_bundle
from services.run.errors import BundleError, JournalMiss
from services.run.journal import Entry, Recording, run_key

SECOND_TRIES = {"reporter_sentences": ("reporter", "no sentence was supported")}
"""Templates with which a role is asked once more in another way: whose repetition it is, and why."""
SUPPORTED = ("quoted", "supported", "inferred")
"""Statuses of sentences that count as verified."""
COUNTED = (
    "calls", "requests", "needed", "valid_first", "repeated", "failed", "faults", "input_tokens", "output_tokens", "seconds"
)  # fmt: skip
LONGEST_REASON = 160
"""Characters that are kept of why a call was made again."""


async def journal_of(home: Path) -> list[Entry]:
    """Return the latest run's calls to models in the order in which they ended."""
    async with open_home(home) as opened:
        record = next(iter(await opened.records()), None)
        if record is None:
            return []
        values: Any = await opened.values(record)
        try:
            recording = await Recording.load(opened.store, run_key(record.id, values.get("turn", 1)), record.id)
        except JournalMiss:
            return []
    calls = [entry for entry in recording.entries.values() if entry.kind == "model"]
    return sorted(calls, key=lambda entry: entry.at)


def stem_of(entry: Entry) -> str:
    """Return the template that a call was made with, or that of the call which it repeats in another way."""
    stem = entry.name.partition(" ")[0]
    return SECOND_TRIES[stem][0] if stem in SECOND_TRIES else stem


def reason_of(entry: Entry) -> str:
    """Return why a call was made again; empty for a first call."""
    second = SECOND_TRIES.get(entry.name.partition(" ")[0])
    return second[1] if second else str((entry.answer or {}).get("asked_because", ""))[:LONGEST_REASON]


def roles_of(calls: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Count the calls of each template.

    A call that was made again belongs to the latest one at the same place that was not: `valid_first` counts those that
    nothing followed.
    """
    roles: dict[str, dict[str, Any]] = {}
    spoiled: dict[tuple[str, str], bool] = {}
    for entry in calls:
        answer, stem = entry.answer or {}, stem_of(entry)
        used, place = answer.get("used", {}), (entry.place, stem)
        role = roles.setdefault(stem, {"because": {}, **dict.fromkeys(COUNTED, 0)})
        because = reason_of(entry)
        role["calls"] += 1
        role["requests"] += answer.get("requests", 1)
        role["failed"] += entry.error is not None
        role["faults"] += len(answer.get("faults", []))
        role["input_tokens"] += used.get("input_tokens", 0)
        role["output_tokens"] += used.get("output_tokens", 0)
        role["seconds"] = round(role["seconds"] + entry.seconds, 1)
        if because:
            role["repeated"] += 1
            role["because"][because] = role["because"].get(because, 0) + 1
            role["valid_first"] -= not spoiled.get(place, True)
            spoiled[place] = True
        else:
            role["needed"] += 1
            role["valid_first"] += entry.error is None
            spoiled[place] = entry.error is not None
    return roles


def report_of(out: Path, question: EvalQuestion) -> dict[str, Any]:
    """Judge the files of a report: whether they verify, the statuses of its sentences, and which facts stand in it."""
    folder = next((file.parent for file in sorted(out.glob("*/evidence.json"))), None)
    facts = {"expected": len(question.facts), "in_report": 0, "in_excerpts": 0}
    if folder is None:
        return {"verifies": False, "problems": ["there is no report"], "facts": facts, "sentences": {}, "limits": []}
    evidence = json.loads((folder / "evidence.json").read_text("utf-8"))
    report = (folder / "report.md").read_text("utf-8").casefold()
    quotes = "\n".join(excerpt["quote"] for excerpt in evidence["excerpts"]).casefold()
    facts["in_report"] = sum(any(form.casefold() in report for form in forms) for forms in question.facts)
    facts["in_excerpts"] = sum(any(form.casefold() in quotes for form in forms) for forms in question.facts)
    try:
        problems = verify_bundle(folder).problems
    except BundleError as error:
        problems = [str(error)]
    return {
        "verifies": not problems,
        "problems": problems,
        "facts": facts,
        "sentences": dict(Counter(claim["status"] for claim in evidence["claims"])),
        "limits": evidence["limits"],
        "usage": evidence["usage"]["total"],
    }


def total_of(questions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sum the figures of several questions up. Shares are in percent; None where there is nothing to share."""
    roles = [role for question in questions for role in question["roles"].values()]
    needed, calls = (sum(role[name] for role in roles) for name in ("needed", "calls"))
    sentences = Counter[str]()
    for question in questions:
        sentences.update(question["sentences"])
    expected, told = (sum(one["facts"][name] for one in questions) for name in ("expected", "in_report"))
    return {
        "runs": len(questions),
        "ended_by_themselves": sum(question["ended"] for question in questions),
        "reports_that_verify": sum(question["verifies"] for question in questions),
        "calls": calls,
        "needed": needed,
        "requests_beyond": sum(role["requests"] for role in roles) - needed,
        "valid_first_percent": _share(sum(role["valid_first"] for role in roles), needed),
        "repeated_percent": _share(sum(role["repeated"] for role in roles), calls),
        "abandoned": sum(question["abandoned"] for question in questions),
        "sentences": sum(sentences.values()),
        "supported_percent": _share(sum(sentences[status] for status in SUPPORTED), sum(sentences.values())),
        "facts": f"{told} of {expected}",
        "input_tokens": sum(role["input_tokens"] for role in roles),
        "cached_tokens": sum(question.get("usage", {}).get("cached_tokens", 0) for question in questions),
        "output_tokens": sum(role["output_tokens"] for role in roles),
        "seconds": round(sum(question["seconds"] for question in questions), 1),
        "slowest_seconds": max((question["seconds"] for question in questions), default=0.0),
    }


def roles_in(questions: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Sum the figures of each role up over several questions."""
    summed: dict[str, dict[str, Any]] = {}
    for question in questions:
        for stem, role in question["roles"].items():
            into = summed.setdefault(stem, {name: 0 for name in role if name != "because"})
            for name in into:
                into[name] = round(into[name] + role[name], 1)
    return summed


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
