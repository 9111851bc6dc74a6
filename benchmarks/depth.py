"""How much of the gold evidence a run brings up, by depth: found, read, quoted, shown to the writer, cited.

    python -m benchmarks.depth DATA [--depth deep]... [--set scholarqa_cs]... [--half first] [--questions 12] [--rows]

`DATA` is a folder of gzipped JSON lines: `<set>_corpus` with `doc_id`, `title`, `text`, and `<set>_questions` with `qid`,
`question`, `gold_ids` and, in some sets, `criteria`. The whole corpus is the user's documents, no language model is
connected, and each question is a `research(…, depth=…)` in a process and a home of its own. The index of a corpus is made
once and stays below `.leadline/bench-depth`. Writes `benchmarks/results/depth.json`: means over questions.
"""

import argparse
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Literal, get_args

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
from benchmarks.retrieval import rows, write_corpus
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


SETS = ("scholarqa_cs", "deepscholar")
"""Each is two files of the data: `<set>_corpus` and `<set>_questions`."""
STAGES = ("found", "read", "quoted", "shown_to_writer", "cited")
"""What becomes of a passage: a gathering returned it, a prompt showed it, an excerpt quotes it, the prompts that the report is
written from show that quote, and the report cites it."""
Half = Literal["first", "second", "all"]
HALVES: tuple[Half, ...] = get_args(Half)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the documents that answer it, and what a good answer holds."""

    id: str
    text: str
    gold: frozenset[str]
    """Ids of documents."""
    criteria: tuple[tuple[float, frozenset[str]], ...] = ()
    """Weights of criteria, and the documents that tell what each asks for; empty where a set has none."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Question":
        """Read a row of the data."""
        criteria = tuple((float(one["weight"]), frozenset(one["gold_ids"])) for one in row.get("criteria", []))
        return cls(row["qid"], row["question"], frozenset(row["gold_ids"]), criteria)

    def shares(self, documents: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return the share of gold documents at each stage, and of criteria, by weight, with a gold document cited."""
        found = {stage: len(self.gold.intersection(documents[stage])) / len(self.gold) for stage in STAGES}
        judged = [(weight, gold) for weight, gold in self.criteria if gold]
        total = sum(weight for weight, _ in judged)
        if not total:
            return found
        cited = frozenset(documents["cited"])
        return {**found, "criteria_cited": sum(weight for weight, gold in judged if gold & cited) / total}


def questions_of(data: Path, name: str, half: Half = "all", count: int | None = None) -> list[Question]:
    """Return the questions of a set, in the order of its file: one half of them, and of these the first `count`."""
    every = [Question.of(row) for row in rows(data, f"{name}_questions")]
    middle = (len(every) + 1) // 2
    chosen = {"first": every[:middle], "second": every[middle:], "all": every}[half]
    return chosen[:count]


def laid_out(data: Path, name: str, work: Path) -> Path:
    """Lay the corpus of a set out as a folder of documents, unless that is done, and return the folder.

    Its place below `work` is named by what the corpus holds, and a home with its index can lie beside it.
    """
    corpus = data / f"{name}_corpus.jsonl.gz"
    place = work / f"{name}-{hashlib.sha256(corpus.read_bytes()).hexdigest()[:12]}"
    folder = place / name
    if not folder.exists():
        place.mkdir(parents=True, exist_ok=True)
        written = place / "incomplete"
        shutil.rmtree(written, ignore_errors=True)
        write_corpus(rows(data, corpus.name.removesuffix(".jsonl.gz")), written)
        written.rename(folder)
    return folder


def figures_of(question: Question, run: dict[str, Any]) -> dict[str, float]:
    """Return the figures of one run: what `depth_run` says of it, with shares of the gold documents in their place."""
    return {**question.shares(run["documents"]), **{name: value for name, value in run.items() if name != "documents"}}


def means(figures: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over the questions that have it: shares with three digits behind the point, others with one."""
    shares = {*STAGES, "criteria_cited"}
    names = dict.fromkeys(name for row in figures for name in row)
    return {
        name: round(mean(row[name] for row in figures if name in row), 3 if name in shares else 1) for name in names
    }


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


def measure(questions: Sequence[Question], folder: Path, depth: str, jobs: int, *, with_rows: bool) -> dict[str, Any]:
    """Ask the questions of a set at one depth, so many at a time, and return the means of their figures."""
    with ThreadPoolExecutor(jobs) as workers:
        figures = list(workers.map(lambda question: ask(question, folder, depth), questions))
    by_id = {question.id: row for question, row in zip(questions, figures, strict=True)}
    return {"questions": len(questions), **means(figures), **({"rows": by_id} if with_rows else {})}


def check(data: str, sets: Sequence[str]) -> Path:
    """Return the data folder.

    Raises:
        Impossible: a file is missing.
    """
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
    data = check(given.data, sets)
    part = half if given.questions is None else f"{half}, first {given.questions}"
    headings = " ".join(f"{heading:>9}" for heading in COLUMNS.values())
    print(f"{'set':<13} {'depth':<11} {'n':>4} {headings}", flush=True)
    for name in sets:
        folder, index = indexed(data, name, work)
        questions = questions_of(data, name, half, given.questions)
        for depth in depths:
            measured = measure(questions, folder, depth, given.jobs, with_rows=given.rows)
            save(results, name, part, depth, {**measured, "machine": {"embedding": index["models"], **machine()}})
            print(row_of(name, depth, measured), flush=True)


def main() -> None:
    """Read the command line and measure; what is impossible is one message and exit status 1."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.depth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("--depth", action="append", choices=DEPTHS, help="repeatable, default all")
    parser.add_argument("--set", action="append", choices=SETS, help="repeatable, default both")
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
