"""Endpoints that repeat the operator's key, in any spelling: it stands in no answer, no file and no log."""

import base64
import html
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from langgraph_sdk import get_client

from services.run.secrecy import (
    forget_secrets,
    register_named_secrets,
    register_secrets,
    shown_address,
    without_secrets,
)
from tests.attacks import SECONDS, command
from tests.attacks.test_private_paths import everything_told
from tests.fakes.http import Reply, Request, serving
from tests.server.conftest import dev_server, papers

KEY = 'sk-live/7Qx+Zr9"wT&4=kPq2'
IN_ADDRESS = "qk7Hq2Zr9wTkPq2Lm5"
"""A second key, in the query of the endpoint's address."""
LONGEST = 2.0
"""Seconds of processor time for a text of some 300,000 characters."""
FAULTS = ["400", "401", "422", "500", "stream", "answer", "refusal", "text"]


def spellings(key: str) -> dict[str, str]:
    """Return a key in each spelling in which an endpoint may repeat it."""
    escaped = json.dumps(f"Bearer {key}").replace("/", "\\/")
    return {
        "plain": key,
        "percent": quote(key, safe=""),
        "percent twice": quote(quote(key, safe=""), safe=""),
        "each character": "".join(f"%{ord(character):02x}" for character in key),
        "json": escaped,
        "json in json": json.dumps({"header": escaped}),
        "code points": "".join(f"\\u{ord(character):04x}" for character in key),
        "html": html.escape(key),
        "hexadecimal": key.encode().hex(),
        "base64": base64.b64encode(key.encode()).decode(),
        "base64 of a header": base64.b64encode(f"Authorization: Bearer {key}\r\n".encode()).decode(),
        "base64 of user and password": base64.b64encode(f"user:{key}".encode()).decode(),
        "base64 for addresses": base64.urlsafe_b64encode(f"Bearer {key}".encode()).decode(),
        "list of characters": json.dumps(list(key)),
        "list of halves": json.dumps([key[: len(key) // 2], key[len(key) // 2 :]]),
        "list of codes": json.dumps(list(key.encode())),
        "lines": "\r\n\t".join(key[start : start + 7] for start in range(0, len(key), 7)),
        "invisible characters": "\u200b".join(key),
        "tags": "".join(f"<b>{html.escape(character)}</b>" for character in key),
        "capitals": key.upper(),
        "octal": "".join(f"\\{code:03o}" for code in key.encode()),
        "dump": key.encode().hex(" "),
        "dump with prefixes": ", ".join(f"0x{code:02x}" for code in key.encode()),
        "base64 in lines": base64.b64encode(f"Bearer {key}".encode()).decode().replace("k", "k\n"),
        "base64 twice": base64.b64encode(base64.b64encode(f"user:{key}".encode())).decode(),
    }


EVERY = " | ".join(spellings(KEY).values())
TRACES = [
    KEY[3:16],
    KEY.encode().hex()[6:30],
    *(base64.b64encode(b" " * offset + KEY.encode()).decode()[8:20] for offset in range(3)),
]
"""Parts of a key that stand in a text that shows it, once it is read without escapes."""


@dataclass(slots=True)
class Echo:
    """An endpoint that says the key again, in the way that `fault` names."""

    fault: str = "400"
    asked: int = 0

    def answer(self, request: Request) -> Reply:
        """Answer a request with the key in it."""
        self.asked += 1
        error = {"message": f"rejected {EVERY} at {request.path}", "type": EVERY, "code": EVERY, "param": EVERY}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": EVERY}}
        match self.fault:
            case "stream":
                return Reply(events=[{"choices": [{"index": 0, "delta": {"content": "So"}}]}, {"error": error}])
            case "answer":
                return Reply(body={"error": error})
            case "refusal":
                refused = {**choice, "message": {"role": "assistant", "content": None, "refusal": EVERY}}
                return Reply(body={"id": "x", "model": EVERY, "choices": [refused]})
            case "text":
                return Reply(body={"id": "x", "model": EVERY, "choices": [{**choice, "finish_reason": EVERY}]})
        return Reply(int(self.fault), {"error": error})


@contextmanager
def echoing(fault: str) -> Iterator[tuple[Echo, dict[str, str]]]:
    """Serve an endpoint that echoes, and yield it with the operator's variables."""
    echo = Echo(fault)
    with serving(echo.answer) as address:
        yield (
            echo,
            {
                "OPENAI_BASE_URL": f"{address}/v1?api-key={IN_ADDRESS}",
                "OPENAI_API_KEY": KEY,
                "LEADLINE_MAX_RETRIES": "0",
                "LEADLINE_LOG_LEVEL": "debug",
            },
        )


def shows_no_key(text: str) -> None:
    """Check that a text shows no key, however it is escaped."""
    letters = "".join(re.findall(r"[a-z0-9]+", text.lower()))
    assert "".join(re.findall(r"[a-z0-9]+", KEY.lower())) not in letters
    assert IN_ADDRESS not in text, text[max(0, text.find(IN_ADDRESS) - 200) : text.find(IN_ADDRESS) + 60]
    shown = text
    for _ in range(4):
        for trace in TRACES:
            assert trace not in shown, shown[max(0, shown.find(trace) - 200) : shown.find(trace) + 60]
        shown = html.unescape(shown.replace('\\"', '"').replace("\\/", "/").replace("\\\\", "\\"))
    for spelled in spellings(KEY).values():
        assert spelled not in text


def shows_no_key_anywhere(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix != ".env":
            shows_no_key(file.read_bytes().decode("utf-8", "replace"))


@pytest.fixture
def known() -> Iterator[None]:
    forget_secrets()
    register_secrets([KEY])
    yield
    forget_secrets()


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("spelling", spellings(KEY))
def test_a_key_is_masked_in_every_spelling(spelling: str) -> None:
    spelled = spellings(KEY)[spelling]
    shown = without_secrets(f"Rejected: {spelled}. Ask <b>again</b> at 12% &amp; \\n more.")
    shows_no_key(shown)
    assert shown.startswith("Rejected: ")
    assert shown.endswith(". Ask <b>again</b> at 12% &amp; \\n more.")
    assert "…" in shown


@pytest.mark.usefixtures("known")
def test_other_text_stays() -> None:
    register_secrets(["", "none", "ollama", "2024", "https://example.org/v1?api-version=2024-02-01", "postgres"])
    text = "none of the 2024 ollama servers at https://example.org/v1 of 2024-02-01 speaks postgresql: 100%\\d &c; %zz"
    assert without_secrets(text) == text


@pytest.mark.usefixtures("known")
def test_a_piece_of_a_long_key_is_masked_and_words_of_it_stay() -> None:
    register_secrets(["development-token-for-all-tests-2026", "c0rrect-h0rse"])
    text = "sk-live/7Qx+… for development tokens of all tests (c0rrect h0rse)"
    assert without_secrets(text) == text
    register_secrets(["sk-proj-A1b2C3d4E5f6G7h8I9j0KLmn"])
    assert without_secrets("Incorrect key: sk-proj-A1b2C3d4E5f6G7…") == "Incorrect key: ……"


@pytest.mark.usefixtures("known")
def test_what_addresses_and_headers_hold_is_a_secret() -> None:
    register_secrets(["a=postgresql://reader:p%40ss-w0rd@db.local/crm;b=sqlite:///sales.db"])
    register_named_secrets({"extra_headers": {"x-api-key": "ak-9f8e7d6c5b", "accept": "text/plain"}, "top_p": 0.9})
    register_secrets(["https://key-of-user-1@host.org/mcp/s/Zm9vYmFyYmF6cXV4MTIzNDU2/v1?token=t0k3n-of-query&page=2"])
    text = "p@ss-w0rd p%40ss-w0rd ak-9f8e7d6c5b key-of-user-1 Zm9vYmFyYmF6cXV4MTIzNDU2 t0k3n-of-query reader text/plain"
    assert without_secrets(text) == "… … … … … … reader text/plain"
    assert shown_address("https://me:word@host.org:8000/v1?key=1#x") == "https://host.org:8000/v1"


@pytest.mark.usefixtures("known")
def test_a_long_text_is_read_in_linear_time() -> None:
    for text in ("%5c" * 100_000, "\\" * 300_000, "&#37;" * 60_000, KEY[:-1] * 12_000, EVERY * 500):
        started = time.process_time()
        without_secrets(text)
        assert time.process_time() - started < LONGEST


def test_a_run_by_command_shows_and_keeps_no_key(tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    with echoing("stream") as (echo, environment):
        ran = command(
            "research", "Who owned the schooner Lalla Rookh?", "--docs", papers(tmp_path), "--out", out, LEADLINE_HOME=str(home),
            LEADLINE_LOG="json", seconds=SECONDS, **environment,
        )  # fmt: skip
    assert echo.asked
    shows_no_key(ran.out + ran.err)
    assert list(home.rglob("*.sqlite"))
    shows_no_key_anywhere(home)
    shows_no_key_anywhere(out)


def test_no_table_shows_a_key(tmp_path: Path) -> None:
    with echoing("400") as (_, environment):
        ran = command(
            "doctor", "--all", LEADLINE_HOME=str(tmp_path), LEADLINE_LOG="text", seconds=SECONDS, **environment
        )
    told = ran.out + ran.err
    shows_no_key(told)
    assert "http://127.0.0.1:" in told


def test_an_embedding_endpoint_that_repeats_its_key(tmp_path: Path) -> None:
    home, out = tmp_path / "home", tmp_path / "out"
    with echoing("400") as (echo, environment):
        ran = command(
            "research", "Who owned the schooner Lalla Rookh?", "--docs", papers(tmp_path), "--out", out, LEADLINE_HOME=str(home),
            LEADLINE_EMBEDDINGS_MODEL="embedder", LEADLINE_EMBEDDINGS_BASE_URL=environment["OPENAI_BASE_URL"],
            LEADLINE_EMBEDDINGS_API_KEY=KEY,
        )  # fmt: skip
    assert echo.asked
    assert ran.code == 0, ran.err
    assert "embedding model embedder" in ran.out + ran.err
    shows_no_key(ran.out + ran.err)
    shows_no_key_anywhere(home)
    shows_no_key_anywhere(out)


@pytest.mark.timeout(300)
async def test_a_server_shows_and_keeps_no_key(tmp_path: Path) -> None:
    with (
        echoing("400") as (echo, environment),
        dev_server(tmp_path, app="", LEADLINE_DOCS=str(papers(tmp_path)), **environment) as (address, _),
    ):
        async with get_client(url=address) as client:
            for fault in FAULTS:
                echo.fault, before = fault, echo.asked
                shows_no_key(await everything_told(client))
                assert echo.asked > before
    shows_no_key_anywhere(tmp_path)
    assert "HTTP Request: POST" in (tmp_path / "log").read_text()
