"""The offline reflector: judges the coverage of the evidence, follow-up queries by new names, and contradictions."""

import re
from collections import Counter
from collections.abc import Sequence

from schemas.evidence_view import EvidenceView, FindingView
from schemas.outline import NodeView, ThinNode
from schemas.reflector import Reflection, ReflectorPrompt, StepVerdict
from services.models.offline.answers import answers
from services.models.offline.contradictions import contradictions_in
from services.models.offline.digests import digest_topic
from services.models.offline.question_shape import describes, statement_of
from services.run.ui_text import is_chinese
from services.text.outdated_quotes import DatedQuote, outdated_quotes
from services.text.questions import answer_type, clauses_of, names_in, persons_in, without_form_of_address
from services.text.terms import GENERIC, content, terms
from services.text.tokens import has_cjk, tokens

LONGEST_QUESTION = 2_000
"""Maximum characters of a question that are read."""
MAX_FOLLOW_UPS = 3
MAX_TAIL = 4
"""Maximum words after a name in a query."""
NAMED_BY = 3
"""Number of the most relevant excerpts whose names are followed."""
PERSON, LONG_NAME = 4, 2
"""Weights of a person's name if the question is about a person, and of a name of several words."""
OPEN, OPEN_DESCRIBED = 0.34, 0.08
"""Share of the words of a question's names, or of all its terms, that no excerpt holds, from which on another plan is worth it;
and of the terms of one that describes what it asks about."""
IDLE = 2
"""Consecutive plans without new evidence after which no further plan is made."""
FACETS = "history; present state; outlook; stakeholders; figures; comparison; risks; limitations".split("; ")
FACETS_CHINESE = "历史 现状 前景 相关方 数据 比较 风险 局限".split()
"""Facets to search for on a node without new names."""
LONGEST_TOPIC = 200
"""Maximum characters of a node's topic in a query."""
_AUXILIARY = frozenset("is are was were did does do has had can".split())
_CHINESE_NAME = re.compile(r"[\u4e00-\u9fff]{2,6}(?:教授|研究所|大学|医院|公司|中心|计划|学会)|[A-Z][A-Za-z0-9]{2,}")


def reflect(prompt: ReflectorPrompt) -> Reflection:
    """Judge the findings of the steps."""
    question = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    answered = {answer.clause: answer.whole for answer in answers(question, evidence, 1)} if evidence else {}
    covered = [clause for clause, whole in answered.items() if whole]
    missing = [
        clause for clause in clauses_of(question) if clause not in covered and len(covered) < len(answered or [1])
    ]
    computed = any(finding.step_type == "processing" and finding.status == "done" for finding in prompt.findings)
    broad = digest_topic(question) is not None
    ended = computed or broad or (prompt.wide and prompt.idle_plans >= IDLE)
    queries = [] if ended else _follow_ups(question, prompt, evidence)
    thin = _thin_nodes(question, prompt, evidence) if prompt.wide and not ended else []
    enough = bool(evidence) and not queries and not thin
    return Reflection(
        has_enough_context=enough,
        confidence=round(len(covered) / max(1, len(covered) + len(missing)), 2),
        covered_aspects=covered,
        missing_aspects=[] if computed or broad else missing,
        contradictions=contradictions_in(evidence),
        outdated=_outdated(prompt, evidence),
        thin_nodes=thin,
        reasoning=_reasoning(enough, bool(queries or thin), is_chinese(prompt.locale)),
        follow_up_queries=queries,
        steps=[_verdict(finding, prompt.max_step_attempts, question) for finding in prompt.findings],
    )


def _verdict(finding: FindingView, most: int, question: str) -> StepVerdict:
    redo = finding.status == "failed" and finding.step_type == "research" and finding.attempts < most
    return StepVerdict(step_id=finding.step_id, redo=redo, feedback=" ".join(tokens(question)) if redo else "")


def _thin_nodes(question: str, prompt: ReflectorPrompt, evidence: Sequence[EvidenceView]) -> list[ThinNode]:
    """Return a new query for each thin node.

    The query is the node's topic, then the topic with a name from the evidence, then the topic with a general facet.
    """
    done = [frozenset(tokens(f"{finding.title} {finding.description}")) for finding in prompt.findings]
    thin: list[ThinNode] = []
    for node in (node for node in prompt.outline if node.thin):
        for query in _queries_for(node, question, evidence):
            wanted = frozenset(tokens(query))
            if wanted and not any(wanted <= earlier for earlier in done):
                done.append(wanted)
                thin.append(ThinNode(node=node.id, query=query))
                break
    return thin


def _queries_for(node: NodeView, question: str, evidence: Sequence[EvidenceView]) -> list[str]:
    topic = statement_of(node.wanted or node.title)[:LONGEST_TOPIC]
    own = frozenset(terms(f"{node.title} {node.wanted}"))
    ranked = sorted(evidence, key=lambda excerpt: -len(own & _held(excerpt)))
    facets = FACETS_CHINESE if has_cjk(topic) else FACETS
    beside = [*_new_names(question, ranked[:NAMED_BY])[:MAX_FOLLOW_UPS], *facets]
    return [topic, *(f"{topic} {word}" for word in beside)]


def _outdated(prompt: ReflectorPrompt, evidence: Sequence[EvidenceView]) -> list[str]:
    quotes = [DatedQuote(excerpt.id, excerpt.quote, excerpt.published) for excerpt in evidence]
    return outdated_quotes(prompt.question, prompt.today, quotes) if prompt.dated else []


def _follow_ups(question: str, prompt: ReflectorPrompt, evidence: Sequence[EvidenceView]) -> list[str]:
    """Return queries about a thing that the question describes and only the evidence names.

    After the first replan, only names that no step has searched for are used.
    """
    wanted = [term for term in content(question) if term not in GENERIC]
    ranked = sorted(evidence, key=lambda excerpt: -len(set(wanted) & _held(excerpt)))
    held = frozenset[str]().union(*map(_held, evidence))
    together = frozenset[str]().union(*map(_held, ranked[:2]))
    uncovered = [term for term in wanted if term not in held]
    lacking = uncovered or [term for term in wanted if term not in together]
    rest = _words_of(lacking, question)
    if not lacking or not _is_open(question, wanted, uncovered, held, prompt.plan_iterations) or not tokens(rest):
        return []
    followed = " ".join(finding.title for finding in prompt.findings if prompt.plan_iterations > 1).lower()
    names = [name for name in _new_names(question, ranked[:NAMED_BY]) if name.lower() not in followed]
    return [_query_about(name, rest, question) for name in names[:MAX_FOLLOW_UPS]]


def _held(excerpt: EvidenceView) -> frozenset[str]:
    return frozenset(terms(f"{excerpt.quote} {excerpt.title}"))


def _is_open(
    question: str, wanted: Sequence[str], uncovered: Sequence[str], held: frozenset[str], round_number: int
) -> bool:
    """Tell whether a further search is due: a name of the question was not found, or too many of its terms are uncovered.

    If excerpts hold few of the question's terms, their names are not followed; many character pairs of Chinese
    questions are not words.
    """
    named = [own for name in names_in(question) if (own := set(terms(name)))]
    if named and sum(len(own - held) / len(own) for own in named) / len(named) >= OPEN:
        return True
    if 2 * len(uncovered) > len(wanted) and not has_cjk(question):
        return False
    if describes(question):
        return round_number == 1 or len(uncovered) >= OPEN_DESCRIBED * len(wanted)
    return len(uncovered) >= max(2, OPEN * len(wanted)) and not has_cjk(question)


def _words_of(lacking: Sequence[str], question: str) -> str:
    """Return the words of the question that hold the terms, in the question's order."""
    if has_cjk(question):
        parts = re.split(r"[的，。？、\s]|是|在|后来又?|那[个项位种]", statement_of(question))
        return " ".join(dict.fromkeys(part for part in parts if set(terms(part)) & set(lacking)))
    return " ".join(word for word in re.findall(r"[\w'’-]+", question) if set(terms(word)) & set(lacking))


def _query_about(name: str, rest: str, question: str) -> str:
    """Ask the remaining part of a question about a name, as a person would search: `Where was William Thomson born`."""
    words, last = question.rstrip("?？. ").split(), rest.rsplit(maxsplit=1)[-1]
    opening = next((words[: place + 1] for place, word in enumerate(words[:5]) if word.lower() in _AUXILIARY), [])
    tail = next((words[place:] for place in range(len(words)) if words[place].strip(",;:") == last), [])
    return " ".join([*opening, name, *tail]) if opening and 0 < len(tail) <= MAX_TAIL else f"{name} {rest}"


def _new_names(question: str, evidence: Sequence[EvidenceView]) -> list[str]:
    """Return names in the evidence that are not in the question: persons first if it asks for a person, then by frequency."""
    known = set(tokens(question))
    person = (
        answer_type(question) == "person"
        or re.search(r"\b(?:born|die[ds]?|\w+(?:or|er|ist|ian))\b|人|者|师|出生", question) is not None
    )
    counts = Counter[str]()
    for excerpt in evidence:
        persons = [without_form_of_address(name) for name in persons_in(excerpt.quote)]
        chinese = _CHINESE_NAME.findall(excerpt.quote) if has_cjk(excerpt.quote) else ()
        for name in dict.fromkeys(map(without_form_of_address, [*persons, *names_in(excerpt.quote), *chinese])):
            if set(tokens(name)) - known and not re.fullmatch(r"[\d\W]+", name):
                counts[name] += (
                    PERSON if name in persons and person else LONG_NAME if " " in name or has_cjk(name) else 1
                )
    if person and any(score >= PERSON for score in counts.values()):
        every = {name for excerpt in evidence for name in map(without_form_of_address, persons_in(excerpt.quote))}
        counts = Counter({name: score for name, score in counts.items() if name in every})
    return [name for name, _ in counts.most_common()]


def _reasoning(enough: bool, follows: bool, chinese: bool) -> str:
    if enough:
        return "继续查找不会有更多收获。" if chinese else "The excerpts name nothing that leads further."
    if follows:
        return (
            "摘录中出现了新的名称，需要据此继续查找。"
            if chinese
            else "The excerpts reveal a name that leads to the rest."
        )
    return "没有找到足够的证据。" if chinese else "Too little evidence was found."
