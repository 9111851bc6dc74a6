"""The offline coordinator: determines intent, language and complexity, and completes the question."""

import re

from schemas.coordinator import CoordinatorPrompt, Intent, Triage
from schemas.profile import Profile, Topic
from services.embedding.translation_similarity import in_both_languages
from services.models.offline.digests import digest_topic
from services.models.offline.follow_ups import complete_question, judge_known
from services.models.offline.openings import short_answer
from services.models.offline.question_shape import asks_for_computation, compared_in, describes
from services.run.ui_text import is_chinese, say
from services.text.languages import locale_of
from services.text.questions import clauses_of
from services.text.tokens import has_cjk, tokens

LONGEST_QUESTION = 2_000
"""Maximum characters of a question that are read: some patterns try every two positions in it."""
LONGEST_SIMPLE = 10
"""Maximum words of a question that one search can answer; two Chinese characters count as a word."""
_GREETING = re.compile(
    r"^(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|thanks?(?: you)?(?: (?:very|so) much)?|bye|goodbye|"
    r"你好|您好|嗨|哈喽|早上好|下午好|晚上好|谢谢(?:你|您)?|多谢|再见)(?:[\s,，]+(?:there|all|everyone|leadline|大家|呀|啊))?[\s!！.。~～,，😊🙂]*$",
    re.IGNORECASE,
)
_NOT_RESEARCH = re.compile(
    r"^\s*(?:please\s+)?(?:(?:can|could) you\s+)?(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e (?:this|the following)|"
    r"write (?:me )?(?:a|an) (?:poem|story|email|letter|song)|correct (?:this|the grammar))\b|^\s*(?:请|帮我|请帮我)?(?:翻译|改写|润色|校对|总结以下|概括以下|写一?[首封篇])",
    re.IGNORECASE,
)
_COMPLEX = re.compile(
    r"\b(?:compare|versus|vs|why|should|better|best|advantages?|disadvantages?|pros|cons|steps|procedure|how (?:to|do|does|did|can|should)|"
    r"explain|history|develop|differ\w*|relationship|impact|effects?|role|whose|that|who|which|after|before|contradict\w*|disagree\w*)\b"
    r"|到底|究竟|有效|还是|能不能|更[快慢好多少高低大小]|还能|比较|区别|差异|不同|为什么|为何|如何|怎么|怎样|应该|建议|步骤|流程|影响|关系|机制|历史|发展|"
    r"优缺点|方案|哪些|以及|分别|分歧|矛盾|一致",
    re.IGNORECASE,
)
_LONE_TERM = re.compile(r"^\W*(?:what|who|how|why|where|when|which|define|explain|tell)\b.*?\w", re.IGNORECASE)
"""A question word before a term: `What is zstd?` asks about a term of any letters."""


def triage(prompt: CoordinatorPrompt) -> Triage:
    """Classify a message and decide how the run answers it."""
    message = " ".join(prompt.question.split())[:LONGEST_QUESTION]
    locale = locale_of(message) if prompt.locale in {"", "auto"} else prompt.locale
    question, filled = (message, "") if _GREETING.match(message) else complete_question(prompt, message)
    intent, reason, category = _intent(message, question, prompt.profile)
    answered, uses, missing = judge_known(question, prompt.known)
    simple = _is_simple(question)
    known = [excerpt for excerpt in prompt.known if excerpt.id in uses]
    return Triage(
        intent=intent,
        confidence=0.9 if intent != "unclear" else 0.6,
        category=category,
        reason=reason,
        question=question if question != message else " ".join(prompt.question.split()),
        rewritten=question != message,
        rewriting=filled,
        locale=locale,
        complexity="simple" if simple else "complex",
        reply=_reply(intent, locale, prompt.profile),
        answered=answered,
        uses=uses,
        missing=missing,
        answer=short_answer(question, known, is_chinese(locale)) if simple and answered == "whole" else "",
    )


def _intent(message: str, question: str, profile: Profile | None) -> tuple[Intent, str, str]:
    """Return intent, reason, and the matching topic of the profile."""
    if _GREETING.match(message):
        return "greeting", "It is a greeting.", ""
    if _NOT_RESEARCH.match(message):
        return "not_research", "It asks for work on a given text.", ""
    words = tokens(question)
    lone = len(words) == 1 and not has_cjk(question) and not _LONE_TERM.match(question)
    if not words or (lone and (len(words[0]) < 3 or not re.search(r"[aeiouy\d]", words[0]))):
        return "unclear", "It names nothing to look for.", ""
    if profile is None:
        return "in_scope", "There is no profile, so everything is in scope.", ""
    return _scope(question, profile)


def _scope(question: str, profile: Profile) -> tuple[Intent, str, str]:
    topics = [*profile.scope.core, *profile.scope.edge, *profile.scope.outside]
    described = " ".join([profile.description, *(f"{topic.topic} {' '.join(topic.keywords)}" for topic in topics)])
    question = in_both_languages(question, described)
    words = set(tokens(question))
    best: tuple[int, Intent, str] = (0, "in_scope", "")
    scopes: list[tuple[Intent, list[Topic]]] = [
        ("in_scope", profile.scope.core),
        ("edge_case", profile.scope.edge),
        ("out_of_scope", profile.scope.outside),
    ]
    for intent, listed in scopes:
        for topic in listed:
            named = sum(keyword.lower() in question.lower() for keyword in topic.keywords)
            score = 2 * named + len(set(tokens(topic.topic)) & words)
            if score > best[0]:
                best = (score, intent, topic.topic)
    if best[0]:
        return best[1], f"It matches the topic {best[2]}.", best[2]
    if set(tokens(profile.description)) & words or not profile.scope.core:
        return "in_scope", "It fits the profile's description.", ""
    return "out_of_scope", "It matches no topic of the profile.", ""


def _reply(intent: Intent, locale: str, profile: Profile | None) -> str:
    ready = "" if profile is None or intent == "in_scope" else getattr(profile.replies, intent, "")
    if ready or intent in {"in_scope", "edge_case"}:
        return str(ready)
    if intent != "not_research":
        return say(intent, locale)
    return say("needs_model", locale, reply=say(intent, locale).rstrip("。"))


def _is_simple(question: str) -> bool:
    """Tell whether one search can answer the question: one short clause about one thing."""
    chinese = has_cjk(question)
    words = len(re.sub(r"\W", "", question)) / 2 if chinese else len(question.split())
    inner = question if chinese else question.partition(" ")[2]
    parts = len(clauses_of(question)) > 1 or compared_in(question) is not None
    return not (
        words > LONGEST_SIMPLE
        or parts
        or asks_for_computation(question)
        or describes(question)
        or digest_topic(question) is not None
        or _COMPLEX.search(inner)
    )
