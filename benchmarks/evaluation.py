"""`leadline eval` on the questions of ScholarQA-CS: how two depths differ, with intervals over questions.

    python -m benchmarks.evaluation DATA [--questions 20] [--depth standard]... [--connected]

`DATA` is a folder with `scholarqa_cs_corpus.jsonl.gz` and `scholarqa_cs_questions.jsonl.gz`, as for `benchmarks/depth.py`. The corpus is
the user's documents. No language model is connected unless `--connected` lets `OPENAI_BASE_URL`, `OPENAI_API_KEY`,
`LEADLINE_MODEL` and all other settings of Leadline through. What stands after `--` goes to `leadline eval`. Started again, it goes on where it
stopped. Writes `benchmarks/results/evaluation.json`: summaries, differences and, with a model, its calls by template; no texts.
"""

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.depth import EMBEDDINGS, PROJECT, WORK, Impossible, check
from benchmarks.depth_sets import laid_out
from benchmarks.environment import plain_environment
from benchmarks.model_figures import journal_of, roles_of

RESULTS = PROJECT / "benchmarks" / "results" / "evaluation.json"
SET = "scholarqa_cs"
DEPTHS = ("standard", "deep")
CALLS = ("needed", "valid_first", "repeated", "because", "failed", "input_tokens", "output_tokens", "seconds")
"""Figures of the calls of a template that are kept."""


def command_of(given: argparse.Namespace, data: Path, work: Path) -> tuple[list[str], Path]:
    """Return the command to run and the folder of its results."""
    folder = laid_out(data, SET, work)
    place = folder.parent / ("eval-connected" if given.connected else "eval")
    depths = [f"--depth={depth}" for depth in given.depth or DEPTHS]
    questions = data / f"{SET}_questions.jsonl.gz"
    return [
        *(sys.executable, "-m", "leadline", "eval", str(questions)),
        *(f"--questions={given.questions}", *depths, "--search=documents", f"--docs={folder}", f"--out={place}"),
        *given.rest,
    ], place


def environment_of(home: Path, *, connected: bool) -> dict[str, str]:
    """Return the environment of the command: without a model, unless one is to be connected."""
    names = [name for name in os.environ if name.startswith(("OPENAI_", "LEADLINE_"))]
    return plain_environment(EMBEDDINGS, *(names if connected else [])) | {
        "LEADLINE_HOME": str(home),
        "LEADLINE_LOG": "off",
        "LANGSMITH_TRACING": "false",
        "PYTHONHASHSEED": "0",  # sums over sets of strings round otherwise each time, and ties fall otherwise
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH", "")])),
    }


async def calls_of(home: Path, evaluation: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the model calls of the runs by template: those needed, valid at first, made again, and why."""
    runs = [result["run_id"] for question in evaluation["questions"] for result in question["results"].values()]
    journals = [(await journal_of(home, run_id))[0] for run_id in runs]
    entries = [entry for journal in journals for entry in journal]
    return {"runs": {stem: _counts(role) for stem, role in roles_of(entries).items()}}


def _counts(role: dict[str, Any]) -> dict[str, Any]:
    return {name: role[name] for name in CALLS}


def kept(evaluation: dict[str, Any]) -> dict[str, Any]:
    """Return the part of `eval.json` that is kept: figures, and no text of the data."""
    return {
        "questions": len(evaluation["questions"]),
        "models": {name: setting["models"]["reporter"] for name, setting in evaluation["settings"].items()},
        **{name: evaluation[name] for name in ("summary", "failed", "differences")},
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "processors": os.cpu_count(),
            "load": round(os.getloadavg()[1], 1),
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
        },
    }


def run(given: argparse.Namespace, results: Path = RESULTS, work: Path = WORK) -> None:
    """Run the command, print its table and keep its figures.

    Raises:
        Impossible: the data is missing, or the command failed.
    """
    data = check(given.data, [SET], given.depth or DEPTHS, given.questions)
    command, place = command_of(given, data.resolve(), work)
    home = place.parent / "home"
    home.mkdir(exist_ok=True)
    ran = subprocess.run(command, env=environment_of(home, connected=given.connected), cwd=home, check=False)
    if ran.returncode not in {0, 1}:  # 1: a question has no report, which the figures count
        raise Impossible(f"leadline eval ended with {ran.returncode}.")
    content = json.loads(results.read_text("utf-8")) if results.exists() else {}
    evaluation = json.loads((place / "eval.json").read_text("utf-8"))
    section = kept(evaluation)
    if given.connected:
        section["calls"] = asyncio.run(calls_of(home, evaluation))
    content["connected" if given.connected else "without a model"] = section
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def main() -> None:
    """Read the command line and evaluate; what is impossible is one message and exit status 1."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evaluation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("--questions", type=int, default=20, metavar="N", help="only the first N")
    parser.add_argument("--depth", action="append", metavar="LEVEL", help="repeatable; default standard and deep")
    parser.add_argument("--connected", action="store_true", help="with the model of the environment")
    given, rest = parser.parse_known_args([argument for argument in sys.argv[1:] if argument != "--"])
    try:
        run(argparse.Namespace(**vars(given), rest=rest))
    except Impossible as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
