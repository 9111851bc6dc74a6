"""What a report says is not told is looked for in the user's documents."""

from pathlib import Path

from services.run.scope import working_for
from services.turn.added_evidence import SOURCES_EACH, document_search
from tests.services.turn.rounds.steps import EVIDENCE, TOPICS, Step, remove


async def test_as_many_sources_are_found_for_each_statement_whatever_the_others_find(folder: Path) -> None:
    remove(folder, *TOPICS)
    for topic in ("anchor", "bilge", "capstan"):
        for number in range(12):
            (folder / f"{topic} {number}.md").write_text(f"# Of the {topic} {number}\n\nThe {topic} has rust.\n")
    step = Step(None)
    with working_for(step.run):
        found = await document_search(step.run, EVIDENCE, lambda: None)(["the anchor", "the bilge", "the capstan"])
    titles = [source.title for source in found.values()]
    assert [sum(topic in title for title in titles) for topic in ("anchor", "bilge", "capstan")] == [SOURCES_EACH] * 3
