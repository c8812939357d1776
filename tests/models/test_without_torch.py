"""What holds where PyTorch is not installed; these tests run everywhere."""

import subprocess
import sys

from seqbench.models import MODELS

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "torch" else find(name, *rest)
import seqbench, seqbench.models
from seqbench.errors import SeqbenchError
print(len(seqbench.models.MODELS))
try:
    seqbench.models.create("ldru", vocabulary=2, classes=2)
except SeqbenchError as error:
    print(error)
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_without_torch_the_extra_is_named():
    count, message = run(WITHOUT_TORCH).splitlines()
    assert int(count) == len(MODELS)
    assert "pip install 'seqbench[models]', in a clone pip install '.[models]'" in message


def test_importing_does_not_import_torch():
    code = "import sys, seqbench, seqbench.models; print('torch' in sys.modules, 'numpy' in sys.modules)"
    assert run(code).split() == ["False", "False"]
