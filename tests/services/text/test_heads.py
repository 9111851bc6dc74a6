"""What stands above a place of a text: the label of its paragraph, and what encloses a line of code."""

import pytest

from services.text.heads import Sections, label_at
from services.text.spans import block_around

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


CODE = """# Bell

## Use

```python
import os

class Bell(Thing):
    def ring(
        self,
        times: int,
    ) -> None:
        for _ in range(times):
            self.strike()

        self.rest()
```

```c
static void ring(int times)
{
    strike(times);
}
```
"""


@pytest.mark.parametrize(
    ("words", "above"),
    [
        ("import os", []),
        ("self.strike()", ["class Bell(Thing)", "def ring", "for _ in range(times)"]),
        ("self.rest()", ["class Bell(Thing)", "def ring"]),
        ("strike(times);", ["static void ring(int times)"]),
    ],
)
def test_a_line_of_code_has_the_lines_that_enclose_it(words: str, above: list[str]) -> None:
    place = CODE.index(words)
    assert Sections(CODE).at(place) == " > ".join(["Use", *above])
    assert "Use" in Sections(CODE).names(place), "as bundles have it that were made before"


BLOCKS = """
@app.task(
    acks_late=True,
)
# It rings.
def ring(times):
    for _ in range(times):
        strike()

    rest()


void ring(int times)
{
    if (times) {
        strike();
    } else {
        rest();
    }
}

bell = 1

int toll(void)
{
    int n = 1;
#ifdef LOUD
    n = 2;
#endif
    return n;
}
"""


@pytest.mark.parametrize(
    ("words", "longest", "first", "last"),
    [
        ("        strike()\n", 500, "# It rings.", "rest()"),
        ("        strike()\n", 60, "for _ in", "strike()"),
        ("def ring", 500, "# It rings.", "rest()"),
        ("    acks_late", 500, "@app.task(", ")"),
        ("        strike();", 500, "void ring", "}"),
        ("        strike();", 80, "if (times)", "}"),
    ],
)
def test_the_largest_block_that_fits_is_told_around_a_line(words: str, longest: int, first: str, last: str) -> None:
    block = block_around(BLOCKS, BLOCKS.index(words), longest)
    assert block is not None
    held = BLOCKS[slice(*block)]
    assert held.lstrip().startswith(first)
    assert held.endswith(last)
    assert block_around(BLOCKS, BLOCKS.index("bell"), longest) is None
    assert block_around(BLOCKS, BLOCKS.index("int n"), longest) is None, "a line within it is indented less"
    assert block_around(BLOCKS, BLOCKS.index(words), 9) is None


def test_the_fence_above_a_block_is_no_part_of_it() -> None:
    for fence in ("```", "~~~"):
        code = f"{fence}yaml\nbell:\n  times: 3\n{fence}"
        block = block_around(code, code.index("times"), 500)
        assert block is not None
        assert code[slice(*block)] == "bell:\n  times: 3"


def test_a_bundle_whose_code_had_no_lines_around_it_still_holds() -> None:
    code = "## Use\n\n```python\nclass Bell:\n" + "".join(f"    self.ring({line})\n" for line in range(300)) + "```"
    place = code.index("self.ring(299)")
    assert (Sections(code).at(place), "Use" in Sections(code).names(place)) == ("Use > class Bell", True)


def test_of_many_lines_that_enclose_code_the_innermost_are_told() -> None:
    lines = [f"{' ' * depth}def level_{depth}_{'x' * 30}():" for depth in range(9)]
    code = "\n".join(["```python", *lines, f"{' ' * 9}work()", "```"])
    assert Sections(code).at(code.index("work()")) == " > ".join(line.strip(" :") for line in lines[-2:])
