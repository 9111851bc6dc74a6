"""What a stub model answers to the roles for which the offline model has no answer, or none as a model gives it."""

import re

from schemas.coder import Code, CoderPrompt
from schemas.coordinator import CoordinatorPrompt, Triage
from schemas.evidence_view import EvidenceView
from schemas.planner import Plan, PlannerPrompt, Step
from schemas.reporter import ReporterPrompt
from services.models import offline
from services.models.offline.closest import closest_passages
from services.text.passages import sentences
from services.text.questions import clauses_of
from services.text.quotable import as_prose
from services.text.tokens import has_cjk

MAX_OPENING, MAX_SENTENCES = 3, 8
NOTHING = "The sources do not answer the question."
KNOWN = 0.6
"""Minimum closeness of an excerpt of an earlier turn that answers a part of a question."""
MAX_SIMPLE = 10
"""Words of a question that one search can answer; two Chinese characters count as a word."""
_DESCRIBES = re.compile(r"\bthe \w+(?:er|or) (?:of|who)\b")
"""A person whom a question describes: the name has to be found first."""
_PROGRAM = """\
import pandas as pd

table = pd.read_{kind}({file!r}{option})
print("The table has %d rows." % len(table))
for name in table.select_dtypes("number").columns:
    print("The highest %s is %s, the lowest %s." % (name, table[name].max(), table[name].min()))
"""
_WITHOUT_TABLE = """\
import json

for finding in json.load(open("findings.json")).values():
    print(finding)
"""


def cited(quote: str, excerpt_id: str) -> str:
    """Return the sentences of a quote, each with its citation."""
    prose = as_prose(quote)
    told = [prose[span.start : span.end] for span in sentences(prose)] or [prose]
    return " ".join(f"{said.rstrip('.。')} [{excerpt_id}]{'。' if said.endswith('。') else '.'}" for said in told)


def written(prompt: ReporterPrompt) -> str:
    """Write a report: what comes closest to the question first, then one sentence of each further excerpt; a draft stands."""
    if prompt.draft:
        return prompt.draft
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    first = [excerpt for excerpt, _ in closest_passages(prompt.question, evidence, MAX_OPENING)] or evidence[:1]
    opening = " ".join(cited(_best(prompt.question, excerpt), excerpt.id) for excerpt in first) or NOTHING
    if prompt.length == "answer":
        return opening
    rest = [cited(_best(prompt.question, excerpt), excerpt.id) for excerpt in evidence if excerpt not in first]
    further = ["## Evidence", *rest[:MAX_SENTENCES]] if rest else []
    return "\n\n".join([f"# {' '.join(prompt.question.split())}", f"**TL;DR** {opening}", *further])


def _best(question: str, excerpt: EvidenceView) -> str:
    """Return the sentence of an excerpt that is closest to a question."""
    told = [excerpt.quote[span.start : span.end] for span in sentences(excerpt.quote)]
    views = [excerpt.model_copy(update={"quote": said}) for said in told if not said.startswith("#")]
    closest = closest_passages(question, views, 1)
    return closest[0][0].quote if closest else views[0].quote if views else excerpt.quote


def coded(prompt: CoderPrompt) -> str:
    """Write a program that describes the step's first table, or prints the findings of earlier steps."""
    if not prompt.tables:
        return Code(code=_WITHOUT_TABLE).model_dump_json()
    table = prompt.tables[0]
    kind, option = "csv", ""
    if table.holds_texts:
        kind, option = "json", ", lines=True"
    elif table.file.endswith((".xlsx", ".xls")):
        kind, option = "excel", f", sheet_name={table.sheet!r}" if table.sheet else ""
    program = _PROGRAM.format(kind=kind, file=table.file, option=option)
    return Code(code=program, description="Describes the table").model_dump_json()


def triaged(prompt: CoordinatorPrompt) -> str:
    """Read a message as the offline model does, and a short question of one part as simple."""
    triage = Triage.model_validate_json(offline.answer(prompt))
    parts = clauses_of(prompt.question)
    known = [
        [(view, near) for view, near in closest_passages(part, prompt.known, 2) if near >= KNOWN] for part in parts
    ]
    missing = [part for part, views in zip(parts, known, strict=True) if not views]
    used = {view.id: view for views in known for view, _ in views}
    whole = bool(used) and not missing
    question = prompt.question if used else triage.question
    words = len(re.sub(r"\W", "", question)) / 2 if has_cjk(question) else len(question.split())
    simple = words <= MAX_SIMPLE and len(clauses_of(question)) == 1 and not _DESCRIBES.search(question)
    answer = " ".join(cited(_best(question, view), view.id) for view in used.values())
    update = {
        "question": question,
        "complexity": "simple" if simple else "complex",
        "answered": "whole" if whole else "part" if used else "no",
        "uses": list(used),
        "missing": missing if used else [],
        "answer": answer if whole and simple else "",
    }
    return triage.model_copy(update=update).model_dump_json()


def planned(prompt: PlannerPrompt) -> str:
    """Plan as the offline model does, or a computation where figures are wanted and there are tables."""
    if prompt.style != "data" or not prompt.tables or prompt.findings:
        return offline.answer(prompt)
    step = Step(id="1", title="Compute", description=prompt.question, step_type="processing", need_web_search=False)
    return Plan(locale=prompt.locale, title=prompt.question[:120], steps=[step]).model_dump_json()
