"""Changes of a report without a model: fewer sentences, sections left out, and nothing that rules cannot do."""

import pytest

from schemas.reporter_revising import ReporterRevisingPrompt
from services.models import offline
from services.models.offline.revision import Change, change_of

HEADINGS = ["Costs", "成本", "What happened in 1921"]
REPORT = """# Title

**TL;DR** It is so [E1-1].

## Costs

One. Two [E1-1]. Three [E1-2]. Four [E1-3].

More of it [E1-3].

### Of the pier

Deeper [E1-4].

## What happened in 1921

- a [E1-1]
- b [E1-2]
- c [E1-3]

## Table

| a | b |
|---|---|
| 1 | 2 [E1-1] |

```text
## no heading
```"""


def revised(request: str, report: str = REPORT) -> str:
    return offline.answer(
        ReporterRevisingPrompt(request=request, question="?", locale="en-US", tone="", report=report, evidence=[])
    )


@pytest.mark.parametrize(
    ("request_", "change"),
    [
        ("Shorten it", Change(shorten=True)),
        ("请缩短", Change(shorten=True)),
        ("A shorter one, please", Change(shorten=True)),
        ("Drop the section Costs", Change(shorten=False, sections=("Costs",))),
        ("删除“成本”一节", Change(shorten=False, sections=("成本",))),
        ("shorter, without “what happened in 1921”", Change(shorten=True, sections=("What happened in 1921",))),
        ("Shorten it and translate it into German", Change(shorten=False)),
        ("缩短并翻译成英文", Change(shorten=False)),
        ("Remove the sheep", Change(shorten=False)),
        ("Shorten it and remove the sheep", Change(shorten=False)),
        ("Costs", Change(shorten=False)),
        ("Explain it to children", Change(shorten=False)),
    ],
)
def test_rules_do_what_they_understand_whole_and_nothing_else(request_: str, change: Change) -> None:
    assert change_of(request_, HEADINGS) == change


def test_a_shorter_report_keeps_its_opening_and_the_beginning_of_each_section() -> None:
    text = revised("Shorten it")
    assert text.startswith("# Title\n\n**TL;DR** It is so [E1-1].\n\n## Costs\n\nOne. Two [E1-1].\n\n### Of the pier")
    assert "Three" not in text
    assert "More of it" not in text
    assert "- a [E1-1]\n- b [E1-2]\n\n## Table" in text
    assert "| 1 | 2 [E1-1] |" in text
    assert "no heading" not in text


LABELLED = """# Title

**TL;DR** It is so [E1-1].

## Conclusion

It cost 5 crowns [E1-1].

More of it [E1-2].

Another source gives another figure:

It cost 6 crowns [E1-3].

## Evidence

**The first paper** [E1-1]

> It cost 5 crowns. [E1-1]

**The second paper** [E1-3]

> It cost 6 crowns. [E1-3]

## Sources

**The third paper** [E1-4]"""


def test_a_shorter_report_keeps_labels_with_what_they_name_and_the_sides_of_a_disagreement() -> None:
    text = revised("Shorten it", LABELLED)
    assert "## Conclusion\n\nIt cost 5 crowns [E1-1].\n\nAnother source gives another figure:\n\nIt cost 6" in text
    assert text.endswith("## Evidence\n\n**The first paper** [E1-1]\n\n> It cost 5 crowns. [E1-1]")
    assert "More of it" not in text


def test_a_section_is_left_out_with_those_inside_it() -> None:
    text = revised("Drop “Costs”")
    assert "Costs" not in text
    assert "Of the pier" not in text
    assert "## What happened in 1921" in text
    assert "Three" not in text
    assert "- c [E1-3]" in text


def test_what_rules_cannot_do_leaves_the_report_as_it_is() -> None:
    assert revised("Translate it") == REPORT
