"""How a run grows: bytes against steps and sources, prompts against steps, memory against runs side by side.

    python -m benchmarks.growth [SERIES]...

Every point is a real research against an endpoint on loopback (`stub_endpoint.py`): plans and verdicts are scripted, and the
offline model thinks for the other roles. Steps stand in a chain, each waiting for the one before, which makes the most
checkpoints that so many steps can make. See `README.md`.
"""

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.growth_world import A_STEP, QUESTION, World, write_documents
from services.search.documents import open_documents

PROJECT = Path(__file__).resolve().parent.parent
RESULTS = PROJECT / "benchmarks" / "results" / "growth.json"
STEPS = (5, 10, 20, 50, 100, 200)
SOURCES = (10, 100, 500, 1_000, 2_000, 5_000)
SMALL_STEPS = (20, 50, 100, 200)
SOURCE_STEPS = 50
"""Steps of each of the runs over more and more sources."""
RUNS = (1, 2, 5, 10, 20)
DOCUMENTS = (10, 100, 1_000, 5_000)
SMALL_WINDOW = 24_000
"""Tokens of a small model's context, for the line of prompts that levels off."""
CONCURRENT_STEPS = 3

Point = dict[str, Any]


@contextmanager
def endpoint(script: Path, first_token: float = 0.0) -> Iterator[str]:
    """Serve the stub in a process of its own and yield its address."""
    command = [sys.executable, "-m", "benchmarks.stub_endpoint", "--script", str(script), "--per-token", "0"]
    process = subprocess.Popen(
        [*command, "--first-token", str(first_token)], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def research(world: World, folder: Path, runs: int = 1, window: int | None = None, first_token: float = 0.0) -> Point:
    """Research so many times at once in one process of its own, and measure what it wrote and took."""
    script = folder / "script.json"
    script.write_text(json.dumps(world.script(runs)), "utf-8")
    home = folder / "home"
    with endpoint(script, first_token) as base_url:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LEADLINE_", "OPENAI_"))},
            "OPENAI_BASE_URL": base_url,
            "LEADLINE_HOME": str(home),
            "LEADLINE_EMBEDDINGS_MODEL": "none",
            "LEADLINE_MAX_CONCURRENCY": "64",
            "LEADLINE_TOP_K": "20",
            "LANGSMITH_TRACING": "false",
            **({"LEADLINE_CONTEXT_WINDOW": str(window)} if window else {}),
        }
        command = [sys.executable, "-m", "benchmarks.growth_run", str(world.documents), str(runs), str(world.a_plan)]
        began = time.perf_counter()
        ran = subprocess.run(command, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise RuntimeError(ran.stderr[-3_000:])
        calls = httpx.get(f"{base_url}/log".replace("/v1/log", "/log"), timeout=60).json()
    prompts = [call["prompt_tokens"] for call in calls if call["role"] == "reporter"]
    return {
        **json.loads(ran.stdout.splitlines()[-1]),
        "seconds": round(time.perf_counter() - began, 1),
        "checkpoint_bytes": (home / "checkpoints.sqlite").stat().st_size,
        "store_bytes": (home / "store.sqlite").stat().st_size,
        "reporter_prompt_tokens": max(prompts, default=0),
        "largest_prompt_tokens": max((call["prompt_tokens"] for call in calls), default=0),
        "model_calls": len(calls),
    }


def line(points: list[Point], across: str, measured: str) -> Point:
    """Fit a straight line and a power law to what was measured.

    Returns:
        `slope` and `intercept` of the line (least squares), the largest `residual` as a share of the largest value, and the
        `exponent` of the growth beyond the first point: 1 is straight, 2 a square.
    """
    xs = np.array([point[across] for point in points], dtype=float)
    ys = np.array([point[measured] for point in points], dtype=float)
    slope, intercept = np.polyfit(xs, ys, 1)
    residual = float(np.max(np.abs(slope * xs + intercept - ys)) / np.max(ys))
    exponent = float(np.polyfit(np.log(xs[1:] - xs[0]), np.log(np.maximum(ys[1:] - ys[0], 1e-9)), 1)[0])
    return {
        "slope": float(f"{slope:.4g}"),
        "intercept": round(float(intercept), 1),
        "residual": round(residual, 3),
        "exponent": round(exponent, 2),
    }


def over_steps(steps: tuple[int, ...], work: Path, window: int | None = None) -> list[Point]:
    """Measure runs of more and more steps; five documents stand behind each step."""
    points = []
    for count in steps:
        folder = _fresh(work)
        points.append({"steps": count, **research(World.of(folder, count, A_STEP * count), folder, window=window)})
    return points


def over_sources(sources: tuple[int, ...], work: Path) -> list[Point]:
    """Measure runs of equally many steps that find more and more sources."""
    points = []
    for count in sources:
        folder = _fresh(work)
        points.append({"documents": count, **research(World.of(folder, SOURCE_STEPS, count), folder)})
    return points


def over_runs(runs: tuple[int, ...], work: Path) -> list[Point]:
    """Measure the memory of one process that does more and more runs at once."""
    points = []
    for count in runs:
        folder = _fresh(work)
        world = World.of(folder, CONCURRENT_STEPS, 50)
        points.append({"runs": count, **research(world, folder, runs=count, first_token=0.5)})
    return points


def over_documents(documents: tuple[int, ...], work: Path) -> list[Point]:
    """Measure the index of more and more documents."""
    return [asyncio.run(_index(count, _fresh(work))) for count in documents]


async def _index(count: int, folder: Path) -> Point:

    written = write_documents(folder / "documents", count, count)
    began = time.perf_counter()
    await open_documents(folder / "documents", folder / "home")
    seconds = time.perf_counter() - began
    size = sum(path.stat().st_size for path in (folder / "home").rglob("*") if path.is_file())
    return {"documents": count, "characters": written, "index_bytes": size, "index_seconds": round(seconds, 2)}


def _fresh(work: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=work))


SERIES: dict[str, Callable[[Path], list[Point]]] = {
    "steps": lambda work: over_steps(STEPS, work),
    "steps_small_window": lambda work: over_steps(SMALL_STEPS, work, SMALL_WINDOW),
    "sources": lambda work: over_sources(SOURCES, work),
    "runs": lambda work: over_runs(RUNS, work),
    "documents": lambda work: over_documents(DOCUMENTS, work),
}
LINES = {
    "steps": [("steps", "checkpoint_bytes"), ("steps", "store_bytes")],
    "sources": [("sources", "checkpoint_bytes"), ("sources", "store_bytes")],
    "runs": [("runs", "peak_megabytes")],
    "documents": [("documents", "index_bytes"), ("documents", "index_seconds")],
}
"""What is fitted of each series: across what, and what was measured."""


def main() -> None:
    """Measure, and write the results beside those of other series."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.splitlines()[0])
    parser.add_argument("series", nargs="*", choices=[*SERIES, []], help="measure these only; by default all")
    wanted = parser.parse_args().series or list(SERIES)
    os.environ["LEADLINE_EMBEDDINGS_MODEL"] = "none"
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            points = SERIES[name](Path(folder))
        lines = {f"{measured} / {across}": line(points, across, measured) for across, measured in LINES.get(name, [])}
        measured_now = {"machine": _machine(), "lines": lines, "points": points}
        content = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        content |= {"question": QUESTION, name: measured_now}
        RESULTS.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        print(json.dumps({name: measured_now}, indent=1))


def _machine() -> Point:
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


if __name__ == "__main__":
    main()
