"""A report with one sentence per excerpt, for models whose own report is unproven; code adds the citations."""

import re

from schemas.evidence_view import EvidenceView
from schemas.reporter import ReporterPrompt
from schemas.reporter_sentences import MAX_EXCERPTS, NumberedExcerpt, PassageSentences, ReporterSentencesPrompt
from services.evidence.citation_forms import plain_citations
from services.models import ask
from services.text.ranking import bm25
from services.text.tokens import tokens

SENTENCES = "reporter_sentences"
"""Stem of the template."""
SAME = 0.8
"""Minimum share of the shorter sentence's words in another sentence that says the same."""
_RELEVANCE = {"high": 2, "medium": 1}
_BRACKETS = re.compile(r"\[[^\[\]]{0,80}\]")


async def write_sentences(prompt: ReporterPrompt) -> str:
    """Ask for one sentence per excerpt, and return the report in Markdown, with a part for each finding.

    Args:
        prompt: the reporter's prompt; its most relevant excerpts are shown.

    Raises:
        LimitReached: the budget or the time left does not suffice for the call.
        ModelError: the endpoint failed, or no answer fits the schema.
    """
    parts = [(finding.title, finding.evidence) for finding in prompt.findings] + [("", prompt.background)]
    chosen = _most_relevant(prompt.question, [item for _, evidence in parts for item in evidence])
    variables = ReporterSentencesPrompt(
        **prompt.model_dump(include={"question", "locale", "tone"}),
        passages=[
            NumberedExcerpt(number=number, **item.model_dump(include={"title", "published", "about", "quote"}))
            for number, item in enumerate(chosen, 1)
        ],
    )
    answer = await ask("reporter", variables, PassageSentences, template=SENTENCES)
    said: dict[str, str] = {}
    for sentence in answer.sentences:
        if 1 <= sentence.number <= len(chosen) and (text := _bare(sentence.sentence)):
            said.setdefault(chosen[sentence.number - 1].id, text)
    said = _each_once(said, {item.id: item.quote for item in chosen})
    told = [
        (title, [f"{said[item.id]} [{item.id}]" for item in evidence if item.id in said]) for title, evidence in parts
    ]
    told = [(title, sentences) for title, sentences in told if sentences]
    if prompt.length == "answer":
        return " ".join(sentence for _, sentences in told for sentence in sentences)
    return "\n\n".join(
        (f"## {title}\n\n" if title and len(told) > 1 else "") + "\n".join(f"- {sentence}" for sentence in sentences)
        for title, sentences in told
    )


def _each_once(said: dict[str, str], quotes: dict[str, str]) -> dict[str, str]:
    """Drop a sentence that another one repeats, if the other is closer to its own excerpt."""
    words = {key: set(tokens(text)) for key, text in said.items()}
    shares = {key: len(words[key] & set(tokens(quotes[key]))) / max(1, len(words[key])) for key in said}
    told: list[str] = []
    for key in sorted(said, key=lambda key: -shares[key]):
        if not any(len(words[key] & words[other]) >= SAME * min(len(words[key]), len(words[other])) for other in told):
            told.append(key)
    return {key: text for key, text in said.items() if key in told}


def _most_relevant(question: str, evidence: list[EvidenceView]) -> list[EvidenceView]:
    """Return the excerpts most relevant to a question, in order; each quote once."""
    by_quote = {item.quote: item for item in reversed(evidence)}
    items = [item for item in evidence if by_quote[item.quote] is item]
    scores = bm25([tokens(item.quote) for item in items], tokens(question))
    ranked = sorted(range(len(items)), key=lambda place: (-_RELEVANCE.get(items[place].relevance, 0), -scores[place]))
    return [items[place] for place in sorted(ranked[:MAX_EXCERPTS])]


def _bare(sentence: str) -> str:
    """Return a sentence on one line, without its own citations."""
    return " ".join(_BRACKETS.sub("", plain_citations(sentence)).split())
