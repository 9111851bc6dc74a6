"""The offline planner: a research step for each clause of the question, and a processing step where it computes over a table."""

from schemas.outline import OutlineNode
from schemas.planner import Plan, PlannerPrompt, Step
from schemas.results import RECALLED
from services.models.offline.answers import answers
from services.models.offline.digests import digest_topic, queries_for
from services.models.offline.question_shape import (
    COMPUTES,
    asks_for_computation,
    compared_in,
    complete_clause,
    measures_of,
    statement_of,
    title_of,
    without_apart,
)
from services.models.offline.tables import tables_to_compute
from services.run.ui_text import is_chinese
from services.text.passages import sentences
from services.text.questions import clauses_of, names_in
from services.text.steering_words import leaves_out, narrows, wanted
from services.text.terms import content, terms
from services.text.tokens import has_cjk, tokens

MAX_QUERIES = 5
LONGEST_QUESTION = 2_000
"""Maximum characters of a question that are read."""
LONGEST_TITLE = 120
MIN_TOLD = 3
"""Minimum number of statements in a question that brings its own text, for these statements to become the facets."""
KNOWN_FROM, KNOWN_TO = 2, 4
"""Minimum and maximum number of terms of a question that the background may answer without a step."""


def plan(prompt: PlannerPrompt) -> Plan:
    """Plan for the question, or on a replan for the gaps only."""
    question = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    chinese = is_chinese(prompt.locale)
    if prompt.steering:
        steps = _for_steering(prompt, question, chinese)
    elif prompt.findings:
        steps = _for_gaps(prompt, chinese)
        if all(finding.step_id == RECALLED for finding in prompt.findings) and tables_to_compute(
            question, prompt.tables
        ):
            steps = [*steps[: prompt.max_step_num - 1], _processing(question, chinese)]
    elif _is_known(prompt, question):
        steps = []
    else:
        steps = _for_question(prompt, question, chinese)
    return Plan(
        locale=prompt.locale,
        has_enough_context=not steps,
        thought=f"需要弄清：{question}" if chinese else f"What is needed: {question}",
        title=question[:LONGEST_TITLE],
        outline=_outline(question, prompt.max_nodes) if steps else [],
        steps=[step.model_copy(update={"id": str(number)}) for number, step in enumerate(steps, 1)],
    )


def _outline(question: str, most: int) -> list[OutlineNode]:
    """Return an outline with a node for each facet of the question; a facet's step refers to its node."""
    return [
        OutlineNode(id=str(place), title=title_of(facet), wanted=facet)
        for place, facet in enumerate(_facets(question)[:most], 1)
    ]


def _for_question(prompt: PlannerPrompt, question: str, chinese: bool) -> list[Step]:
    most = prompt.max_step_num
    computing = tables_to_compute(question, prompt.tables)
    if prompt.style == "data" and any(prompt.tables) and COMPUTES.search(question):
        return [_processing(question, chinese)]
    if computing and most == 1:
        return [_processing(question, chinese)]
    if (topic := digest_topic(question)) is not None:
        searched = queries_for(question, topic, chinese=has_cjk(question))
        return [_research(question, question, chinese).model_copy(update={"queries": searched[:MAX_QUERIES]})]
    room = most - bool(computing)
    steps = [
        _research(facet, question, chinese).model_copy(
            update={"nodes": [str(place)] if place <= prompt.max_nodes else []}
        )
        for place, facet in enumerate(_facets(question), 1)
    ]
    steps += [_on_feedback(" ".join(text.split()), question, chinese) for text in prompt.feedback]
    return [*steps[:room], *([_processing(question, chinese)] if computing else [])]


def _facets(question: str) -> list[str]:
    """Split a question into facets to search for separately: its clauses, or the things that it compares.

    For a question that includes a text, such as an abstract, the facets are the statements of the text.
    """
    if len(told := _told(question)) >= MIN_TOLD:
        return told
    compared = compared_in(question)
    if compared is None:
        clauses = clauses_of(question, short=True)
        return [complete_clause(clause, clauses[0], question) for clause in clauses]
    if sides := measures_of(question, compared):
        return [side.strip("?？") for side in sides]
    rest = question
    for side in sorted(compared, key=len, reverse=True):
        for named in (f"{side}'s", f"{side}’s", side):
            rest = rest.replace(named, " ")
    asked = [word for word in statement_of(rest).split() if content(word) and tokens(word) and not compared_in(word)]
    words = " ".join(word for word in asked if word.lower() not in {"compare", "difference", "differences", "contrast"})
    words = words.replace(":", ",")
    return [f"{side}: {words.rstrip('?？')}" if tokens(words) and not has_cjk(question) else side for side in compared]


def _told(question: str) -> list[str]:
    """Return the declarative statements in a question."""
    stated = [question[span.start : span.end] for span in sentences(question)]
    return [sentence for sentence in stated if sentence[-1] not in "?？" and len(content(sentence)) > KNOWN_TO]


def _research(facet: str, question: str, chinese: bool) -> Step:
    names = " ".join(names_in(facet))
    words = " ".join(word for word in facet.strip("?？ ").split() if tokens(word))
    queries = [
        statement_of(without_apart(facet)),
        statement_of(facet),
        f"{names} {words}" if names and not has_cjk(facet) else "",
        words,
        statement_of(question),
    ]
    return Step(
        id="0",
        title=title_of(facet),
        description=f"查找：{facet}" if chinese else f"Find out: {facet}",
        queries=list(dict.fromkeys(" ".join(query.split()) for query in queries if query.strip()))[:MAX_QUERIES],
    )


def _processing(question: str, chinese: bool) -> Step:
    title = title_of(question)
    return Step(
        id="0",
        title=f"计算：{title}" if chinese else f"Compute: {title}",
        description=question,
        step_type="processing",
        need_web_search=False,
    )


def _on_feedback(wish: str, question: str, chinese: bool) -> Step:
    """Plan a step for a person's additional wish."""
    step = _research(statement_of(wish)[:200], question, chinese)
    about = " ".join(names_in(question)) or statement_of(question)
    return step.model_copy(update={"queries": [statement_of(wish)[:200], f"{statement_of(wish)[:200]} {about}"]})


def _for_steering(prompt: PlannerPrompt, question: str, chinese: bool) -> list[Step]:
    """Plan for messages that arrived during the run, and for undone steps that are still wanted.

    A message that narrows the research drops all other wishes and steps; an exclusion drops the steps about it.
    """
    wishes, undone = list[str](), list(prompt.undone)
    for said in (" ".join(text.split()) for text in prompt.steering):
        if unwanted := set(terms(leaves_out(said))):
            undone = [title for title in undone if not unwanted & set(terms(title))]
            wishes = [wish for wish in wishes if not unwanted & set(terms(wish))]
            continue
        if narrows(said):
            undone, wishes = [], []
        wishes.append(wanted(said))
    steps = [_on_feedback(wish, question, chinese) for wish in wishes]
    return [*steps, *(_research(title, question, chinese) for title in undone)][: prompt.max_step_num]


def _for_gaps(prompt: PlannerPrompt, chinese: bool) -> list[Step]:
    """Plan one research step for each gap or thin node, except those that a finished step has searched for."""
    done = [set(tokens(f"{finding.title} {finding.description}")) for finding in prompt.findings]
    wishes = [(gap, list[str]()) for gap in prompt.gaps]
    wishes += [(node.query, [node.id]) for node in prompt.outline if node.query]
    steps: list[Step] = []
    for wish, nodes in wishes:
        gap = " ".join(wish.split())
        wanted = set(tokens(gap))
        if wanted and not any(wanted <= earlier for earlier in done):
            done.append(wanted)
            description = f"补充查找：{gap}" if chinese else f"Find what is missing: {gap}"
            queries = list(dict.fromkeys([gap, statement_of(gap)]))
            steps.append(Step(id="0", title=title_of(gap), description=description, queries=queries, nodes=nodes))
    return steps[: prompt.max_step_num]


def _is_known(prompt: PlannerPrompt, question: str) -> bool:
    """Tell whether the background answers the question; never for computations, several clauses or a person's feedback."""
    if prompt.style == "data" or prompt.feedback or asks_for_computation(question):
        return False
    if digest_topic(question) is not None:
        return False
    if compared_in(question) or len(clauses_of(question)) > 1 or not KNOWN_FROM <= len(content(question)) <= KNOWN_TO:
        return False
    shown = prompt.background[:3]
    held = any(set(content(question)) <= set(terms(excerpt.quote)) for excerpt in shown)
    return held and all(answer.whole and not answer.others for answer in answers(question, shown, 1))
