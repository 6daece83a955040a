"""Ctrl-C, wherever the program is: in the event loop, or busy with planning and measuring, which hold it up."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, sys, time
from pathlib import Path
from mysteryshopper.experiment.interrupts import run_until_interrupted

async def work(busy):
    Path("working").touch()
    if busy:
        end = time.monotonic() + 60
        while time.monotonic() < end and not Path("go on").exists():
            time.sleep(0.01)
        await asyncio.sleep(0)
        return
    try:
        await asyncio.sleep(60)
    finally:
        Path("saved").touch()

try:
    run_until_interrupted(work(sys.argv[1] == "busy"))
except KeyboardInterrupt:
    sys.exit(7)
"""


def start(folder: Path, how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, how], cwd=folder, text=True)
    until(lambda: (folder / "working").exists())
    return process


def until(holds):
    end = time.monotonic() + 30
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_once_saves(tmp_path, name):
    process = start(tmp_path, "waiting")
    process.send_signal(getattr(signal, name))
    assert process.wait(30) == 7
    assert (tmp_path / "saved").exists()


def test_once_while_busy_is_heeded_when_that_is_done(tmp_path):
    process = start(tmp_path, "busy")
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None
    (tmp_path / "go on").touch()
    assert process.wait(30) == 7


def test_twice_while_busy_leaves_at_once(tmp_path):
    process = start(tmp_path, "busy")
    try:
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
    finally:
        process.kill()
        process.wait()
