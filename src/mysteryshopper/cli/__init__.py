"""The command line, thin over the library: each command reads its arguments, calls one function and prints.

Commands import what they need when they run, so that `--help` is quick. What comes from files or models is printed with
its control characters made visible.
"""

from mysteryshopper.cli.main import main

__all__ = ["main"]
