"""Commands about published datasets, and exports for other tools: one function a command, no logic."""

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from seqbench.cli.options import as_json, force_option, given_options, plan_of, print_json, recipe_options

folder_argument = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.command()
@folder_argument
@click.option("--config", "names", multiple=True, help="Only this dataset; may be repeated.")
@click.option("--force", is_flag=True, help="Replace what this command wrote before.")
@recipe_options
@as_json
def export(
    folder: Path, names: tuple[str, ...], force: bool, catalogue: str | None, as_json: bool, **options: Any
) -> None:
    """Write datasets as a folder for the Hub, which `datasets.load_dataset` reads without seqbench."""
    from seqbench.dataset.hub.folder import export as write

    manifest, changes = write(folder, names, catalogue=catalogue, force=force, **given_options(options))
    if as_json:
        print_json({"out": str(folder), "changes": changes, **msgspec.to_builtins(manifest)})
        return
    click.echo("\n".join([f"changed: {line}" for line in changes]), nl=bool(changes))
    for name, config in manifest.configs.items():
        click.echo(f"{name}  {sum(part.rows for part in config.splits.values()):,} rows  sha256:{config.digest}")


@click.command()
@folder_argument
@click.option("--split", required=True, help="The split to make again.")
@click.option("--lengths", nargs=2, type=int, metavar="SHORTEST LONGEST", help="As exported by default.")
@click.option("--config", help="The dataset, where the folder holds several.")
@click.option("--out", type=click.Path(path_type=Path), help="A new .parquet file (default: named after the split).")
@force_option
@as_json
def regenerate(folder: Path, split: str, as_json: bool, **how: Any) -> None:
    """Make a split of an exported folder again, at other lengths if wanted, from the folder's own recipe."""
    from seqbench.dataset.hub.regenerate import regenerate as write

    out, rows = write(folder, split, **how)
    print_json({"out": str(out), "rows": rows}) if as_json else click.echo(f"{out}  {rows:,} rows")


@click.command()
@click.argument("what", metavar="DIR|NAME")
@click.option("--cache", is_flag=True, help="Check the prepared files in the cache of the datasets library.")
@click.option("--cache-dir", type=click.Path(), help="Where that cache is.")
@recipe_options
@as_json
def verify(what: str, cache: bool, cache_dir: str | None, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Check an exported folder, a dataset's golden digests, or (--cache) its prepared files, row by row."""
    from seqbench.dataset.hub.choose import verify as check

    report = check(what, cache=cache, cache_dir=cache_dir, catalogue=catalogue, **given_options(options))
    print_json(msgspec.to_builtins(report)) if as_json else click.echo(str(report))
    sys.exit(1 if report.findings else 0)


@click.command()
@click.argument("repository", metavar="ORG/NAME")
@click.option("--tag", required=True, metavar="vX.Y.Z", help="Marks the release; never moved.")
@click.option("--folder", required=True, type=click.Path(path_type=Path), help="A folder that `export` made.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; no network.")
@as_json
def push(repository: str, tag: str, folder: Path, dry_run: bool, as_json: bool) -> None:
    """Put an exported folder on the Hugging Face Hub; called again after a break, it goes on."""
    from seqbench.dataset.hub.push import prepare

    prepared = prepare(repository, tag, folder)
    lines = prepared.operations if dry_run else [prepared.run()]
    print_json({"dry_run": dry_run, "done": lines}) if as_json else click.echo("\n".join(lines))


@click.command()
@click.argument("name")
@click.option("--split", required=True, help="Which split.")
@click.option("--format", "kind", default="words", show_default=True, help="abbadingo or words.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new text file.")
@force_option
@recipe_options
@as_json
def text(  # a command's options
    name: str, split: str, kind: str, out: Path, force: bool, catalogue: str | None, as_json: bool, **options: Any
) -> None:
    """Write a split as text: one word a line, or Abbadingo for tools of grammatical inference."""
    from seqbench.adapters.text import write_text

    facts = write_text(plan_of(name, catalogue, options), split, kind, out, force=force)
    print_json(facts) if as_json else click.echo(f"{facts['out']}  {facts['rows']:,} words")
