"""The process that serves one model file: a stand-alone program, which imports nothing of Leadline.

It reads its settings from its standard input, as a command line can be read by every user of the machine, answers with a line of
JSON once the model is loaded, and ends when its standard input closes: when its run lets it go, or is gone.
"""

import json
import os
import sys
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_FIRST_TO_GO = "500"
"""OOM score: if memory runs out, Linux ends this process first; the run can report that and continue."""


def main() -> None:
    """Serve until standard input closes."""
    settings = json.loads(sys.stdin.readline())
    answers = os.dup(1)
    os.dup2(2, 1)  # what llama.cpp prints is no answer
    with suppress(OSError):  # not on Linux
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)
    server = _serving(settings)
    address = str(server.listening_address)
    os.write(
        answers, json.dumps({"address": address, "context": _context_at(address, settings["key"])}).encode() + b"\n"
    )
    while os.read(0, 1024):
        pass
    os._exit(0)  # without waiting for llama.cpp's threads


def _serving(settings: dict[str, Any]) -> Any:
    """Load the model and return its server, which serves as long as it is referenced. Blocking, until the model is loaded."""
    # Threads that spin while others want the cores cost ten times the speed; llama.cpp reads these when it is loaded
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = settings["model"]
    wanted.model_alias = {settings["alias"]}
    wanted.hostnames, wanted.port, wanted.api_keys = ["127.0.0.1"], 0, [settings["key"]]
    wanted.n_parallel, wanted.n_ctx = 1, settings["context"]
    wanted.cache_ram_mib = settings["cache"] >> 20
    if settings["threads"]:
        wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = settings["threads"]
    wanted.use_jinja = True
    wanted.ui = False
    wanted.verbosity = 1  # errors
    return xllamacpp.Server(wanted)


def _context_at(address: str, key: str) -> int:
    """Return the tokens of context that the server gives, at most those that the model was trained with."""
    connection = HTTPConnection(address.removeprefix("http://"))
    connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {key}"})
    return int(json.load(connection.getresponse())["data"][0]["meta"]["n_ctx"])


if __name__ == "__main__":
    main()
