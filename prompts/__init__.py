"""Prompts: one Markdown template a model call, rendered into one system message and one human message.

A template has the stem of its node and takes exactly the fields of that node's prompt model. Templates are read once, at
import. What comes from outside is data: where it could be taken for one of the prompt's own tags, its bracket is replaced
(see `data.py`), which quote location maps back.

`load_prompts(folder)` reads other versions of some or all templates, and `with using(prompts):` everything inside the block,
tasks that are started there included, is rendered with them. What a run brings along itself is in `overrides.py`.
"""

import importlib
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import yaml
from jinja2 import DictLoader, Environment, StrictUndefined, Template, TemplateSyntaxError, meta
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from prompts.data import neutraliser
from schemas.evidence_view import EvidenceView
from schemas.regular_file import read_regular_text
from schemas.scoped import scoped

_FOLDER = Path(__file__).parent
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SOURCES = {path.relative_to(_FOLDER).as_posix(): path.read_text("utf-8") for path in sorted(_FOLDER.rglob("*.md"))}
MAX_BYTES = 1_000_000
"""Maximum bytes of another version of a template."""
MAX_RENDERED = 1_000_000
"""Maximum characters of a rendered prompt that a run brings along: some 250,000 tokens."""
PARTIALS = frozenset(name for name in _SOURCES if name.startswith("_partials/"))


class PromptError(ValueError):
    """A folder of prompts that cannot be used; the message names the file and says what is wrong with it."""


as_data = neutraliser(_SOURCES.values())
"""Keeps a value from being read as a tag of the built-in prompts, or as a model's control token."""


def attribute(value: object) -> str:
    """Make a value fit between double quotes on one line; the quotes in it are as good for code."""
    return " ".join(str(value).split()).replace('"', "'")


_shown: ContextVar[set[object]] = ContextVar("shown")
"""What `first` has seen in the prompt that is being rendered."""


def first(value: object) -> bool:
    """Tell whether a template shows a value for the first time in its prompt, such as what is the same for all excerpts of a source."""
    shown = _shown.get(set())
    is_new = value not in shown
    shown.add(value)
    return is_new


def by_source(items: Iterable[EvidenceView]) -> list[list[EvidenceView]]:
    """Group excerpts by their sources, in the order of their first ones."""
    groups: dict[tuple[str, str], list[EvidenceView]] = {}
    for item in items:
        groups.setdefault((item.content_hash, item.title), []).append(item)
    return list(groups.values())


Kind = TypeVar("Kind", bound=Environment)


def environment_of(sources: Mapping[str, str], kind: type[Kind]) -> Kind:
    """Return an environment of Jinja, of this kind, that holds templates."""
    bodies = {name: _FRONT_MATTER.sub("", text) for name, text in sources.items()}
    environment = kind(
        loader=DictLoader(bodies),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=neutraliser(sources.values()),
    )
    environment.filters["attribute"] = attribute
    environment.filters["by_source"] = by_source
    environment.tests["first"] = first
    return environment


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """A whole set of templates, compiled."""

    name: str
    """`built-in`, or the folder that it was loaded from."""
    sources: Mapping[str, str]
    """Templates with their front matter, by file name."""
    environment: Environment
    custom: Mapping[str, str] = field(default_factory=dict)
    """Versions of templates that a run brought along, by stem: `custom:` and a hash."""
    bounded: Environment | None = None
    """Where those are rendered; None where there are none."""

    def template(self, role: str) -> Template:
        """Return the template of a role."""
        environment = self.bounded if self.bounded is not None and role in self.custom else self.environment
        return environment.get_template(f"{role}.md")


ENVIRONMENT = environment_of(_SOURCES, Environment)
BUILT_IN = Prompts("built-in", _SOURCES, ENVIRONMENT)
_current: ContextVar[Prompts] = ContextVar("prompts", default=BUILT_IN)


def load_prompts(folder: Path) -> Prompts:
    """Read other versions of templates; those that the folder does not hold are the built-in ones.

    Args:
        folder: holds files named like the built-in ones (`planner.md`, `_partials/evidence.md`); a `README.md` is left alone.

    Raises:
        PromptError: the folder or a file cannot be read, a file is named like no template, its front matter or its
            syntax is wrong, or it takes a variable that its role's prompt model does not have.
    """
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "does not exist"
        raise PromptError(f"The prompts folder {folder} {what}. Name a folder that holds templates.")
    try:
        own = {
            path.relative_to(folder).as_posix(): read_regular_text(path, MAX_BYTES)
            for path in sorted(folder.rglob("*.md"))
        }
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"A template in {folder} cannot be read: {error}.") from None
    own = {
        name: text for name, text in own.items() if not name.startswith(".") and Path(name).name.lower() != "readme.md"
    }
    known = ", ".join(sorted(_SOURCES))
    if not own:
        raise PromptError(f"The prompts folder {folder} holds no templates. They are named {known}.")
    for name in own:
        if name not in _SOURCES:
            raise PromptError(f"{folder / name} is named like no template. They are named {known}.")
    prompts = Prompts(str(folder), {**_SOURCES, **own}, environment_of({**_SOURCES, **own}, Environment))
    for name in own:
        checked_template(prompts, name, folder / name)
    return prompts


def checked_template(prompts: Prompts, name: str, file: Path | str) -> None:
    """Refuse a template that would fail in the middle of a run."""
    body = _FRONT_MATTER.sub("", prompts.sources[name])
    try:
        parsed = prompts.environment.parse(body)
        template = prompts.environment.get_template(name)
    except TemplateSyntaxError as error:
        line = error.lineno + prompts.sources[name].count("\n") - body.count("\n")
        raise PromptError(f"{file}, line {line}: {str(error.message).rstrip('.')}.") from None
    absent = [template for template in meta.find_referenced_templates(parsed) if template not in prompts.sources]
    if absent:
        raise PromptError(f"{file} includes {absent[0]!r}, which is no template.")
    if name not in PARTIALS:
        _version(prompts, Path(name).stem, file)
        _check_blocks(template, file)
    there = variables_of(name)
    unknown = sorted(meta.find_undeclared_variables(parsed) - there)
    if unknown:
        raise PromptError(
            f"{file} uses the variable {unknown[0]!r}, which does not exist. It can use {', '.join(sorted(there))}."
        )


def _check_blocks(template: Template, file: Path | str) -> None:
    missing = [block for block in ("system", "human") if block not in template.blocks]
    if missing:
        raise PromptError(f"{file} has no block {missing[0]!r}: write {{% block {missing[0]} %}} … {{% endblock %}}.")


def variables_of(name: str) -> set[str]:
    """Return what a template may take: the fields of its prompt model, computed ones too; a partial, what the built-in one takes."""
    if name in PARTIALS:
        return meta.find_undeclared_variables(ENVIRONMENT.parse(_SOURCES[name]))
    stem = Path(name).stem
    words = "".join(word.capitalize() for word in stem.split("_"))
    model: type[BaseModel] = getattr(importlib.import_module(f"schemas.{stem}"), f"{words}Prompt")
    return _names(model)


def _names(model: type[BaseModel]) -> set[str]:
    return {*model.model_fields, *model.model_computed_fields}


def _version(prompts: Prompts, role: str, file: Path | str) -> int | str:
    if role in prompts.custom:
        return prompts.custom[role]
    advice = "Begin it with a line ---, then version: 2 and, below changelog:, what changed, then a line ---."
    match = _FRONT_MATTER.match(prompts.sources[f"{role}.md"])
    try:
        front = yaml.safe_load(match.group(1)) if match else None
    except yaml.YAMLError as error:
        raise PromptError(f"{file}: its front matter is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(front, dict):
        raise PromptError(f"{file} has no front matter. {advice}")
    version = front.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise PromptError(f"{file}: its front matter has {version!r} for a version, which is no whole number. {advice}")
    return version


def current_prompts() -> Prompts:
    """Return the prompts that are rendered now."""
    return _current.get()


def using(prompts: Prompts) -> AbstractContextManager[Prompts]:
    """Render with these prompts until the block ends, here and in tasks that are started here."""
    return scoped(_current, prompts)


def prompt_version(role: str) -> int | str:
    """Return the version of a role's template."""
    return _version(_current.get(), role, f"{role}.md")


def template_source(role: str) -> str:
    """Return the template of a role without its front matter."""
    return _FRONT_MATTER.sub("", _current.get().sources[f"{role}.md"])


def render(role: str, variables: BaseModel) -> list[BaseMessage]:
    """Render a role's template.

    Args:
        role: stem of the template, which is the name of the node that calls the model.
        variables: the role's prompt model; its fields and computed fields are the template's variables.

    Returns:
        One system message and one human message.

    Raises:
        PromptError: the run brought the template along, and it cannot be rendered or comes to too much.
    """
    prompts = _current.get()
    template = prompts.template(role)
    values = {name: getattr(variables, name) for name in _names(type(variables))}
    _shown.set(set())
    blocks = (template.blocks[block](template.new_context(values)) for block in ("system", "human"))
    parts = [text.strip() for text in (_bounded(role, blocks) if role in prompts.custom else map("".join, blocks))]
    return [SystemMessage(parts[0]), HumanMessage(re.sub(r"\n{3,}", "\n\n", parts[1]))]


def _bounded(role: str, blocks: Iterable[Iterable[str]]) -> list[str]:
    """Render the blocks of a template that a run brought along, up to a length."""
    room = MAX_RENDERED

    def counted(piece: str) -> str:
        nonlocal room
        room -= len(piece)
        if room < 0:
            raise ValueError(f"it comes to more than {MAX_RENDERED:,} characters")
        return piece

    try:
        return ["".join(map(counted, block)) for block in blocks]
    except Exception as error:  # noqa: BLE001 - a text from outside raises whatever Jinja and Python have for it
        raise PromptError(
            f"prompts.{role} cannot be used: {str(error)[:200].rstrip('.')}. Change it, or leave it out."
        ) from None


def render_partial(name: str, **values: object) -> str:
    """Render a partial on its own: a text that code adds to a system message."""
    return _current.get().environment.get_template(f"_partials/{name}.md").render(values).strip()
