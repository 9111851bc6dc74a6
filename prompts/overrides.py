"""Prompts that a run brings along: they come from outside, so they are checked, and rendered in Jinja's sandbox.

A text with `{% block … %}` stands for a whole template, any other for its system part. It may use the template's own
variables, `if`, `for` over them, and a few filters: nothing that could reach further, or take long.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from jinja2 import TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prompts import BUILT_IN, PromptError, Prompts, checked_template, current_prompts, environment_of

MAX_TEXT = 20_000
"""Characters of one prompt."""
_SYSTEM = re.compile(r"(?<={% block system %}\n).*?(?=\n{% endblock %}\n{% block human %})", re.DOTALL)
_FILTERS = frozenset("attribute join lower upper title trim length first last default".split())
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Const, nodes.If, nodes.For, nodes.Filter,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Include, nodes.Block, nodes.Keyword,
)  # fmt: skip


@lru_cache(maxsize=32)
def system_text(stem: str) -> str:
    """Return the system part of a built-in template."""
    found = _SYSTEM.search(BUILT_IN.sources[f"{stem}.md"])
    return found.group() if found else ""


def with_texts(texts: Mapping[str, str]) -> Prompts:
    """Return the prompts that count now with some of their templates replaced.

    Args:
        texts: by the stem of the template; empty ones, and those that are the built-in text, replace nothing.

    Raises:
        PromptError: a text cannot be used; the message names the prompt and says what is wrong with it.
    """
    own = tuple(
        (stem, text) for stem, text in sorted(texts.items()) if text.strip() not in {"", system_text(stem).strip()}
    )
    return _replaced(current_prompts(), own) if own else current_prompts()


@lru_cache(maxsize=32)
def _replaced(base: Prompts, texts: tuple[tuple[str, str], ...]) -> Prompts:
    sources, custom = dict(base.sources), dict(base.custom)
    for stem, text in texts:
        label = f"{stem}_prompt"
        if len(text) > MAX_TEXT:
            raise PromptError(f"{label} has {len(text):,} characters, and at most {MAX_TEXT:,} are taken.")
        _refuse_programs(text, label)
        name = f"{stem}.md"
        body = text.strip()
        if not re.search(r"{%-?\s*block\b", body):
            body = _SYSTEM.sub(lambda _, body=body: body, base.sources[name])  # type: ignore[misc]  # mypy does not see the default
        sources[name] = body
        custom[stem] = f"custom:{hashlib.sha256(text.strip().encode()).hexdigest()[:12]}"
    environment = environment_of(sources, ImmutableSandboxedEnvironment)
    replaced = replace(base, name="custom", sources=sources, environment=environment, custom=custom)
    for stem, _ in texts:
        checked_template(replaced, f"{stem}.md", f"{stem}_prompt")
    return replaced


def _refuse_programs(text: str, label: str) -> None:
    """Refuse what is more than a text with variables in it."""
    try:
        tree = BUILT_IN.environment.parse(text)
    except TemplateSyntaxError as error:
        raise PromptError(f"{label}, line {error.lineno}: {error.message}.") from None
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, _ALLOWED):
            kind = type(node).__name__.lower()
            raise PromptError(
                f"{label}, line {node.lineno}: {kind!r} is not allowed in a prompt that a run brings along."
            )
        if isinstance(node, nodes.Filter) and node.name not in _FILTERS:
            raise PromptError(
                f"{label}, line {node.lineno}: there is no filter {node.name!r}. There are: {', '.join(sorted(_FILTERS))}."
            )
        if isinstance(node, nodes.For) and any(list(inner.find_all(nodes.For)) for inner in node.find_all(nodes.For)):
            raise PromptError(f"{label}, line {node.lineno}: at most two loops stand in each other.")
        if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
            raise PromptError(f"{label}, line {node.lineno}: {node.attr!r} cannot be used.")
