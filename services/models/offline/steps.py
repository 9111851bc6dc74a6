"""The simplest answers that let a run go its way without a model: a step for each part of the question, and one for a name."""

import re
from collections.abc import Container, Sequence
from functools import partial

from schemas.clean_text import beginning
from schemas.coordinator import CoordinatorPrompt, Triage
from schemas.evidence_view import EvidenceView
from schemas.planner import Plan, PlannerPrompt, Step
from schemas.profile import Profile
from schemas.reflector import Reflection, ReflectorPrompt, StepVerdict
from schemas.researcher import Findings, NumberedPassage, ResearcherPrompt
from schemas.results import RECALLED
from services.models.offline.closest import (
    CLOSE,
    ComparedPassage,
    as_compared,
    compared,
    differing_figures,
    without,
)
from services.run.ui_text import say
from services.text.languages import locale_of
from services.text.passages import Kind, kind_of, may_join
from services.text.questions import clauses_of, headline, names_in, persons_in, without_form_of_address
from services.text.tables import row_of
from services.text.terms import content, terms
from services.text.tokens import has_cjk, tokens

LONGEST_QUESTION = 2_000
"""Maximum characters of a question that are read."""
LONGEST_TITLE = 120
MAX_EXCERPTS = 16
"""Maximum stretches of passages that a step quotes."""
MAX_ROWS = 9
"""Maximum rows of a passage that are quoted beside its best one."""
CONTEXT = 700
"""Maximum characters of a quoted passage: its best sentence and those around it."""
HIGH = 0.75
"""Minimum share of the best passage's closeness for high relevance."""
MAX_NAMES = 2
"""Maximum names that a second search follows."""
FEW = 3
"""Sources that may name what a second search is for, however few there are."""


def triage(prompt: CoordinatorPrompt) -> Triage:
    """Search for every message that has a word; a question in a conversation that names nothing itself is completed with the names of the previous one."""
    message = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    locale = locale_of(message) if prompt.locale in {"", "auto"} else prompt.locale
    earlier = next((turn.text for turn in reversed(prompt.conversation) if turn.role == "user"), "")
    before = " ".join([prompt.asked_back or earlier][0].split())[:LONGEST_QUESTION]
    leans = bool(before) and bool(prompt.asked_back or not names_in(message))
    question = _completed(message, before, locale) if leans else prompt.question.strip()
    category = _category(message, prompt.profile)
    intent = "in_scope" if tokens(message) else "unclear"
    if category and prompt.profile is not None:
        scope = prompt.profile.scope
        edge, outside = ([topic.topic for topic in topics] for topics in (scope.edge, scope.outside))
        intent = "out_of_scope" if category in outside else "edge_case" if category in edge else intent
    return Triage(
        intent=intent,
        category=category,
        question=question,
        rewriting=before if question not in {message, prompt.question.strip()} else "",
        locale=locale,
        reply=say("unclear", locale) if intent == "unclear" else "",
        answered="part" if prompt.known else "no",
        uses=[excerpt.id for excerpt in prompt.known],
    )


def _completed(message: str, before: str, locale: str) -> str:
    """Add to a question what the one before it is about, in brackets: its names, else its first part.

    None of them need be what a pronoun of the question stands for. A part that was added to the one before it is not quoted again.
    """
    before = _without_quoted_part(before, locale)
    about = ", ".join(names_in(before)) or f"“{clauses_of(before)[0]}”"
    if about.strip("“”") in message:
        return message
    mark = message[-1] if message[-1] in "?？" else ""
    return f"{message.rstrip('?？')}{say('about', locale, names=about)}{mark}"


def _without_quoted_part(question: str, locale: str) -> str:
    """Return a question without the part of an earlier one that `_completed` added to it, in either language of the conversation."""
    for language in (locale, locale_of(question)):
        words, _, _ = say("about", language, names="…").partition("…")
        question = question.partition(f"{words}“")[0]
    return question


def _category(message: str, profile: Profile | None) -> str:
    """Return the first topic of a profile with a keyword that the message holds."""
    scope = profile.scope if profile is not None else None
    topics = [*scope.outside, *scope.edge, *scope.core] if scope is not None else []
    folded = message.casefold()
    named = (topic for topic in topics if any(keyword.casefold() in folded for keyword in topic.keywords))
    return next((topic.topic for topic in named), "")


def plan(prompt: PlannerPrompt) -> Plan:
    """Plan a step for each part of the question and each wish; on a replan for the named gaps only."""
    question = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    done = [finding for finding in prompt.findings if finding.step_id != RECALLED]
    if prompt.steering:
        wishes = [(wish, list[str]()) for wish in [*prompt.steering, *prompt.undone]]
    elif done or prompt.gaps or prompt.queries:
        gaps = [gap for gap in prompt.gaps if not any(query.startswith(f"{gap} ") for query in prompt.queries)]
        wishes = [(gap, list[str]()) for gap in dict.fromkeys([*gaps, *prompt.queries])]
        wishes += [(node.query, [node.id]) for node in prompt.outline if node.query]
    else:
        wishes = [(part, list[str]()) for part in [*clauses_of(question), *prompt.feedback]]
    searched = {title for finding in done for title in (finding.title, finding.description)}
    by_title: dict[str, Step] = {}
    for wish, nodes in {" ".join(wish.split()): nodes for wish, nodes in wishes}.items():
        if not wish or wish in searched:
            continue
        step = _step(wish, nodes, question, prompt.gaps)
        if same := by_title.get(step.title):
            same.description = f"{same.description}; {wish}"
            same.queries = [*same.queries, *step.queries]
        else:
            by_title[step.title] = step
    steps = [*by_title.values()][: prompt.max_step_num]
    return Plan(
        locale=prompt.locale,
        has_enough_context=not steps,
        title=question[:LONGEST_TITLE],
        steps=[step.model_copy(update={"id": str(place)}) for place, step in enumerate(steps, 1)],
    )


def _step(wish: str, nodes: list[str], question: str, gaps: Sequence[str]) -> Step:
    """Return a step that searches for a part; one that names nothing also with the names of the whole question.

    Where that has none, a part with a single word (`what did it cost`) takes its subject from all of the question.

    A step for a gap is named by it: the terms that follow it in the query are no words for people.
    """
    names = names_in(question)
    queries = [wish]
    if names and not names_in(wish):
        queries.append(f"{wish} {' '.join(names)}")
    elif not names and len(content(wish)) < 2 <= len(clauses_of(question)):
        queries.append(question)
    title = next((gap for gap in gaps if wish.startswith(f"{gap} ")), wish)
    return Step(id="0", title=headline(beginning(title, LONGEST_TITLE)), description=wish, queries=queries, nodes=nodes)


def extract(prompt: ResearcherPrompt) -> Findings:
    """Quote the best two stretches of each passage, the closest first: a sentence with those around it, or a small table, or of a larger one rows that are alike."""
    part = prompt.description.strip() or prompt.title
    texts, weights = compared(
        part, prompt.question, ((each.title, each.headings, each.sentences) for each in prompt.passages)
    )
    ranked: list[tuple[float, str, str]] = []
    for text, passage in zip(texts, prompt.passages, strict=True):
        score, best = text.closeness(weights)
        if score < CLOSE:
            continue
        kinds = [kind_of(passage.text, start, end) for start, end in passage.spans]
        first, last = _around(best, passage, kinds, range(len(kinds)))
        ranked.append((score, _reference(passage, first, last), passage.sentences[best] if passage.spans else ""))
        alike = _rows_alike(best, text, passage, weights) if first == last else []
        ranked += [(score, _reference(passage, place, place), "") for place in alike]
        rest = [
            place
            for place, kind in enumerate(kinds)
            if not first <= place <= last and place not in alike and kind != "title"
        ]
        left = without(weights, text.sentences[best]) if rest else {}
        further = max(rest, key=partial(text.closeness_of, weights=left), default=None)
        if further is not None:
            first, last = _around(further, passage, kinds, rest)
            ranked.append((text.closeness_of(further, left), _reference(passage, first, last), ""))
    chosen = sorted((each for each in ranked if each[0] > 0), key=lambda each: -each[0])[:MAX_EXCERPTS]
    top_score = chosen[0][0] if chosen else 0.0
    references = [(score / top_score, reference) for score, reference, _ in chosen]
    return Findings(
        high=[reference for share, reference in references if share >= HIGH],
        medium=[reference for share, reference in references if share < HIGH],
        finding=chosen[0][2] if chosen else "",
    )


def _rows_alike(best: int, text: ComparedPassage, passage: NumberedPassage, weights: Container[str]) -> list[int]:
    """Return the other rows with the same terms of the question as the best row: those of `Berlin` and `2025`."""
    are_rows = [row_of(passage.text[start:end]) is not None for start, end in passage.spans]
    if not are_rows or not are_rows[best]:
        return []
    held = [frozenset(term for term in sentence if term in weights) for sentence in text.sentences]
    places = (place for place, is_row in enumerate(are_rows) if is_row and place != best)
    return [place for place in places if held[best] and held[place] >= held[best]][:MAX_ROWS]


def _around(best: int, passage: NumberedPassage, kinds: Sequence[Kind], free: Container[int]) -> tuple[int, int]:
    """Return the first and the last of the `free` sentences around one, those after it first, with a small table below them.

    A row has the other rows of a small table, and stands alone in a larger one.
    """
    spans = passage.spans
    if kinds[best : best + 2] == ["title", "sentence"]:
        best += 1
    first = last = best
    prose = [row_of(passage.text[start:end]) is None for start, end in spans]

    def fits(begin: int, end: int) -> bool:
        return all(place in free for place in range(begin, end)) and spans[end - 1][1] - spans[begin][0] <= CONTEXT

    if prose and not prose[best]:
        begin, end = _table(best, passage, prose)
        return (begin, end - 1) if fits(begin, end) else (best, best)
    while spans:
        after, before, quoted = last + 1, first - 1, kinds[first : last + 1]
        if after in free and prose[after] and may_join(quoted, kinds[after]) and fits(first, after + 1):
            last = after
        elif (
            before in free and prose[before] and may_join(quoted, kinds[before], above=True) and fits(before, last + 1)
        ):
            first = before
        else:
            break
    if last + 1 < len(spans) and not prose[last + 1] and fits(first, end := _table(last + 1, passage, prose)[1]):
        last = end - 1
    return first, last


def _table(row: int, passage: NumberedPassage, prose: Sequence[bool]) -> tuple[int, int]:
    """Return where the rows around one begin and end that no other line parts."""
    spans, text = passage.spans, passage.text
    parted = [
        place
        for place in range(1, len(spans))
        if prose[place - 1] or prose[place] or text[spans[place - 1][1] : spans[place][0]].strip()
    ]
    return max((place for place in parted if place <= row), default=0), min(
        (place for place in parted if place > row), default=len(spans)
    )


def _reference(passage: NumberedPassage, first: int, last: int) -> str:
    return f"{passage.id}:{first + 1}-{last + 1}" if last > first else f"{passage.id}:{first + 1}"


def reflect(prompt: ReflectorPrompt) -> Reflection:
    """Ask for a second search for the names that the first passages reveal; after it enough is known."""
    question = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    first = prompt.plan_iterations <= 1
    parts = clauses_of(question) if first else []
    searches = [search for part in parts for search in _second_search(part, question, evidence)][: MAX_NAMES + 1]
    names = list(dict.fromkeys(name for _, name in searches))
    reason = say("names_next", prompt.locale, names=", ".join(names)) if names else say("not_judged", prompt.locale)
    return Reflection(
        has_enough_context=bool(evidence) and not names,
        missing_aspects=names,
        follow_up_queries=list(dict.fromkeys(query for query, _ in searches)),
        contradictions=differing_figures(question, evidence),
        reasoning=reason,
        steps=[
            StepVerdict(
                step_id=finding.step_id,
                redo=finding.status == "failed"
                and finding.step_type == "research"
                and finding.attempts < prompt.max_step_attempts,
                feedback=question if finding.status == "failed" else "",
            )
            for finding in prompt.findings
        ],
    )


def _second_search(part: str, question: str, evidence: Sequence[EvidenceView]) -> list[tuple[str, str]]:
    """Return queries for names of the closest passage, with the words of the part that it lacks, each with its name; not for one that most sources name."""
    texts, weights = compared(part, question, map(as_compared, evidence))
    best = max(range(len(texts)), key=lambda place: texts[place].closeness(weights)[0], default=None)
    if best is None:
        return []
    lacking = [term for term in content(part) if term not in texts[best].held]
    rest = _words(part, lacking)
    if not rest:
        return []
    quote, known = evidence[best].quote, set(tokens(question))
    names = dict.fromkeys(map(without_form_of_address, persons_in(quote) or names_in(quote)))
    half = len({excerpt.title for excerpt in evidence}) / 2
    new = [
        name
        for name in names
        if not set(tokens(name)) & known
        and tokens(name)
        and len({excerpt.title for excerpt in evidence if name in excerpt.quote}) <= max(FEW, half)
    ]
    return [(f"{name} {rest}", name) for name in new[:MAX_NAMES]]


def _words(part: str, lacking: Sequence[str]) -> str:
    """Return the words of a part that hold some of its terms; of a Chinese one the stretches of characters."""
    if not has_cjk(part):
        return " ".join(word for word in re.findall(r"[\w'’-]+", part) if set(terms(word)) & set(lacking))
    held = [
        any(part.startswith(term, place - back) for term in lacking for back in range(len(term)) if place >= back)
        for place in range(len(part))
    ]
    return " ".join("".join(char if is_held else " " for char, is_held in zip(part, held, strict=True)).split())
