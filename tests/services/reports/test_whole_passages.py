"""What stands beside quotes in their passages becomes further excerpts, each part of a text once."""

from schemas.evidence import Excerpt, Source
from services.reports.whole_passages import beside_quotes
from services.run.errors import StoreError
from tests.fakes.excerpts import stretch

FIRST, SECOND, THIRD = (
    f"The {name} bell of Norland was cast in the year of the flood." for name in ("big", "low", "old")
)
TABLE = "| Bell | Weight |\n| --- | --- |\n| Big | 900 kilograms |\n| Low | 700 kilograms |"
FAR = "Of the ferry nothing is told here, and a long paragraph tells of its ropes instead. " * 12
TEXT = f"# Bells\n\n{FIRST} {SECOND} {THIRD}\n\n{TABLE}\n\n## Ferry\n\n{FAR}\n\n{FAR}\n"


def quote(key: str, words: str, text: str = TEXT) -> Excerpt:
    return stretch(words, text, key, "bells")


async def beside(
    *quotes: Excerpt, known: tuple[Excerpt, ...] = (), text: str | None = TEXT, kind: str = "document", shown: str = ""
) -> list[Excerpt]:
    async def text_of(content_hash: str) -> str:
        if text is None:
            raise StoreError("The text is lost.")
        return text

    source = Source.model_validate({"url": "bells.md", "title": "Bells", "kind": kind, "content_hash": "bells"})
    further = await beside_quotes(quotes, [*quotes, *known], shown.split(), {"bells": source}, text_of)
    assert all(text and each.quote == text[each.start : each.end] for each in further)
    return further


async def test_the_rest_of_a_passage_is_given_without_headings_before_and_behind_its_quote() -> None:
    further = await beside(quote("E1-4", SECOND))
    assert [(each.id, each.quote) for each in further] == [("E1-5", FIRST), ("E1-6", f"{THIRD}\n\n{TABLE}")]


async def test_what_another_excerpt_holds_is_given_as_that_excerpt_or_not_again() -> None:
    known = (quote("E1-1", FIRST), quote("B0-1", TABLE[-23:]), quote("E3-1", TABLE[-23:]))
    further = await beside(quote("E2-1", SECOND), known=known, shown="E1-1")
    texts = {each.id: each.quote for each in further}
    assert list(texts) == ["B0-1", "E2-2"]
    assert texts["E2-2"].startswith(THIRD)
    assert texts["E2-2"].endswith("| Big | 900 kilograms |")


async def test_a_passage_without_a_quote_is_not_given_and_one_that_is_quoted_twice_once() -> None:
    further = await beside(quote("E1-1", FIRST), quote("E2-1", THIRD))
    assert FAR[:40] not in " ".join(each.quote for each in further)
    assert [each.quote for each in further].count(SECOND) == 1
    assert {each.id for each in further} == {f"E1-{number}" for number in range(2, 2 + len(further))}


async def test_a_long_rest_is_parted_between_its_rows() -> None:
    rows = [f"| Rope {number} | {number} metres of hemp from the yard of the harbour |" for number in range(10, 40)]
    text = "\n".join(["| Rope | Length |", "| --- | --- |", *rows])
    further = await beside(quote("E1-1", rows[0], text), text=text)
    assert len(further) > 1
    assert all(each.quote.startswith("| Rope") and len(each.quote) <= 900 for each in further)
    assert "\n".join(each.quote for each in further) == "\n".join(rows[1:])


async def test_parts_of_code_stay_whole_in_a_passage_that_begins_amid_it() -> None:
    lines = [f"value_{number} = reading({number}); print(value_{number})" for number in range(150)]
    text = "\n".join(["# Code", "", "```python", *lines, "```", ""])
    assert await beside(quote("E1-1", lines[100], text), text=text) == []  # it lies in the passage's only part


async def test_a_picture_and_what_has_hardly_a_word_are_left_out() -> None:
    text = f"# Bells\n\n{FIRST}\n\n![the-bells-of-norland](./images/the-bells-of-norland.png)\n\nSo it was.\n"
    assert await beside(quote("E1-1", FIRST, text), text=text) == []


async def test_a_lost_text_and_the_program_of_a_computation_give_nothing() -> None:
    assert await beside(quote("E1-1", FIRST), text=None) == []
    assert await beside(quote("E1-1", FIRST), kind="computation") == []
