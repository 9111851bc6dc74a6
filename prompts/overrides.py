"""Prompts that a run brings along: they come from outside, so they are checked, and rendered in Jinja's sandbox.

A text with `{% block … %}` stands for a whole template, any other for its system part. It may use the template's own
variables, `if`, `for` over them, the built-in partials and a few filters: nothing that could reach further. How much it may
come to, and how long that may take, is in `bounds.py`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from jinja2 import TemplateError, TemplateSyntaxError, nodes

from prompts import BUILT_IN, PARTIALS, PromptError, Prompts, checked_template, current_prompts, environment_of
from prompts.bounds import FILTERS, BoundedEnvironment
from schemas.context import Stem

MAX_TEXT = 20_000
"""Characters of one prompt."""
MAX_NODES = 1_000
"""Pieces that a prompt may consist of: texts, variables, conditions, loops. The longest built-in one has about 150."""
MAX_DEPTH = 40
"""How deep they may stand in each other."""
MAX_LOOPS = 2
"""How many loops may stand in each other."""
MAX_INCLUDES = 20
"""Partials that a prompt may include."""
_SYSTEM = re.compile(r"(?<={% block system %}\n).*?(?=\n{% endblock %}\n{% block human %})", re.DOTALL)
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.Const, nodes.If, nodes.For, nodes.Filter,
    nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Include, nodes.Block, nodes.Keyword,
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
        _refuse_programs(text, label)
        name = f"{stem}.md"
        body = text.strip()
        if not re.search(r"{%-?\s*block\b", body):
            body = _SYSTEM.sub(lambda _, body=body: body, base.sources[name])  # type: ignore[misc]  # mypy does not see the default
        sources[name] = body
        custom[stem] = f"custom:{hashlib.sha256(text.strip().encode()).hexdigest()[:12]}"
    environment = environment_of(sources, BoundedEnvironment)
    environment.count_filters()
    checked = replace(base, name="custom", sources=sources, environment=environment, custom=custom)
    for stem, _ in texts:
        try:
            checked_template(checked, f"{stem}.md", f"prompts.{stem}")
        except (RecursionError, SyntaxError):
            raise PromptError(f"prompts.{stem}: its parts stand too deep in each other.") from None
    return replace(checked, environment=base.environment, bounded=environment)


def _refuse_programs(text: str, label: str) -> None:
    """Refuse what is more than a text with variables in it."""
    try:
        tree = BUILT_IN.environment.parse(text)
    except TemplateSyntaxError as error:
        raise PromptError(f"{label}, line {error.lineno}: {str(error.message).rstrip('.')}.") from None
    except RecursionError:
        raise PromptError(f"{label}: its parts stand too deep in each other.") from None
    except (TemplateError, ValueError) as error:  # such as a number of thousands of digits
        raise PromptError(f"{label} cannot be read: {str(error)[:200].rstrip('.')}.") from None
    includes = 0
    for count, (node, depth, loops) in enumerate(_walk(tree), 1):
        includes += isinstance(node, nodes.Include)
        problem = _too_much(count, depth, loops, includes) or _refused(node)
        if problem:
            raise PromptError(f"{label}, line {node.lineno}: {problem}.")


def _walk(tree: nodes.Node) -> Iterator[tuple[nodes.Node, int, int]]:
    """Go through a template in its order: each node, how deep it stands, and in how many loops."""
    waiting = [(tree, 0, 0)]
    while waiting:
        node, depth, loops = waiting.pop()
        yield node, depth, loops
        inside = loops + isinstance(node, nodes.For)
        waiting.extend((child, depth + 1, inside) for child in reversed(list(node.iter_child_nodes())))


def _too_much(count: int, depth: int, loops: int, includes: int) -> str:
    """Say which bound a template goes beyond; empty: none."""
    if count > MAX_NODES:
        return f"it consists of more than {MAX_NODES:,} parts"
    if depth > MAX_DEPTH:
        return f"its parts stand too deep in each other (more than {MAX_DEPTH})"
    if loops > MAX_LOOPS:
        return "at most two loops stand in each other"
    if includes > MAX_INCLUDES:
        return f"it includes more than {MAX_INCLUDES} partials"
    return ""


def _refused(node: nodes.Node) -> str:
    """Say why a node cannot stand in a prompt that a run brings along; empty: it can."""
    if not isinstance(node, _ALLOWED):
        return f"{type(node).__name__.lower()!r} is not allowed in a prompt that a run brings along"
    if isinstance(node, nodes.Filter) and node.name not in FILTERS:
        return f"there is no filter {node.name!r}. There are: {', '.join(sorted(FILTERS))}"
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        return f"{node.attr!r} cannot be used"
    if isinstance(node, nodes.Include) and _included(node) not in PARTIALS:
        return f"{_included(node)!r} cannot be included. There are: {', '.join(sorted(PARTIALS))}"
    return ""


def _included(node: nodes.Include) -> str:
    """Return what is included, where that is a text of its own and not made of others."""
    return str(node.template.value) if isinstance(node.template, nodes.Const) else "this"
