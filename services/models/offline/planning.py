"""The offline planner: a research step for each facet of the question, and a processing step where it wants a computation."""

import re
from collections.abc import Sequence

from schemas.planner import Plan, Step
from schemas.results import RECALLED
from services.models.offline.answering import answer
from services.models.offline.computing import asks_for_computation, computable, computes_from_text, operations_of
from services.models.offline.language import (
    GENERIC,
    Need,
    clauses_of,
    compared_in,
    listed_in,
    names_in,
    need_of,
    statement_of,
)
from services.models.offline.sections import Prompt, evidence_of, findings_of
from services.search.tokens import has_cjk, tokens

MAX_QUERIES = 5
LONGEST_TITLE = 90


def plan(prompt: Prompt) -> Plan:
    """Plan for the question, or on a replan for the gaps alone."""
    most = int(prompt.settings["max_step_num"] or 3)
    gaps = [" ".join(gap.body.split()) for gap in prompt.all("gap")]
    found = findings_of(prompt)
    if found:
        steps = _for_gaps(gaps, prompt)[:most]
        if all(one.step == RECALLED for one in found):
            steps = [*steps[: most - 1], *_over_known(prompt, steps[: most - 1])] or steps
    elif _known(prompt) and prompt.settings["style"] != "data":
        steps = []
    else:
        steps = _for_question(prompt, most)
    thought = f"需要弄清：{prompt.question}" if prompt.chinese else f"What is needed: {prompt.question}"
    return Plan(
        locale=prompt.settings["locale"],
        has_enough_context=not steps,
        thought=thought,
        title=prompt.question[:120],
        steps=[step.model_copy(update={"id": str(place)}) for place, step in enumerate(steps, 1)],
    )


def _for_question(prompt: Prompt, most: int) -> list[Step]:
    question = prompt.question
    described = prompt.one("tables").body.split("\n")
    described = [one for one in described if one.strip()]
    if prompt.settings["style"] == "data" and described and operations_of(question):
        return [_processing(question, [], prompt.chinese)]
    tables = computable(question, described)
    computing = bool(tables) or computes_from_text(question)
    room = max(1, most - bool(computing))
    steps = [_research(facet, question, prompt.chinese) for facet in _facets(question, room)][:room]
    steps += [_feedback_step(feedback.body, question, prompt.chinese) for feedback in prompt.all("feedback")]
    steps = steps[:room]
    if tables:
        steps = steps[:1] if len(steps) == 1 else steps
    if computing and most > 1:
        needs = [] if tables else [str(place) for place in range(1, len(steps) + 1)]
        steps = [*steps, _processing(question, needs, prompt.chinese)]
    elif computing and tables:
        steps = [_processing(question, [], prompt.chinese)]
    return steps


def _over_known(prompt: Prompt, steps: list[Step]) -> list[Step]:
    """Plan the computation that a follow-up wants over what earlier turns found and the steps before it find."""
    question = prompt.question
    if computable(question, prompt.one("tables").body.split("\n")):
        return [_processing(question, [], prompt.chinese)]
    if not computes_from_text(question):
        return []
    needs = [RECALLED, *(str(place) for place in range(1, len(steps) + 1))]
    return [_processing(question, needs, prompt.chinese)]


def _facets(question: str, room: int) -> list[str]:
    """Split a question into what has to be looked for on its own; things that a clause lists, too, where there is room."""
    compared = None if listed_in(question) else compared_in(question)
    if compared is not None:
        return [_about(compared[0], question, compared[1]), _about(compared[1], question, compared[0])]
    clauses = clauses_of(question, short=True)
    named = names_in(question)
    facets: list[str] = []
    for clause in clauses:
        items = listed_in(clause)
        listing = items if len(items) + len(clauses) - 1 <= room else ()
        facets += [_of_one(item, items, clause) for item in listing] or [_completed(clause, clauses[0], named)]
    return facets


def _of_one(item: str, items: Sequence[str], clause: str) -> str:
    """Ask of one listed thing what a clause asks of all."""
    rest = clause
    for other in sorted(items, key=len, reverse=True):
        rest = rest.replace(other, " ")
    rest = re.sub(
        r"[,，、:：]|\b(?:and|or|over|via|through|from|to|versus|between|compare|differences?)\b|和|与|及|从|到|比较",
        " ",
        rest,
    )
    return f"{item}: {statement_of(rest)}" if tokens(rest) else item


def _about(thing: str, question: str, other: str) -> str:
    """Ask of one compared thing what the question asks of both: `lead line: depth`; the thing alone where that is nothing."""
    rest = re.sub(
        r"\b(?:compare[ds]?|comparison|differences?|differ|between|versus|vs|contrast|and|the|an?|of|with|to|regarding|both)\b|"
        r"比较|对比|区别|差异|差别|不同|相比|有什么|和|与|跟|的",
        " ",
        question.replace(other, " ").replace(thing, " "),
        flags=re.IGNORECASE,
    )
    sides = {*tokens(thing), *tokens(other)}
    rest = " ".join(word for word in rest.split() if has_cjk(word) or not set(tokens(word)) & sides)
    asked = statement_of(rest)
    return f"{thing}: {asked}" if {term for term in tokens(asked) if term not in GENERIC} else thing


def _completed(clause: str, first: str, named: tuple[str, ...]) -> str:
    """Give a clause that leans on the one before it the names or words it leans on."""
    if clause == first or names_in(clause):
        return clause
    leaning = re.search(
        r"\b(?:it|its|he|him|his|she|her|they|them|their|this|that|there|then)\b|[它他她其该此]", clause, re.IGNORECASE
    )
    if leaning is None and len(tokens(clause)) > 3:
        return clause
    return f"{clause} {' '.join(named) if named else statement_of(first)}"


def _research(facet: str, question: str, chinese: bool) -> Step:
    need = need_of(facet)
    title = _heading(facet)
    return Step(
        id="0",
        title=title,
        description=f"查找：{facet}" if chinese else f"Find out: {facet}",
        step_type="research",
        need_web_search=True,
        queries=_queries(need, facet, question),
    )


def _heading(text: str) -> str:
    """Return a text as the title of a step: without its final mark, cut between words."""
    line = " ".join(text.split()).strip("?？。. ")
    if len(line) > LONGEST_TITLE:
        line = (line[:LONGEST_TITLE].rsplit(" ", 1)[0] if " " in line else line[:LONGEST_TITLE]) + "…"
    return line[:1].upper() + line[1:]


def _queries(need: Need, facet: str, question: str) -> list[str]:
    terms = [term for term in need.terms if term not in GENERIC]
    named = " ".join(need.names)
    candidates = [statement_of(facet), facet.strip("?？ ")]
    if named:
        candidates.append(f"{named} {' '.join(word for word in _words(facet) if word not in named)}")
    if not has_cjk(facet) and len(terms) > 2:
        candidates.append(" ".join(_words(facet)))
    candidates += [f"{item} {statement_of(facet)}" if has_cjk(facet) else item for item in listed_in(facet)]
    if question != facet:
        candidates.append(statement_of(question))
    return list(dict.fromkeys(" ".join(one.split()) for one in candidates if one.strip()))[:MAX_QUERIES]


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[\w'’-]+", text) if tokens(word)]


def _processing(question: str, needs: list[str], chinese: bool) -> Step:
    return Step(
        id="0",
        title=f"计算：{_heading(question)}" if chinese else f"Compute: {_heading(question)}",
        description=question,
        step_type="processing",
        need_web_search=False,
        depends_on=needs,
    )


def _feedback_step(feedback: str, question: str, chinese: bool) -> Step:
    wish = statement_of(" ".join(feedback.split()))[:200]
    wish = re.sub(
        r"^(?:please\s+)?(?:also|add|include|cover|focus on|look at|look into|research)\s+|^(?:请|也|再|还要|增加|加上|补充|重点|关注)+",
        "",
        wish,
        flags=re.IGNORECASE,
    )
    step = _research(wish, question, chinese)
    about = " ".join(names_in(question)) or statement_of(question)
    return step.model_copy(update={"queries": [wish, f"{wish} {about}"]})


def _for_gaps(gaps: list[str], prompt: Prompt) -> list[Step]:
    """Plan one research step a gap; a gap that a finished step has looked for already is none."""
    done = [set(tokens(found.title)) for found in findings_of(prompt)]
    steps: list[Step] = []
    for gap in gaps:
        terms = set(tokens(gap))
        if not terms or any(terms <= earlier for earlier in done):
            continue
        done.append(terms)
        title = _heading(gap)
        description = f"补充查找：{gap}" if prompt.chinese else f"Find what is missing: {gap}"
        steps.append(
            Step(id="0", title=title, description=description, queries=list(dict.fromkeys([gap, statement_of(gap)])))
        )
    return steps


def _known(prompt: Prompt) -> bool:
    """Tell whether one background excerpt answers everything; strict, and never for a computation or several parts."""
    question = prompt.question
    if asks_for_computation(question) or compared_in(question) or len(clauses_of(question)) > 1:
        return False
    need = need_of(question)
    wanted = [term for term in need.terms if term not in GENERIC]
    if prompt.all("feedback") or len(wanted) < 2 or len(wanted) > 5:
        return False
    shown = evidence_of(prompt)[:3]
    if not any(set(wanted) <= set(tokens(one.quote)) and need.has_answer(one.quote) for one in shown):
        return False
    return all(one.whole and not one.joined for one in answer(question, shown, 1))
