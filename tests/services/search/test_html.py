"""Pages of HTML in a folder are read as a browser shows them."""

from pathlib import Path

from services.search.documents import open_documents
from services.search.files_read import FilesRead


async def test_names_numbers_and_terms_of_a_page_stay_as_they_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(
        "<h1>The <a href='#l'>limit</a>s<br>of it</h1><dl><dt>MAX_AGE_S:</dt><dd>At most 2<sup>31</sup>-1,\n *not*\nmore.</dd></dl><pre>a\n  b</pre>"
    )
    [hit] = await (await open_documents(folder, tmp_path / "home")).search("MAX_AGE_S", 1, "words")
    assert hit.title == "The limits of it"
    assert hit.text == "# The [limit](#l)s of it\n\n* MAX_AGE_S: At most 2^31-1, *not* more.\n\n```\na\n  b\n```"


async def test_a_page_is_read_as_its_scripts_show_it_and_a_list_of_sections_as_sections(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    for version in ("3.8", "3.9"):
        (folder / version / "generated").mkdir(parents=True)
        (folder / version / "generated" / "limits.html").write_text(
            f"<!-- licence --><script>var weight = 1</script><script type='application/json'>{{\"weight\": 1}}</script>"
            f'<script id="limits" type="text/x-handlebars-template"><ul><li><h4><a href="#w">Weight</a></h4><p>The weight of {version}.</p>'
            "<table><tr><th>Type:</th><td>int</td></tr><tr><th>Default:</th><td>7</td></tr></table></li></ul></script>"
        )
    (folder / "included.html").write_text('<!--#include virtual="3.9/limits.html" -->')
    documents = await open_documents(folder, tmp_path / "home")
    hits = {hit.title: hit.text for hit in await documents.search("weight", 9, "words")}
    assert hits == {
        f"{version}/generated/limits – Weight": f"#### [Weight](#w)\n\nThe weight of {version}.\n\n| Type: | int |\n| --- | --- |\n| Default: | 7 |"
        for version in ("3.8", "3.9")
    }
    [named] = documents.index.titles().named("see 3.9/generated/limits.html").values()
    assert [hit.title for key in named if (hit := documents.index.hit(key))] == ["3.9/generated/limits – Weight"]
    assert FilesRead.of([documents]).file_messages("en-US") == ["included.html was not searched: it holds no text."]
    (folder / "3.9" / "of" / "generated").mkdir(parents=True)
    (folder / "3.9" / "of" / "generated" / "limits.html").write_text("<h4>Weight</h4><p>Another weight.</p>")
    documents = await open_documents(folder, tmp_path / "home")
    assert "of/generated/limits – Weight" in {hit.title for hit in await documents.search("weight", 9, "words")}
