"""The short form of the crash tests runs with the suite; the long one (`make test-crash`) leaves no boundary out."""

import os

import pytest

KILLS = int(os.environ.get("LEADLINE_TEST_KILLS", "0"))
"""Kills at random moments that the long form makes; 0 is the short form."""

A_TEST = 10
"""Random kills of one test: of one run, or of several, where a run comes to its end before."""

long_form = pytest.mark.skipif(not KILLS, reason="long form only: make test-crash")
