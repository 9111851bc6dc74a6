"""Pages of HTML are read as a browser shows them, and so is what other formats are made of it."""

import io
from pathlib import Path

import pytest
from docx import Document

from services.search.documents import open_documents
from services.search.files import shown_html
from services.search.files.convert_office import convert
from services.search.files_read import file_messages, files_read
from services.search.pages.extract import extract
from services.search.pages.extraction import Job
from tests.fakes.read_folder import filled


async def test_names_numbers_and_terms_of_a_page_stay_as_they_are_written(tmp_path: Path) -> None:
    page = "<h1>The <a href='#l'>limit</a>s<br>of it</h1><dl><dt>MAX_AGE_S:</dt><dd>At most 2<sup>31</sup>-1,\n *not*\nmore.</dd></dl><pre>a\n  b</pre>"
    folder = filled(tmp_path / "pages", {"a.html": page})
    [hit] = await (await open_documents(folder, tmp_path / "home")).search("MAX_AGE_S", 1, "words")
    assert hit.title == "The limits of it"
    assert hit.text == "# The [limit](#l)s of it\n\n* MAX_AGE_S: At most 2^31-1, *not* more.\n\n```\na\n  b\n```"


async def test_a_page_is_read_as_its_scripts_show_it_and_a_list_of_sections_as_sections(tmp_path: Path) -> None:
    pages = {"included.html": '<!--#include virtual="3.9/limits.html" -->'}
    for version in ("3.8", "3.9"):
        pages[f"{version}/generated/limits.html"] = (
            f"<!-- licence --><script>var weight = 1</script><script type='application/json'>{{\"weight\": 1}}</script>"
            f'<script id="limits" type="text/x-handlebars-template"><ul><li><h4><a href="#w">Weight</a></h4><p>The weight of {version}.</p>'
            "<table><tr><th>Type:</th><td>int</td></tr><tr><th>Default:</th><td>7</td></tr></table></li></ul></script>"
        )
    folder = filled(tmp_path / "site", pages)
    documents = await open_documents(folder, tmp_path / "home")
    hits = {hit.title: hit.text for hit in await documents.search("weight", 9, "words")}
    assert hits == {
        f"{version}/generated/limits – Weight": f"#### [Weight](#w)\n\nThe weight of {version}.\n\n| Type: | int |\n| --- | --- |\n| Default: | 7 |"
        for version in ("3.8", "3.9")
    }
    [named] = documents.index.titles().named("see 3.9/generated/limits.html").values()
    assert [hit.title for key in named if (hit := documents.index.hit(key))] == ["3.9/generated/limits – Weight"]
    assert file_messages(files_read([documents]), "en-US") == ["included.html was not searched: it holds no text."]
    filled(folder, {"3.9/of/generated/limits.html": "<h4>Weight</h4><p>Another weight.</p>"})
    documents = await open_documents(folder, tmp_path / "home")
    assert "of/generated/limits – Weight" in {hit.title for hit in await documents.search("weight", 9, "words")}


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        ("<tr><td rowspan=2>A<td>1<td>2<tr><td>3<td>4", "A|1|2 A|3|4"),
        ("<tr><th rowspan=2>A<th colspan=2>B<tr><th>C<th>D<tr><td>1<td>2<td>3", "A|BC|BD 1|2|3"),
        ("<tr><td rowspan=2>A<td colspan=2>B<tr><td>C<td>D<tr><td>1<td>2<td>3", "A|BC|BD 1|2|3"),
        (
            "<tr><td rowspan=3>A<td colspan=3>B<tr><td colspan=2>C<td>D<tr><td>E<td>F<td>G<tr><td>1<td>2<td>3<td>4",
            "A|BCE|BCF|BDG 1|2|3|4",
        ),
        ("<tr><td rowspan=2>A<td colspan=2>B<tr><td>C<td>D", "A|B|B A|C|D"),
        (
            "<tr><td rowspan=3>A<td rowspan=2>B<td colspan=2>C<tr><td>1<td>2<tr><td>3<td>4<td>5",
            "A|B|C|C A|B|1|2 A|3|4|5",
        ),
        ("<tr><th>A<th>B<th>C<tr><td colspan=2>Sum<td>3", "A|B|C Sum||3"),
        ("<tr><th>A<th>B<tr><td rowspan=0>1<td>2<tr><td>3", "A|B 1|2 1|3"),
        ("<thead><tr><th rowspan=9>A<th>B</thead><tr><td>1<td>2", "A|B 1|2"),
        ("<tr><td rowspan=2>A<td>1<td colspan=x>2<tr><td>3<td>4", "A|1|2 A|3|4"),
        (f"<tr><td>1<td rowspan=2>{'long' * 60}<td>2<tr><td>3<td>4", f"1|{'long' * 60}|2 3||4"),
        ("<tr><th>A<th>B<tr><td>1<td>2<tr><td colspan=100%>Source", "A|B 1|2 Source"),
    ],
)
def test_a_merged_cell_is_said_in_each_row_that_it_takes(rows: str, read: str) -> None:
    page = f"<body><article><table>{rows}</table></article></body>".encode()
    text = convert("a.html", page)["text"]
    assert text.count("|") < 50
    shown = [line.strip("| ").replace(" ", "") for line in text.splitlines() if "---" not in line]
    assert shown == read.split()


def test_merged_cells_of_a_page_take_a_limited_room_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_html, "MAX_TAKEN", 2_000)
    table = "<table><tr><td colspan=100 rowspan=20>q<td>1" + "<tr><td>2" * 19 + "</table>"
    sizes = [len(convert("a.html", f"<body>{table * count}</body>".encode())["text"]) for count in (1, 6)]
    assert sizes[1] < 2 * sizes[0]


def test_raised_numbers_and_merged_cells_are_read_in_word_files_and_on_the_web(tmp_path: Path) -> None:
    page = (
        "<body><p>About 10<sup>6</sup> strokes.<sup>[2]</sup></p><table><tr><td rowspan=2>North<td>7<tr><td>9</table>"
    )
    job: Job = {"kind": "html", "charset": None, "url": "https://a.example", "characters": 1_000, "name": "a"}
    assert extract(job, page.encode())["text"] == "About 10^6 strokes.[2]\n\nNorth | 7\nNorth | 9"
    document, file = Document(), io.BytesIO()
    document.add_paragraph("About 10").add_run("6").font.superscript = True
    table = document.add_table(rows=3, cols=2)
    for place, text in enumerate("Sea Depth North 7 - 9".split()):
        table.cell(*divmod(place, 2)).text = text.strip("-")
    table.cell(1, 0).merge(table.cell(2, 0))
    document.save(file)
    read = "About 10^6\n\n| Sea | Depth |\n| --- | --- |\n| North | 7 |\n| North | 9 |"
    assert convert("a.docx", file.getvalue())["text"] == read


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("<form><p>Rope.</p><select><option>Choose</select></form>", "Rope."),
        ("<p>Rope [1].</p><aside><p>Of hemp.</p></aside>", "Rope [1].\n\nOf hemp."),
        (
            "<header><h1>Wind</h1><p>It grew.</p></header><section><header><h2>Rope</h2></header>Of hemp.</section><footer>Menu</footer>",
            "# Wind\n\nIt grew.\n\n## Rope\n\nOf hemp.",
        ),
        ("<dl><dt>Use</dt><dd><pre>a = 1</pre></dd></dl><h2>Next</h2>", "* Use:\n```\n    a = 1\n    ```\n\n## Next"),
        ("<header>The site</header><main><header><h1>Rope</h1></header><p>Of hemp.</p></main>", "# Rope\n\nOf hemp."),
        (
            "<script type='text/x-template'><p>Lines</p><li><h3>Rope</h3><p>Of hemp.</p></li></script><div></div>",
            "Lines\n\n### Rope\n\nOf hemp.",
        ),
        ("<details><summary>Rope</summary>Of hemp.</details><address>Oslo</address>", "Rope\n\nOf hemp.\n\nOslo"),
        (
            "<p>Rope.</p><p hidden>No.</p><p style='display:none'>No.</p><style>.x{display:none}</style><i class=x>No</i>",
            "Rope.",
        ),
        ("<p>By <span style='text-decoration: line-through'>Karl</span> Petra</p>", "By ~~Karl~~ Petra"),
        ("<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>支店</p>", "東京支店"),
        ("<p><input type=checkbox checked> Rope</p>", "[x]  Rope"),
    ],
)
def test_what_is_around_the_text_of_a_page_is_told_by_its_place(page: str, read: str) -> None:
    assert convert("a.html", page.encode()).get("text") == read
