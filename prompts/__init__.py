"""Prompts: one Markdown template a model call, rendered into one system message and one human message.

A template has the stem of its node and takes exactly the fields of that node's prompt model. Templates are read once, at
import. What comes from outside is data: wherever it could be taken for one of the prompt's own tags, the angle bracket is
replaced by `‹`, which quote location maps back.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from jinja2 import DictLoader, Environment, StrictUndefined
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

_FOLDER = Path(__file__).parent
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SOURCES = {path.relative_to(_FOLDER).as_posix(): path.read_text("utf-8") for path in sorted(_FOLDER.rglob("*.md"))}
_TAG = re.compile(
    r"<(?=/?\s*(?:question|conversation|turn|profile|background|excerpt|finding|findings|gaps|gap|feedback|tables|table|"
    r"passages|passage|step|attempt|code|output|error|contradiction|previous_plan|query|missing|settings|system)\b)",
    re.IGNORECASE,
)


def _as_data(value: object) -> object:
    """Keep a value from being read as one of the prompt's own tags."""
    return _TAG.sub("‹", value) if isinstance(value, str) else value


def _attribute(value: object) -> str:
    """Make a value fit between double quotes on one line."""
    return " ".join(str(value).split()).replace('"', "”")


def _environment() -> Environment:
    bodies = {name: _FRONT_MATTER.sub("", text) for name, text in _SOURCES.items()}
    environment = Environment(
        loader=DictLoader(bodies),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are plain text; `_as_data` neutralises tags instead
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_as_data,
    )
    environment.filters["attribute"] = _attribute
    return environment


ENVIRONMENT = _environment()


@dataclass(frozen=True, slots=True)
class PromptInfo:
    """The front matter of a template."""

    role: str
    version: int
    changelog: tuple[str, ...]


def prompt_info(role: str) -> PromptInfo:
    """Return version and changelog of a role's template."""
    found = _FRONT_MATTER.match(_SOURCES[f"{role}.md"])
    front = yaml.safe_load(found.group(1)) if found else {}
    return PromptInfo(role, int(front["version"]), tuple(front["changelog"]))


def template_source(role: str) -> str:
    """Return the template of a role without its front matter."""
    return _FRONT_MATTER.sub("", _SOURCES[f"{role}.md"])


def render(role: str, variables: BaseModel) -> list[BaseMessage]:
    """Render a role's template.

    Args:
        role: stem of the template, which is the name of the node that calls the model.
        variables: the role's prompt model; its fields are the template's variables.

    Returns:
        One system message and one human message.
    """
    template = ENVIRONMENT.get_template(f"{role}.md")
    values = {name: getattr(variables, name) for name in type(variables).model_fields}
    parts = ["".join(template.blocks[block](template.new_context(values))).strip() for block in ("system", "human")]
    return [SystemMessage(parts[0]), HumanMessage(re.sub(r"\n{3,}", "\n\n", parts[1]))]


def render_partial(name: str, **values: object) -> str:
    """Render a partial on its own: a text that code adds to a system message."""
    return ENVIRONMENT.get_template(f"_partials/{name}.md").render(values).strip()
