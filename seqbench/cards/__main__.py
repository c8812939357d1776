"""`make cards` (`python -m seqbench.cards`): writes the cards, pictures and gallery of the source tree."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from seqbench.cards.card import card
from seqbench.cards.freshness import card_key, made_from, write_record
from seqbench.cards.gallery import gallery
from seqbench.cards.pictures import Picture, picture
from seqbench.catalogue.reader import open_catalogue
from seqbench.drawing import save
from seqbench.files import write_whole
from seqbench.generation.plan import plan
from seqbench.progress import progress


def main() -> int:
    """Writes all cards; the exit code."""
    os.environ.pop("SEQBENCH_CATALOGUE", None)
    catalogue = open_catalogue()
    folder = Path(str(catalogue.cards))
    (folder / "figures").mkdir(exist_ok=True)
    pictures = {}
    for name in progress(catalogue.datasets, "Writing cards", len(catalogue.datasets)):
        planned = plan(name)
        shown = pictures[name] = picture(planned)
        if shown.draw is not None:
            save(shown.draw(), folder / shown.link)
        _write(folder / f"{name}.md", f"{card(planned, catalogue, shown)}\n{made_from(card_key(planned, catalogue))}")
    _write(folder / "README.md", gallery(catalogue, pictures))
    _sweep(folder, pictures)
    write_record(folder)
    return 0


def _write(path: Path, text: str) -> None:
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def _sweep(folder: Path, pictures: Mapping[str, Picture]) -> None:
    """Removes the cards and pictures of datasets that are no more."""
    kept = {f"{name}.md" for name in pictures} | {each.link for each in pictures.values()} | {"README.md"}
    for file in [*folder.glob("*.md"), *(folder / "figures").glob("*")]:
        if file.relative_to(folder).as_posix() not in kept:
            file.unlink()


if __name__ == "__main__":
    sys.exit(main())
