"""What a run costs beside its model calls: the real command against an endpoint whose latency is known.

    python -m benchmarks.run [--repetitions N] [--first-token S] [--per-token S] [--command FILE]

Each repetition starts `leadline research` in a process of its own. The critical path is the heaviest chain of model calls
and searches of which none overlaps another: no schedule of the same calls that keeps their order can be faster. Times are
medians in seconds. The first repetition reads and indexes the documents and is reported on its own, as `cold`.
"""

import argparse
import asyncio
import bisect
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from benchmarks.measurement import DEEP_SEA, PROJECT, QUESTION, RESULTS, machine, plain_environment, write_results
from benchmarks.stub_endpoint import FIRST_TOKEN_SECONDS, PER_TOKEN_SECONDS
from leadline.runs.store import open_home
from services.run.journal import Recording, run_key

TARGETS = {
    "added": 2.0,
    "cpu": 2.0,
    "model_calls": 8,
    "prompt_tokens": 12_000,
}
"""What is aimed at, each an upper bound."""


def critical_path(calls: list[dict[str, Any]]) -> float:
    """Return the weight, in seconds, of the heaviest chain of calls that do not overlap.

    Weighted interval scheduling by dynamic programming over the calls in the order in which they end.
    """
    ordered = sorted(calls, key=lambda call: call["end"])
    ends = [call["end"] for call in ordered]
    best = [0.0]
    for place, call in enumerate(ordered):
        before = bisect.bisect_right(ends, call["start"], 0, place)
        best.append(max(best[-1], best[before] + call["end"] - call["start"]))
    return best[-1]


@contextlib.contextmanager
def stub(first_token: float, per_token: float) -> Iterator[str]:
    """Serve the stub endpoint in a process of its own while the block runs, and yield its base URL."""
    command = [sys.executable, "-m", "benchmarks.stub_endpoint"]
    command += ["--first-token", str(first_token), "--per-token", str(per_token)]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError("The stub endpoint did not start; what it said stands above.")
            yield address
        finally:
            process.terminate()


async def searches(home: Path) -> list[dict[str, Any]]:
    """Return when the searches of the latest run began and ended, by its journal, in seconds of the monotonic clock."""
    ahead = time.time() - time.monotonic()
    async with open_home(home) as opened:
        record = await opened.record(None, finished=True)
        turn = (await opened.values(record))["turn"]
        recording = await Recording.load(opened.store, run_key(record.id, turn), record.id)
    ends = [
        (datetime.fromisoformat(entry.at).timestamp() - ahead, entry.seconds)
        for entry in recording.entries.values()
        if entry.kind == "gather"
    ]
    return [{"start": end - seconds, "end": end} for end, seconds in ends]


def measure(leadline: Path, work: Path, base_url: str) -> dict[str, float]:
    """Run the command once and return its figures: seconds, megabytes (10**6 bytes), counts; README.md says what each means."""
    log = base_url.removesuffix("/v1") + "/log"
    httpx.delete(log)
    command = [str(leadline), "research", QUESTION, "--docs", str(DEEP_SEA)]
    environment = stub_environment(work / "home", base_url)
    with (work / "report.txt").open("w") as report:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=work, env=environment, stdout=report, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        first_line = process.stderr.readline()
        first_event = time.monotonic() - started
        said = first_line + process.stderr.read()
        process.stderr.close()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"leadline ended with {code}:\n{said}")
    process.returncode = 0
    calls = httpx.get(log).json()
    path = critical_path([*calls, *asyncio.run(searches(work / "home"))])
    models = critical_path(calls)
    begun, ended = min(call["start"] for call in calls), max(call["end"] for call in calls)
    tokens = {
        name: sum(call[name] for call in calls) for name in ("prompt_tokens", "schema_tokens", "completion_tokens")
    }
    return {
        "wall": wall,
        "critical_path": path,
        "added": wall - path,
        "model_path": models,
        "first_event": first_event,
        "before_first_call": begun - started,
        "between_calls": ended - begun - models,
        "after_last_call": started + wall - ended,
        "cpu": used.ru_utime + used.ru_stime,
        "peak_memory": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6,
        "model_calls": len(calls),
        **tokens,
    }


def import_seconds(python: Path) -> float:
    """Return how long a fresh interpreter takes to be able to start a run from Python."""
    started = time.monotonic()
    subprocess.run([str(python), "-c", "from leadline import aresearch"], cwd=PROJECT, env=_users(), check=True)
    return time.monotonic() - started


def version(python: Path) -> str:
    """Return an interpreter's version."""
    command = [str(python), "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def stub_environment(home: Path, base_url: str) -> dict[str, str]:
    """Return the user's environment with the stub as the only model."""
    return _users() | {
        "OPENAI_BASE_URL": base_url,
        "LEADLINE_MODEL": "stub",
        "LEADLINE_HOME": str(home),
        "LANGSMITH_TRACING": "false",
    }


def _users() -> dict[str, str]:
    return {name: value for name, value in plain_environment().items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    """Measure, write the results, and print them beside what is aimed at."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="after the cold one; default 5")
    parser.add_argument("--first-token", type=float, default=FIRST_TOKEN_SECONDS, metavar="S")
    parser.add_argument("--per-token", type=float, default=PER_TOKEN_SECONDS, metavar="S")
    parser.add_argument(
        "--command",
        type=Path,
        default=Path(sys.executable).with_name("leadline"),
        metavar="FILE",
        help="what to measure; default: the command of this environment",
    )
    given = parser.parse_args()
    command = given.command.absolute()
    with tempfile.TemporaryDirectory() as folder, stub(given.first_token, given.per_token) as base_url:
        cold, *runs = [measure(command, Path(folder), base_url) for _ in range(1 + max(1, given.repetitions))]
    load = machine()["load"]  # before other processes are timed
    python = command.with_name("python")
    imports = [import_seconds(python) for _ in range(max(1, given.repetitions))]
    median = {name: round(statistics.median(run[name] for run in runs), 3) for name in cold}
    median["import"] = round(statistics.median(imports), 3)
    content = {
        "question": QUESTION,
        "latency": {"first_token": given.first_token, "per_token": given.per_token},
        "machine": {**machine(), "load": load, "python": version(python)},
        "targets": TARGETS,
        "median": median,
        "cold": cold,
        "runs": runs,
        "imports": imports,
    }
    write_results(RESULTS / "run.json", content)
    for name, figure in median.items():
        print(f"{name:<20} {figure:>10,} {f'(aimed at: {TARGETS[name]:,})' if name in TARGETS else ''}")


if __name__ == "__main__":
    main()
