"""Several twins at once, and a file of records that has the built-in services asked there and no other."""

import re
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from services.run.settings import forget_settings
from services.search.web import forget_web
from services.search.web_services.service import BUILT_IN
from tests.conftest import CLOSED
from tests.fakes.search_services.forms import FORMS
from tests.fakes.search_services.twin import Twin, twin


@contextmanager
def served(folder: Path, *names: str) -> Iterator[dict[str, Twin]]:
    """Serve twins until the block ends, and let the settings name the file that leads to them; no pauses are kept.

    Args:
        folder: in which the file is written.
        names: of services with an address of their own.
    """
    with ExitStack() as stack, pytest.MonkeyPatch.context() as monkeypatch:
        twins = {name: stack.enter_context(twin(FORMS[name])) for name in names}
        records = "\n".join(_record(name, served.address) for name, served in twins.items())
        others = [block for block in _blocks(CLOSED.read_text("utf-8")) if _name(block) not in twins]
        file = folder / "services-of-a-test.toml"
        file.write_text("\n".join([records, *others]), "utf-8")
        tomllib.loads(file.read_text("utf-8"))
        monkeypatch.setenv("LEADLINE_SEARCH_SERVICES", str(file))
        forget_settings()
        forget_web()
        yield twins
    forget_settings()
    forget_web()


def _blocks(text: str) -> list[str]:
    return re.split(r"^(?=\[)", text, flags=re.MULTILINE)[1:]


def _name(block: str) -> str:
    return block[1:].partition("]")[0].partition(".")[0]


def _record(name: str, address: str) -> str:
    """Return a built-in record with another address and without pauses."""
    record = "".join(block for block in _blocks(BUILT_IN.read_text("utf-8")) if _name(block) == name)
    moved = re.sub(r'^address = ".*?"', f'address = "{address}"', record, flags=re.MULTILINE)
    return re.sub(r"^pause(\w*) = \S+", r"pause\1 = 0.0", moved, flags=re.MULTILINE)
