"""Examples in prompts are forms without a fact: weak models copy what stands there into their reports."""

import re

import pytest

from prompts import BUILT_IN

_JINJA = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_EXAMPLE = re.compile(r"`([^`\n]+)`")
_CITATION = re.compile(r"\[[A-Z]\d+-\d+\]")
_ID = re.compile(r"\b(?:[A-Z]\d+-\d+|[PRa]\d)\b")


def body_of(name: str) -> str:
    """Return what a model sees of a template, without its variables."""
    text = BUILT_IN.sources[name]
    if text.startswith("---\n"):
        text = text.split("\n---\n", 1)[1]
    return _JINJA.sub("", text)


def facts_in(text: str) -> list[str]:
    """Return the examples of a text that hold something which could pass for a fact."""
    examples = _EXAMPLE.findall(text)
    cited = [
        example for example in examples if _CITATION.search(example) and re.search(r"\w", _CITATION.sub("", example))
    ]
    sentences = [example for example in examples if re.search(r"(?:[^\W\d_]{2,}[ ,]+){3}[^\W\d_]+[.!?]", example)]
    numbers = [example for example in examples if re.search(r"\d\d", _ID.sub("", example))]
    return [*cited, *sentences, *numbers, *re.findall(r"\b[12]\d{3}\b", text)]


@pytest.mark.parametrize("name", sorted(BUILT_IN.sources))
def test_no_example_of_a_prompt_states_a_fact(name: str) -> None:
    assert facts_in(body_of(name)) == []


@pytest.mark.parametrize(
    "text",
    [
        "as in `The wire replaced the hemp line in 1872 [E2-1].`",
        "as in `The wire replaced hemp [E2-1].`",
        "as in `The deepest place was sounded by wire.`",
        'as in `{"values": [10, 12]}`',
        "The line of 1872 was made of hemp.",
    ],
)
def test_an_example_that_states_a_fact_is_noticed(text: str) -> None:
    assert facts_in(text)
