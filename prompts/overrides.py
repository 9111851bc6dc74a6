"""Prompts that a run brings along: they come from outside, so they are checked, and rendered in Jinja's sandbox.

A text stands for the system part of a template. It may use the template's own variables, `if`, and the built-in partials that
need no others: nothing that repeats or reaches further. Its length is checked when it is rendered.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from jinja2 import TemplateError, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from prompts import (
    BUILT_IN,
    PARTIALS,
    PromptError,
    Prompts,
    checked_template,
    current_prompts,
    environment_of,
    variables_of,
)
from schemas.context import Stem

MAX_TEXT = 20_000
"""Characters of one prompt."""
MAX_NODES = 1_000
"""Pieces that a prompt may consist of: texts, variables, conditions. The longest built-in one has about 200."""
MAX_DEPTH = 40
"""How deep they may stand in each other."""
MAX_INCLUDES = 20
"""Partials that a prompt may include."""
_SYSTEM = re.compile(r"(?<={% block system %}\n).*?(?=\n{% endblock %}\n{% block human %})", re.DOTALL)
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Const, nodes.If, nodes.CondExpr,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Include,
)  # fmt: skip


@lru_cache(maxsize=32)
def system_text(stem: str) -> str:
    """Return the system part of a built-in template."""
    match = _SYSTEM.search(BUILT_IN.sources[f"{stem}.md"])
    return match.group() if match else ""


def with_texts(texts: Mapping[Stem, str]) -> Prompts:
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
        label = f"prompts.{stem}"
        if len(text) > MAX_TEXT:
            raise PromptError(f"{label} has {len(text):,} characters, and at most {MAX_TEXT:,} are taken.")
        _refuse_programs(text, stem)
        name, body = f"{stem}.md", text.strip()
        sources[name], replaced = _SYSTEM.subn(lambda _, body=body: body, base.sources[name])  # type: ignore[misc]  # mypy does not see the default
        if not replaced:
            raise PromptError(
                f"{label} finds no system part in {base.name}/{name}: write its two blocks as {name} has them."
            )
        custom[stem] = f"custom:{hashlib.sha256(body.encode()).hexdigest()[:12]}"
    environment = environment_of(sources, ImmutableSandboxedEnvironment)
    checked = replace(base, name="custom", sources=sources, environment=environment, custom=custom)
    for stem, _ in texts:
        try:
            checked_template(checked, f"{stem}.md", f"prompts.{stem}")
        except (RecursionError, SyntaxError):
            raise PromptError(f"prompts.{stem}: its parts stand too deep in each other.") from None
    return replace(checked, environment=base.environment, bounded=environment)


def _refuse_programs(text: str, stem: str) -> None:
    """Refuse what is more than a text with variables in it."""
    label, partials = f"prompts.{stem}", _partials_for(stem)
    try:
        tree = BUILT_IN.environment.parse(text)
    except TemplateSyntaxError as error:
        raise PromptError(f"{label}, line {error.lineno}: {str(error.message).rstrip('.')}.") from None
    except RecursionError:
        raise PromptError(f"{label}: its parts stand too deep in each other.") from None
    except (TemplateError, ValueError) as error:  # such as a number of thousands of digits
        raise PromptError(f"{label} cannot be read: {str(error)[:200].rstrip('.')}.") from None
    includes = 0
    for count, (node, depth) in enumerate(_walk(tree), 1):
        includes += isinstance(node, nodes.Include)
        problem = _too_much(count, depth, includes) or _refused(node, partials)
        if problem:
            raise PromptError(f"{label}, line {node.lineno}: {problem}.")


def _walk(tree: nodes.Node) -> Iterator[tuple[nodes.Node, int]]:
    """Go through a template in its order: each node, and how deep it stands."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting.extend((child, depth + 1) for child in reversed(list(node.iter_child_nodes())))


def _too_much(count: int, depth: int, includes: int) -> str:
    """Say which bound a template goes beyond; empty: none."""
    if count > MAX_NODES:
        return f"it consists of more than {MAX_NODES:,} parts"
    if depth > MAX_DEPTH:
        return f"its parts stand too deep in each other (more than {MAX_DEPTH})"
    if includes > MAX_INCLUDES:
        return f"it includes more than {MAX_INCLUDES} partials"
    return ""


def _partials_for(stem: str) -> list[str]:
    """Return the partials that need no variables but those of the template."""
    own = variables_of(f"{stem}.md")
    return sorted(name for name in PARTIALS if variables_of(name) <= own)


def _refused(node: nodes.Node, partials: list[str]) -> str:
    """Say why a node cannot stand in a prompt that a run brings along; empty: it can."""
    if not isinstance(node, _ALLOWED):
        return f"{type(node).__name__.lower()!r} is not allowed: a run's own prompt has variables, if, and built-in partials"
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        return f"{node.attr!r} cannot be used"
    if isinstance(node, nodes.Include) and _included(node) not in partials:
        return f"{_included(node)!r} cannot be included. There are: {', '.join(partials)}"
    return ""


def _included(node: nodes.Include) -> str:
    """Return what is included, where that is a text of its own and not made of others."""
    return str(node.template.value) if isinstance(node.template, nodes.Const) else "this"
