"""PDF files made by hand, and lines of two columns."""

from collections.abc import Sequence

LEFT = [
    "The harbour of Varde was first dredged in",
    "spring, when the ice had left the river and",
    "the barges could be brought up from the",
    "yard. The work took eleven weeks and it",
    "was paid for by the merchants of the town",
]
RIGHT = [
    "Nobody had sounded the outer bar before the",
    "survey of that summer. It found nine feet",
    "at low water, two more than the pilots had",
    "believed, and a wreck that no chart had ever",
    "shown, with its mast still standing upright",
]


def pdf_of(
    *pages: Sequence[tuple[float, float, str]],
    titles: int = 0,
    encoding: str = "",
    drawn: str = "",
    larger: str = "!",
    type3: Sequence[str] = (),
) -> bytes:
    """Return a PDF file of lines at places of its pages, written in the order given, over a drawing.

    The font is Helvetica, or of `type3`, its definition and its glyphs, which are objects from the fourth on. The first `titles` lines are in larger type, those that begin with `larger` in type that is a little larger than that of the text.
    """
    helvetica = f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica{encoding}>>"
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "", *(type3 or [helvetica])]
    kids: list[int] = []
    for number, page in enumerate(pages):
        content = f"{drawn}\n" + "\n".join(
            f"BT /F1 {14 if number == 0 and place < titles else 12 if text.startswith(larger) else 10} Tf {x} {y} Td ({text.removeprefix(larger)}) Tj ET"
            for place, (x, y, text) in enumerate(page)
        )
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {len(objects)} 0 R>>"
        )
        kids.append(len(objects))
    objects[1] = f"<</Type/Pages/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]/Count {len(kids)}>>"
    body = "".join(f"{number} 0 obj{text}\nendobj\n" for number, text in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n".encode("latin-1")
