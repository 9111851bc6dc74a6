"""An editor's changes of blocks: what they may change, and what they leave as it was."""

import pytest

from schemas.reporter_editing import Edit
from services.reports.editing import blocks_of, with_edits

DRAFT = """# Title

First paragraph [E1-1].
Its second line.

- one [E1-1]
- two [E1-2]

| a | b |
|---|---|
| 1 [E1-1] | 2 |
| 3 [E1-2] | 4 |

```chart
{"type": "bar"}

```

Last paragraph."""
IDS = {block.text.split("\n")[0]: block.id for block in blocks_of(DRAFT)}


def edit(line: str, action: str, text: str = "", moved: str = "") -> Edit:
    return Edit.model_validate({"block": IDS.get(line, line), "action": action, "text": text, "moved": moved})


def changed(*edits: Edit) -> str:
    return with_edits(blocks_of(DRAFT), edits)


def test_paragraphs_headings_items_rows_and_fences_are_blocks_and_nothing_is_lost() -> None:
    assert list(IDS) == [
        "# Title", "First paragraph [E1-1].", "- one [E1-1]", "- two [E1-2]", "| a | b |", "|---|---|", "| 1 [E1-1] | 2 |",
        "| 3 [E1-2] | 4 |", "```chart", "Last paragraph.",
    ]  # fmt: skip
    assert changed() == DRAFT


def test_a_block_is_replaced_dropped_added_and_moved() -> None:
    assert changed(edit("First paragraph [E1-1].", "replace", "It was so [E1-1].")) == DRAFT.replace(
        "First paragraph [E1-1].\nIts second line.", "It was so [E1-1]."
    )
    assert changed(edit("- two [E1-2]", "drop")) == DRAFT.replace("\n- two [E1-2]", "")
    assert changed(edit("| 3 [E1-2] | 4 |", "add_after", "| 5 [E1-2] | 6 |")) == DRAFT.replace(
        "| 3 [E1-2] | 4 |", "| 3 [E1-2] | 4 |\n| 5 [E1-2] | 6 |"
    )
    moved = changed(edit("# Title", "move_after", moved=IDS["Last paragraph."]))
    assert moved.startswith("# Title\n\nLast paragraph.\n\nFirst paragraph")


@pytest.mark.parametrize(
    "ignored",
    [
        edit("B99", "drop"),
        edit("# Title", "replace", ""),
        edit("# Title", "replace", "No heading."),
        edit("| 1 [E1-1] | 2 |", "replace", "no row"),
        edit("# Title", "move_after", moved="B99"),
        edit("# Title", "add_after", " "),
    ],
)
def test_an_edit_that_names_no_block_or_another_kind_of_block_is_ignored(ignored: Edit) -> None:
    assert changed(ignored) == DRAFT
