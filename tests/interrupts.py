"""The command line in a process that hears Ctrl-C, even where the tests run in the background of a shell."""

import sys

_CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from seqbench.__main__ import main
sys.argv[0] = "seqbench"
sys.stdout.write({first!r})
sys.stdout.flush()
sys.exit(main())
"""

SEQBENCH = [sys.executable, "-c", _CODE.format(first="")]
BEGUN = "!"
TELLING = [sys.executable, "-c", _CODE.format(first=BEGUN)]
"""The same; its output begins with a sign that Python now runs the first line of the command's own."""
