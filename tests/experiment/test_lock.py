"""Two processes cannot write one run; a dead one is no obstacle."""

import os
import signal
import subprocess
import sys

import pytest

from mysteryshopper.core import ShopperError
from mysteryshopper.experiment.lock import locked

HOLD = """
import sys, time
from pathlib import Path
from mysteryshopper.experiment.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_is_refused_and_told_who_holds_it(tmp_path, holder):
    with pytest.raises(ShopperError, match=rf"process {holder.pid} on .*--out"), locked(tmp_path):
        pass


def test_a_killed_holder_is_no_obstacle(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with locked(tmp_path):
        pass


def test_it_can_be_taken_again_after_use(tmp_path):
    for _ in range(2):
        with locked(tmp_path):
            pass
