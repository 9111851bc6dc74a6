"""The child side of a parsing process: reads jobs from standard input, writes answers to standard output."""

import json
import logging
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def serve(answer: Callable[[dict[str, Any], bytes], Mapping[str, object]]) -> None:
    """Answer jobs until the input ends.

    A job is a line of JSON that says in `bytes` how much data follows it; an answer is a line of JSON.
    """
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    jobs, answers = sys.stdin.buffer, sys.stdout
    sys.stdout = sys.stderr
    while line := jobs.readline():
        job = json.loads(line)
        answers.write(json.dumps(answer(job, jobs.read(job["bytes"])), ensure_ascii=True) + "\n")
        answers.flush()
