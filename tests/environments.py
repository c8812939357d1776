"""Virtual environments for libraries that do not fit beside the test tools, each made once, in the checkout."""

import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TORCH = "torch==2.13.0"  # installed by a call of its own, first: what comes then takes this build and brings no other


def environment(name: str, *installs: tuple[str, ...]) -> Path:
    """The Python of the environment `.venv-NAME`, into which pip installed these, one call after the other.

    It is made anew where other things are asked for than those it was made with, seqbench's own dependencies included.
    """
    folder = ROOT / f".venv-{name}"
    python, ready = folder / "bin" / "python", folder / ".ready"
    wanted = f"{installs}\n{(ROOT / 'pyproject.toml').read_text()}"
    if not ready.exists() or ready.read_text() != wanted:
        run(sys.executable, "-m", "venv", "--clear", folder)
        for packages in installs:
            run(python, "-m", "pip", "install", "--quiet", *packages)
        ready.write_text(wanted)
    return python


def run(*command: str | Path, **how: Any) -> str:
    """What a command printed; it has to end well."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **{"cwd": ROOT} | how)
    assert done.returncode == 0, f"{' '.join(map(str, command))[:200]}\n{done.stdout}\n{done.stderr}"
    return done.stdout
