"""MediaWiki's markup is read as Markdown, and the fields that a document begins with as its card."""

import pytest

from services.search.files.cards import text_card
from services.search.files.read_mediawiki import as_markdown

PROPOSAL = """<!-- draft -->
<pre>
  BIP: 9
  Title: Version bits
  Authors: Ada Holm <ada@example.org>
           Ben Nares <ben@example.org>
  Status: Deployed
</pre>

== Motivation ==
"""


def test_the_fields_at_the_beginning_are_the_card_of_a_document() -> None:
    text = as_markdown(PROPOSAL)
    card = text_card(text, "bip-0009.mediawiki")
    assert (card.name, card.title, card.status) == ("BIP 9", "Version bits", "Deployed")
    assert card.authors == ["Ada Holm", "Ben Nares"]
    assert text.endswith("\n## Motivation\n\n")
    assert "draft" not in text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("===Wire===", "### Wire"),
        ("# '''Wire''' is ''thin''\n#* of steel\n* Rope", "1. **Wire** is *thin*\n  - of steel\n- Rope"),
        (
            "See [[bip-0034|BIP 34]], [[Rope]] and [https://a.example the log].",
            "See BIP 34, Rope and [the log](https://a.example).",
        ),
        (
            "It is <code>0x00</code>.<ref name=a>Why? It is ''free''.</ref><ref name=a/> So.",
            "It is `0x00`. (Why? It is *free*.) So.",
        ),
        ('<source lang="py">\nif x:\n    # wire\n    y\n</source>', "```\nif x:\n    # wire\n    y\n```"),
        (
            '{| class="wikitable"\n|+ Depths\n! Year !! Depth\n|-\n| 1875 || style="a" | 8,184\n|-\n| 1951\n| 10,863<br/>metres\n|}',
            "| Year | Depth |\n| --- | --- |\n| 1875 | 8,184 |\n| 1951 | 10,863 metres |",
        ),
        (
            '{|\n! Ship !! colspan="2" | Depth\n|-\n| rowspan=2 | Blake || 7 || sand\n|-\n| 9 || mud\n|}',
            "| Ship | Depth | Depth |\n| --- | --- | --- |\n| Blake | 7 | sand |\n| Blake | 9 | mud |",
        ),
        ("<pre>never closed == so ==", "<pre>never closed == so =="),
    ],
)
def test_markup_is_read_as_its_format_means(written: str, read: str) -> None:
    assert as_markdown(written).strip() == read
