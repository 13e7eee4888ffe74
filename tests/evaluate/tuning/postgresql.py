"""A PostgreSQL cluster for tests: made by initdb in a folder, on a free loopback port, without a superuser's rights."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

UNPRIVILEGED = "nobody"
"""User that runs the server if the tests run as root, as which PostgreSQL refuses to run."""
PASSWORD = "s3cret"


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; None if it is not installed."""
    for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"):
        return path.parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


class PostgreSQL:
    """A server with one empty database; `url` is what `--storage` takes."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        # the folder must be below one that the unprivileged user may enter; pytest's own may not be entered
        self.folder = Path(tempfile.mkdtemp(prefix="quarry-postgresql-"))
        self._as_user = [
            "setpriv",
            f"--reuid={UNPRIVILEGED}",
            "--regid=nogroup",
            "--clear-groups",
        ]
        if os.geteuid() == 0:
            shutil.chown(self.folder, UNPRIVILEGED)
        else:
            self._as_user = []

        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        password = self.folder / "password"
        password.write_text(PASSWORD, "utf-8")
        self._run(
            "initdb",
            "-U",
            "quarry",
            "-A",
            "scram-sha-256",
            f"--pwfile={password}",
            "--no-sync",
        )
        self.start()
        self.url = f"postgresql://quarry:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def _run(self, program: str, *arguments: str) -> None:
        command = [
            *self._as_user,
            str(self._bin / program),
            "-D",
            str(self.folder / "data"),
            *arguments,
        ]

        # a file, since the server keeps what pg_ctl gives it open
        with (self.folder / "out").open("ab") as out:
            subprocess.run(
                command,
                stdout=out,
                stderr=out,
                cwd=self.folder,
                check=True,
            )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._run(
            "pg_ctl", "start", "-w", "-o", options, "-l", str(self.folder / "log")
        )

    def stop(self) -> None:
        """Stop the server at once, as a crash does: every connection breaks."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate")

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder)
