"""Charts: drawn where their numbers stand in what they cite and their form suits them, else refused with a reason."""

import json
import re
from typing import Any

import pytest

from schemas.chart import Chart, Series
from schemas.document import Code, Drawing, Table
from services.reports.charts.checks import ChartRefused, checked_chart, with_chart_checked
from services.reports.charts.echarts import options
from services.reports.charts.svg import chart_svg
from services.reports.charts.written import with_unit
from services.reports.document import walk
from services.reports.html.figure import drawing
from services.reports.markdown_blocks import read_draft, read_markdown
from services.reports.parser import parse_report
from services.reports.rendering import to_draft, to_markdown
from tests.services.reports.full import ENGLISH, chart, english, english_from, report_of

QUOTES = {f"E1-{place}": text for place, text in enumerate(ENGLISH, 1)}


def check(**changes: Any) -> None:
    checked_chart(chart(**changes).removeprefix("```chart\n").removesuffix("\n```"), QUOTES)


def test_a_chart_whose_numbers_are_cited_is_drawn() -> None:
    check()
    check(type="line")
    check(type="scatter", categories=[], series=[{"name": "d", "points": [[1875, 8184], [2010, 10994]]}])
    check(type="pie", unit="%", categories=["mapped", "not"], series=[{"values": [24.9, 75.1]}], sources=["E1-5"])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"series": [{"name": "depth", "values": [8184, 10863, 11034, 10995]}]}, "Not in what it cites: 10995"),
        ({"title": "Depth in 1066"}, "Not in what it cites: 1066"),
        ({"sources": ["E1-1"]}, "Not in what it cites"),
        ({"sources": ["E9-9"]}, "which does not exist"),
        ({"sources": []}, "form of a chart: sources"),
        ({"categories": ["1875"], "series": [{"values": [8184]}]}, "a single number"),
        ({"categories": ["1875", "1951"]}, "one value for each category"),
        ({"categories": ["1875", "1875", "1957", "2010"]}, "a name of its own"),
        ({"series": [{"name": "a", "values": [8184, 10863, 11034, 10994]}] * 2}, "different names"),
        ({"type": "scatter"}, "points and no categories"),
        ({"type": "pie", "categories": ["a", "b"], "series": [{"name": "x", "values": [8184, 10863]}, {"name": "y", "values": [8184, 10863]}]}, "one series"),
        ({"type": "pie", "unit": "percent", "categories": ["deep", "deeper"], "series": [{"values": [24.9, 24.9]}], "sources": ["E1-5"]}, "a whole: 49.8 %"),
        ({"type": "pie"}, "do not add up to a whole: 41075"),
        ({"type": "pie", "categories": ["a", "b"], "series": [{"values": [-8184, 10863]}]}, "none of them negative"),
        ({"series": [{"name": "depth", "values": ["8184", None, 1, 2]}]}, "form of a chart: series.0.values"),
        ({"formatter": "function(){}"}, "form of a chart: formatter"),
        ({"type": "sankey"}, "form of a chart: type"),
        ({"series": [{"name": str(place), "values": [8184] * 50} for place in range(5)], "categories": [chr(0x4E00 + place) for place in range(50)]}, "too many"),
    ],
)  # fmt: skip
def test_a_chart_that_does_not_hold_is_refused_with_the_reason(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ChartRefused, match=reason.replace("(", r"\(")):
        check(**changes)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(value: str) -> None:
    chart_json = json.dumps({"type": "bar", "title": "t", "categories": ["a", "b"], "sources": ["E1-1"]})
    with pytest.raises(ChartRefused, match="form of a chart"):
        checked_chart(f'{chart_json[:-1]}, "series": [{{"values": [{value}, 8184]}}]}}', QUOTES)


def test_a_refused_chart_leaves_the_report_and_the_reader_is_told() -> None:
    report = report_of(f"# T\n\n{ENGLISH[0]} [E1-1]\n\n{chart(sources=['E9-9'])}\n\n{chart()}\n", ENGLISH)
    assert report.markdown.count("<!-- chart") == 1
    assert report.limits == ["A chart was left out. It cites E9-9, which does not exist."]
    assert len([source for source in report.sources if source.number]) == len(ENGLISH)


def test_a_chart_that_may_not_be_drawn_is_a_table_whose_rows_are_checked() -> None:
    written = chart(categories=["1875 (492 soundings, https://example.org)", "1951", "1957", "2010"])
    table, drawn = (with_chart_checked(block, QUOTES) for block in read_draft(f"{written}\n\n{chart()}"))
    assert isinstance(table, Table)
    assert len(table.rows) == 4
    head, rule, first, *_ = to_draft([table]).splitlines()
    assert rule == "| --- | --- |"
    assert json.loads(written.removeprefix("```chart\n").removesuffix("\n```"))["title"] in head
    assert first.startswith("| 1875 (492 soundings, ) | 8184 [E1-1]")
    assert isinstance(drawn, Code)


def test_an_address_in_a_label_is_kept_where_it_is_quoted() -> None:
    site = "https://example.org/soundings"
    quotes = {**QUOTES, "E1-2": f"{QUOTES['E1-2']} See {site} for it."}
    labels = {"categories": ["1875", site, "1957", "2010"]}
    written = Code(chart(**labels).removeprefix("```chart\n").removesuffix("\n```"), "chart")
    assert site in to_markdown([with_chart_checked(written, quotes)])
    assert isinstance(with_chart_checked(written, QUOTES), Table)


@pytest.mark.parametrize(("name", "head"), [("minus 10,984 m", "minus 10,984 m"), ("maximum", "maximum (m)")])
def test_a_unit_that_a_name_holds_is_not_repeated(name: str, head: str) -> None:
    assert with_unit(name, "m") == head


def test_a_number_stands_at_the_end_of_each_bar_and_beside_each_slice() -> None:
    bars = Chart(
        type="bar", title="", categories=["1951", "1957"], series=[Series(values=[-121, 50])], sources=["E1-1"]
    )
    sides = [[one["label"]["position"] for one in option["series"][0]["data"]] for option in options(bars)]
    assert sides == [["bottom", "top"], ["left", "right"]]  # of upright bars, and of those in a narrow window
    drawn = chart_svg(bars, height=300)
    assert drawn
    below, above = (
        float(match[1])
        for number in ("−121", "50")
        for match in [re.search(rf'transform="translate\([\d.]+,([\d.]+)\)[^>]*>{number}<', drawn)]
        if match
    )
    assert 0 <= above < 150 < below
    pie = bars.model_copy(update={"type": "pie", "series": [Series(values=[24.9, 75.1])]})
    assert all(f">{number}<" in (chart_svg(pie) or "") for number in ("24.9", "75.1"))


@pytest.mark.parametrize(("count", "shape"), [(9, "plot"), (13, "plot long")])
def test_a_long_bar_chart_names_each_category_and_is_drawn_higher(count: int, shape: str) -> None:
    names, values = [f"port {number}" for number in range(count)], [float(number) for number in range(count)]
    bars = Chart(type="bar", title="t", categories=names, series=[Series(values=values)], sources=["E1-1"])
    assert all(option["yAxis"]["axisLabel"]["interval"] == 0 for option in options(bars))
    assert f'class="{shape}"' in (drawing(bars, 1, "t", with_echarts=True) or "")


@pytest.mark.parametrize(
    ("name", "by_words"), [("2010 reviewed (10,984 ± 25) and 2020 (10,935 ± 6)", True), ("每日户外活动时间" * 4, False)]
)
def test_names_at_an_axis_are_broken_between_words_and_chinese_ones_anywhere(name: str, by_words: bool) -> None:
    bars = Chart(type="bar", title="t", categories=[name, "Other"], series=[Series(values=[49, 59])], sources=["E1-1"])
    for option in options(bars):
        axis = option["yAxis"]
        assert axis["data"][0].split() == name.split()
        assert ("\n" in axis["data"][0], "overflow" not in axis["axisLabel"]) == (by_words, by_words)


def test_a_chart_that_was_changed_afterwards_stays_code() -> None:
    blocks = list(walk(parse_report(english_from(english().markdown.replace("10994]", "20994]")))))
    assert sum(isinstance(one, Drawing) for one in blocks) == 1
    assert any(isinstance(one, Code) and one.language == "chart" for one in blocks)


def test_in_markdown_a_chart_is_a_table_which_is_drawn_again_unless_it_was_edited() -> None:
    def shown(markdown: str) -> list[type]:
        return [type(one) for one in walk(parse_report(english_from(markdown))) if isinstance(one, Drawing | Table)]

    finished, row = english().markdown, "| 2010 | 10994 |"
    assert finished.count(row) == 1
    assert "```chart" not in finished
    assert shown(finished) == [type(one) for one in walk(parse_report(english())) if isinstance(one, Drawing | Table)]
    assert len(shown(finished.replace(row, "| 2010 | 20994 |"))) == len(shown(finished)) + 1


@pytest.mark.parametrize(("named", "heading"), [("year", "| year | metres |"), ("", "| Depth | metres |")])
def test_the_table_of_a_chart_says_what_its_categories_are(named: str, heading: str) -> None:
    drawn = Chart(
        type="line", title="Depth", unit="metres", x_unit=named, categories=["1951", "1957"],
        series=[Series(values=[1, 2])], sources=["E1-1"],
    )  # fmt: skip
    written = to_markdown([Drawing(drawn)])
    assert written.startswith(heading)
    assert [type(block) for block in read_markdown(written)] == [Code]


def test_no_label_of_a_chart_ends_the_comment_with_its_data() -> None:
    drawn = Chart(
        type="bar", title="a --> b | <b>", categories=["x", "y"], series=[Series(values=[1, 2])], sources=["E1-1"]
    )
    [read] = read_markdown(to_markdown([Drawing(drawn)]))
    assert isinstance(read, Code)
    assert Chart.model_validate_json(read.text) == drawn
