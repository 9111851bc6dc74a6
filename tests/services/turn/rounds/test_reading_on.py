"""A model asks for what stands around a passage, or in a section of its source, and the next round shows it."""

from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.services.turn.rounds.steps import EVIDENCE, TOPICS, Step, human, quotes, remove

LOG = "\n\n".join(f"## Day {day}\n\n{'anchor ' * (day == 4)}Cast {day} was made. {'Calm. ' * 120}" for day in range(9))


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        (["P1"], [5, 6, 7]),
        (["before P1"], [3, 2, 1]),
        ("P1, P9", [5, 6, 7]),
        (["P9", "day 2"], []),
        (["P1: the Day 7"], [7]),
        (["P1: Drawbacks"], []),
    ],
)
async def test_a_model_reads_on_behind_a_passage_or_before_it_or_in_a_section(
    endpoint: OpenAIServer, folder: Path, asked: object, days: list[int]
) -> None:
    remove(folder, *TOPICS)
    (folder / "log.md").write_text(f"# Log\n\n{LOG}")
    taken = [f"Cast {day} was made." for day in days]
    endpoint.script["researcher"] = [quoting("anchor Cast 4 was made.", read_on=asked), quoting(*taken)]
    step = Step(endpoint, "standard")
    gathered = await step.search("anchor")
    assert len(endpoint.requests) == 1 + bool(days)
    assert quotes(gathered) == ["anchor Cast 4 was made.", *taken]
    assert gathered.shown == 1 + len(days)
    assert [passage.text.partition("\n")[0] for passages in step.shown[1:] for passage in passages] == [
        f"## Day {day}" for day in days
    ]
    texts = [await EVIDENCE.get_text(excerpt.content_hash) for excerpt in gathered.excerpts]
    assert all(text[one.start : one.end] == one.quote for text, one in zip(texts, gathered.excerpts, strict=True))


async def test_a_section_that_only_leads_to_others_is_read_on_with_them_and_each_request_brings_its_first_passage(
    endpoint: OpenAIServer, folder: Path
) -> None:
    remove(folder, *TOPICS)
    parts = "## Costs\n\n### Rope\n\nRope was dear.\n\n### Wire\n\nWire was cheap.\n\n## Uses\n\nIt went on every ship."
    (folder / "log.md").write_text(f"# Log\n\n{LOG}\n\n{parts}\n")
    requests = ["P1: The costs", "P1", "P1: Uses"]
    endpoint.script["researcher"] = [
        quoting("anchor Cast 4 was made.", read_on=requests),
        quoting("Rope was dear.", "Wire was cheap.", "Cast 5 was made.", "It went on every ship."),
    ]
    step = Step(endpoint, "standard")
    await step.search("anchor")
    texts = [passage.text for passage in step.shown[1]]
    assert "Wire was cheap." in texts[0]
    assert "Rope was dear." in texts[0]
    assert [text.partition("\n")[0] for text in texts] == ["## Costs", "## Day 5", "## Uses", "## Day 6", "## Day 7"]


async def test_of_a_long_section_the_passages_that_tell_what_is_missing_are_read_on(
    endpoint: OpenAIServer, folder: Path
) -> None:
    remove(folder, *TOPICS)
    points = "\n\n".join(f"Point {number} is of {'oakum' * (number == 5)}. {'Calm. ' * 120}" for number in range(7))
    (folder / "log.md").write_text(f"# Log\n\n{LOG}\n\n## Costs\n\n{points}\n")
    first = quoting("anchor Cast 4 was made.", read_on=["P1: Costs"], missing_aspects=["oakum"], queries=["oakum"])
    endpoint.script["researcher"] = [first, quoting("Point 5 is of oakum.")]
    step = Step(endpoint, "standard")
    await step.search("anchor")
    assert any("Point 5 is of oakum." in passage.text for passage in step.shown[1][:3])


async def test_a_prompt_names_the_sections_of_each_source_once_and_only_while_rounds_follow(
    endpoint: OpenAIServer, folder: Path
) -> None:
    remove(folder, *TOPICS)
    (folder / "log.md").write_text(f"# Log\n\n{LOG}")
    (folder / "wire.md").write_text("# Wire\n\n## Price\n\nWire cost a pound.\n\n## Use\n\nIt went on every ship.\n")
    first = quoting("anchor Cast 4 was made.", read_on=["P1"], missing_aspects=["price"], queries=["wire cost a pound"])
    endpoint.script["researcher"] = [
        first,
        quoting("Wire cost a pound.", read_on=["P1"]),
        quoting("It went on every ship."),
    ]
    await Step(endpoint, "deep").search("anchor")
    one, two = map(human, endpoint.requests[:2])
    assert one.count('sections="') == 1
    assert 'sections="Day 0; Day 1; Day 2; Day 3; Day 4; Day 5; Day 6; Day 7; Day 8"' in one
    assert two.count('sections="') == 1
    assert 'sections="Price; Use"' in two
    assert "Cast 5 was made." in two, "a source of the first round is shown again"
    endpoint.requests.clear()
    endpoint.script["researcher"] = [quoting("anchor Cast 4 was made.", read_on=["P1"])]
    await Step(endpoint, "quick").search("Cast 4")
    assert "sections=" not in human(endpoint.requests[0])
