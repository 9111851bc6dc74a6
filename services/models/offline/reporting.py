"""The offline reporter: arranges extracted sentences into a report, each with its citation."""

import re
from collections import Counter

from services.evidence.passages import sentences
from services.models.offline.answers import answer_type, fit
from services.models.offline.language import clauses_of, listed_in
from services.models.offline.meaning import nearness
from services.models.offline.sections import Evidence, Finding, Prompt, evidence_of, findings_of
from services.models.offline.terms import terms, worth
from services.search.tokens import has_cjk, tokens

MAX_POINTS = 5
MAX_CONCLUSION = 4
AGAIN = 0.35
"""What a term of the question is worth once an excerpt before has held it."""
_RELEVANCE = {"high": 0.15, "medium": 0.08}


def report(prompt: Prompt) -> str:
    """Write the report, and below it the questions to ask next."""
    findings = [finding for finding in findings_of(prompt) if finding.evidence]
    background = evidence_of(Prompt(prompt.one("background").body))
    ranked = _ranked(prompt.question, findings, background)
    if not ranked:
        return "没有找到证据。" if prompt.chinese else "No evidence was found."
    if prompt.settings["length"] == "answer":
        return short_answer(prompt.question, ranked, prompt.settings["locale"])
    chinese = prompt.chinese
    leading = _leading_of_each(prompt.question, findings) or _leading(prompt.question, ranked, most=MAX_CONCLUSION)
    length = prompt.settings["length"]
    points = _points(ranked, leading, 3 if length == "brief" else MAX_POINTS)
    parts = [
        f"# {prompt.question.rstrip('?？ ')}",
        f"**TL;DR** {_cited(_short(prompt.question, leading))}",
        f"## {'结论' if chinese else 'Conclusion'}",
        _cited(leading),
        *(_sections(findings) if length == "full" else []),
        f"## {'证据' if chinese else 'Evidence'}",
        *points,
    ]
    asides = [one.attributes.get("topic", "") for one in prompt.all("contradiction")]
    questions = _questions(prompt, ranked, asides)
    return "\n\n".join(part for part in parts if part) + ("\n\n===\n" + "\n".join(questions) if questions else "")


def short_answer(question: str, evidence: list[Evidence], locale: str) -> str:
    """Answer a question from evidence in a few sentences, each with its citation."""
    return _cited(_to_the_point(question, _leading(question, _ranked(question, [], evidence), most=3)))


def _sections(findings: list[Finding]) -> list[str]:
    """Return a section for each step with all that it found, a paragraph a source; nothing is said twice."""
    parts: list[str] = []
    told: list[str] = []
    for finding in findings:
        paragraphs: dict[str, list[tuple[str, str]]] = {}
        for one in finding.evidence:
            if not any(_alike(one.quote, earlier) for earlier in told):
                told.append(one.quote)
                paragraphs.setdefault(one.source, []).append((" ".join(one.quote.split()), one.id))
        if paragraphs:
            parts += [f"## {finding.title}", *map(_cited, paragraphs.values())]
    return parts


def _ranked(question: str, findings: list[Finding], background: list[Evidence]) -> list[Evidence]:
    """Order evidence so that what comes first tells most, and what follows tells what is still untold.

    Results of computations come first. After the best excerpt, terms of the question that it holds count for little, so
    that the other half of a question in two parts is not outdone by more of the first half.
    """
    left = [one for finding in findings for one in finding.evidence] or list(background)
    left = list({(one.source, one.quote): one for one in reversed(left)}.values())[::-1]
    held = {one.id: frozenset(terms(f"{one.quote} {one.source}")) for one in left}
    values = worth(terms(question), list(held.values()), "\n".join(one.quote for one in left))
    total = sum(values.values()) or 1.0
    clauses = clauses_of(question)
    fits = {one.id: max(fit(part, answer_type(part), one.quote) for part in clauses) for one in left}
    near_by = nearness(question, [one.quote for one in left])
    ranked: list[Evidence] = []
    told: Counter[str] = Counter()
    while left:

        def merit(one: Evidence) -> float:
            own = sum(value * AGAIN ** told[term] for term, value in values.items() if term in held[one.id]) / total
            own = max(own, near_by.get(one.quote, 0.0))
            return (
                own
                + 0.25 * fits[one.id] * min(1.0, 2 * own)
                + _RELEVANCE.get(one.relevance, 0.0)
                + 9.0 * (one.kind == "computation")
            )

        best = max(left, key=merit)
        left.remove(best)
        ranked.append(best)
        told.update(held[best.id] & values.keys())
    return ranked


def _leading(question: str, ranked: list[Evidence], most: int) -> list[tuple[str, str]]:
    """Return the sentences that answer, with their excerpts."""
    computed = [one for one in ranked if one.kind == "computation"]
    if computed:
        in_order = sorted(computed, key=lambda one: [int(part) for part in re.findall(r"\d+", one.id)])
        return [(one.quote.strip(), one.id) for one in in_order[: MAX_CONCLUSION + 4]]
    chosen: list[tuple[str, str]] = []
    for one in ranked:
        for sentence in _best_sentences(question, one):
            if len(chosen) < most and not any(_alike(sentence, other) for other, _ in chosen):
                chosen.append((sentence, one.id))
    return chosen


def _leading_of_each(question: str, findings: list[Finding]) -> list[tuple[str, str]]:
    """Return what tells most about each of the things that a question lists, where they had a step each."""
    listed = [item for clause in clauses_of(question) for item in listed_in(clause)]
    apart = [one for one in findings if any(one.title.lower().startswith(f"{item}:".lower()) for item in listed)]
    if len(apart) < len(listed) or not listed:
        return []
    chosen: list[tuple[str, str]] = []
    for one in findings:
        about = one.title.split(":")[0]
        fresh = [item for item in _ranked(about, [one], []) if not any(_alike(item.quote, told) for told, _ in chosen)]
        chosen += [(" ".join(item.quote.split()), item.id) for item in fresh[:1]]
    return chosen


def _to_the_point(question: str, leading: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Keep the sentences that say at least half as much about the question as the best one; at just half, what is new.

    Where none has a word of the question, as what was found by meaning may, the first stands for all.
    """
    wanted = set(tokens(question))
    said = [wanted & set(tokens(sentence)) for sentence, _ in leading]
    most = max(map(len, said))
    kept: list[tuple[str, str]] = []
    told: set[str] = set()
    for one, terms_said in zip(leading, said, strict=True):
        if 2 * len(terms_said) > most or (2 * len(terms_said) == most and terms_said - told):
            kept.append(one)
            told |= terms_said
    return kept or leading[:1]


def _best_sentences(question: str, one: Evidence) -> list[str]:
    """Return the sentence of an excerpt that says most, with the one it leans on."""
    if one.kind == "computation":
        return [one.quote.strip()]
    spans = sentences(one.quote)
    if len(spans) <= 2:
        return (
            [" ".join(one.quote.split())]
            if len(one.quote) < 420
            else [one.quote[span.start : span.end] for span in spans[:1]]
        )
    wanted = set(tokens(question))
    texts = [" ".join(one.quote[span.start : span.end].split()) for span in spans]
    kind, near_by = answer_type(question), nearness(question, texts)

    def merit(text: str) -> float:
        return len(wanted & set(tokens(text))) + 10 * near_by.get(text, 0.0) + 1.5 * fit(question, kind, text)

    return [max(texts, key=merit)]


def _short(question: str, leading: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what opens the report: two of its sentences; of a long computation its first and its last.

    A question that ends in its verb (`Where was the man who … born?`) is answered by the sentence that has that verb and
    a place, a date or a number: it comes first, wherever the way to it led.
    """
    if len(leading) > MAX_CONCLUSION:
        return [leading[0], leading[-1]]
    kind, words = answer_type(question), tokens(question)
    if kind in {"place", "date", "number"} and words and not has_cjk(question):
        answering = [one for one in leading if words[-1] in tokens(one[0]) and fit(question, kind, one[0]) == 1.0]
        leading = [*answering[:1], *(one for one in leading if one not in answering[:1])]
    return leading[:2]


def _alike(one: str, other: str) -> bool:
    left, right = set(tokens(one)), set(tokens(other))
    return not left or len(left & right) >= 0.8 * min(len(left), len(right))


def _cited(sentences_and_ids: list[tuple[str, str]]) -> str:
    """Join sentences, each with its citation before the full stop."""
    parts = []
    pairs = [
        (whole[span.start : span.end], excerpt_id)
        for whole, excerpt_id in ((_as_prose(sentence), excerpt_id) for sentence, excerpt_id in sentences_and_ids)
        for span in sentences(whole)
    ]
    for bare, excerpt_id in pairs:
        stop = bare[-1] if bare[-1:] in ".!?。！？" else ("。" if has_cjk(bare) else ".")
        body = bare[:-1] if bare[-1:] in ".!?。！？" else bare
        parts.append(f"{body} [{excerpt_id}]{stop}")
    return " ".join(parts)


def _as_prose(text: str) -> str:
    """Take list marks, heading marks, table bars and inner full stops' line breaks out of a sentence."""
    text = re.sub(r"^\s*(?:[-*+>#]+|\d+[.)])\s+", "", text)
    text = re.sub(r"\s*\|\s*", " · ", text.strip("| \n")) if "|" in text else text
    return " ".join(text.split()).rstrip(" ;；,，:：")


def _points(ranked: list[Evidence], leading: list[tuple[str, str]], most: int) -> list[str]:
    """Return evidence points: the source, and below it the verbatim excerpt; those behind the conclusion come first."""
    used = [excerpt_id for _, excerpt_id in leading]
    order = sorted(ranked, key=lambda one: used.index(one.id) if one.id in used else len(used))
    points: list[str] = []
    seen: list[str] = []
    for one in order:
        if len(points) < most and not any(_alike(one.quote, other) for other in seen):
            seen.append(one.quote)
            points.append(f"**{one.source}** [{one.id}]\n\n> {' '.join(one.quote.split())} [{one.id}]")
    return points


def _questions(prompt: Prompt, ranked: list[Evidence], contradictions: list[str]) -> list[str]:
    """Suggest what to ask next: what is missing, what is disputed, and the sources that were named besides."""
    chinese = prompt.chinese
    missing = [
        " ".join(one.body.split())
        for one in Prompt(re.sub(r"(?s)<findings>.*?</findings>", "", prompt.text)).all("missing")
    ]
    asked = [f"关于“{one}”还有什么资料？" if chinese else f"What else is known about: {one}?" for one in missing]
    asked += [
        f"关于“{one}”，哪个数据更可靠？" if chinese else f"Which figure is right on: {one}?"
        for one in contradictions
        if one
    ]
    titles = list(dict.fromkeys(one.source for one in ranked if one.kind != "computation"))
    asked += [f"《{one}》还说明了什么？" if chinese else f"What else does “{one}” say?" for one in titles]
    return list(dict.fromkeys(asked))[:3]
