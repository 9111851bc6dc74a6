"""The offline researcher: selects the sentences that say most about a step, and tells how well they cover it."""

import math
import re
from collections import Counter
from dataclasses import dataclass

from schemas.evidence import Relevance
from schemas.researcher import Findings, Quotation
from services.evidence.passages import sentences
from services.models.offline.language import GENERIC, Need, need_of
from services.models.offline.sections import Prompt
from services.search.tokens import has_cjk, tokens

MAX_EXCERPTS = 6
PER_PASSAGE = 2
KEPT_SHARE = 0.4
"""Share of the best sentence's score that another must reach to be quoted."""
_LEANS_BACK = re.compile(
    r"^(?:It|He|She|They|This|That|These|Those|His|Her|Their|Its|Both|The (?:former|latter|device|instrument|ship|method|study|result)s?|However|But|Moreover|[它他她其该此这]|后者|前者|两者|因此|但)"
)


@dataclass(slots=True)
class Candidate:
    """A sentence of a passage."""

    passage: str
    rank: int
    text: str
    """As quoted: with the sentence before it where it leans on that one."""
    terms: frozenset[str]
    """Of the quote, the headings above it and the source's title."""
    score: float = 0.0


def extract(prompt: Prompt) -> Findings:
    """Judge the passages of a step."""
    step = prompt.one("step")
    asked = re.sub(r"<query>|</query>", " ", step.body)
    need = need_of(re.sub(r"^(?:Find out|Find what is missing|查找|补充查找)[:：]\s*", "", step.body.split("\n", 1)[0]))
    weights = _weights(need, asked, prompt.question)
    candidates = _candidates(prompt)
    rarity = _rarity(candidates)
    for candidate in candidates:
        candidate.score = _score(candidate, need, weights, rarity)
    chosen = _choose(candidates, weights, rarity)
    if not chosen:
        return Findings(missing_aspects=[need.text])
    best = chosen[0].score
    covered, missing = _coverage(chosen, need, rarity)
    found = [one for one in chosen if one.score >= 0.75 * best][:2]
    return Findings(
        excerpts=[
            Quotation(passage_id=one.passage, quote=one.text, relevance=_relevance(one.score / best)) for one in chosen
        ],
        finding=" ".join(dict.fromkeys(_one_line(one.text) for one in found)),
        confidence=round(covered, 2),
        missing_aspects=missing,
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _weights(need: Need, asked: str, question: str) -> dict[str, float]:
    """Weigh the terms: those of the step most, those only of the question less."""
    weights = dict.fromkeys(tokens(question), 0.3)
    weights.update(dict.fromkeys(tokens(asked), 0.6))
    weights.update(dict.fromkeys(need.terms, 1.0))
    return {term: weight * (0.4 if term in GENERIC else 1.0) for term, weight in weights.items()}


def _candidates(prompt: Prompt) -> list[Candidate]:
    found: list[Candidate] = []
    for rank, passage in enumerate(prompt.all("passage")):
        title = frozenset(tokens(passage["source"]))
        spans = sentences(passage.body)
        section: frozenset[str] = frozenset()
        for place, span in enumerate(spans):
            own = passage.body[span.start : span.end]
            if own.lstrip().startswith("#"):
                section = frozenset(tokens(own))
                continue
            if len(own) < 12 or re.fullmatch(r"[|\s:-]+", own):
                continue
            start = span.start
            previous = passage.body[spans[place - 1].start : spans[place - 1].end] if place else ""
            if (
                previous
                and not previous.startswith(("#", "|", "-", "*"))
                and _LEANS_BACK.match(own)
                and span.end - spans[place - 1].start < 500
            ):
                start = spans[place - 1].start
            terms = frozenset(tokens(passage.body[start : span.end]))
            found.append(Candidate(passage["id"], rank, passage.body[start : span.end], terms | title | section))
    return found


def _rarity(candidates: list[Candidate]) -> dict[str, float]:
    counts = Counter(term for candidate in candidates for term in candidate.terms)
    return {term: math.log(1 + len(candidates) / count) for term, count in counts.items()}


def _score(candidate: Candidate, need: Need, weights: dict[str, float], rarity: dict[str, float]) -> float:
    score = sum(weight * rarity.get(term, 0.0) for term, weight in weights.items() if term in candidate.terms)
    if not score:
        return 0.0
    lowered = candidate.text.lower()
    score *= 1 + 0.15 * sum(name.lower() in lowered for name in need.names)
    if need.kind and need.has_answer(candidate.text):
        score *= 1.3
    length = len(candidate.text) * (2 if has_cjk(candidate.text) else 1)
    return score / (1 + 0.15 * math.log2(max(1.0, length / 160))) * (1 - 0.015 * min(candidate.rank, 12))


def _choose(candidates: list[Candidate], weights: dict[str, float], rarity: dict[str, float]) -> list[Candidate]:
    """Take the best one by one; what repeats terms already covered counts for less."""
    left = [candidate for candidate in candidates if candidate.score > 0]
    chosen: list[Candidate] = []
    covered: Counter[str] = Counter()
    used: Counter[str] = Counter()
    best = max((candidate.score for candidate in left), default=0.0)
    while left and len(chosen) < MAX_EXCERPTS:

        def worth(candidate: Candidate) -> float:
            value = sum(weights.get(term, 0.0) * rarity.get(term, 0.0) for term in candidate.terms)
            fresh = sum(
                weights.get(term, 0.0) * rarity.get(term, 0.0) * 0.6 ** covered[term] for term in candidate.terms
            )
            return candidate.score * (fresh / value if value else 0.0)

        top = max(left, key=lambda one: (worth(one), -one.rank))
        left.remove(top)
        if top.score < KEPT_SHARE * best:
            continue
        if used[top.passage] >= PER_PASSAGE or any(top.text in one.text or one.text in top.text for one in chosen):
            continue
        chosen.append(top)
        used[top.passage] += 1
        covered.update(top.terms & weights.keys())
    return sorted(chosen, key=lambda one: -one.score)


def _coverage(chosen: list[Candidate], need: Need, rarity: dict[str, float]) -> tuple[float, list[str]]:
    """Return the covered share of what is asked, by rarity, and what is missing in words of the question."""
    top = (rarity and max(rarity.values())) or 1.0
    asked = {term: rarity.get(term, top) * (0.3 if term in GENERIC else 1.0) for term in need.terms}
    held = frozenset[str]().union(*(one.terms for one in chosen))
    total = sum(asked.values()) or 1.0
    share = sum(weight for term, weight in asked.items() if term in held) / total
    lacking = [term for term, weight in asked.items() if term not in held and term not in GENERIC]
    if not any(need.has_answer(one.text) for one in chosen):
        share *= 0.5
        return share, [need.text]
    return share, [need.text] if share < 0.5 and lacking else []


def _relevance(share: float) -> Relevance:
    return "high" if share >= 0.75 else "medium" if share >= 0.5 else "low"
