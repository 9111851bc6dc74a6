"""Files of a measured report that a person reads and fills in: its statements with their quotes, and two texts to be graded blind."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemas.evidence import EXCERPT_ID, Claim
from schemas.reporter import Report
from services.reports.document import letters
from services.reports.numbered_text import own_markdown
from services.run.journal import Entry
from services.text.length import words_in
from services.text.passages import sentences

WRITERS = ("reporter", "reporter_section")
"""Templates whose answers are the draft."""
WEIGHTS = {"insight": 0.35, "comprehensiveness": 0.29, "instruction_following": 0.22, "readability": 0.14}
"""Weights of the dimensions, as DeepResearch Bench has them on average."""
VERDICTS = ("right", "imprecise", "wrong", "framing")
"""What a reader can say of a statement; `framing` claims nothing."""
CITATIONS = re.compile(rf"[ ]?\[(?:(?:inferred|推断)[:：] ?)?{EXCERPT_ID}(?:, ?{EXCERPT_ID})*\]")
_NUMBERED = re.compile(r"\[\d{1,4}(?:, ?\d{1,4})*\]")
LEAST = 12
"""Letters of a draft's sentence below which it is not looked for in the report."""
HOW_TO_GRADE = """# Grading

Question ({locale}): {question}

A good answer tells:

{tells}

Read `text_1.md` and `text_2.md`. You do not know who wrote which. Grade each from 0 to 10 in every dimension and write the grades into `grades.json`:

| dimension | weight | asks |
|---|---|---|
| insight | 0.35 | does it explain, compare and conclude, beyond listing what was found? |
| comprehensiveness | 0.29 | does it tell what the question needs, in breadth and depth? |
| instruction_following | 0.22 | does it answer what was asked, in this language, at a fitting length? |
| readability | 0.14 | is it clear, well ordered, free of repetition and clutter? |

‡ after a sentence means that it is the writer's own conclusion from what it cites.

`told` is how many of the {count} points above a text tells. Which text is whose stands in `../key.json`, which a grader does not open.
"""


def read_rows(file: Path) -> list[dict[str, Any]]:
    """Read JSON lines; none where there is no file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def write_rows(file: Path, rows: Iterable[Mapping[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Write JSON lines, with the verdicts that rows of the same keys had in the file, and return them."""
    known = {tuple(row[key] for key in keys): row.get("verdict", "") for row in read_rows(file)}
    judged = [{**row, "verdict": known.get(tuple(row[key] for key in keys), "")} for row in rows]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in judged), "utf-8")
    return judged


def statements_of(report: Report, calls: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the statements of a report, those that were left out, and sentences of the draft that are in neither."""
    excerpts = {excerpt.id: excerpt for excerpt in report.excerpts}
    titles = {source.content_hash: source.title for source in report.sources}
    rows = [_row(claim, claim.status, excerpts, titles) for claim in report.citations]
    rows += [_row(claim, "deleted", excerpts, titles) for claim in report.left_out]
    told = "\n".join([own_markdown(report), *(claim.text for claim in report.left_out)])
    held = letters(_NUMBERED.sub("", told))
    changed = [sentence for sentence in drafted(calls) if letters(sentence) not in held]
    return rows + [_row(Claim(text=sentence, verified=False), "changed", {}, {}) for sentence in changed]


def _row(claim: Claim, status: str, excerpts: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    cited = [excerpts[key] for key in claim.citations if key in excerpts]
    return {
        "statement": claim.text,
        "status": status,
        "reason": claim.reason,
        "citations": claim.citations,
        "quotes": [excerpt.quote for excerpt in cited],
        "titles": [titles.get(excerpt.content_hash, "") for excerpt in cited],
    }


def drafted(calls: Iterable[Entry]) -> list[str]:
    """Return the sentences that the writer wrote, without their citations, before anything was checked."""
    found: dict[str, None] = {}
    for entry in calls:
        if entry.name.partition(" ")[0] in WRITERS and entry.answer:
            text = str(entry.answer.get("text", "")).partition("\n===")[0]
            for line in text.splitlines():
                bare = CITATIONS.sub("", line)
                found |= {bare[span.start : span.end].strip(): None for span in sentences(bare)}
    return [sentence for sentence in found if len(letters(sentence)) >= LEAST and not sentence.startswith(("#", "|"))]


def statement_figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count statements by status, and what a reader's verdicts say of marks and deletions."""
    judged = [row for row in rows if row["verdict"] in VERDICTS]
    right = [row for row in judged if row["verdict"] == "right"]
    standing = [row for row in right if row["status"] not in {"deleted", "changed"}]
    marked = sum(row["status"] == "unverified" for row in standing)
    return {
        "statements": dict(Counter(row["status"] for row in rows)),
        "judged": dict(Counter(row["verdict"] for row in judged)),
        "right_marked": marked,
        "right_marked_percent": round(100 * marked / len(standing), 1) if standing else None,
        "right_deleted": sum(row["status"] == "deleted" for row in right),
        "wrong_unmarked": sum(row["verdict"] == "wrong" and row["status"] in {"quoted", "supported"} for row in judged),
    }


def report_text(report: Report) -> str:
    """Return a report as a reader grades it: without counts, warnings and the program's own sections; with numbers as citations, and ‡ for conclusions."""
    return f"{own_markdown(report, inferred=True).strip()}\n"


def words_of(text: str) -> int:
    """Count the words of a text without its numbered citations."""
    return words_in(_NUMBERED.sub("", text))


def write_grading(out: Path, question: Mapping[str, Any], report: str, one_call: str) -> None:
    """Write both texts under neutral names, in an order that the question's id decides, the sheet, and the key apart from them."""
    folder = out / "grading"
    folder.mkdir(exist_ok=True)
    texts = {"report": report, "one_call": one_call}
    order = sorted(texts, key=lambda name: hashlib.sha256(f"{name} {question['id']}".encode()).hexdigest())
    key = {f"text_{number}": name for number, name in enumerate(order, 1)}
    for name, kind in key.items():
        (folder / f"{name}.md").write_text(texts[kind], "utf-8")
    tells = "\n".join(f"- {each}" for each in question["tells"])
    sheet = HOW_TO_GRADE.format(**{**question, "tells": tells}, count=len(question["tells"]))
    (folder / "sheet.md").write_text(sheet, "utf-8")
    grades = folder / "grades.json"
    if not grades.exists():
        empty = {name: dict.fromkeys((*WEIGHTS, "told")) for name in key}
        grades.write_text(json.dumps(empty, indent=1) + "\n", "utf-8")
    (out / "key.json").write_text(json.dumps(key) + "\n", "utf-8")


def grades_of(out: Path) -> dict[str, dict[str, Any]]:
    """Return the grades of both texts with their weighted sum; nothing before all are given."""
    file = out / "grading" / "grades.json"
    if not file.exists():
        return {}
    key = json.loads((out / "key.json").read_text("utf-8"))
    given = json.loads(file.read_text("utf-8"))
    if any(given[name][each] is None for name in key for each in WEIGHTS):
        return {}
    return {
        kind: {**given[name], "together": round(sum(WEIGHTS[each] * given[name][each] for each in WEIGHTS), 2)}
        for name, kind in key.items()
    }
