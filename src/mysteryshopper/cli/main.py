"""The entry point: errors become one sentence on standard error, and exit codes say what happened."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from mysteryshopper.cli.output import say

DONE, FAILED, USAGE, FAULTS, ASSERTION, INTERRUPTED = 0, 1, 2, 3, 4, 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process.

    Exit codes: 0 done, 1 could not start or go on, 2 usage, 3 done with faults, 4 an assertion failed, 130 interrupted.

    Args:
        arguments: The words after the program's name; by default the process's.
    """
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. See `main`."""
    words = [word for word in arguments if word != "--debug"]  # works wherever it stands
    try:
        return _run(words)
    except KeyboardInterrupt:
        say("interrupted; nothing that was committed is lost.", sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: say nothing more
        return DONE
    except Exception as error:
        if len(words) < len(arguments):
            raise
        return _explain(error)


def _run(words: list[str]) -> int:
    from typer import Abort
    from typer.main import get_command

    from mysteryshopper.cli.commands import app

    try:
        result = get_command(app).main(words, prog_name="mysteryshopper", standalone_mode=False)
    except Abort:
        return INTERRUPTED
    except Exception as error:
        if hasattr(error, "show") and hasattr(error, "exit_code"):  # a usage error of click's
            error.show()
            return int(error.exit_code)
        raise
    return result if isinstance(result, int) else DONE


def _explain(error: Exception) -> int:
    from mysteryshopper.core import ShopperError

    if isinstance(error, ShopperError):
        say(f"mysteryshopper: {error}", sys.stderr)
        return FAILED
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        where = f"{error.filename} can't be written" if error.filename else "a file can't be written"
        say(f"mysteryshopper: {where} ({error.strerror}): free some space and start again.", sys.stderr)
        return FAILED
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    say(f"mysteryshopper: an unexpected error: {what}. Run again with --debug to see where, and report it.", sys.stderr)
    return FAILED
