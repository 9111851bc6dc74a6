"""The guard itself: no test, and no process that a test starts, reaches beyond loopback."""

import socket
import subprocess
import sys

import pytest

CONNECT = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"


def test_a_connection_that_leaves_this_machine_fails_here() -> None:
    with socket.socket() as one, pytest.raises(AssertionError, match="must not reach"):
        one.connect(("192.0.2.1", 80))


def test_a_connection_that_leaves_this_machine_fails_in_a_child() -> None:
    ran = subprocess.run([sys.executable, "-c", CONNECT], capture_output=True, text=True, check=False)
    assert "must not reach" in ran.stderr
