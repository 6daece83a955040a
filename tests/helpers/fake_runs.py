"""Runs against the fake server, in this process or in others that can be killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mysteryshopper.experiment.yaml_text import write_yaml

COMMAND = (sys.executable, "-m", "mysteryshopper")

_READY = """
import json, sys
import mysteryshopper.protocols.conversation, mysteryshopper.users.single_prompt
import mysteryshopper.models.http, mysteryshopper.systems.http
from mysteryshopper.experiment import resume, run
print("ready", flush=True)
what, *words = json.loads(sys.stdin.readline())
sys.exit({"run": run, "resume": resume}[what](*words).exit_code)
"""


def conversation(url: str, **changes: Any) -> dict[str, Any]:
    """Return the content of an experiment file: a prompted user and an HTTP system, both at the fake server."""
    return {
        "protocol": "conversation",
        "seed": 7,
        "models": {"writer": {"name": "any", "base_url": f"{url}/v1", "temperature": 0.7, "max_tokens": 32}},
        "users": [{"name": "plain", "kind": "single-prompt", "model": "writer", "profiles": "people.jsonl"}],
        "systems": [{"name": "shop", "kind": "http", "url": f"{url}/reply"}],
        "options": {"guard": "flag"},  # what the fake server says need not sound like a person
        "limits": {"turns": 3, "concurrency": 8},
        **changes,
    }


def write_people(folder: Path, number: int) -> None:
    """Write `people.jsonl` with so many profiles."""
    people = ({"id": f"person-{n}", "wish": f"a quiet film for evening {n}"} for n in range(number))
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people), encoding="utf-8")


def write_experiment(folder: Path, content: Mapping[str, Any], people: int = 6, name: str = "shop.yaml") -> Path:
    """Write an experiment file with its profiles; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    write_people(folder, people)
    path = folder / name
    path.write_text(write_yaml(dict(content)), encoding="utf-8")
    return path


class Program:
    """The program in a process of its own; use it as a context manager, which leaves nothing running.

    Without words it is a program of the library's that has imported everything and waits for `go`, so that a test can
    start many of them quickly.
    """

    def __init__(self, folder: Path, *words: str, kilobytes: int | None = None, **environment: str) -> None:
        self._folder = folder
        self._command = (*COMMAND, *words) if words else (sys.executable, "-c", _READY)
        if kilobytes is not None:  # no file may grow beyond: what a full disk looks like
            self._command = ("bash", "-c", f'ulimit -f {kilobytes}; exec "$@"', "bash", *self._command)
        self._environment = {
            **os.environ,
            # compiling everything each time is slow; but a full disk would leave half of a compiled module
            "PYTHONDONTWRITEBYTECODE": "" if kilobytes is None else "1",
            "MYSTERYSHOPPER_CACHE": str(folder / "cache"),
            **environment,
        }

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def go(self, *words: str) -> None:
        """Let a waiting program begin: `run FILE OUT` or `resume DIR`."""
        assert self.process.stdout.readline() == "ready\n"
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """SIGKILL, unless it has ended; returns when it is gone."""
        if self.runs:
            self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=60)

    def end(self, timeout: float = 120) -> tuple[int, str, str]:
        """Wait for its end; return exit code, what it printed, and what it said on standard error."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, err

    def interrupt(self) -> None:
        """What Ctrl-C sends."""
        self.process.send_signal(signal.SIGINT)

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None


def program(folder: Path, *words: str, kilobytes: int | None = None, **environment: str) -> tuple[int, str, str]:
    """Run the program to its end; see `Program.end`."""
    with Program(folder, *words, kilobytes=kilobytes, **environment) as one:
        return one.end()


def read_database(run: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to a run's database, which may be torn; empty where there is none yet."""
    path = run / "run.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=10)) as database:
        try:
            return database.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise


def read_summary(run: Path) -> dict[str, Any]:
    """Return `summary.json`, refusing what strict JSON does not know."""
    return json.loads((run / "summary.json").read_text(encoding="utf-8"), parse_constant=_refuse)


def results(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary without how long systems took, which is no result."""
    metrics = [metric for metric in summary["metrics"] if not metric["name"].startswith("latency_")]
    return {**summary, "metrics": metrics}


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
