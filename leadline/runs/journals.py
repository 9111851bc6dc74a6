"""Reads the journals of stored runs."""

from dataclasses import dataclass, field

from leadline.runs.store import Home
from schemas.evidence import Passage, Source
from services.run.journal import Recording, run_key


@dataclass(frozen=True, slots=True)
class Gatherings:
    """The passages that a run's searches found."""

    passages: list[Passage] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    """Sources of the passages and their copies, by content hash."""


async def gatherings_of(home: Home, run_id: str) -> Gatherings:
    """Return the passages that a run's searches found.

    Raises:
        BadInput: the run does not exist.
        JournalMiss: the run has no journal.
    """
    record = await home.record(run_id)
    values = await home.values(record)
    recording = await Recording.load(home.store, run_key(record.id, values["turn"]), record.id)
    answers = [entry.answer for entry in recording.entries.values() if entry.kind == "gather" and entry.answer]
    return Gatherings(
        [Passage.model_validate(passage) for answer in answers for passage in answer["passages"]],
        {key: Source.model_validate(source) for answer in answers for key, source in answer["sources"].items()},
    )
