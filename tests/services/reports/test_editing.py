"""An editor's changes of blocks: what they may change, and what they leave as it was."""

import pytest

from schemas.evidence import Excerpt
from schemas.reporter_editing import BlockView, Edit
from services.reports.editing import BETWEEN, beside, holder_of, pieces_of, views_of, with_edits
from services.reports.markdown_blocks import read_draft
from services.reports.rendering import to_draft

DRAFT = """# Title

First paragraph [E1-1]. Its second line.

- one [E1-1]
- two [E1-2]

| a | b |
| --- | --- |
| 1 [E1-1] | 2 |
| 3 [E1-2] | 4 |

```chart
{"type":

"bar"}
```

Last paragraph."""
IDS = {view.text.split("\n")[0].rstrip(): view.id for view in views_of(pieces_of(read_draft(DRAFT)))}
FIRST = "First paragraph [E1-1]. Its second line."
HEAD, ROW, LAST_ROW = "| a | b |", "| 1 [E1-1] | 2 |", "| 3 [E1-2] | 4 |"


def edit(line: str, action: str, text: str = "", moved: str = "", until: str = "") -> Edit:
    given = {
        "block": IDS.get(line, line),
        "action": action,
        "text": text,
        "moved": moved,
        "until": IDS.get(until, until),
    }
    return Edit.model_validate(given)


def changed(*edits: Edit) -> str:
    return to_draft(with_edits(pieces_of(read_draft(DRAFT)), edits, {}))


def test_paragraphs_headings_items_rows_and_fences_are_blocks_and_nothing_is_lost() -> None:
    assert list(IDS) == [
        "# Title", "First paragraph [E1-1]. Its second line.", "- one [E1-1]", "- two [E1-2]", "| a | b |", "| 1 [E1-1] | 2 |",
        "| 3 [E1-2] | 4 |", "```chart", "Last paragraph.",
    ]  # fmt: skip
    assert changed() == DRAFT


def test_a_block_is_replaced_dropped_added_and_moved() -> None:
    assert changed(edit(FIRST, "replace", "It was so [E1-1].")) == DRAFT.replace(FIRST, "It was so [E1-1].")
    assert changed(edit("- two [E1-2]", "drop")) == DRAFT.replace("\n- two [E1-2]", "")
    row = "| 5 [E1-2] | 6 |"
    assert changed(edit(LAST_ROW, "add_after", row)) == DRAFT.replace(LAST_ROW, f"{LAST_ROW}\n{row}")
    moved = changed(edit("# Title", "move_after", moved=IDS["Last paragraph."]))
    assert moved.startswith("# Title\n\nLast paragraph.\n\nFirst paragraph")


def test_a_range_of_blocks_is_replaced_dropped_and_moved() -> None:
    table = DRAFT[DRAFT.index(HEAD) : DRAFT.index("```chart") - 2]
    assert changed(edit(HEAD, "drop", until=LAST_ROW)) == DRAFT.replace(f"\n\n{table}", "")
    assert changed(edit("- one [E1-1]", "replace", "One and two [E1-1].", until="- two [E1-2]")) == DRAFT.replace(
        "- one [E1-1]\n- two [E1-2]", "One and two [E1-1]."
    )
    moved = changed(edit("Last paragraph.", "move_after", moved=IDS[HEAD], until=LAST_ROW))
    assert moved.endswith(f"Last paragraph.\n\n{table}")
    assert changed(edit(ROW, "drop", until="# Title")) == DRAFT.replace(f"\n{ROW}", ""), "a range has no end before it"


def test_a_table_keeps_the_line_below_its_head_and_goes_as_a_whole() -> None:
    assert changed(edit(HEAD, "replace", "| A | B |")) == DRAFT.replace(HEAD, "| A | B |")
    gone = changed(edit(HEAD, "drop"), edit(ROW, "drop"), edit(LAST_ROW, "drop"))
    assert "|" not in gone


def test_a_section_that_loses_all_of_its_blocks_loses_its_heading() -> None:
    text = "# T\n\n## A\n\na\n\n### In\n\ni\n\n## B\n\nb\n\n## C\n\nc"
    pieces = pieces_of(read_draft(text))
    ids = {view.text: view.id for view in views_of(pieces)}
    gone = [Edit(block=ids[name], action="drop") for name in ("i", "b", "c")]
    assert to_draft(with_edits(pieces, gone, {})) == "# T\n\n## A\n\na"


def test_several_additions_behind_one_block_stand_in_their_order() -> None:
    rows = ["| c | d |\n| --- | --- |\n| 7 [E1-1] | 8 |", "| 9 [E1-1] | 0 |"]
    text = changed(
        edit("Last paragraph.", "add_after", "## More"), *(edit("Last paragraph.", "add_after", row) for row in rows)
    )
    assert text == f"{DRAFT}\n\n## More\n\n{rows[0]}\n{rows[1]}"


def test_a_paragraph_may_become_a_list_and_what_follows_stays_apart() -> None:
    text = changed(edit(FIRST, "replace", "- a [E1-1]\n- b [E1-1]"))
    assert text.startswith("# Title\n\n- a [E1-1]\n- b [E1-1]\n\n- one [E1-1]\n- two")


@pytest.mark.parametrize(
    "ignored",
    [
        edit("B99", "drop"),
        edit("# Title", "replace", ""),
        edit("# Title", "replace", "No heading."),
        edit(ROW, "replace", "no row"),
        edit("# Title", "move_after", moved="B99"),
        edit("# Title", "add_after", " "),
    ],
)
def test_an_edit_that_names_no_block_or_another_kind_of_block_is_ignored(ignored: Edit) -> None:
    assert changed(ignored) == DRAFT


@pytest.mark.parametrize(
    ("written", "statement"),
    [
        (
            "Before 1.28, `#[cfg(version(1.28))]` is the way [E3-12][E3-16]. So it is.",
            "Before 1.28, #[cfg(version(1.28))] is the way.",
        ),
        ("It costs `x[i]` twice [inferred: E1-1, E2-3], they say [E1-1].", "It costs x[i] twice, they say."),
        ("| `a[0]` [E1-1] | none | of it [E1-2] |", "a[0] | none | of it"),
    ],
)
def test_a_statement_is_found_in_its_block_brackets_and_all(written: str, statement: str) -> None:
    views = [BlockView(id="B1", text="Nothing [E1-1]."), BlockView(id="B2", text=written)]
    assert holder_of(statement, views) is views[1]
    assert holder_of("It costs nothing.", views) is None


def test_an_editor_sees_conclusions_marked_as_it_is_to_mark_them() -> None:
    told = "So wire was quicker [inferred: E1-1, E2-3]."
    [view] = views_of(pieces_of(read_draft(told)))
    assert view.text.strip() == told


def test_what_stands_next_to_an_excerpt_is_shown_beside_it() -> None:
    places = {"E1-1": ("a", 0), "E1-2": ("a", 50), "E1-3": ("a", 90), "E1-4": ("a", 100 + BETWEEN), "E2-1": ("b", 40)}
    excerpts = [
        Excerpt(id=key, content_hash=source, quote="x" * 9, start=start, end=start + 9)
        for key, (source, start) in places.items()
    ]
    assert beside({"E1-2"}, excerpts) == {"E1-1", "E1-3"}
    assert beside({"E1-3"}, excerpts) == {"E1-2"}
    assert beside({"E2-1"}, excerpts) == set()
