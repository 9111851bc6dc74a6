"""The offline reflector: what the evidence covers, which name leads on, and where sources disagree."""

import re
from difflib import SequenceMatcher
from itertools import combinations

from schemas.evidence import Contradiction
from schemas.reflector import Reflection, StepVerdict
from services.evidence.numbers import quantities
from services.models.offline.language import (
    GENERIC,
    clauses_of,
    describes,
    is_month,
    means_person,
    names_in,
    need_of,
    persons_in,
    statement_of,
)
from services.models.offline.sections import Evidence, Finding, Prompt, evidence_of, findings_of
from services.models.offline.terms import terms
from services.search.tokens import has_cjk, tokens

MAX_FOLLOW_UPS = 3
MOST_TAIL = 4
"""Words that a question may end with after what it describes."""
NAMED_BY = 3
"""Excerpts, the most telling first, whose names are followed."""
UNMET = 0.34
"""Share of the words of the question's names that no excerpt holds, from which on another plan is worth it."""
UNCOVERED = 0.2
"""Share of the terms of a question that describes what it asks about, which the two best excerpts must lack."""
UNCOVERED_DESCRIBED = 0.08
"""The same share, in no excerpt at all."""
UNCOVERED_LONG, UNCOVERED_PLAIN, UNCOVERED_CHINESE = 0.12, 0.34, 0.55
"""The same share for other questions: long ones, short ones, Chinese ones (of whose pairs of characters many are no words)."""
LONG = 6
"""Terms from which on a question is long."""
_GENERIC = frozenset(term for word in GENERIC for term in terms(word))
LONGEST_SUBJECT = 200
"""Words of an excerpt in which a subject is looked for; comparing two takes time with the product of their lengths."""
_RUN = re.compile(r"[\u4e00-\u9fff]|[\w'’-]+")
_UNIT = re.compile(
    r"(?<!\d)(?<!\d[,.])(\d++(?:[,.]\d++)*+)\s*+(%|percent|metres|meters|m|fathoms|feet|ft|km|miles|knots|years?|tons?|soundings|hours?|minutes?|kHz|Hz|岁|年|米|分钟|小时|度|毫米|mm|倍|例|名|个|次|D|厘米|个月)(?![A-Za-z])",
    re.IGNORECASE,
)
_ENDS = frozenset(
    "the a an of in on at by to with for from is are was were be been and or as it its that this which than about "
    "的 是 为 在 于 和 与 达 了 约".split()
)
_OPENING = re.compile(
    r"(?:(?:in|on|at|from|to|for|by|of|with|under) )?(?:where|when|who|whom|what|which|why|how)\b(?: [a-z]+)? (?:is|are|was|were|did|does|do|has|had|can)\b",
    re.IGNORECASE,
)
"""How a question begins that asks something of what it describes: `From which river did`."""
_BEFORE = frozenset(
    "take took taken his her its their the a an get got have come came be been give gave given receive win".split()
)
"""Words that belong to the one after them, which is the one to look for."""
_WORD = re.compile(r"\b[A-Za-z]{3}|[\u4e00-\u9fff]{2}")
_DIGITS = re.compile(r"\d")
_CHINESE_NAME = re.compile(
    r"[\u4e00-\u9fff]{2,6}(?:教授|医生|博士|研究所|大学|医院|试验|条例|方案|镜片|公司|中心|计划)|[A-Z][A-Za-z0-9]{2,}"
)


def reflect(prompt: Prompt) -> Reflection:
    """Judge what was found."""
    findings = findings_of(prompt)
    evidence = [one for finding in findings for one in finding.evidence]
    evidence += evidence_of(Prompt(prompt.one("background").body))
    round_number = int(prompt.settings["plan_iterations"] or 1)
    covered, missing = _aspects(prompt.question, evidence)
    follow_ups = _follow_ups(prompt.question, findings, evidence, round_number) if evidence else []
    computed = any(one.type == "processing" and one.status == "done" for one in findings)
    enough = bool(evidence) and (computed or not follow_ups)
    verdicts = [_verdict(one, int(prompt.settings["max_step_attempts"] or 2), prompt.question) for one in findings]
    return Reflection(
        has_enough_context=enough,
        confidence=round(len(covered) / max(1, len(covered) + len(missing)), 2),
        covered_aspects=covered,
        missing_aspects=[] if enough and not missing else missing,
        contradictions=_contradictions(evidence),
        reasoning=_reasoning(enough, follow_ups, prompt.chinese),
        follow_up_queries=[] if enough else follow_ups,
        steps=verdicts,
    )


def _verdict(finding: Finding, most: int, question: str) -> StepVerdict:
    redo = finding.status == "failed" and finding.type == "research" and finding.attempts < most
    return StepVerdict(step_id=finding.step, redo=redo, feedback=" ".join(tokens(question)) if redo else "")


def _aspects(question: str, evidence: list[Evidence]) -> tuple[list[str], list[str]]:
    """Tell for each clause of the question whether some excerpt covers it."""
    covered: list[str] = []
    missing: list[str] = []
    for clause in clauses_of(question):
        need = need_of(clause)
        wanted = {term for term in need.terms if term not in GENERIC}
        held = set(tokens(" ".join(f"{one.quote} {one.source}" for one in evidence)))
        share = len(wanted & held) / len(wanted) if wanted else 1.0
        answered = any(need.has_answer(one.quote) for one in evidence)
        (covered if share >= 0.5 and answered else missing).append(clause)
    return covered, missing


def _follow_ups(question: str, findings: list[Finding], evidence: list[Evidence], round_number: int) -> list[str]:
    """Return queries for what the question asks of something that only the evidence names.

    After the first replan, only a name that no query has followed counts.
    """
    wanted = [term for term in dict.fromkeys(terms(question)) if term not in _GENERIC]
    ranked = _by_relevance(question, evidence)
    held = set(terms(" ".join(f"{one.quote} {one.source}" for one in evidence)))
    best_held = set(terms(" ".join(f"{one.quote} {one.source}" for one in ranked[:2])))
    uncovered = [term for term in wanted if term not in held]
    lacking = uncovered or [term for term in wanted if term not in best_held]
    if not wanted or not _is_open(question, wanted, uncovered, lacking, held, evidence, round_number):
        return []
    unheard = [term for term in lacking if term not in held]
    rest = _words_of(unheard or lacking, question)
    followed = " ".join(f"{finding.title} {finding.text}" for finding in findings if round_number > 1).lower()
    names = [
        name for name in _new_names(question, ranked[:NAMED_BY]) if name.lower() not in followed or round_number == 1
    ]
    if not names or not _WORD.search(rest):
        return []
    return [_asked_of(name, rest, question) for name in names][:MAX_FOLLOW_UPS]


def _asked_of(name: str, rest: str, question: str) -> str:
    """Ask what is left of a question of a name that was found: `Where was William Thomson born`, as a person would search."""
    opening = _OPENING.match(question)
    words = question.rstrip("?？. ").split()
    if opening is None or has_cjk(question):
        return f"{name} {rest}"
    last = rest.split()[-1:]
    first = next((place for place in reversed(range(len(words))) if words[place].strip(",;:") in last), len(words))
    while first > len(opening.group().split()) and words[first - 1].lower() in _BEFORE:
        first -= 1
    tail = words[first:]
    if not tail or len(tail) > MOST_TAIL:
        return f"{name} {rest}"
    return f"{opening.group().strip()} {name} {' '.join(tail)}"


def _is_open(
    question: str,
    wanted: list[str],
    uncovered: list[str],
    lacking: list[str],
    held: set[str],
    evidence: list[Evidence],
    round_number: int,
) -> bool:
    """Tell whether a second look is due: a name of the question was not met, a clause has no answer, or too much is open.

    Ordinary questions use a word or two that the sources put otherwise; that alone is no reason.
    """
    share = len(uncovered) / len(wanted)
    named = [own for name in names_in(question) if (own := set(terms(name)))]
    unmet = sum(len(own - held) / len(own) for own in named) / len(named) if named else 0.0
    if unmet >= UNMET:
        return True
    clauses = clauses_of(question)
    if len(clauses) > 1 and round_number == 1 and len(_aspects(question, evidence)[1]) > 0:
        return True
    if describes(question):
        if 2 * (len(wanted) - len(uncovered)) <= len(wanted) and not has_cjk(
            question
        ):  # names in what says little on the question lead nowhere
            return False
        return share >= UNCOVERED_DESCRIBED or (round_number == 1 and len(lacking) >= UNCOVERED * len(wanted))
    if len(uncovered) < 2 or 2 * len(uncovered) > len(
        wanted
    ):  # a name in what says nothing on the question leads nowhere
        return False
    return share >= (
        UNCOVERED_CHINESE if has_cjk(question) else UNCOVERED_LONG if len(wanted) > LONG else UNCOVERED_PLAIN
    )


def _by_relevance(question: str, evidence: list[Evidence]) -> list[Evidence]:
    wanted = set(tokens(question))
    return sorted(evidence, key=lambda one: -len(wanted & set(tokens(f"{one.quote} {one.source}"))))


def _words_of(lacking: list[str], question: str) -> str:
    """Return the words of the question that these terms come from, in the question's order."""
    if has_cjk(question):
        kept = re.sub(r"(?:那[个项位种]|主持人|后来又?|又)", " ", statement_of(question))
        parts = [part for part in re.split(r"[的，。？、\s]|是|在", kept) if part and set(terms(part)) & set(lacking)]
        return " ".join(dict.fromkeys(parts))
    return " ".join(word for word in re.findall(r"[\w'’-]+", question) if set(terms(word)) & set(lacking))


def _new_names(question: str, evidence: list[Evidence]) -> list[str]:
    """Return names in the evidence that the question does not hold: persons first where it means one, then by how often."""
    known = set(tokens(question))
    wants_person = means_person(question)
    counts: dict[str, int] = {}
    met: set[str] = set()
    for one in evidence:
        persons = persons_in(one.quote)
        met.update(persons)
        others = [*names_in(one.quote), *(_CHINESE_NAME.findall(one.quote) if has_cjk(one.quote) else [])]
        for name in dict.fromkeys([*persons, *others]):
            words = tokens(name)
            if not words or set(words) <= known or is_month(name) or re.fullmatch(r"[\d\W]+", name):
                continue
            worth = 4 if name in persons and wants_person else 2 if len(name.split()) > 1 or has_cjk(name) else 1
            counts[name] = counts.get(name, 0) + worth
    if wants_person and any(name in met for name in counts):
        counts = {name: worth for name, worth in counts.items() if name in met}
    beside = " ".join(one.quote for one in evidence if any(name in one.quote for name in names_in(question)))
    linked = {name: worth for name, worth in counts.items() if name in beside}
    counts = linked or counts  # one that stands beside a name of the question leads on from it
    return sorted(counts, key=lambda name: -counts[name])


def _contradictions(evidence: list[Evidence]) -> list[Contradiction]:
    """Find pairs of excerpts of different sources that say the same of one thing with another number."""
    found: list[Contradiction] = []
    for one, other in combinations([item for item in evidence if item.kind != "computation"], 2):
        if one.source == other.source:
            continue
        left, right = set(tokens(one.quote)), set(tokens(other.quote))
        numbers_left, numbers_right = _measures(one.quote), _measures(other.quote)
        shared = {term for term in left & right if not term[0].isdigit()}
        smaller = min(len(left), len(right)) or 1
        if len(shared) < 5 or len(shared) < 0.45 * smaller:
            continue
        units = numbers_left.keys() & numbers_right.keys()
        differing = [unit for unit in sorted(units) if not numbers_left[unit] & numbers_right[unit]]
        if differing:
            topic = _subject(one.quote, other.quote)
            values = "; ".join(
                f"{', '.join(sorted(numbers_left[unit]))} / {', '.join(sorted(numbers_right[unit]))} {unit}"
                for unit in differing
            )
            found.append(Contradiction(topic=topic, excerpt_ids=[one.id, other.id], explanation=values))
    return found[:3]


def _measures(text: str) -> dict[str, set[str]]:
    measures: dict[str, set[str]] = {}
    for value, unit in _UNIT.findall(text):
        number = next((quantity.value for quantity in quantities(value)), None)
        if number is not None:
            measures.setdefault(unit.lower(), set()).add(f"{number:g}")
    return measures


def _subject(one: str, other: str) -> str:
    """Return the longest run of words that two excerpts share and that names no figure, without its ends that say nothing."""
    left, right = (_RUN.findall(text)[:LONGEST_SUBJECT] for text in (one, other))
    runs = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    longest = max(runs, key=lambda run: run.size)
    words = left[longest.a : longest.a + longest.size]
    while words and (words[-1].lower() in _ENDS or _DIGITS.search(words[-1])):
        words.pop()
    while words and (words[0].lower() in _ENDS or _DIGITS.search(words[0])):
        words.pop(0)
    return ("" if has_cjk(one) else " ").join(words)[:100]


def _reasoning(enough: bool, follow_ups: list[str], chinese: bool) -> str:
    if enough:
        return "现有摘录覆盖了问题的各个方面。" if chinese else "The excerpts cover what the question asks."
    if follow_ups:
        return (
            "摘录中出现了新的名称，需要据此继续查找。"
            if chinese
            else "The excerpts reveal a name that leads to the rest."
        )
    return "没有找到足够的证据。" if chinese else "Too little evidence was found."
