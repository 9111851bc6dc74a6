"""Presentations are read as they are shown."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml

from services.search.files.convert_office import convert

_PLACE = (914400, 1800000, 6000000, 2000000)
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _lists(slide: Any) -> None:
    frame = slide.placeholders[1].text_frame
    frame.text = "7 berths\vin two basins"
    below = frame.add_paragraph()
    below.text, below.level = "3 of them for ferries", 1
    cost = frame.add_paragraph()
    cost.add_run().text = "The pier cost 9 million"
    cost.runs[0].font._element.set("strike", "sngStrike")
    cost.add_run().text = " 12 million"


def _table(slide: Any) -> None:
    table = slide.shapes.add_table(3, 3, *_PLACE).table
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    for row, texts in enumerate((("Service", "Import", ""), ("", "20 ft", "40 ft"), ("Lift", "95", "120"))):
        for column, text in enumerate(texts):
            if text:
                table.cell(row, column).text = text


def _bars(slide: Any) -> None:
    data = CategoryChartData(number_format="0%")
    data.categories = ["2023", "2024"]
    data.add_series("Diesel", (0.52, 0.4))
    data.add_series("Electric", (0.48, 0.6))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *_PLACE, data).chart
    chart.has_title = chart.value_axis.has_title = True
    chart.chart_title.text_frame.text = "Cranes"
    chart.value_axis.axis_title.text_frame.text = "Share of lifts"


def _points(slide: Any) -> None:
    data = XyChartData()
    data.add_series("Draft").add_data_point(10.5, 9.1)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *_PLACE, data)


def _diagram(slide: Any) -> None:
    point = "<dgm:pt modelId='{}' type='{}'><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    points = point.format(1, "node", "Pilots") + point.format(2, "pres", "Style") + point.format(3, "node", "Tugs")
    model = (
        f"<dgm:dataModel xmlns:dgm='{_DIAGRAM}' xmlns:a='{_DRAWING}'><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>"
    )
    kind = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
    part = Part(PackURI("/ppt/diagrams/data1.xml"), kind, slide.part.package, model.encode())
    relation = slide.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    )
    slide.shapes._spTree.append(
        parse_xml(
            f"<p:graphicFrame xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main' xmlns:a='{_DRAWING}'>"
            "<p:nvGraphicFramePr><p:cNvPr id='9' name='d'/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>"
            "<p:xfrm><a:off x='0' y='0'/><a:ext cx='9' cy='9'/></p:xfrm>"
            f"<a:graphic><a:graphicData uri='{_DIAGRAM}'><dgm:relIds xmlns:dgm='{_DIAGRAM}' r:dm='{relation}' "
            "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'/></a:graphicData></a:graphic>"
            "</p:graphicFrame>"
        )
    )


def _notes(slide: Any) -> None:
    slide.notes_slide.notes_text_frame.text = "The strike took 11 days."


@pytest.mark.parametrize(
    ("fill", "read"),
    [
        (
            _lists,
            "- 7 berths in two basins\n  - 3 of them for ferries\n- ~~The pier cost 9 million~~ 12 million",
        ),
        (_table, "| Service | Import 20 ft | Import 40 ft |\n| --- | --- | --- |\n| Lift | 95 | 120 |"),
        (
            _bars,
            "### Chart: Cranes\n\nShare of lifts\n\n|  | Diesel | Electric |\n| --- | --- | --- |\n| 2023 | 52% | 48% |\n| 2024 | 40% | 60% |",
        ),
        (_points, "### Chart\n\n|  | Draft |\n| --- | --- |\n| 10.5 | 9.1 |"),
        (_diagram, "Pilots\n\nTugs"),
        (_notes, "### Notes\n\nThe strike took 11 days."),
    ],
)
def test_what_a_slide_shows_stands_below_its_number_and_title(fill: Callable[[Any], None], read: str) -> None:
    deck, file = Presentation(), io.BytesIO()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Harbour\v2030"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "State"
    fill(slide)
    deck.save(file)
    answer = convert("deck.pptx", file.getvalue())
    assert answer["text"] == f"# Harbour 2030\n\n## Slide 1\n\n## Slide 2: State\n\n{read}"
    assert (answer["card"]["title"], answer["card"]["published"], answer["note"]) == ("Harbour 2030", "", "")


def test_hidden_slides_and_shapes_are_not_told_but_named() -> None:
    deck, file = Presentation(), io.BytesIO()
    for text in ("Open", "Sale of the yard", "Staff"):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = text, f"{text} 412."
    deck.slides[1]._element.set("show", "0")
    draft = deck.slides[2].shapes.add_textbox(*_PLACE)
    draft.text_frame.text = "999 as a draft"
    draft._element.xpath("./p:nvSpPr/p:cNvPr")[0].set("hidden", "1")
    deck.save(file)
    answer = convert("deck.pptx", file.getvalue())
    assert answer["text"] == "# Open\n\n## Slide 1\n\n- Open 412.\n\n## Slide 3: Staff\n\n- Staff 412."
    assert answer["note"] == "hidden"
