"""One step whose rounds are scripted, and what its documents say."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from schemas.context import RunContext
from schemas.depth import Depth
from schemas.evidence import QuotePlace, StepKind
from schemas.outline import OutlineNode
from schemas.researcher import NumberedPassage, ResearcherPrompt
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, working_for
from services.turn.rounds import RoundsResult, search_in_rounds
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import passages_shown, quoting

TOPICS = ["anchor", "bilge", "capstan", "davit", "ensign", "forecastle", "galley", "hawser", "jib", "keel"]
"""One document each, which only a query with its word finds."""


def fact(topic: str) -> str:
    """Return the sentence of a topic's document that matters."""
    return f"The {topic} weighs {100 + TOPICS.index(topic)} pounds."


def remove(folder: Path, *topics: str) -> None:
    for topic in topics:
        (folder / f"{topic}.md").unlink()


class Step:
    """One step's rounds over the documents, with what the model was shown in each."""

    def __init__(self, endpoint: OpenAIServer | None, depth: Depth = "deep", **of_run: Any) -> None:
        context = RunContext(search="documents", depth=depth)
        self.run = Run(context, "researcher", **of_run)
        self.told: list[dict[str, Any]] = []
        self.on_round: Callable[[dict[str, Any]], None] = self.told.append
        self.run.runtime = Runtime(stream_writer=self._hear)
        self._endpoint = endpoint

    def _hear(self, event: dict[str, Any]) -> None:
        if event["type"] == "round":
            self.on_round(event["data"])

    async def search(
        self,
        *queries: str,
        feedback: str = "",
        sources: int = 25,
        kind: StepKind = "general",
        sections: Sequence[OutlineNode] = (),
        quoted: Sequence[QuotePlace] = (),
    ) -> RoundsResult:
        need = ResearcherPrompt(
            question="How heavy is it?",
            locale="en-US",
            title="Weights",
            description="How heavy each is",
            queries=list(queries),
            feedback=feedback,
            findings=[],
            sections=list(sections),
            passages=[],
        )  # fmt: skip
        with working_for(self.run):
            return await search_in_rounds(self.run, need, EVIDENCE, "1", sources, kind, quoted)

    @property
    def shown(self) -> list[list[NumberedPassage]]:
        assert self._endpoint is not None
        return [passages_shown(body) for body in self._endpoint.requests]


EVIDENCE = EvidenceStore(InMemoryStore())


def human(body: dict[str, Any]) -> str:
    return str(body["messages"][1]["content"])


def quotes(gathered: RoundsResult) -> list[str]:
    return [excerpt.quote for excerpt in gathered.excerpts]


def wanting(*taken: str, ask: str = "", **others: object) -> Any:
    """Script a round that takes the facts of topics, misses something, and asks for another topic."""
    return quoting(
        *map(fact, taken), missing_aspects=["the rest"], queries=[f"weight of the {ask}"] if ask else [], **others
    )


def on_and_on(body: dict[str, Any]) -> str:
    """Answer each round with all that it shows, and with a query for the next topic."""
    facts = [sentence for passage in passages_shown(body) for sentence in passage.sentences if "weighs" in sentence]
    number = int(passages_shown(body)[-1].id[1:])
    answer: str = quoting(*facts, missing_aspects=["the rest"], queries=[f"the {TOPICS[number]}"])(body)
    return answer
