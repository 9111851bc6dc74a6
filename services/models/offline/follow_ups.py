"""Follow-up questions: resolves their pronouns and omissions, and checks whether earlier evidence answers them."""

import re
from collections.abc import Sequence
from typing import Literal

from schemas.coordinator import CoordinatorPrompt
from schemas.evidence_view import EvidenceView
from services.models.offline.answer_kinds import FITS, STRICT, fit
from services.models.offline.question_shape import asks_for_computation, compared_in, describes
from services.text.questions import answer_type, clauses_of, names_in, persons_in, without_form_of_address
from services.text.terms import GENERIC, content, terms
from services.text.tokens import has_cjk, tokens

HELD, HELD_CHINESE = 0.7, 0.6
"""Share of a clause's terms that an excerpt must hold to answer it; lower in Chinese, since many character pairs are not words."""
MAX_USED = 3
"""Maximum excerpts that answer one clause."""
_PERSONAL = re.compile(r"\b(?:he|him|she|his|her)\b|[他她]", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:it|its)\b|\b(?:this|that|these|those)\b(?=\s*(?:[?.,]|$|(?:is|was|were|are|does|did|happen\w*|work\w*|mean\w*)\b))|"
    r"它|[这那]个(?![\u4e00-\u9fff])|(?<![\u4e00-\u9fff])其",
    re.IGNORECASE,
)
_ANY = re.compile(rf"\b(?:they|them|their)\b|[它他她]们|{_PERSONAL.pattern}|{_THING.pattern}", re.IGNORECASE)
_ADDED = re.compile(r"^(?:what|how) about\b|^(?:那么?)?.{1,10}呢[？?]?$", re.IGNORECASE)
_LED_IN = re.compile(r"^(?:(?:and|but|so|also|then)\b|那么?|还有|另外)[\s,，]*", re.IGNORECASE)
_FILLED = re.compile(r"\s\([^()]*\)(?=[?？]?$)")
"""The added part of a short question that was completed."""
_NOUN = re.compile(
    r"\b(?:the|an?) ((?:[a-z][\w-]*\s+){0,3}?[a-z][\w-]*)(?=\s+(?:of|in|on|at|for|from|by|to|and|is|was|were|are|has|had|made|used|that|which)\b|[?.,]|$)"
)
_CHINESE_TOPIC = re.compile(r"的|使|让|被|是|有|在|对|会|能|可|应|需|要|每|多|怎|如何|为什么|何时|什么|哪|吗|[，？?]")
_SIDES = re.compile(r"\b(?:compare|difference|versus|vs|both)\b|区别|差别|差异|比较|对比|两者", re.IGNORECASE)


def complete_question(prompt: CoordinatorPrompt, question: str) -> tuple[str, str]:
    """Return a question with its pronouns and omissions resolved from the conversation, and a description of the change."""
    earlier = " ".join(next((turn.text for turn in reversed(prompt.conversation) if turn.role == "user"), "").split())
    unclear = " ".join(prompt.asked_back.split())
    if any((len(term) > 2 or has_cjk(term)) and term not in tokens(question) for term in tokens(unclear)):
        return _join(question, unclear), f"{unclear} + {question}"
    if not earlier:
        return question, ""
    pronoun = _ANY.search(question)
    if pronoun is None:
        added, topic = _ADDED.search(question), topic_of(earlier)
        leans = added or (len(tokens(question)) <= 2 and not names_in(question))
        if not leans or set(tokens(topic)) <= set(tokens(question)):
            return question, ""
        return _substitute(question, topic, earlier) if added else (_join(question, topic), topic)
    before = question[: pronoun.start()]
    if names_in(before) or (has_cjk(before) and len(re.sub(r"\W", "", before)) > 5):
        return question, ""  # the question itself names the pronoun's referent
    answer = next((turn.text for turn in reversed(prompt.conversation) if turn.role == "assistant"), "")
    topic = _referent(pronoun.group(), earlier, answer)
    if topic in question:
        return question, ""
    if topic == _bare(earlier):
        return _join(question, topic), topic
    whole = _LED_IN.sub("", _ANY.sub(lambda match: _in_place(match.group(), topic), question, count=1))
    return _capital(whole), f"{pronoun.group()} = {topic}"


def _bare(question: str) -> str:
    return question.strip("?？ 。.")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(question: str, topic: str) -> str:
    return f"{_capital(_LED_IN.sub('', _bare(question)))} ({topic}){'？' if has_cjk(question) else '?'}"


def _substitute(question: str, topic: str, earlier: str) -> tuple[str, str]:
    """Ask the last question about another thing: `What about the harbour?`."""
    other = re.sub(r"^(?:what|how) about\s+", "", _LED_IN.sub("", _bare(question)), flags=re.IGNORECASE).rstrip("呢")
    place = earlier.lower().find(topic.lower())
    if place < 0 or topic == _bare(earlier):
        return _join(other, _bare(earlier)), earlier
    head = " ".join(other.lower().split()[:2])
    start = earlier.lower().rfind(head, 0, place) if " " in head else -1
    replaced = earlier[start if start >= 0 else place : place + len(topic)]
    return earlier.replace(replaced, other, 1), f"{replaced} → {other}"


def _in_place(pronoun: str, topic: str) -> str:
    """Return a topic in the form that replaces a pronoun."""
    if pronoun.lower() not in {"his", "her", "its", "their"} or has_cjk(topic):
        return topic
    return f"{topic}’" if topic.endswith("s") else f"{topic}’s"


def _referent(pronoun: str, earlier: str, answer: str) -> str:
    """Return the referent of a pronoun: a person of the last question or answer, or the topic of the last question.

    If the last question asks for a person, that is a person of the answer, and what the question names may be a ship.
    """
    if _PERSONAL.fullmatch(pronoun):
        question_terms = set(tokens(earlier))
        persons_named = [name for name in persons_in(answer) if not set(tokens(name)) <= question_terms]
        doers = [name for name in persons_named if re.search(r"(?:\bby|由)\s*$", answer[: answer.find(name)])]
        answered, asked = [*doers, *persons_named], persons_in(earlier)
        if persons := [*answered, *asked] if answer_type(earlier) == "person" else [*asked, *answered]:
            return without_form_of_address(re.sub(r"[’']s?$", "", persons[0]))
    last = _bare(clauses_of(earlier, short=True)[-1])
    topic = topic_of(last)
    return topic if topic != last and names_in(last) else topic_of(earlier)


def topic_of(question: str) -> str:
    """Return the topic of a question: its longest name, else its first noun with an article, else all of it."""
    if named := names_in(question):
        return max(named, key=len)
    whole = _bare(question)
    if has_cjk(question):
        part = next((part for part in _CHINESE_TOPIC.split(whole) if len(part) > 1), whole)
        return re.sub(r"^(?:请问|什么|哪些|谁)", "", part) or whole
    noun = _NOUN.search(question[:1].lower() + question[1:])
    return f"the {noun.group(1)}" if noun else whole


def judge_known(
    question: str, known: Sequence[EvidenceView]
) -> tuple[Literal["no", "part", "whole"], list[str], list[str]]:
    """Judge how much of a question earlier excerpts answer; if it quotes a source's title, that source answers it.

    Returns:
        The extent, the ids of the answering excerpts, and the unanswered clauses.
    """
    if own := [excerpt.id for excerpt in known if f"“{excerpt.title}”" in question]:
        return "whole", own, []
    compared = compared_in(question)
    clauses = list(compared) if compared else clauses_of(question, short=True)
    if not set(terms(_FILLED.sub("", question))) - GENERIC or (compared is None and _SIDES.search(question)):
        return "no", [], []
    used = [_excerpts_answering(clause, known, question) for clause in clauses]
    uses = list(dict.fromkeys(excerpt_id for ids in used for excerpt_id in ids))
    missing = [clause for clause, ids in zip(clauses, used, strict=True) if not ids]
    if not uses:
        return "no", [], []
    part = missing or compared or asks_for_computation(question) or describes(question)
    return "part" if part else "whole", uses, missing


def _excerpts_answering(clause: str, known: Sequence[EvidenceView], question: str) -> list[str]:
    """Return the excerpts with most of a clause's terms, all of its names, and the kind of answer that it asks for."""
    wanted = set(content(clause)) - GENERIC
    kind = answer_type(clause if clause in question else question)
    named = {term for name in names_in(clause) for term in terms(name)}
    rest = wanted - set(terms(topic_of(clause)))
    shares: dict[str, float] = {}
    for excerpt in known if wanted else ():
        held = set(terms(f"{excerpt.quote} {excerpt.title}"))
        share = len(held & wanted) / len(wanted)
        enough = share >= (HELD_CHINESE if has_cjk(clause) else HELD) and 2 * len(rest & held) >= len(rest)
        if enough and named <= held and (kind not in STRICT or fit(clause, kind, excerpt.quote) >= FITS):
            shares[excerpt.id] = share
    best = max(shares.values(), default=0.0)
    return [excerpt_id for excerpt_id, share in shares.items() if share == best][:MAX_USED]
