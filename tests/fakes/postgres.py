"""A private PostgreSQL server, where one is installed."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from tests.fakes.http import free_port


def binaries_of_postgres() -> Path | None:
    """Find PostgreSQL's programs: Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    beside = shutil.which("initdb")
    return found[-1].parent if found else Path(beside).parent if beside else None


class PostgresServer:
    """A private server in a folder of its own, on loopback."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self._as: list[str] = []
        if os.geteuid() == 0:  # the server refuses to run as root
            account = next((one.pw_name for one in pwd.getpwall() if one.pw_name in {"postgres", "nobody"}), "nobody")
            shutil.chown(folder, account)
            self._as = ["setpriv", "--reuid", account, "--regid", str(pwd.getpwnam(account).pw_gid), "--clear-groups"]
        self.port = free_port()

    def start(self) -> None:
        """Make a cluster and serve it."""
        data = self._folder / "data"
        self._run(
            "initdb", "-D", str(data), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"
        )
        (data / "pg_hba.conf").write_text(
            "local all owner trust\nhost all owner 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} -c fsync=off"
        self._run("pg_ctl", "-D", str(data), "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def url(self, user: str, password: str = "", database: str = "postgres") -> str:
        return f"postgresql+psycopg://{user}{':' if password else ''}{password}@127.0.0.1:{self.port}/{database}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._binaries / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=60, cwd=self._folder)
