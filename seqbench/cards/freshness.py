"""Whether cards are those that `make cards` would write: known in seconds, without writing them.

What a card shows depends on its dataset (definition, rows, coverage), on what people wrote about it, and on the code
that makes cards. The first two are in the key of each card; one file beside the cards has digests of the code, and of
every card and picture as it was written, so that one that was edited since is found.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from seqbench.catalogue.citations import citations_of
from seqbench.catalogue.reader import Catalogue
from seqbench.generation.base_plan import BasePlan

MAKERS = (
    "cards/*.py",
    "covering/*.py",
    "drawing/*.py",
    "spans.py",
    *(f"dataset/{name}.py" for name in ("chance", "examples", "lengths", "markdown", "overview")),
    *(f"dataset/{name}.py" for name in ("shortcuts", "task_facts")),
)
"""The code that makes cards, their statistics, coverage and pictures."""
FILE = "made_from.json"


def card_key(planned: BasePlan, catalogue: Catalogue) -> str:
    """What a card is made from, in 16 digits: another definition, version, row, text or citation gives another key.

    Coverage follows from the definition and the rows, and so do pictures.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> from seqbench.generation.plan import plan
        >>> keys = [card_key(plan("dyck_d6", seed=seed), open_catalogue()) for seed in (0, 1)]
        >>> keys[0] == keys[1]
        False
    """
    recipe = planned.recipe
    cited = [each.text for each in citations_of(recipe.source, catalogue.citations)]
    about = catalogue.describe(planned.name, recipe.parameters)
    parts = [planned.fingerprint, planned.recipe_json, recipe.title, recipe.source, repr(about), *cited]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def made_from(key: str) -> str:
    """The last line of a card."""
    return f"Made from definition, data and sources `{key}` by `make cards`.\n"


def record(folder: Path) -> dict[str, Any]:
    """What `make cards` left in a folder: digests of the code that makes cards, of every card, and of every picture."""
    return {"code": code_digest(), "cards": _digests(folder, "*.md"), "figures": _digests(folder / "figures", "*")}


def _digests(folder: Path, pattern: str) -> dict[str, str]:
    return {file.name: _sha256(file.read_bytes()) for file in sorted(folder.glob(pattern))}


def code_digest() -> str:
    """The digest of the code that makes cards.

    Example:
        >>> len(code_digest())
        64
    """
    package = Path(__file__).parent.parent
    files = sorted(file for maker in MAKERS for file in package.glob(maker))
    return _sha256(b"".join(file.relative_to(package).as_posix().encode() + file.read_bytes() for file in files))


def write_record(folder: Path) -> None:
    """Writes the record of a folder of cards, whole or not at all."""
    temporary = folder / f"{FILE}.tmp"
    temporary.write_text(json.dumps(record(folder), indent=1) + "\n", encoding="utf-8")
    temporary.replace(folder / FILE)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
