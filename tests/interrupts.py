"""The command line in a process that hears Ctrl-C, even where the tests run in the background of a shell."""

import sys

_CODE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from seqbench.cli import main
main(prog_name="seqbench")
"""

SEQBENCH = [sys.executable, "-c", _CODE]
