"""What a report is worth: its statements, what its check lets through, and the same model's answer in one call beside it.

    python -m benchmarks.report DATA [--questions ID,ID] [--folder npm=PATH] [--depth standard] [--name strong] [--again]

`DATA` holds the folders that `report_questions.jsonl` names, or what they are made from (README.md says where each comes from). Each
question is a run at the endpoint that is connected (`OPENAI_BASE_URL`), in a process and a home of its own below `.leadline/bench-report`,
where its prompts, statements, planted errors and the texts to be graded lie. A measurement that is begun again goes on; one whose
verdicts and grades were filled in counts them. Writes `benchmarks/results/report.json`.
"""

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.depth import laid_out
from benchmarks.measurement import (
    PROJECT,
    RESULTS,
    Impossible,
    copied_index,
    measured_process,
    read_results,
    write_results,
)
from benchmarks.model import NOT_CONNECTED, connected_environment
from benchmarks.report_files import grades_of, read_rows, statement_figures, words_of
from services.text.length import estimate

QUESTIONS = PROJECT / "benchmarks" / "report_questions.jsonl"
WORK = PROJECT / ".leadline" / "bench-report"
CORPORA = {"cmrc2018": "cmrc2018_dev"}
"""Folders that are laid out, a file a document, from `<name>_corpus.jsonl.gz` of the data."""
PLANTED = 18
"""Errors planted in a report, where it has statements enough."""
SECONDS = 86_400
"""Of a run: whoever answers by hand takes long."""


def questions_of(file: Path, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the questions of a file, or some by their ids.

    Raises:
        Impossible: there is no such question.
    """
    known = {row["id"]: row for row in read_rows(file)}
    if unknown := [each for each in ids if each not in known]:
        raise Impossible(f"There is no question {', '.join(unknown)}. There are: {', '.join(known)}.")
    return [known[each] for each in ids or known]


def folder_of(name: str, data: str, named: Mapping[str, str], work: Path) -> Path:
    """Return a folder of documents: the named one, that of the data, or one made from the data.

    Raises:
        Impossible: there is none; the message says what to do.
    """
    if not data and name not in named:
        raise Impossible("The data folder is missing. Name it: make bench-report DATA=folder")
    given = Path(named.get(name, Path(data) / name))
    if given.is_dir():
        return given.resolve()
    corpus = CORPORA.get(name, "")
    if name not in named and corpus and (Path(data) / f"{corpus}_corpus.jsonl.gz").is_file():
        (work / "data").mkdir(parents=True, exist_ok=True)
        return laid_out(Path(data), corpus, work / "data")
    beside = f" or {corpus}_corpus.jsonl.gz" if corpus else ""
    raise Impossible(
        f"{given} does not exist. Put a folder {name}{beside} into the data folder, or name one: --folder {name}=PATH. "
        "benchmarks/README.md says where it comes from."
    )


def measured(question: Mapping[str, Any], folder: Path, place: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Measure one question in a process of its own, and count its files.

    Raises:
        Impossible: the run failed; started again, it goes on.
    """
    place.mkdir(parents=True, exist_ok=True)
    job = {
        **question, "folder": str(folder), "out": str(place), "depth": given.depth, "planted": given.planted, "seconds": SECONDS,
        "choices": dict(choice.split("=", 1) for choice in given.choose),
    }  # fmt: skip
    environment = connected_environment() | {"LEADLINE_HOME": str(place / "home")}
    index, documents = place.parent.parent / "index" / question["folder"], place / "home" / "documents"
    copied_index(index, documents)
    figures = measured_process("report_run", job, environment, place)
    copied_index(documents, index)
    return figures_of(figures, place, given)


def figures_of(figures: dict[str, Any], place: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of a question, with those of its files."""
    roles = figures.pop("roles")
    tokens = {name: role["input_tokens"] for name, role in roles.items()}
    counts = {name: role["calls"] for name, role in roles.items()}
    one_call = {**figures["one_call"], "words": words_of((place / "one_call.md").read_text("utf-8"))}
    return {
        "depth": given.depth,
        "choices": given.choose,
        "measured": datetime.now(UTC).date().isoformat(),
        "calls": sum(counts.values()),
        "prompt_tokens": sum(tokens.values()),
        "prompt_tokens_by_role": tokens,
        "estimated_prompt_tokens": estimated_tokens(place / "prompts"),
        "calls_by_role": counts,
        "words": words_of((place / "report.txt").read_text("utf-8")),
        **statement_figures(read_rows(place / "statements.jsonl")),
        **figures,
        "one_call": one_call,
        "grades": grades_of(place),
    }


def estimated_tokens(folder: Path) -> dict[str, int]:
    """Return the tokens of kept requests by role as the product estimates them: endpoints count in ways of their own."""
    counted: Counter[str] = Counter()
    for file in folder.glob("*.request.md"):
        counted[file.name.partition("-")[2].removesuffix(".request.md")] += estimate(file.read_text("utf-8"))
    return dict(counted)


def run(given: argparse.Namespace, results: Path = RESULTS / "report.json", work: Path = WORK) -> None:
    """Measure the questions, print their figures and write them after each.

    Raises:
        Impossible: what is asked for cannot be measured, or a run failed.
    """
    if not connected_environment():
        raise Impossible(NOT_CONNECTED)
    named = dict(folder.split("=", 1) for folder in given.folder)
    questions = questions_of(given.file, given.questions)
    folders = {
        name: folder_of(name, given.data, named, work) for name in dict.fromkeys(each["folder"] for each in questions)
    }
    for question in questions:
        place = work / given.name / question["id"]
        if given.again:
            shutil.rmtree(place, ignore_errors=True)
        figures = measured(question, folders[question["folder"]], place, given)
        content = read_results(results)
        content.setdefault(given.name, {})[question["id"]] = figures
        write_results(results, content)
        print(json.dumps({question["id"]: figures}, ensure_ascii=False, indent=1), flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("data", help="folder of the data")
    made.add_argument(
        "--questions", type=lambda text: text.split(","), default=[], help="ids, with commas between; default all"
    )
    made.add_argument("--file", type=Path, default=QUESTIONS, help="the questions, as JSON lines")
    made.add_argument(
        "--folder", action="append", default=[], metavar="NAME=PATH", help="where a folder of documents lies"
    )
    made.add_argument("--depth", default="standard", help="quick, standard, deep or exhaustive")
    made.add_argument(
        "--choose",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="another choice of the run, as max_step_num=2",
    )
    made.add_argument(
        "--planted", type=int, default=PLANTED, metavar="N", help="errors to plant in each report; 0: none"
    )
    made.add_argument("--name", default="strong", help="section of the results; others stay")
    made.add_argument("--again", action="store_true", help="measure anew what was measured or begun")
    return made


def main() -> None:
    """Read the command line and measure; what is impossible is one message and exit status 1."""
    try:
        run(parser().parse_args())
    except Impossible as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
