"""The evidence store: one normal form of a text, one hash, any LangGraph store below."""

import hashlib
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from services.run.errors import StoreError
from services.run.evidence_store import EvidenceStore, content_hash
from services.text.normal_form import normalise_text


@pytest.fixture
def store() -> BaseStore:
    return InMemoryStore()


@settings(deadline=None)
@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert content_hash(text) == content_hash(once) == hashlib.sha256(once.encode()).hexdigest()


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("e\u0301te\u0301", "été"),
        ("水深\u3000 \n测量\t", "水深\n测量"),
        ("a\x00b\x07c\u200b", "abc"),
        ("e\u200b\u0301", "é"),
        ("page\fpage\x85line", "page\npage\nline"),
    ],
)
def test_texts_have_one_normal_form(raw: str, normal: str) -> None:
    assert normalise_text(raw) == normal


async def test_a_text_comes_back_in_its_normal_form_under_its_hash(store: BaseStore) -> None:
    evidence = EvidenceStore(store)
    key = await evidence.put_text("挑战者号\r\n4,475 fathoms \x00")
    assert key == content_hash("挑战者号\n4,475 fathoms")
    assert await evidence.get_text(key) == "挑战者号\n4,475 fathoms"


async def test_putting_a_text_again_changes_nothing(store: BaseStore) -> None:
    evidence = EvidenceStore(store)
    assert await evidence.put_text("one") == await evidence.put_text("one\n")
    assert len(await store.asearch(("evidence",))) == 1


async def test_bytes_come_back_as_they_were(store: BaseStore) -> None:
    evidence = EvidenceStore(store)
    data = bytes(range(256))
    key = await evidence.put_bytes(data)
    assert key == hashlib.sha256(data).hexdigest()
    assert await evidence.get_bytes(key) == data


async def test_what_is_not_there_is_an_error_that_says_what_to_do(store: BaseStore) -> None:
    with pytest.raises(StoreError, match="LEADLINE_HOME"):
        await EvidenceStore(store).get_text("0" * 64)
    with pytest.raises(StoreError):
        await EvidenceStore(store).get_bytes("0" * 64)
