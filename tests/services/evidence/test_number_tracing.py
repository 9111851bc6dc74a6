"""Following a finding to what tools returned: every number has a line, or its sentence goes."""

import pytest

from schemas.evidence import Passage
from services.evidence.computation import lines_of, trace

OUTPUT = "mean of 12 values: 7,660.5 m\nmedian: 7137 m\n| 城市 | 人数 |\n| 北京 | 2189 |\n| 上海 | 2487 |"


def passage(text: str, start: int = 40, key: str = "a") -> Passage:
    return Passage(id="P1", content_hash=key, title="run", start=start, end=start + len(text), text=text)


def test_lines_keep_their_places_in_the_stored_text() -> None:
    stored = "# Computation\n## Output\n\nfirst\n---\nsecond"
    output = passage(stored[24:], start=24)
    assert [(line.text, stored[line.start : line.end]) for line in lines_of(output)] == [
        ("first", "first"),
        ("second", "second"),
    ]


@pytest.mark.parametrize(
    ("finding", "lines"),
    [
        ("The mean of the 12 values is 7660.5 m.", ["mean of 12 values: 7,660.5 m"]),
        ("The median is 7,137 m and the mean 7,660.5 m.", ["median: 7137 m", "mean of 12 values: 7,660.5 m"]),
        ("上海有2487人，北京有2189人。", ["| 上海 | 2487 |", "| 北京 | 2189 |"]),
        ("The mean is about 7,700 m.", ["mean of 12 values: 7,660.5 m"]),
    ],
    ids=["one line", "two lines", "a table, in Chinese", "rounded"],
)
def test_a_sentence_is_followed_to_the_fewest_lines_that_hold_its_numbers(finding: str, lines: list[str]) -> None:
    traced = trace(finding, [passage(OUTPUT)])
    assert traced.finding == finding
    assert sorted(line.text for line in traced.lines) == sorted(lines)


@pytest.mark.parametrize(
    "sentence",
    ["The sum is 99,999 m.", "They grew by 12.5 percent.", "北京占百分之四十七。", "It began in 1872."],
)
def test_a_sentence_with_a_number_that_no_tool_returned_is_dropped(sentence: str) -> None:
    traced = trace(f"The median is 7137 m. {sentence}", [passage(OUTPUT)])
    assert traced.finding == "The median is 7137 m."
    assert traced.dropped == [sentence]


def test_a_sentence_may_hold_the_numbers_of_as_many_lines_as_it_names() -> None:
    counts = {"West": 138, "South": 130, "East": 121, "North": 111, "Isles": 95}
    said = f"They are {', '.join(f'{count} in the {region}' for region, count in counts.items())}."
    traced = trace(said, [passage("\n".join(f"{region}  {count}" for region, count in counts.items()))])
    assert (traced.finding, len(traced.lines)) == (said, len(counts))


def test_numbers_of_the_question_need_no_proof() -> None:
    traced = trace("Since 1872 the median is 7137 m.", [passage(OUTPUT)], "What is the median since 1872?")
    assert not traced.dropped


def test_of_two_lines_that_hold_a_number_the_one_that_says_most_is_taken() -> None:
    said = "rows: 7\nThe Vema made 7 soundings in all"
    traced = trace("The Vema made 7 soundings.", [passage(said)])
    assert [line.text for line in traced.lines] == ["The Vema made 7 soundings in all"]
