"""What stands above a place of a text: the label of its paragraph."""

import pytest

from services.text.heads import Sections, label_at

MINUTES = """# Minutes

## The rope

DE: It is of hemp. It holds ten tons.

**Ada Holm (AH):** The wire is dear, and nobody has told us until now what it
costs to keep it dry: too much. So we take hemp.

- Weight: a cast takes the double of it. The wire sinks faster.
- No label here. Nothing at all.

Name: rope
Length: ten fathoms, as the log of the ship says in the hand of its mate
Status: lost

张三：绳子太重。我不同意。
李四：我同意。就这样。

Casts by year: 120 in the first, 240 in the second, and none in the third.
The line was lost twice.
"""


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("It is of hemp", "DE"),
        ("It holds", "DE"),
        ("costs to keep", "Ada Holm (AH)"),
        ("too much", "Ada Holm (AH)"),
        ("So we take", "Ada Holm (AH)"),
        ("The wire sinks", "Weight"),
        ("Nothing at all", ""),
        ("Length", ""),
        ("Status", ""),
        ("我不同意", "张三"),
        ("就这样", "李四"),
        ("The line was lost", ""),
    ],
)
def test_who_speaks_is_known_amid_a_paragraph(words: str, label: str) -> None:
    place = MINUTES.index(words)
    assert label_at(MINUTES, place) == label
    section = " > ".join(filter(None, ["The rope", label]))
    assert Sections(MINUTES).names(place)[:2] == (section, "The rope")
