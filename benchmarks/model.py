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
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from benchmarks.measurement import PROJECT, RESULTS, read_results, write_results
from benchmarks.model_figures import COUNTED, journal_of, report_of, roles_in, roles_of, total_of
from leadline.evaluation.question_set import EvalQuestion, read_set

WORK = PROJECT / ".leadline" / "bench-model"
"""Where runs and reports are kept, to be looked at."""
ASKED = ("meteor-soundings", "icebergs-and-depth", "wire-designer-born", "depth-2010", "desk-illuminance")
"""A fact, two things compared, a fact behind another, documents that disagree, and a fact in Chinese."""
SETS = ("deep-sea", "myopia")
SECONDS = 900
"""In which a run is to end by itself."""
GRACE = 300
"""Seconds after which a run is ended that has not done so."""
ENDING = 30
"""Seconds that it then has to put away what it is at."""
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
    """Run the command; returns how it ended and how many seconds it took."""
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
    began = time.monotonic()
    with (
        (out / "stderr.txt").open("wb") as heard,
        subprocess.Popen(
            [*command, "--out", str(out), "--max-seconds", f"{seconds:.0f}", *options],
            env={**environment, "PYTHONPATH": str(PROJECT)}, cwd=out,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=heard,
        ) as process,
    ):  # fmt: skip
        code = _ended(process, seconds + GRACE)
    took = round(time.monotonic() - began, 1)
    return {"exit": code, "ended": code == 0 and took <= seconds, "seconds": took}


def _ended(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    """Wait for a process; returns its exit code, or None for one that had to be ended."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
    return None


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
    if done:
        _print(total_of(list(done.values())), roles_in(list(done.values())))


def _print(total: Mapping[str, Any], roles: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the figures of all questions, and a line a role."""
    for name, value in total.items():
        print(f"{name.replace('_', ' '):<32} {'-' if value is None else value}")
    print(f"\n{'role':<20}" + "".join(f"{name.replace('_', ' '):>14}" for name in COUNTED))
    for stem, role in roles.items():
        print(f"{stem:<20}" + "".join(f"{role[name]:>14,}" for name in COUNTED))


def main() -> None:
    """Measure, print tables and write the results."""
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
