"""What a second worker of a cluster adds: runs a minute with one, with two, and with one again, in one go on one machine.

    python -m benchmarks.workers [--runs N] [--jobs N]

PostgreSQL, Redis, an API process and workers as docs/server.md has them, and an endpoint whose latency is known. Other
work on the machine changes the rates, but not so much their ratio: the measures with one worker stand before and after.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
from langgraph_sdk import get_client

from benchmarks.run import DOCUMENTS, PROJECT, QUESTION, stub
from benchmarks.stub_endpoint import FIRST_TOKEN_SECONDS, PER_TOKEN_SECONDS
from tests.deploy.cluster import Cluster
from tests.fakes.postgres import PostgresServer, binaries_of_postgres

RESULTS = PROJECT / "benchmarks" / "results" / "workers.json"
GRAPH = "deep_research"


async def rate(address: str, runs: int) -> float:
    """Research all at once; return runs a minute.

    Raises:
        RuntimeError: a run gave no report.
    """
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=runs)
    async with get_client(url=address, timeout=None) as client:
        client.http.client._transport = httpx.AsyncHTTPTransport(limits=limits)
        threads = [str((await client.threads.create())["thread_id"]) for _ in range(runs)]
        began = time.monotonic()
        states: list[Any] = await asyncio.gather(
            *(client.runs.wait(thread, GRAPH, input={"question": QUESTION}) for thread in threads)
        )
        took = time.monotonic() - began
    if not all(state.get("report") for state in states):
        raise RuntimeError("A run gave no report.")
    return runs / took * 60


def measure(folder: Path, base_url: str, runs: int, jobs: int) -> dict[str, float]:
    """Start a cluster and measure it with one worker, with two, and with one."""
    binaries = binaries_of_postgres()
    if binaries is None:
        raise RuntimeError("PostgreSQL is not installed (Debian: apt-get install postgresql).")
    (folder / "postgres").mkdir()
    postgres = PostgresServer(binaries, folder / "postgres")
    postgres.start()
    settings = {
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": base_url,
        "LEADLINE_DOCS": str(DOCUMENTS),
        "N_JOBS_PER_WORKER": str(jobs),
    }
    cluster = Cluster(folder, postgres, settings)
    try:
        cluster.start(workers=1)
        asyncio.run(rate(cluster.address, jobs))  # indexes, connections, imports
        before = asyncio.run(rate(cluster.address, runs))
        cluster.add_worker("worker-2")
        asyncio.run(rate(cluster.address, 2 * jobs))
        two = asyncio.run(rate(cluster.address, runs))
        cluster.kill("worker-2")
        after = asyncio.run(rate(cluster.address, runs))
    finally:
        cluster.stop()
        postgres.stop()
    return {"one": before, "two": two, "one_again": after, "ratio": 2 * two / (before + after)}


def main() -> None:
    """Measure, write the results, and print them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workers")
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="created at once; default 20")
    parser.add_argument("--jobs", type=int, default=5, metavar="N", help="N_JOBS_PER_WORKER; default 5")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, stub(FIRST_TOKEN_SECONDS, PER_TOKEN_SECONDS) as base_url:
        Path(folder).chmod(0o755)
        measured = measure(Path(folder), base_url, given.runs, given.jobs)
    content = {
        "runs": given.runs,
        "jobs_a_worker": given.jobs,
        "latency": {"first_token": FIRST_TOKEN_SECONDS, "per_token": PER_TOKEN_SECONDS},
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "runs_a_minute": {name: round(value, 2) for name, value in measured.items()},
    }
    RESULTS.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    print(json.dumps(content, indent=2))


if __name__ == "__main__":
    main()
