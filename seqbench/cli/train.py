"""Commands that train and evaluate models."""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click

from seqbench.training import require_torch


def _value(text: str) -> Any:
    """A TOML value, or text where it is none: `--set dropout=0.1`, `--set operator=sum`."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _settings(_: click.Context, __: click.Parameter, pairs: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise click.BadParameter(f"{pair!r} is no KEY=VALUE.")
        found[key] = _value(value)
    return found


@click.command()
@click.argument("task")
@click.option("--model", required=True, help="A reference model: ldru, lstm, transformer, ...")
@click.option(
    "--set", "options", multiple=True, callback=_settings, metavar="KEY=VALUE", help="An option of the model."
)
@click.option("--tier", default="quick", show_default=True, help="quick or paper: where the settings begin.")
@click.option("--steps", type=int, help="Batches at most.")
@click.option("--batch", type=int, help="Words a batch.")
@click.option("--learning-rate", type=float, help="After the warm-up.")
@click.option("--patience", type=int, help="Faultless looks at validation after which training stops; 0 for never.")
@click.option("--sampling", multiple=True, metavar="LAW[=WEIGHT]", help="Law of the training words; may be repeated.")
@click.option("--also", multiple=True, help="A further target: syntactic_class or node_classes.")
@click.option("--train-lengths", nargs=2, type=int, metavar="SHORTEST LONGEST", help="Lengths of training words.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the initial weights and dropout.")
@click.option("--data-seed", type=int, default=0, show_default=True, help="Of the training words.")
@click.option("--precision", help="fp32 or bf16.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, cuda:1, ...")
@click.option("--out", type=click.Path(), help="The run's folder; runs/RUN_ID by default.")
@click.option("--resume", is_flag=True, help="Go on with a stopped run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def train(
    task: str,
    model: str,
    out: str | None,
    resume: bool,
    device: str,
    as_json: bool,
    sampling: tuple[str, ...],
    **given: Any,
) -> None:
    """Train a reference model on a dataset, then evaluate it."""
    require_torch()
    from seqbench.training.evaluate import evaluate as measure
    from seqbench.training.evaluate import summary, write
    from seqbench.training.loop import train as run
    from seqbench.training.settings import resolve

    changes = {key: value for key, value in given.items() if value not in (None, ())}
    if "train_lengths" in changes:
        changes["recipe"] = {"train_lengths": list(changes.pop("train_lengths"))}
    if sampling:
        changes["sampling"] = {law: float(weight or 1) for law, _, weight in (each.partition("=") for each in sampling)}
    settings = resolve(task, model, **changes)
    folder = Path(out or f"runs/{settings.run_id}")
    try:
        folder = run(settings, folder, resume=resume, device=device)
    except KeyboardInterrupt:
        click.echo(f"Stopped; the checkpoint is in {folder}. Go on with the same command and --resume.", err=True)
        raise SystemExit(130) from None
    facts = measure(folder, device=device)
    write(folder, facts)
    click.echo(json.dumps(facts, indent=1) if as_json else f"{summary(facts)}\n{folder}")


@click.command()
@click.argument("run", type=click.Path())
@click.option("--lengths", nargs=2, type=int, metavar="SHORTEST LONGEST", help="Test lengths instead of the dataset's.")
@click.option("--words", type=int, help="Words a length.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate(run: str, lengths: tuple[int, int] | None, words: int | None, device: str, as_json: bool) -> None:
    """Evaluate a trained run, at any lengths."""
    require_torch()
    from seqbench.training.evaluate import evaluate as measure
    from seqbench.training.evaluate import summary

    facts = measure(Path(run), lengths=lengths, words=words, device=device)
    click.echo(json.dumps(facts, indent=1) if as_json else summary(facts))


@click.command()
@click.argument("grid", type=click.Path())
@click.option("--out", type=click.Path(), default="runs", show_default=True, help="Where the run folders go.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Runs at the same time.")
@click.option("--list", "only_list", is_flag=True, help="Make the folders and print a command for each, for a cluster.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sweep(grid: str, out: str, jobs: int, only_list: bool, as_json: bool) -> None:
    """Make all runs of a grid file; finished ones are kept."""
    require_torch()
    from seqbench.training import sweep as sweeps
    from seqbench.training.loop import claim

    if only_list:
        for settings in sweeps.grid(Path(grid)):
            claim(settings, Path(out) / settings.run_id, resume=True)
            click.echo(shlex.join(sweeps.command(Path(out) / settings.run_id)))
        return
    results = sweeps.sweep(Path(grid), Path(out), jobs)
    click.echo(json.dumps(results, indent=1) if as_json else sweeps.table(results))


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "--words", type=click.IntRange(1), default=4096, show_default=True, help="Words whose blocks are looked at."
)
@click.option("--roots", is_flag=True, help="Look at whole words, as for models without blocks.")
@click.option("--png", type=click.Path(), help="Also draw the blocks or words in a plane, coloured by class.")
@click.option("--projection", default="pca", show_default=True, help="How they come to the plane: pca or tsne.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def classes(run: str, words: int, roots: bool, png: str | None, projection: str, device: str, as_json: bool) -> None:
    """Show what a trained model has learnt of the syntactic classes, and a tree model of their products."""
    require_torch()
    from seqbench.drawing.style import checked_path
    from seqbench.training.classes import classes_of, classes_text, draw
    from seqbench.training.embedding import checked_projection

    checked_projection(projection)
    if png:
        checked_path(png)
    found = classes_of(Path(run), words, device, roots=roots)
    if png:
        draw(found, png, projection)
    click.echo(json.dumps(found.facts(), indent=1) if as_json else classes_text(found))


@click.command()
@click.option("--models", required=True, multiple=True, help="A reference model; may be repeated.")
@click.option("--lengths", required=True, multiple=True, type=click.IntRange(1), help="A length; may be repeated.")
@click.option("--batch", type=click.IntRange(1), default=16, show_default=True, help="Words in a pass.")
@click.option("--limit", type=float, default=5.0, show_default=True, help="Seconds after which a model is left out.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--png", type=click.Path(), help="Also draw seconds against length.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def profile(
    models: tuple[str, ...],
    lengths: tuple[int, ...],
    batch: int,
    limit: float,
    device: str,
    png: str | None,
    as_json: bool,
) -> None:
    """Measure inference time and memory of models against length."""
    require_torch()
    from seqbench.training import profile as profiles
    from seqbench.training.loop import device_of

    rows = profiles.profile(models, lengths, batch=batch, limit=limit, device=device_of(device))
    if png:
        profiles.draw(rows, png)
    click.echo(json.dumps(rows, indent=1) if as_json else profiles.text(rows))
