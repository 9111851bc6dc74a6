"""How well Leadline does with a model: the real command, over five questions of `examples/`, at the endpoint that is set.

    python -m benchmarks.model [--questions ID,ID] [--name small] [--again] [--quick] [--seconds 900]

Each question is a `leadline research` in a process of its own; its figures are written as soon as it has ended, and a
measurement that is begun again goes on after the last one. Writes `benchmarks/results/model.json`.
"""

import argparse
import asyncio
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from benchmarks.measurement import PROJECT, RESULTS, read_results, write_results
from leadline.evaluation.measures import facts_missing
from leadline.evaluation.question_set import EvalQuestion, read_set
from leadline.runs.store import open_home
from services.reports.bundle import verify_bundle
from services.run.errors import BundleError, JournalMiss
from services.run.journal import Entry, Recording, run_key

WORK = PROJECT / ".leadline" / "bench-model"
"""Where runs and reports are kept, to be looked at."""
ASKED = ("meteor-soundings", "icebergs-and-depth", "wire-designer-born", "depth-2010", "desk-illuminance")
"""A fact, two things compared, a fact behind another, documents that disagree, and a fact in Chinese."""
SETS = ("deep-sea", "myopia")
SECONDS = 900
"""In which a run is to end by itself."""
GRACE = 300
"""Seconds after which a run is killed that has not ended; its journal holds what it has done."""
NOT_CONNECTED = (
    "No model is connected. Set OPENAI_BASE_URL (and OPENAI_API_KEY) or LEADLINE_MODEL, in the environment or .env, for example: "
    "OPENAI_BASE_URL=http://127.0.0.1:8081/v1 LEADLINE_MODEL=qwen-coder-1.5b"
)


def questions_of(ids: list[str]) -> list[tuple[str, EvalQuestion]]:
    """Return questions with the names of their sets, in the order of their ids.

    Raises:
        SystemExit: there is no such question.
    """
    known = {
        question.id: (name, question)
        for name in SETS
        for question in read_set(PROJECT / "examples" / f"{name}.questions.json")
    }
    unknown = [one for one in ids if one not in known]
    if unknown:
        raise SystemExit(f"There is no question {', '.join(unknown)}. There are: {', '.join(known)}.")
    return [known[one] for one in ids]


def connected_environment() -> dict[str, str]:
    """Return the environment and the project's `.env` together, where they connect a model; else nothing."""
    values = {**dotenv_values(PROJECT / ".env"), **os.environ}
    given = {name: value for name, value in values.items() if value}
    return given if given.keys() & {"OPENAI_API_KEY", "OPENAI_BASE_URL", "LEADLINE_MODEL"} else {}


def research(
    question: str, documents: Path, out: Path, environment: Mapping[str, str], seconds: float, *options: str
) -> dict[str, Any]:
    """Run the command; returns how it ended, without an exit code if it had to be killed, and how many seconds it took."""
    command = [
        sys.executable,
        "-m",
        "leadline",
        "research",
        question,
        "--docs",
        str(documents),
        "--search",
        "documents",
    ]
    command += ["--out", str(out), "--max-seconds", f"{seconds:.0f}", *options]
    began, code = time.monotonic(), None
    with (out / "stderr.txt").open("wb") as heard, suppress(subprocess.TimeoutExpired):
        code = subprocess.run(
            command, env={**environment, "PYTHONPATH": str(PROJECT)}, cwd=out, timeout=seconds + GRACE, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=heard,
        ).returncode  # fmt: skip
    took = round(time.monotonic() - began, 1)
    return {"exit": code, "ended": code == 0 and took <= seconds, "seconds": took}


def measured(
    name: str, question: EvalQuestion, folder: Path, environment: Mapping[str, str], given: Any
) -> dict[str, Any]:
    """Ask one question, and judge what came of it."""
    out, home = folder / question.id, folder / "home"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    before = asyncio.run(journal_of(home))
    ended = research(
        question.question, PROJECT / "examples" / name, out, {**environment, "LEADLINE_HOME": str(home)},
        given.seconds, *(["--quick"] if given.quick else []),
    )  # fmt: skip
    calls = asyncio.run(journal_of(home))
    calls = [] if calls == before else calls  # it did not come so far as to begin a run
    report = report_of(out, question)
    return {
        **ended,
        **report,
        "roles": roles_of(calls),
        "abandoned": report.get("usage", {}).get("abandoned", 0),
    }


def measure_model(given: argparse.Namespace) -> None:
    """Measure the model that is connected, question by question."""
    environment = connected_environment()
    if not environment:
        sys.exit(NOT_CONNECTED)
    model = environment.get("LEADLINE_MODEL", "the default model")
    section = read_results(RESULTS / "model.json").get(given.name, {})
    if given.again or section.get("model") != model:
        section = {}
    done: dict[str, Any] = section.get("questions", {})
    for name, question in questions_of(given.questions):
        if question.id in done:
            print(f"{question.id}: measured already (--again measures anew)", flush=True)
            continue
        done[question.id] = measured(name, question, WORK / given.name, environment, given)
        asked = list(done.values())
        measured_so_far = {
            "model": Path(model).name,
            "measured": datetime.now(UTC).date().isoformat(),
            "machine": f"{os.cpu_count()} processors, {platform.machine()}",
            "total": total_of(asked),
            "roles": roles_in(asked),
            "questions": done,
        }
        # another measurement may have written its own section since
        write_results(RESULTS / "model.json", {**read_results(RESULTS / "model.json"), given.name: measured_so_far})
        print(f"{question.id}: {json.dumps(total_of([done[question.id]]), ensure_ascii=False)}", flush=True)
        print(f"so far: {json.dumps(measured_so_far['total'], ensure_ascii=False)}", flush=True)


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
    report = (folder / "report.md").read_text("utf-8")
    quotes = "\n".join(excerpt["quote"] for excerpt in evidence["excerpts"])
    facts["in_report"] = facts["expected"] - len(facts_missing(question, report))
    facts["in_excerpts"] = facts["expected"] - len(facts_missing(question, quotes))
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


def main() -> None:
    """Measure, print the figures and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--questions",
        type=lambda text: text.split(","),
        default=list(ASKED),
        help="ids of questions, with commas between",
    )
    parser.add_argument("--name", default="small", help="section of the results; others stay")
    parser.add_argument("--again", action="store_true", help="measure questions anew that were measured already")
    parser.add_argument("--quick", action="store_true", help="answer from one search, without a plan")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="in which a run is to end by itself")
    measure_model(parser.parse_args())


if __name__ == "__main__":
    main()
