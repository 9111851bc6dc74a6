"""Separates the reasoning between `<think>` and `</think>` from a model's answer."""

import re

OPEN, CLOSE = "<think>", "</think>"
REASONING = "reasoning_content"
"""Key of the reasoning in a message, as DeepSeek, vLLM and llama.cpp name it."""
_TAG = re.compile(r"</?think>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """Split a text into answer and reasoning, also if the opening or closing tag is missing."""
    answer: list[str] = []
    thoughts: list[str] = []
    end, start = 0, -1
    for tag in _TAG.finditer(text):
        closes = tag.group().startswith("</")
        if closes and start < 0:  # the opening tag stood in the prompt
            thoughts += [*answer, text[end : tag.start()]]
            answer, end = [], tag.end()
        elif closes:
            thoughts.append(text[start : tag.start()])
            end, start = tag.end(), -1
        elif start < 0:
            answer.append(text[end : tag.start()])
            start = tag.end()
    if start >= 0:
        thoughts.append(text[start:])
    else:
        answer.append(text[end:])
    return "".join(answer).strip(), "\n".join(thought.strip() for thought in thoughts if thought.strip())
