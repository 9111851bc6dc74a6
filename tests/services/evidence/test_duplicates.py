"""Copies count as one; articles on one subject do not."""

from pathlib import Path

import pytest

from services.evidence.duplicates import fingerprint, is_copy, similarity

EXAMPLES = Path(__file__).parents[3] / "examples"


def signature(name: str) -> str:
    return fingerprint((EXAMPLES / name).read_text())


@pytest.mark.parametrize(
    ("original", "copy"),
    [
        ("deep-sea/trieste-dive.md", "deep-sea/bathyscaphe-trieste-syndicated.md"),
        ("deep-sea/gebco-and-seabed-2030.md", "deep-sea/seabed-2030-newsletter-reprint.md"),
        ("myopia/光明行动与宣传教育月.md", "myopia/转载-光明行动与宣传教育月.md"),
    ],
)
def test_a_reprint_with_another_header_and_footer_is_a_copy(original: str, copy: str) -> None:
    assert is_copy(signature(original), signature(copy))


@pytest.mark.parametrize("folder", ["deep-sea", "myopia"])
def test_articles_on_one_subject_are_far_from_being_copies(folder: str) -> None:
    names = [
        path.name
        for path in sorted((EXAMPLES / folder).glob("*.md"))
        if not any(mark in path.name for mark in ("syndicated", "reprint", "转载", "公众号"))
    ]
    signatures = [signature(f"{folder}/{name}") for name in names]
    pairs = [(one, other) for place, one in enumerate(signatures) for other in signatures[:place]]
    assert max(similarity(one, other) for one, other in pairs) < 0.4


def test_a_signature_is_the_same_in_every_process() -> None:
    assert fingerprint("the lead line measures the depth of the sea")[:16] == PINNED


def test_a_text_too_short_to_compare_is_no_copy_of_anything() -> None:
    assert fingerprint("depth") == ""
    assert not is_copy("", "")


PINNED = "0ffc81623169cf63"
