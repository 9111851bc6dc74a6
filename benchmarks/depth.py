"""How much of the gold evidence a run brings up, by depth: found, read, quoted, shown to the writer, cited.

    python -m benchmarks.depth DATA [--depth deep]... [--set scholarqa_cs]... [--half first] [--questions 12] [--rows]

`DATA` is a folder of gzipped JSON lines: `<set>_corpus` with `doc_id`, `title`, `text`, and `<set>_questions` with `qid`,
`question`, `gold_ids` and, in some sets, `criteria`. The whole corpus is the user's documents, no language model is
connected, and each question is a `research(…, depth=…)` in a process and a home of its own. The index of a corpus is made
once and stays below `.leadline/bench-depth`. Writes `benchmarks/results/depth.json`: means over questions.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.depth_sets import HALVES, SETS, Question, figures_of, laid_out, means, questions_of
from benchmarks.measurement import (
    PROJECT,
    RESULTS,
    Impossible,
    machine,
    measured_process,
    plain_environment,
    read_results,
    write_results,
)
from schemas.depth import DEPTHS

WORK = PROJECT / ".leadline" / "bench-depth"
"""Where corpora are laid out and their indexes kept. Nothing of the data goes anywhere else."""
EMBEDDINGS = "LEADLINE_EMBEDDINGS_MODEL"
"""The one setting that is taken over: without it, search uses the embedding model that is installed."""
COLUMNS = {
    "found": "found",
    "read": "read",
    "quoted": "quoted",
    "shown_to_writer": "to writer",
    "cited": "cited",
    "criteria_cited": "criteria",
    "sources_read": "sources",
    "words": "words",
    "model_calls": "calls",
    "prompt_tokens": "tokens in",
    "processor_seconds": "cpu s",
    "peak_megabytes": "MB",
}
"""The figures of the printed table."""


def offline_process(job: dict[str, str], home: Path) -> dict[str, Any]:
    """Do one job of `depth_run` in a process and a home of its own, without a model.

    Raises:
        Impossible: it failed.
    """
    # sums over sets of strings round otherwise with each hash seed, and ties fall otherwise
    environment = plain_environment(EMBEDDINGS) | {"LEADLINE_HOME": str(home), "PYTHONHASHSEED": "0"}
    came: dict[str, Any] = measured_process("depth_run", job, environment, home)
    return came


def indexed(data: Path, name: str, work: Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a set's corpus and what its index holds; the index lies in `home` beside it, made if need be."""
    folder = laid_out(data, name, work)
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    return folder, offline_process({"folder": str(folder)}, home)


def ask(question: Question, folder: Path, depth: str) -> dict[str, float]:
    """Research a question in a home of its own, with a copy of the corpus's index, and return its figures."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        shutil.copytree(folder.parent / "home" / "documents", home / "documents")
        job = {"id": question.id, "question": question.text, "folder": str(folder), "depth": depth}
        return figures_of(question, offline_process(job, home))


def measure(questions: Sequence[Question], folder: Path, depth: str, jobs: int, *, rows: bool) -> dict[str, Any]:
    """Ask the questions of a set at one depth, so many at a time, and return the means of their figures."""
    with ThreadPoolExecutor(jobs) as workers:
        figures = list(workers.map(lambda question: ask(question, folder, depth), questions))
    by_id = {question.id: row for question, row in zip(questions, figures, strict=True)}
    return {"questions": len(questions), **means(figures), **({"rows": by_id} if rows else {})}


def check(data: str, sets: Sequence[str], depths: Sequence[str], count: int | None) -> Path:
    """Return the data folder.

    Raises:
        Impossible: a set or depth is unknown, or a file is missing.
    """
    for kind, given, known in (("set", sets, SETS), ("depth", depths, DEPTHS)):
        for name in given:
            if name not in known:
                raise Impossible(f"There is no {kind} {name!r}. Known are: {', '.join(known)}.")
    if count is not None and count < 1:
        raise Impossible(f"--questions cannot be {count}: ask for 1 or more.")
    if not data:
        raise Impossible("The data folder is missing. Name it: make bench WHAT=depth DATA=folder")
    missing = [
        f"{name}_{part}.jsonl.gz"
        for name in sets
        for part in ("corpus", "questions")
        if not Path(data, f"{name}_{part}.jsonl.gz").is_file()
    ]
    if missing:
        raise Impossible(
            f"{data} does not hold {', '.join(missing)}. Name the data folder: make bench WHAT=depth DATA=folder"
        )
    return Path(data)


def save(results: Path, name: str, part: str, depth: str, measured: dict[str, Any]) -> None:
    """Put the figures of a set, a part of it and a depth into the results, beside those of others."""
    content = read_results(results)
    content.setdefault(name, {}).setdefault(part, {})[depth] = measured
    write_results(results, content)


def row_of(name: str, depth: str, measured: dict[str, Any]) -> str:
    """Return a row of the printed table."""
    cells = [f"{measured.get(figure, '')!s:>9}" for figure in COLUMNS]
    return f"{name:<13} {depth:<11} {measured['questions']:>4} {' '.join(cells)}"


def run(given: argparse.Namespace, results: Path = RESULTS / "depth.json", work: Path = WORK) -> None:
    """Measure what was asked for, print a table and write the results after each depth.

    Raises:
        Impossible: what is asked for cannot be measured, or a run failed.
    """
    sets, depths, half = given.set or SETS, given.depth or DEPTHS, given.half
    data = check(given.data, sets, depths, given.questions)
    part = half if given.questions is None else f"{half}, first {given.questions}"
    headings = " ".join(f"{heading:>9}" for heading in COLUMNS.values())
    print(f"{'set':<13} {'depth':<11} {'n':>4} {headings}", flush=True)
    for name in sets:
        folder, index = indexed(data, name, work)
        questions = questions_of(data, name, half, given.questions)
        for depth in depths:
            measured = measure(questions, folder, depth, given.jobs, rows=given.rows)
            save(results, name, part, depth, {**measured, "machine": {"embedding": index["models"], **machine()}})
            print(row_of(name, depth, measured), flush=True)


def main() -> None:
    """Read the command line and measure; what is impossible is one message and exit status 1."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.depth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument(
        "--depth", action="append", metavar="LEVEL", help=f"{', '.join(DEPTHS)}; repeatable, default all"
    )
    parser.add_argument("--set", action="append", metavar="NAME", help=f"{', '.join(SETS)}; repeatable, default both")
    parser.add_argument("--half", choices=HALVES, default="all", help="of each set: one chooses, the other reports")
    parser.add_argument("--questions", type=int, metavar="N", help="only the first N")
    parser.add_argument("--rows", action="store_true", help="also write the figures of each question")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes side by side")
    try:
        run(parser.parse_args())
    except Impossible as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
