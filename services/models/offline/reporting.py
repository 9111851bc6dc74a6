"""The offline reporter: arranges extracted sentences into a report, each with its citation.

Where no sentence answers it says so, and shows what comes nearest.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.evidence.passages import sentences
from services.models.offline.answering import Answered, answer, by_relevance, parts_of
from services.models.offline.answers import answer_type, fit
from services.models.offline.charting import chart_of
from services.models.offline.computing import asked_parts
from services.models.offline.language import clauses_of, compared_in, describes, listed_in
from services.models.offline.recommending import asks_what_is_said
from services.models.offline.sections import Evidence, Finding, Prompt, evidence_of, findings_of
from services.models.offline.weighing import alike
from services.models.offline.wording import as_prose
from services.search.tokens import has_cjk, tokens

MAX_POINTS = 6
MAX_CONCLUSION = 4
MAX_ANSWER = 3
COMPUTED = 8
"""Lines of computations that a conclusion can have."""


def report(prompt: Prompt) -> str:
    """Write the report, and below it the questions to ask next."""
    findings = [finding for finding in findings_of(prompt) if finding.evidence]
    background = evidence_of(Prompt(prompt.one("background").body))
    evidence = _each_once([one for finding in findings for one in finding.evidence])
    if not evidence and not background:
        return "没有找到证据。" if prompt.chinese else "No evidence was found."
    chinese, length = prompt.chinese, prompt.settings["length"]
    if length == "answer":
        return written(_best_told(prompt.question, [], evidence, background, MAX_ANSWER), chinese)
    told = _best_told(prompt.question, findings, evidence, background, MAX_CONCLUSION)
    conclusion = written(told, chinese)
    short = _short(prompt.question, told, chinese)
    points = _points(prompt.question, findings, background, told, 3 if length == "brief" else MAX_POINTS)
    parts = [
        f"# {' '.join(prompt.question.split())}",
        f"**TL;DR** {short}" if any(one.whole for one in told) else short,
        *([f"## {'结论' if chinese else 'Conclusion'}", conclusion] if conclusion != short else []),
        chart_of([pair for part in told if part.computed for pair in part.sentences]),
        *(_sections(findings) if length == "full" else []),
        *([f"## {'证据' if chinese else 'Evidence'}", *points] if points else []),
    ]
    questions = _questions(prompt)
    return "\n\n".join(part for part in parts if part) + ("\n\n===\n" + "\n".join(questions) if questions else "")


def _best_told(
    question: str,
    findings: Sequence[Finding],
    evidence: Sequence[Evidence],
    background: Sequence[Evidence],
    most: int,
) -> "list[Part]":
    """Return what a report tells; background evidence helps only where more parts are answered with it than without."""
    if not evidence:
        return _told(question, findings, background, most)
    told = _told(question, findings, evidence, most)
    if not background or all(one.whole and one.sentences for one in told):
        return told
    aided = _told(question, findings, _each_once([*evidence, *background]), most)
    return max(told, aided, key=lambda parts: sum(one.whole and bool(one.sentences) for one in parts))


def short_answer(question: str, evidence: list[Evidence], chinese: bool) -> str:
    """Answer a question from evidence in a few sentences, each with its citation; say so where it does not answer."""
    return written(_told(question, [], evidence, MAX_ANSWER), chinese)


@dataclass(frozen=True, slots=True)
class Part:
    """What is told on one part of a question."""

    asked: str
    """The part, where there are several."""
    sentences: tuple[tuple[str, str], ...]
    """With their excerpts."""
    whole: bool
    computed: bool = False
    named: bool = False
    """Whether the part is a thing that is set beside others, and so named."""


def _told(
    question: str, findings: Sequence[Finding], evidence: Sequence[Evidence], most: int = MAX_CONCLUSION
) -> list[Part]:
    """Return what a report tells, part by part."""
    computed = [one for one in evidence if one.kind == "computation"]
    if computed:
        in_order = sorted(computed, key=lambda one: [int(part) for part in re.findall(r"\d+", one.id)])
        return [Part("", tuple((one.quote.strip(), one.id) for one in in_order[:COMPUTED]), whole=True, computed=True)]
    apart = _apart(question, findings)
    if apart:
        return apart
    return [_part(one, question) for one in answer(question, evidence, most)]


def _part(one: Answered, question: str) -> Part:
    several = len(parts_of(question)) > 1
    return Part(
        re.sub(r"[。；;！!]", "，", one.clause) if several else "",
        tuple((unit.text, unit.excerpt) for unit in one.units),
        one.whole,
    )


def _apart(question: str, findings: Sequence[Finding]) -> list[Part]:
    """Return what tells most about each of the things that a question lists or compares, where they had a step each."""
    things = [item for clause in clauses_of(question) for item in listed_in(clause)] or list(
        compared_in(question) or ()
    )
    steps = [
        (thing, one)
        for thing in things
        for one in findings
        if one.title.lower() == thing.lower() or one.title.lower().startswith(f"{thing}:".lower())
    ]
    if not things or len({thing for thing, _ in steps}) < len(things):
        return []
    parts: list[Part] = []
    told: list[str] = []
    for thing, one in steps:
        fresh = [item for item in one.evidence if not any(alike(item.quote, earlier) for earlier in told)]
        [found, *_] = answer(one.title.replace(":", " "), fresh or one.evidence, 2)
        told += [unit.text for unit in found.units]
        parts.append(
            Part(thing, tuple((unit.text, unit.excerpt) for unit in found.units), bool(found.units), named=True)
        )
    return parts


def written(parts: Sequence[Part], chinese: bool, most: int | None = None) -> str:
    """Write what is told: what answers, then what comes near, and which parts nothing is said about."""
    answered = [one for one in parts if one.whole and one.sentences]
    near = [one for one in parts if not one.whole and one.sentences]
    told = dict.fromkeys(pair for one in near for pair in one.sentences[:most])
    missing = [one for one in parts if not one.sentences and not one.whole]
    lines: list[str] = []
    if any(one.named for one in answered) and most is None:
        lines += [f"### {_capital(one.asked)}\n\n{cited(one.sentences)}" for one in answered]
    elif answered:
        lines.append(" ".join(cited(one.sentences[:most]) for one in answered))
    if near:
        about = "；".join(one.asked for one in near if one.asked) if len(parts) > 1 else ""
        opening = _near(about, chinese)
        lines += [opening, cited(list(told))]
    if missing:
        some = len(missing) < len(parts)  # where nothing at all is told, that says it
        about = ("；" if chinese else "; ").join(one.asked for one in missing if one.asked) if some else ""
        lines.append(_nothing(about, chinese))
    return "\n\n".join(lines)


def _near(about: str, chinese: bool) -> str:
    if chinese:
        on = f"对“{about}”" if about else "对这个问题"
        return f"找到的资料没有{on}的直接回答。最接近的内容："
    on = f" “{about}”" if about else " this"
    return f"The sources found do not answer{on} directly. What comes nearest:"


def _nothing(about: str, chinese: bool) -> str:
    if chinese:
        return f"找到的资料没有提到“{about}”的答案。" if about else "找到的资料没有提到这个问题的答案。"
    return f"The sources found do not tell: {about}." if about else "The sources found do not answer this question."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _each_once(evidence: Sequence[Evidence]) -> list[Evidence]:
    return list({(one.source, one.quote): one for one in reversed(evidence)}.values())[::-1]


def _sections(findings: list[Finding]) -> list[str]:
    """Return a section for each step with all that it found, a paragraph a source; nothing is said twice."""
    parts: list[str] = []
    told: list[str] = []
    for finding in findings:
        paragraphs: dict[str, list[tuple[str, str]]] = {}
        for one in finding.evidence:
            if not any(alike(one.quote, earlier) for earlier in told):
                told.append(one.quote)
                paragraphs.setdefault(one.source, []).append((" ".join(one.quote.split()), one.id))
        if paragraphs:
            parts += [f"## {finding.title}", *map(cited, paragraphs.values())]
    return parts


def _short(question: str, parts: list[Part], chinese: bool) -> str:
    """Return what opens the report: the best sentence of each part; of a single part two, of a computation as many as parts.

    A question that ends in its verb (`Where was the man who … born?`) is answered by the sentence that has that verb and
    a place, a date or a number: it comes first, wherever the way to it led.
    """
    if len(parts) > 1:
        return written(parts, chinese, most=1)
    [one] = parts
    told = list(one.sentences)
    if one.computed:
        steps = {excerpt.split("-")[0] for _, excerpt in told}
        answers = [pair for pair in told if pair[1].endswith("-1")] if len(steps) > 1 else told
        return cited(answers[: max(2, len(asked_parts(question)))])
    kind, words = answer_type(question), tokens(question)
    if kind in {"place", "date", "number"} and words and describes(question) and not has_cjk(question):
        answering = [pair for pair in told if words[-1] in tokens(pair[0]) and fit(question, kind, pair[0]) == 1.0]
        told = [*answering[:1], *(pair for pair in told if pair not in answering[:1])]
    return written([Part(one.asked, tuple(told), one.whole)], chinese, most=2)


def cited(sentences_and_ids: Sequence[tuple[str, str]]) -> str:
    """Join sentences, each with its citation before the full stop, and each once: excerpts may begin with the same one."""
    parts = []
    once: dict[str, str] = {}
    for sentence, excerpt_id in sentences_and_ids:
        whole = as_prose(sentence)
        for span in sentences(whole):
            once.setdefault(whole[span.start : span.end], excerpt_id)
    for bare, excerpt_id in once.items():
        stop = bare[-1] if bare[-1:] in ".!?。！？" else ("。" if has_cjk(bare) else ".")
        body = bare[:-1] if bare[-1:] in ".!?。！？" else bare
        parts.append(f"{body} [{excerpt_id}]{stop}")
    return " ".join(parts)


def _points(
    question: str, findings: Sequence[Finding], background: Sequence[Evidence], parts: Sequence[Part], most: int
) -> list[str]:
    """Return evidence points: the source, and below it the verbatim excerpt; those behind what is told come first.

    Then comes what says most on each step that nothing is told of, since somebody wanted it looked up, and what says most
    besides: a sentence that rules have passed over may be the one that a reader looks for; all in a language that something is
    told in, since likeness across languages is weak. Where nothing answers, there is none.
    """
    evidence = [one for finding in findings for one in finding.evidence] or list(background)
    used = [excerpt for part in parts for _, excerpt in part.sentences]
    by_id = {one.id: one for one in [*background, *evidence]}
    points: list[str] = []
    seen: list[str] = []
    others: list[Evidence] = []
    said = any(asks_what_is_said(question, one.source) for one in evidence)
    if used and not said and not any(by_id[name].kind == "computation" for name in used):
        untold = (one for one in findings if not any(found.id in used for found in one.evidence))
        languages = {has_cjk(by_id[name].quote) for name in used}
        nearest = [(by_relevance(one.title, one.evidence) or one.evidence)[0] for one in untold]
        near = [*nearest, *by_relevance(question, _each_once(evidence))]
        others = [one for one in near if has_cjk(one.quote) in languages]
    for one in [*(by_id[name] for name in dict.fromkeys(used)), *others]:
        if len(points) < most and not any(alike(one.quote, other) for other in seen):
            seen.append(one.quote)
            points.append(f"**{one.source}** [{one.id}]\n\n> {' '.join(one.quote.split())} [{one.id}]")
    return points


def _questions(prompt: Prompt) -> list[str]:
    """Suggest what to ask next: what is missing, and what is disputed."""
    chinese = prompt.chinese
    disputed = [one.attributes.get("topic", "") for one in prompt.all("contradiction")]
    return [
        f"关于“{one}”，哪个数据更可靠？" if chinese else f"Which figure is right on: {one}?" for one in disputed if one
    ][:3]
