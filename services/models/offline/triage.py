"""The offline coordinator: intent, language, complexity and a question that stands alone, by rules."""

import re

from schemas.coordinator import Intent, Triage
from services.messages import is_chinese, say
from services.models.offline.computing import asks_for_computation
from services.models.offline.following import judged, standing_alone
from services.models.offline.language import clauses_of, compared_in, describes
from services.models.offline.meaning import in_both_languages
from services.models.offline.reporting import short_answer
from services.models.offline.sections import Prompt, evidence_of
from services.search.tokens import has_cjk, tokens

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
    r"|到底|究竟|有没有用|有效|还是|能不能|更[快慢好多少高低大小]|还能|比较|区别|差异|不同|为什么|为何|如何|怎么|怎样|应该|建议|步骤|流程|影响|关系|机制|历史|发展|优缺点|方案|哪些|以及|分别|分歧|矛盾|一致",
    re.IGNORECASE,
)
_LATIN_LOCALES = (
    ("de-DE", {"der", "die", "das", "und", "ist", "wie", "wer", "wann", "welche", "nicht"}),
    ("fr-FR", {"le", "les", "des", "est", "une", "qui", "quand", "quelle", "pourquoi", "dans"}),
    ("es-ES", {"el", "los", "las", "una", "quién", "cuándo", "qué", "cuál", "por", "cómo"}),
)


def triage(prompt: Prompt) -> Triage:
    """Decide what becomes of a message."""
    asked = prompt.question
    wanted = prompt.settings["locale"]
    locale = _language(asked) if wanted in {"", "auto"} else wanted
    question, filled = (asked, "") if _GREETING.match(asked) else standing_alone(asked, prompt)
    intent, reason, category = _intent(asked, question, prompt)
    answered, uses, missing = judged(question, prompt)
    simple = _simple(question)
    known = [one for one in evidence_of(Prompt(prompt.one("known").body)) if one.id in uses]
    return Triage(
        intent=intent,
        confidence=0.9 if intent != "unclear" else 0.6,
        category=category,
        reason=reason,
        question=prompt.full_question if question == asked else question,
        rewritten=question != asked,
        rewriting=filled if question != asked else "",
        locale=locale,
        complexity="simple" if simple else "complex",
        reply=_reply(intent, locale, prompt),
        answered=answered,
        uses=uses,
        missing=missing,
        answer=short_answer(question, known, is_chinese(locale)) if simple and answered == "whole" else "",
    )


def _language(text: str) -> str:
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja-JP"
    if re.search(r"[\uac00-\ud7af]", text):
        return "ko-KR"
    if has_cjk(text):
        return "zh-CN"
    words = set(re.findall(r"\w+", text.lower()))
    best = max(_LATIN_LOCALES, key=lambda one: len(words & one[1]))
    return best[0] if len(words & best[1]) >= 2 else "en-US"


def _intent(asked: str, question: str, prompt: Prompt) -> tuple[Intent, str, str]:
    if _GREETING.match(asked):
        return "greeting", "It is a greeting.", ""
    if _NOT_RESEARCH.match(asked):
        return "not_research", "It asks for work on a given text.", ""
    words = tokens(question)
    if not words or (
        len(words) == 1 and not has_cjk(question) and (len(words[0]) < 3 or not re.search(r"[aeiouy\d]", words[0]))
    ):
        return "unclear", "It names nothing to look for.", ""
    return _scope(question, prompt)


def _scope(question: str, prompt: Prompt) -> tuple[Intent, str, str]:
    profile = prompt.one("profile").body
    if not profile:
        return "in_scope", "There is no profile, so everything is in scope.", ""
    question = in_both_languages(question, profile)
    matched: dict[str, tuple[int, str]] = {}
    for kind, topic, keywords in re.findall(r"(?m)^(core|edge|outside): (.*?)(?: \(([^()]*)\))?$", profile):
        score = sum(keyword.lower() in question.lower() for keyword in keywords.split(", ") if keyword)
        score = 2 * score + len(set(tokens(topic)) & set(tokens(question)))
        if score > matched.get(kind, (0, ""))[0]:
            matched[kind] = (score, topic)
    if matched:
        best = max(matched, key=lambda kind: (matched[kind][0], kind == "core"))
        intents: dict[str, Intent] = {"core": "in_scope", "edge": "edge_case", "outside": "out_of_scope"}
        return intents[best], f"It matches the topic {matched[best][1]}.", matched[best][1]
    about = set(tokens(profile.split("\n", 1)[0]))
    if about & set(tokens(question)) or not re.search(r"(?m)^core: ", profile):
        return "in_scope", "It fits the profile's description.", ""
    return "out_of_scope", "It matches no topic of the profile.", ""


def _reply(intent: Intent, locale: str, prompt: Prompt) -> str:
    if intent == "in_scope":
        return ""
    ready = re.search(rf"(?m)^reply to {intent}: (.+)$", prompt.one("profile").body)
    if ready is not None:
        return ready.group(1)
    if intent == "edge_case":
        return ""
    if intent == "not_research":
        more = (
            "，而且没有连接语言模型，无法处理文字。"
            if is_chinese(locale)
            else " Without a language model it cannot be done here: set OPENAI_API_KEY."
        )
        return say(intent, locale).rstrip("。") + more
    return say(intent, locale)


def _simple(question: str) -> bool:
    """Tell whether one retrieval can answer: one short clause about one thing."""
    words = len(question.split()) if not has_cjk(question) else len(re.sub(r"\W", "", question)) / 2
    inner = question.split(maxsplit=1)[1] if " " in question else question
    return (
        words <= 10
        and len(clauses_of(question)) == 1
        and compared_in(question) is None
        and not asks_for_computation(question)
        and not describes(question)
        and _COMPLEX.search(inner if not has_cjk(question) else question) is None
    )
