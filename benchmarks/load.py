"""How many runs one server carries: the real dev server, the real client, and an endpoint whose latency is known.

    python -m benchmarks.load [--runs N] [--jobs N,N,…] [--model-calls N]

For each number of jobs a server of its own is started as `make dev` does, with `--n-jobs-per-worker` at that number. One run
warms it up, one more alone is the measure for the rest, then all runs are created at once, each on a thread of its own, and
streamed to their end. Each is asked for its report, and each report must hold only what its own question brought up.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from benchmarks.measurement import DEEP_SEA, PROJECT, QUESTION, RESULTS, machine, write_results
from benchmarks.run import stub, stub_environment
from benchmarks.stub_endpoint import FIRST_TOKEN_SECONDS, PER_TOKEN_SECONDS

GRAPH = "deep_research"
START_SECONDS = 60
SAMPLE_SECONDS = 0.25


@contextlib.contextmanager
def server(home: Path, base_url: str, jobs: int, model_calls: int) -> Iterator[tuple[str, psutil.Process]]:
    """Serve as `make dev` does while the block runs; yield the address and the process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home.mkdir()
    configuration = home / "langgraph.json"
    configuration.write_text((PROJECT / "langgraph.json").read_text("utf-8"), "utf-8")
    command = [str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--n-jobs-per-worker", str(jobs), "--config", str(configuration)]
    ours = {
        "LEADLINE_DOCS": str(DEEP_SEA),
        "LEADLINE_MAX_CONCURRENCY": str(model_calls),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
    }
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=home,
            env=stub_environment(home / "home", base_url) | ours,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, process, home / "log")
            yield address, psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(30)


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_SECONDS * 10):
        if process.poll() is not None:
            break
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{address}/ok", timeout=1).status_code == httpx.codes.OK:
                return
        time.sleep(0.1)
    raise RuntimeError(f"The server did not start:\n{log.read_text('utf-8', 'replace')[-2_000:]}")


@contextlib.asynccontextmanager
async def watching(process: psutil.Process) -> AsyncIterator[list[float]]:
    """Sample the server's memory in megabytes while the block runs."""
    sizes: list[float] = []

    async def sample() -> None:
        while True:
            sizes.append(await asyncio.to_thread(memory, process))
            await asyncio.sleep(SAMPLE_SECONDS)

    task = asyncio.create_task(sample())
    try:
        yield sizes
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def memory(process: psutil.Process) -> float:
    """Return the resident set of a process and its children in megabytes. Blocking."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += member.memory_info().rss
    return total / 1e6


def cpu(process: psutil.Process) -> float:
    """Return the seconds of processor time of a process, its children, and those that it has waited for. Blocking."""
    total = 0.0
    for member in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            used = member.cpu_times()
            total += used.user + used.system
            if member.pid == process.pid:
                total += used.children_user + used.children_system
    return total


async def research(client: LangGraphClient) -> tuple[float, float, bool]:
    """Carry one run through; return seconds from its creation to its first event, and to its end, and whether it gave a report."""
    thread = (await client.threads.create())["thread_id"]
    created = time.monotonic()
    first = 0.0
    async for part in client.runs.stream(thread, GRAPH, input={"question": QUESTION}, stream_mode="custom"):
        if not first and part.event == "custom":
            first = time.monotonic() - created
    whole = time.monotonic() - created
    state: Any = await client.threads.get_state(thread)
    return first, whole, bool(state["values"].get("report"))


async def measure(address: str, process: psutil.Process, jobs: int, runs: int) -> dict[str, float]:
    """Put all runs on a server that has just started, and return its figures: seconds, megabytes (10**6 bytes), counts."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=runs)
    async with get_client(url=address, timeout=None) as client:
        # the client's own pool would make runs wait for one another
        client.http.client._transport = httpx.AsyncHTTPTransport(limits=limits)
        await research(client)
        _, alone, _ = await research(client)
        idle, before = await asyncio.to_thread(memory, process), await asyncio.to_thread(cpu, process)
        busy = _busy()
        started = time.monotonic()
        async with watching(process) as sizes:
            ended = await asyncio.gather(*(research(client) for _ in range(runs)))
        wall = time.monotonic() - started
        used, busy = await asyncio.to_thread(cpu, process) - before, _busy() - busy
        peak = max([*sizes, await asyncio.to_thread(memory, process)])
    carried = sorted(whole - first for first, whole, _ in ended)
    waited = sorted(whole for _, whole, _ in ended)
    figures = {
        "jobs": jobs,
        "runs": runs,
        "finished": sum(reported for *_, reported in ended),
        "wall": wall,
        "runs_a_minute": runs / wall * 60,
        "alone": alone,
        "p50": statistics.median(carried),
        "p95": _percentile_95(carried),
        "p95_with_wait": _percentile_95(waited),
        "slowdown": statistics.median(carried) / alone,
        "cpu_a_run": used / runs,
        "cores": used / wall,
        "cores_of_others": (busy - used) / wall,
        "idle_memory": idle,
        "peak_memory": peak,
        "memory_a_run": (peak - idle) / min(jobs, runs),
    }
    return {name: round(figure, 2) for name, figure in figures.items()}


def _busy() -> float:
    """Return the seconds for which the machine's processors have worked."""
    times = psutil.cpu_times()
    return float(times.user + times.system + getattr(times, "nice", 0.0))


def _percentile_95(ordered: list[float]) -> float:
    return ordered[len(ordered) * 95 // 100]


def main() -> None:
    """Measure each number of jobs, print and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--runs", type=int, default=100, metavar="N", help="created at once; default 100")
    parser.add_argument(
        "--jobs", default="10", metavar="N,N,…", help="--n-jobs-per-worker, one server each; default 10"
    )
    parser.add_argument("--model-calls", type=int, default=64, metavar="N", help="LEADLINE_MAX_CONCURRENCY; default 64")
    given = parser.parse_args()
    measured: list[dict[str, float]] = []
    content = {
        "question": QUESTION,
        "latency": {"first_token": FIRST_TOKEN_SECONDS, "per_token": PER_TOKEN_SECONDS},
        "model_calls_at_once": given.model_calls,
        "machine": machine(),
        "measured": measured,
    }
    with tempfile.TemporaryDirectory() as folder, stub(FIRST_TOKEN_SECONDS, PER_TOKEN_SECONDS) as base_url:
        for jobs in [int(number) for number in given.jobs.split(",")]:
            with server(Path(folder) / str(jobs), base_url, jobs, given.model_calls) as (address, process):
                measured.append(asyncio.run(measure(address, process, jobs, given.runs)))
            print(json.dumps(measured[-1], indent=1), flush=True)
            write_results(RESULTS / "load.json", content)


if __name__ == "__main__":
    main()
