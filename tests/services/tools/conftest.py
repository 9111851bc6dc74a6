"""What the tests of tools share: a run of their own, and a store of evidence in memory."""

import pytest
from langgraph.store.memory import InMemoryStore

from services.run.evidence_store import EvidenceStore
from services.run.scope import Run


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def evidence() -> EvidenceStore:
    return EvidenceStore(InMemoryStore())
