"""What measurements share: the environment and process of what is measured, the machine, and the files of results."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
RESULTS = PROJECT / "benchmarks" / "results"
DEEP_SEA = PROJECT / "examples" / "deep-sea"
QUESTION = (
    "How many echo soundings did the Meteor take in the South Atlantic, and what did Reginald Fessenden's oscillator "
    "detect in 1914, and how deep did the bathyscaphe Trieste dive?"
)
"""A question over `DEEP_SEA` of which the stub endpoint makes three research steps that run side by side."""
OWN = (
    "OPENAI_", "TAVILY_", "LEADLINE_", "LANGCHAIN_", "LANGSMITH_", "OTEL_", "BRAVE_", "EXA_", "SERPER_", "SEARXNG_",
    "OPENALEX_", "SEMANTIC_SCHOLAR_", "GITHUB_TOKEN",
)  # fmt: skip
"""Beginnings of the names of variables that would connect a model, open the web, or change what a run does."""


class Impossible(ValueError):
    """What is asked for cannot be measured; the message says why and what to do."""


def plain_environment(*kept: str) -> dict[str, str]:
    """Return the environment without these variables; those of `kept` stay."""
    return {name: value for name, value in os.environ.items() if name in kept or not name.startswith(OWN)}


def measured_process(module: str, job: Mapping[str, Any], environment: Mapping[str, str], folder: Path) -> Any:
    """Give a job to a module of the benchmarks in a process of its own, and return the JSON of its last line.

    Raises:
        Impossible: it failed.
    """
    paths = filter(None, [str(PROJECT), os.environ.get("PYTHONPATH", "")])
    quiet = {"LEADLINE_LOG": "off", "LANGSMITH_TRACING": "false", "PYTHONPATH": os.pathsep.join(paths)}
    ran = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}"],
        input=json.dumps(job), env={**environment, **quiet}, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ran.returncode:
        raise Impossible(f"The measurement of {job.get('id', job['folder'])} failed:\n{ran.stderr[-3_000:]}")
    return json.loads(ran.stdout.splitlines()[-1])


def copied_index(index: Path, to: Path) -> None:
    """Copy the index of a folder's documents, so that it is made once for all measurements; what is there stays."""
    if index.is_dir() and not to.exists():
        shutil.copytree(index, to)


def machine() -> dict[str, Any]:
    """Return what times depend on, for the results."""
    return {
        "load": round(os.getloadavg()[1], 2),
        "python": platform.python_version(),
        "system": platform.system(),
        "processors": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def read_results(file: Path) -> dict[str, Any]:
    """Return earlier results; none where there is no file."""
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def write_results(file: Path, content: Mapping[str, Any]) -> None:
    """Write results as JSON."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
