"""The way to an endpoint: proxies, addresses with a query, keys as they are copied, certificates, `.env` in any encoding."""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from leadline.setup.env_file import write, written_before
from schemas.context import RunContext
from schemas.reflector import Reflection
from services.models import ask, close_clients
from services.models.endpoint import forget_endpoints
from services.run.errors import ModelError, SettingsError
from services.run.roles import role_model
from services.run.settings import settings
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply, Request, serving
from tests.fakes.openai_server import OpenAIServer, completion
from tests.fakes.socks import socks_proxy
from tests.leadline.conftest import Leadline, leadline
from tests.services.models.conftest import ANSWER, PROMPT

__all__ = ["leadline"]
PROXIES = ("ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")


@pytest.fixture(autouse=True)
async def use(environment: SetEnvironment) -> AsyncIterator[SetEnvironment]:
    """Set variables as a new process finds them; begin without proxies and connections, and leave none."""

    def put(**variables: str | None) -> None:
        environment(**variables)
        forget_endpoints()

    put(**dict.fromkeys(PROXIES))
    await close_clients()
    yield put
    await close_clients()
    forget_endpoints()


async def test_a_socks_proxy_is_the_way_to_an_endpoint(endpoint: OpenAIServer, use: SetEnvironment) -> None:
    endpoint.fault = lambda *_: ANSWER
    with socks_proxy(urlsplit(endpoint.base_url).port or 0) as (address, asked):
        use(ALL_PROXY=address, OPENAI_BASE_URL="http://models.example/v1")
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
        await close_clients()
    assert set(asked) == {"models.example"}


async def test_no_proxy_leads_past_a_socks_proxy(
    endpoint: OpenAIServer, use: SetEnvironment, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.fault = lambda *_: ANSWER
    local = endpoint.base_url.replace("127.0.0.1", "localhost")
    use(ALL_PROXY="socks5://127.0.0.1:9", NO_PROXY="localhost", OPENAI_BASE_URL=local)
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert "proxy" not in caplog.text, "no advice of a library on its own settings"


async def test_a_proxy_of_an_unknown_kind_is_one_sentence(endpoint: OpenAIServer, use: SetEnvironment) -> None:
    use(ALL_PROXY="socks://127.0.0.1:9")
    with pytest.raises(SettingsError, match=r"socks://127.* Write http://… or socks5://… in ALL_PROXY"):
        await ask("reflector", PROMPT, Reflection)


async def test_an_address_may_have_a_query(use: SetEnvironment) -> None:
    asked: list[tuple[str, str | None]] = []

    def azure(request: Request) -> Reply:
        asked.append((request.path, request.headers.get("Api-Key")))
        return completion(request.body, ANSWER) if request.body else Reply(404, {"error": {"message": "Not found"}})

    with serving(azure) as address:
        base_url = f"{address}/openai/deployments/d?api-version=2024-10-21"
        use(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="key-of-azure", LEADLINE_MODEL="d")
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
        await close_clients()
    assert asked[-1] == ("/openai/deployments/d/chat/completions?api-version=2024-10-21", "key-of-azure")


@pytest.mark.parametrize("key", ["test-key\n", '"test-key"', "\ufefftest-key\u00a0", "„test-key“"])
async def test_a_key_is_used_without_what_copying_left_around_it(
    endpoint: OpenAIServer, use: SetEnvironment, key: str
) -> None:
    use(OPENAI_API_KEY=key)
    assert (await ask("reflector", PROMPT, Reflection)) is not None


@pytest.mark.parametrize("key", ["test\nkey", "test–key"])
def test_a_key_with_such_a_character_within_is_one_sentence(use: SetEnvironment, key: str) -> None:
    use(OPENAI_API_KEY=key)
    with pytest.raises(
        SettingsError, match=r"OPENAI_API_KEY holds '.*', which keys do not contain\. Copy the key again"
    ):
        settings()


async def test_a_certificate_that_is_not_trusted_is_said_to_be_one(
    endpoint: OpenAIServer, use: SetEnvironment, tmp_path: Path
) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    body = json.dumps(completion({"model": "m", "messages": []}, ANSWER).body).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    async with server:
        use(OPENAI_BASE_URL=f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        began = time.monotonic()
        with pytest.raises(
            ModelError, match=r"certificate .* is not trusted.* SSL_CERT_FILE.*“.*self.signed|unable to get"
        ) as caught:
            await ask("reflector", PROMPT, Reflection)
        assert time.monotonic() - began < 5, "no further attempt"
        assert "network" not in str(caught.value)
        authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
        await close_clients()
        use(SSL_CERT_FILE=str(tmp_path / "authority.pem"))
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
        await close_clients()


ENV = "# Schlüssel für das Büro\nLEADLINE_MODEL=m-1\nOPENAI_API_KEY=key-of-the-file\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_an_env_file_of_any_encoding_is_read_and_added_to(
    leadline: Leadline, use: SetEnvironment, encoding: str
) -> None:
    Path(".env").write_bytes(ENV.replace("\n", "\r\n").encode(encoding))
    use(OPENAI_API_KEY=None)
    key = settings().openai_api_key
    assert key is not None
    assert key.get_secret_value() == "key-of-the-file"
    assert role_model("planner", RunContext()).model == "m-1"
    assert leadline("--version").code == 0
    write({"LEADLINE_SEARCH": "none"})
    assert written_before() == {"LEADLINE_MODEL": "m-1", "OPENAI_API_KEY": "key-of-the-file", "LEADLINE_SEARCH": "none"}
    assert "Schlüssel für das Büro" in Path(".env").read_text(encoding)
    if encoding == "latin-1":
        with pytest.raises(SettingsError, match=r"Save it as UTF-8"):
            write({"LEADLINE_DOCS": "文档"})
