"""The lock files: each pin stands in one of the files that are installed together, and none names an index."""

import re
from pathlib import Path

import pytest

from tests.conftest import PROJECT

LOCKS = sorted(PROJECT.glob("requirements*.lock"))
_PIN = re.compile(r"^([a-z0-9.-]+)\S*==(\S+)", re.MULTILINE)


def _included(lock: Path) -> list[Path]:
    """Return the lock files that a lock file begins with, one within the other."""
    first = lock.read_text("utf-8").partition("\n")[0]
    if not first.startswith("-r "):
        return []
    other = lock.with_name(first.removeprefix("-r "))
    return [other, *_included(other)]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_holds_only_what_those_that_it_includes_do_not(lock: Path) -> None:
    names = ("requirements.lock", "requirements-sandbox.lock", "requirements-setup.lock")
    apart = set(names)  # of environments that hold nothing else
    included = _included(lock)
    assert (included[-1:] == [PROJECT / "requirements.lock"]) == (lock.name not in apart)
    own = {name for name, _ in _PIN.findall(lock.read_text("utf-8"))}
    others = {name for other in included for name, _ in _PIN.findall(other.read_text("utf-8"))}
    assert own
    assert own.isdisjoint(others)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_file_names_no_index(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert "://" not in text
    assert not re.search(r"^--|^#", text, re.MULTILINE)


def test_a_package_that_two_lock_files_pin_has_the_same_versions_in_both() -> None:
    versions: dict[str, set[frozenset[str]]] = {}
    for lock in LOCKS:
        pins = _PIN.findall(lock.read_text("utf-8"))
        for name, _ in pins:
            versions.setdefault(name, set()).add(frozenset(version for other, version in pins if other == name))
    assert {name: both for name, both in versions.items() if len(both) > 1} == {}
