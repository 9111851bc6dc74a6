"""The child side of a parsing process: reads jobs from standard input, writes answers to standard output."""

import json
import logging
import os
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
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # libraries print to the standard output that they found when they were imported
    while line := jobs.readline():
        job = json.loads(line)
        answers.write(json.dumps(answer(job, jobs.read(job["bytes"])), ensure_ascii=True) + "\n")
        answers.flush()
