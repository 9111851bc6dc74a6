"""The saved pages of the benchmark: what is served, and what counts as their main text."""

from pathlib import Path

from benchmarks.pages import cost, holds, shares
from benchmarks.saved_pages import read_page, saved_pages
from tests.attacks.processor_time import processor_time

PAGE = """kind: applications
address: /a?id=5

=== /a?id=5
<p>⟦Salt &amp; <b>sand</b> melt.⟧</p><p>⟪Log in⟫</p>
=== /a.js
say("⟦Glass is old.⟧");
=== /old.html text/html; charset=gb18030
<p>⟦玻璃很旧。⟧</p>
=== (main)
A sentence that scripts put together.
"""


def page(folder: Path, text: str = PAGE) -> Path:
    file = folder / "glass.page"
    file.write_text(text, "utf-8")
    return file


def test_marks_are_taken_out_of_what_is_served_and_say_what_the_main_text_is(tmp_path: Path) -> None:
    saved = read_page(page(tmp_path))
    assert (saved.name, saved.kind, saved.address) == ("glass", "applications", "/a?id=5")
    assert saved.main == (
        "Salt & sand melt.",
        "Glass is old.",
        "玻璃很旧。",
        "A sentence that scripts put together.",
    )
    assert saved.beside == ("Log in",)
    assert saved.parts["/a?id=5"].body == b"<p>Salt &amp; <b>sand</b> melt.</p><p>Log in</p>\n"
    assert (saved.parts["/a.js"].body, saved.parts["/a.js"].media_type) == (
        b'say("Glass is old.");\n',
        "text/javascript",
    )
    assert saved.parts["/old.html"].body.decode("gb18030") == "<p>玻璃很旧。</p>\n"
    assert set(saved.parts) == {"/a?id=5", "/a.js", "/old.html"}


def test_blanks_and_emphasis_do_not_count_and_words_do() -> None:
    assert holds("It was **manned** until\n1984.", "It was manned until 1984.")
    assert not holds("It was manned until 1985.", "It was manned until 1984.")


def test_every_saved_page_is_served_where_it_is_read_and_says_something() -> None:
    pages = saved_pages()
    assert len(pages) == 40
    for saved in pages:
        assert saved.address.partition("#")[0] in saved.parts, saved.name
        assert saved.main or saved.beside, saved.name


def test_a_page_without_main_text_counts_in_no_share(tmp_path: Path) -> None:
    whole, bare = read_page(page(tmp_path)), read_page(page(tmp_path, "kind: errors\naddress: /\n\n=== /\n⟪Gone⟫\n"))
    figures = shares([whole], {"glass": {"sentences": 3}})
    assert figures == {"pages": 1, "share": 75.0, "whole": 0, "in_part": 1, "nothing": 0}
    assert shares([bare], {"glass": {"sentences": 0}})["pages"] == 0


def test_the_cost_is_that_of_pages_for_which_a_browser_was_started() -> None:
    rendered = {"seconds": 4.0, "browser_megabytes": 300, "browser_processor_seconds": 1.5}
    figures = cost({"a": rendered, "b": {"seconds": 0.1}})
    assert (figures["pages"], figures["seconds_median"], figures["seconds_without_browser_median"]) == (1, 4.0, 0.1)


def test_marks_without_an_end_are_read_in_linear_time(tmp_path: Path) -> None:
    with processor_time(2.0):
        saved = read_page(page(tmp_path, PAGE.replace("=== (main)", "⟦open " * 40_000 + "\n=== (main)")))
    assert len(saved.main) == 4
