"""The answer in one call, and the requests and answers of a run as files.

The template of that call lies in `benchmarks/prompts`, in the form of the product's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from jinja2 import Environment
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import LLMResult
from langchain_core.tracers.context import register_configure_hook

from benchmarks.rendered_prompts import role_of
from prompts import environment_of
from schemas.context import RunContext
from services.models.chat import build
from services.models.endpoint import clients_open
from services.models.local_endpoint import settled
from services.run.roles import role_model
from services.run.scope import Run, working_for

FOLDER = Path(__file__).with_name("prompts")
WRITER = "reporter"
"""The role whose model answers in one call."""
LONG = 3
"""Factor on that role's maximum number of output tokens, as for a whole report."""
_SOURCES = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
_TEMPLATES = environment_of({f"{stem}.md": source for stem, source in _SOURCES.items()}, Environment)


@dataclass(frozen=True, slots=True)
class Said:
    """An answer, and the tokens that it took."""

    text: str
    prompt_tokens: int
    output_tokens: int


def rendered(stem: str, **values: Any) -> list[BaseMessage]:
    """Render a template of the benchmark into a system message and a human message."""
    template = _TEMPLATES.get_template(f"{stem}.md")
    system, human = ("".join(template.blocks[block](template.new_context(values))) for block in ("system", "human"))
    return [SystemMessage(system.strip()), HumanMessage(human.strip())]


async def say(messages: list[BaseMessage], context: RunContext) -> Said:
    """Ask the model that writes the reports, in one call."""
    async with clients_open():
        with working_for(Run(context)):
            model = await settled(role_model(WRITER, context))
            message = await build(model, LONG * model.max_tokens, stream=True).ainvoke(messages)
    used = message.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
    return Said(message.text, used["input_tokens"], used["output_tokens"])


@dataclass(slots=True, eq=False)  # langchain keeps handlers in sets
class Exchanges(BaseCallbackHandler):
    """Writes each request to a model, and its answer, into a folder."""

    folder: Path
    names: dict[UUID, str] = field(default_factory=dict)
    run_inline = True

    def on_chat_model_start(
        self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **_: Any
    ) -> None:
        """Write a request, named by its number and role."""
        batch = messages[0]
        number = len(list(self.folder.glob("*.request.md"))) + 1
        self.names[run_id] = f"{number:04d}-{role_of(batch[0].text, _SOURCES) or 'other'}"
        text = "\n\n".join(f"##### {message.type}\n{message.text}" for message in batch)
        (self.folder / f"{self.names[run_id]}.request.md").write_text(text, "utf-8")

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """Write an answer beside its request."""
        text = "\n".join(each.text for batch in response.generations for each in batch)
        (self.folder / f"{self.names.pop(run_id, '0000-unknown')}.answer.md").write_text(text, "utf-8")


_exchanges: ContextVar[Exchanges | None] = ContextVar("exchanges", default=None)
register_configure_hook(_exchanges, inheritable=True)


@contextmanager
def exchanges_kept(folder: Path) -> Iterator[None]:
    """Keep requests and answers of all model calls inside the block in a folder, after those that it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    token = _exchanges.set(Exchanges(folder))
    try:
        yield
    finally:
        _exchanges.reset(token)
