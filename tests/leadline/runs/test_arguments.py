"""The arguments of `research` and `aresearch`: those of `RunContext`, named, typed and described."""

import inspect
from typing import Any, get_args, get_type_hints

import pytest

from leadline import aresearch, research
from leadline.runs.arguments import Choices
from schemas.context import RunContext
from services.run.errors import BadInput
from tests.leadline.conftest import Leadline

OWN = ["question", "docs", "out", "on_event", "on_review", "run_id", "after"]
WIDER = {
    "documents",
    "include_domains",
    "exclude_domains",
    "prefer_kinds",
    "exclude_kinds",
    "output_formats",
    "profile",
}
WIDER |= {"models", "mcp_servers", "prompts", "locale", "search", "wishes"}
"""Fields that take more in Python than their own type, such as any sequence for a list, or a bare text for a checked one."""


def bare(annotation: Any) -> Any:
    """Return a type without its bounds."""
    parts = get_args(annotation)
    return {bare(part) for part in parts} if type(None) in parts else annotation


def test_the_choices_are_the_fields_of_the_context_with_their_types() -> None:
    types = get_type_hints(Choices)
    declared = get_type_hints(RunContext)
    assert list(types) == list(RunContext.model_fields)
    for name in types.keys() - WIDER:
        assert bare(types[name]) == bare(declared[name]), name


@pytest.mark.parametrize("function", [research, aresearch])
def test_every_choice_is_an_argument_with_a_description(function: Any) -> None:
    signature = inspect.signature(function)
    assert list(signature.parameters) == [*OWN, *RunContext.model_fields]
    assert signature.parameters["max_results"].default == 10
    for name, field in RunContext.model_fields.items():
        assert f"    {name}: {field.description}" in inspect.getdoc(function).splitlines()  # type: ignore[union-attr]  # it has one
    assert inspect.iscoroutinefunction(inspect.unwrap(function))
    assert function.__name__ == ("research" if function is research else "aresearch")


def test_python_and_the_command_say_the_same_in_their_own_words(leadline: Leadline) -> None:
    with pytest.raises(BadInput, match="name an existing folder in a new question with `docs`"):
        research("Why?", docs=["/nowhere"])
    assert (
        "name an existing folder in a new question with --docs."
        in leadline("research", "Why?", "--docs", "/nowhere").err
    )


def test_a_choice_that_there_is_not_gets_a_suggestion() -> None:
    with pytest.raises(BadInput, match=r"There is no choice 'max_step'. Did you mean max_step_num\?"):
        research("Why?", max_step=3)  # type: ignore[call-arg]  # that is what is tested
