"""Markdown as documentation and its generators write it: with HTML, components, templates and chunks of code."""

import pytest

from services.search.files.convert_plain import convert_plain
from services.search.files.read_markdown import as_read
from services.text.passages import split
from tests.attacks.processor_time import processor_time


def read(text: str, name: str = "page.md") -> str:
    return convert_plain(name, text.encode())["text"]


def paragraphs(text: str, name: str = "page.md") -> list[str]:
    return [part.strip("\n").rstrip() for part in read(text, name).split("\n\n") if part.strip()]


def test_a_table_of_html_is_read_in_rows_with_the_heads_labels_and_code_of_its_cells() -> None:
    table = (
        "<table>\n  <tr>\n    <th>Bucket</th><th>Key</th><th>Meaning</th>\n  </tr>\n\n"
        '  <tr>\n    <td rowspan="2">cluster</td>\n    <td><code>"version"</code></td>\n    <td><p>OK|BAD</p>\n<p>or not</p></td></tr>\n'
        "  <tr><td><pre>a\nb</pre></td>\n<td>\n\nSee `Vec<T>` of **[us](https://a.example)**.\n\n</td></tr>\n</table>"
    )
    rows = [
        "| Bucket | Key | Meaning |",
        "| --- | --- | --- |",
        '| cluster | `"version"` | OK\\|BAD or not |',
        "| cluster | `a b` | See `Vec<T>` of **[us](https://a.example)**. |",
    ]
    assert paragraphs(f"# Keys\n\nThese:\n{table}\n\nNo more.\n") == ["# Keys", "These:", "\n".join(rows), "No more."]


def test_blocks_of_html_are_read_as_their_headings_items_code_and_words() -> None:
    page = (
        '<h1 align="center">Lead <i>lines</i></h1>\n<p align="center"><img src="a.png"></p>\n\n'
        "<script setup>\nimport { ref } from 'vue'\n\nconst open = ref(false)\n</script>\n\n"
        "<details><summary>Older <code>wire</code></summary>\n\nRope.\n\n</details>\n\n"
        "<ul>\n<li>Hemp</li>\n<li>Wire</li>\n</ul>\n\n<pre><code>sound()\n\n  haul()</code></pre>\n\n"
        'At 2<sup>31</sup>, <a href="https://b.example">the <code>survey</code></a> and '
        '<a class="x" href="https://c.example">others</a> <code>x&lt;y</code>.\n'
    )
    parts = [
        "# Lead *lines*",
        "**Older `wire`**",
        "Rope.",
        "- Hemp\n- Wire",
        "```\nsound()\n\n  haul()\n```",
        "At 2^31, the `survey` and [others](https://c.example) `x<y`.",
    ]
    assert "\n\n".join(paragraphs(page)) == "\n\n".join(parts)


def test_cells_with_blocks_of_code_are_read_one_after_the_other() -> None:
    shown = read("<table>\n<tr><td>Bad</td><td>Good</td></tr>\n<tr><td>\n\n```go\na|b\n```\n\n</td></tr>\n</table>\n")
    assert shown.split("```")[0].split() == ["Bad", "Good"]
    assert "```go\na|b\n```" in shown
    assert "<" not in shown


@pytest.mark.parametrize("indentation", ["", "  ", "    "])
def test_code_stays_as_it_is_written_in_items_and_quotations(indentation: str) -> None:
    code = '<div v-for="a in b">\n  <!-- each -->\n</div>\n[x]: kept\n{/* kept */}'
    item = "\n".join(f"{indentation}{line}" for line in ["```vue", *code.split("\n"), "```"])
    assert item in read(f"1. Do:\n\n{item}\n\nThen <br> go on.\n")
    quoted = "\n".join(f"> {line}" for line in ["See:", "", "```vue", *code.split("\n"), "```"])
    assert read(quoted) == f"See:\n\n```vue\n{code}\n```"


def test_a_comment_in_a_literal_is_no_comment_and_one_of_mdx_is() -> None:
    assert read("Begin with `<!--`, end with `-->`. {/* hidden\n\nhidden */}Shown.") == (
        "Begin with `<!--`, end with `-->`. Shown."
    )
    assert read("{/* open\n\n```\na <!-- b\n```\n\n<!-- open\n") == "{/* open\n\n```\na <!-- b\n```\n\n<!-- open"


def test_titles_of_components_and_templates_stay_and_addresses_of_templates_are_links() -> None:
    page = (
        "import Tabs from '@theme/Tabs';\nimport {\n  A,\n  B,\n} from \"@site/b\";\n\n# Start\n\nimport taxes from abroad.\n\n"
        '<Tabs>\n<TabItem value="py" label="Python">\n\n```py\nimport a from "b"\n```\n\n</TabItem>\n</Tabs>\n\n'
        '{{% alert title="Mind" color="info" %}}\nSlow{{% /alert %}}.\n\n'
        '[Setup][] at [port]({{< ref "ports" >}}), {{< param version >}}.\n\n[setup]: {{< relref "ops/setup" >}}\n'
    )
    assert paragraphs(page, "page.mdx") == [
        "# Start",
        "import taxes from abroad.",
        "**Python**",
        '```py\nimport a from "b"\n```',
        "**Mind**",
        "Slow.",
        "[Setup](ops/setup) at [port](ports), {{< param version >}}.",
    ]


@pytest.mark.parametrize(
    "unit", ["<div>", "<table><tr><td>", "<table>\n\n", "<div>\n\n", "<p\n", "<p>a\n", "<!-- ", "{/* `", "<ul><li>"]
)
def test_hostile_html_takes_linear_time(unit: str) -> None:
    with processor_time(20):
        assert isinstance(as_read(unit * (200_000 // len(unit))), str)


def test_a_heading_right_below_a_paragraph_is_a_section() -> None:
    text = read("# Exit codes\n## 17\nA quote.\n## 18\nPartial file. Only a\npart came.\n")
    assert {span.heading for span in split(text, 40) if "Partial" in text[span.start : span.end]} == {"Exit codes > 18"}


def test_underlined_headings_are_sections_like_those_with_signs() -> None:
    page = "---\ntitle: Sea\n---\nHaul\n====\n\nBy hand.\n\nRope *and* wire\n---\nOf hemp.\n\n> Not\n> ---\n\nA line\nof two\n---\n"
    text = read(page)
    assert "# Haul\n\nBy hand.\n\n## Rope *and* wire\nOf hemp." in text
    assert [span.heading for span in split(text, 20) if "hemp" in text[span.start : span.end]] == [
        "Haul > Rope *and* wire"
    ]
    assert "# Not" not in text
    assert "A line\nof two\n---" in text


def test_what_is_set_in_below_notes_folded_parts_and_tabs_is_text_below_their_titles() -> None:
    page = (
        "# Lead\n\n!!! warning\n    Mind the line.\n\n    - It breaks.\n\nNext.\n\n"
        '???+ note "The [table](https://a.example)"\n    Deep.\n\n    ??? example "Code"\n        ```py\n        !!! x\n            y\n        ```\n\n'
        '    Still "set in".\n\n=== "Python"\n\n    Install it.\n\n=== "C"\n    Build it.\n\n'
        "```text\n!!! note\n    as it stands\n```\n\n!!! not a note\nLast.\n"
    )
    assert paragraphs(page) == [
        "# Lead",
        "Mind the line.",
        "- It breaks.",
        "Next.",
        "The [table](https://a.example)",
        "Deep.",
        "Code",
        "```py\n!!! x\n    y\n```",
        'Still "set in".',
        "Python",
        "Install it.",
        "C",
        "Build it.",
        "```text\n!!! note\n    as it stands\n```",
        "!!! not a note\nLast.",
    ]
