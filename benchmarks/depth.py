"""How much of the gold evidence a run brings up, by depth: `leadline eval` without a model, over a whole corpus as documents.

    python -m benchmarks.depth DATA [--depth deep]... [--set scholarqa_cs]... [--half first] [--questions 12] [--jobs 2]

`DATA` is a folder of gzipped JSON lines: `<set>_corpus` with `doc_id`, `title`, `text`, and questions with `qid`, `question`,
`gold_ids` and, in some sets, `criteria` or answers. The index of a corpus is made once and stays below `.leadline/bench-depth`.
Writes `benchmarks/results/depth.json`: means over questions.
"""

import argparse
import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from benchmarks.measurement import (
    PROJECT,
    RESULTS,
    Impossible,
    copied_index,
    machine,
    plain_environment,
    read_results,
    write_results,
)
from benchmarks.retrieval import rows, write_corpus
from leadline.evaluation.evaluate import evaluate
from leadline.evaluation.question_set import EvalQuestion
from leadline.evaluation.results import Evaluation
from leadline.evaluation.settings import settings_of
from leadline.evaluation.table import table
from schemas.depth import DEPTHS
from services.run.settings import forget_settings

WORK = PROJECT / ".leadline" / "bench-depth"
"""Where corpora are laid out and their indexes kept. Nothing of the data goes anywhere else."""
EMBEDDINGS = "LEADLINE_EMBEDDINGS_MODEL"
"""The one setting that is taken over: without it, search uses the embedding model that is installed."""
BROAD = ("scholarqa_cs", "deepscholar")
"""Sets of broad questions, with the passages that experts chose."""
SETS = {
    **{name: f"{name}_questions" for name in BROAD},
    "xquad_en": "xquad_en_queries595",
    "xquad_zh": "xquad_zh_queries595",
    "musique": "musique_queries50",
}
"""Files of questions by set; the others are of questions whose answers are in the corpus."""
Half = Literal["first", "second", "all"]


def question_of(row: dict[str, Any]) -> EvalQuestion:
    """Return a question of the data as `leadline eval` takes it; gold documents are named by the stems of their files."""
    criteria = [
        {"text": criterion["criterion"], "weight": criterion["weight"], "gold": criterion["gold_ids"]}
        for criterion in row.get("criteria", [])
    ]
    answers = row.get("answers") or [row[name] for name in ("answer",) if name in row] + row.get("answer_aliases", [])
    of_eval = {"id": row["qid"], "question": row["question"], "documents": row["gold_ids"], "criteria": criteria}
    return EvalQuestion.model_validate({**of_eval, "facts": [answers] if answers else []})


def questions_of(data: Path, name: str, half: Half = "all", count: int | None = None) -> list[EvalQuestion]:
    """Return the questions of a set, in the order of its file: one half of them, and of these `count`, spread evenly."""
    every = [question_of(row) for row in rows(data, SETS[name])]
    middle = (len(every) + 1) // 2
    chosen = {"first": every[:middle], "second": every[middle:], "all": every}[half]
    count = min(count or len(chosen), len(chosen))
    return [chosen[place * len(chosen) // count] for place in range(count)]


def laid_out(data: Path, name: str, work: Path) -> Path:
    """Lay the corpus of a set out as a folder of documents, unless that is done, and return the folder.

    Its place below `work` is named by what the corpus holds, and its index can lie beside it.
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


def measure(name: str, questions: Sequence[EvalQuestion], folder: Path, depths: Sequence[str], jobs: int) -> Evaluation:
    """Ask the questions of a set at each depth, in a home of its own that begins with the corpus's index."""
    with tempfile.TemporaryDirectory() as place:
        home, index = Path(place) / "home", folder.parent / "index"
        copied_index(index, home / "documents")
        os.environ["LEADLINE_HOME"] = str(home)
        forget_settings()
        choices = {"documents": [str(folder)], "search": "documents"}
        settings = settings_of(depths=depths)
        measured = asyncio.run(evaluate(questions, settings, choices, Path(place) / "eval", name=name, jobs=jobs))
        copied_index(home / "documents", index)
    return measured


def check(data: str, sets: Sequence[str]) -> Path:
    """Return the data folder.

    Raises:
        Impossible: a file is missing.
    """
    if not data:
        raise Impossible("The data folder is missing. Name it: make bench WHAT=depth DATA=folder")
    files = [f"{file}.jsonl.gz" for name in sets for file in (f"{name}_corpus", SETS[name])]
    if missing := [file for file in files if not Path(data, file).is_file()]:
        raise Impossible(
            f"{data} does not hold {', '.join(missing)}. Name the data folder: make bench WHAT=depth DATA=folder"
        )
    return Path(data)


def save(results: Path, part: str, measured: Evaluation) -> None:
    """Put the means of a set, a part of it and each depth into the results, beside those of others."""
    content = read_results(results)
    for depth, figures in measured.summary.items():
        means = {key: round(figure.mean, 3) for key, figure in figures.items()}
        of_depth = {"questions": len(measured.questions), **means, "machine": machine()}
        content.setdefault(measured.set, {}).setdefault(part, {})[depth] = of_depth
    write_results(results, content)


def run(given: argparse.Namespace, results: Path = RESULTS / "depth.json", work: Path = WORK) -> None:
    """Measure what was asked for, and print a table and write the results of each set.

    Raises:
        Impossible: a file of the data is missing.
    """
    sets = given.set or BROAD
    data = check(given.data, sets)
    for variable in os.environ.keys() - plain_environment(EMBEDDINGS).keys():
        del os.environ[variable]
    part = given.half if given.questions is None else f"{given.half}, {given.questions} of them"
    for name in sets:
        questions = questions_of(data, name, given.half, given.questions)
        measured = measure(name, questions, laid_out(data, name, work), given.depth or DEPTHS, given.jobs)
        save(results, part, measured)
        print(f"{name}, {part}\n\n{table(measured)}\n", flush=True)


def main() -> None:
    """Read the command line and measure; what is impossible is one message and exit status 1."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.depth", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("--depth", action="append", choices=DEPTHS, help="repeatable, default all")
    parser.add_argument("--set", action="append", choices=SETS, help="repeatable, default the broad ones")
    parser.add_argument("--half", choices=get_args(Half), default="all", help="of each set: one chooses, one reports")
    parser.add_argument("--questions", type=int, metavar="N", help="only so many, spread evenly")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs side by side")
    try:
        run(parser.parse_args())
    except Impossible as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
