"""Answers of a researcher's model that takes given sentences: it reads their numbers in the prompt, as a model does."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.rendered_prompts import prompt_of
from schemas.researcher import NumberedPassage, ResearcherPrompt


def passages_shown(body: dict[str, Any]) -> list[NumberedPassage]:
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    prompt = prompt_of("researcher", human)
    assert isinstance(prompt, ResearcherPrompt)
    return prompt.passages


def references_to(body: dict[str, Any], quotes: Iterable[str]) -> list[str]:
    """Name the sentences that hold each quote, in the first passage of a request that does; what no passage says is left out."""
    references = []
    for quote in quotes:
        words = " ".join(quote.split())
        for passage in passages_shown(body):
            start = passage.text.replace("\n", " ").find(words)
            if start >= 0:
                end = start + len(words)
                places = [place for place, (left, right) in enumerate(passage.spans, 1) if left < end and start < right]
                references.append(f"{passage.id}:{places[0]}-{places[-1]}")
                break
    return references


def quoting(*quotes: str, **others: object) -> Callable[[dict[str, Any]], str]:
    """Script an answer that takes these sentences.

    Args:
        quotes: the sentences; all are of high relevance.
        others: further fields of the answer.
    """
    fields = {"finding": " ".join(quotes), "confidence": 1, **others}

    def answer(body: dict[str, Any]) -> str:
        return json.dumps({"high": references_to(body, quotes), **fields})

    return answer
