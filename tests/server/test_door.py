"""A server without tokens: this machine and Studio are served as ever, and nobody else."""

import httpx
import pytest

STUDIO = "https://smith.langchain.com"


async def asked(server: str, **headers: str) -> httpx.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(base_url=server, headers=sent) as web:
        return await web.post("/threads", json={})


async def test_studio_reads_its_answers(server: str) -> None:
    answer = await asked(server, origin=STUDIO, x_auth_scheme="langsmith")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] in {"*", STUDIO}
    async with httpx.AsyncClient(base_url=server) as web:
        preflight = await web.options("/threads", headers={"origin": STUDIO, "access-control-request-method": "POST"})
    assert preflight.status_code == 200


@pytest.mark.parametrize("path", ["/threads", "/internal/truncate", "/deploy", "/nowhere"])
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
async def test_pages_of_other_sites_reach_nothing(server: str, path: str, method: str) -> None:
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    async with httpx.AsyncClient(base_url=server) as web:
        answer = await web.request(method, path, headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


async def test_a_name_that_was_made_to_point_here_reaches_nothing(server: str) -> None:
    answer = await asked(server, host="evil.example")
    assert answer.status_code == 403
    assert "Use 127.0.0.1 or localhost" in answer.json()["detail"]


async def test_what_a_proxy_passes_on_from_elsewhere_needs_tokens(server: str) -> None:
    answer = await asked(server, x_forwarded_for="203.0.113.5")
    assert answer.status_code == 401
    assert "LEADLINE_TOKENS=name:token" in answer.json()["detail"]
