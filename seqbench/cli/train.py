"""Commands that train and evaluate models."""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seqbench.cli.options import catalogue_option, force_option, key_values, two_numbers, weights
from seqbench.errors import InputError
from seqbench.training import require_torch

if TYPE_CHECKING:
    from seqbench.training.settings import Settings

PLAIN: dict[str, tuple[type, str]] = {
    "associativity": (float, "Weight of the associativity regulariser, of tree models; 0 by default."),
    "steps": (int, "Batches at most."),
    "batch": (int, "Sequences a batch."),
    "learning_rate": (float, "After the warm-up."),
    "warmup": (float, "Share of the steps in which the rate rises."),
    "schedule": (str, "constant or cosine."),
    "optimiser": (str, "adamw or amsgrad."),
    "weight_decay": (float, "Of all weights."),
    "clip": (float, "Largest norm of a gradient."),
    "centralise": (bool, "Whether gradients of matrices lose their mean: true or false."),
    "seed": (int, "Of the initial weights and dropout; 0 by default."),
    "data_seed": (int, "Of the training data; 0 by default."),
    "check_every": (int, "Steps between looks at validation."),
    "patience": (int, "Faultless looks at validation after which training stops; 0 for never."),
    "test_lengths": (int, "How many test lengths are looked at in the end; 0 for all."),
    "test_words": (int, "Sequences a test length."),
    "precision": (str, "fp32, bf16 or fp64."),
}
"""Settings that are one value: their type and what they are; by default what the tier says."""


def _plain_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, (kind, text) in reversed(PLAIN.items()):
        command = click.option("--" + name.replace("_", "-"), type=kind, help=text)(command)
    return command


def _text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Texts of any Hugging Face dataset instead of a dataset of seqbench."""
    options = (
        click.option("--hf-dataset", metavar="PATH", help="Texts to classify: on the Hub, a folder or a file."),
        click.option("--hf-config", help="Its configuration, where it has several."),
        click.option("--text-column", multiple=True, help="A column of texts (text by default); two for pairs."),
        click.option("--label-column", help="The column of labels; label by default."),
        click.option("--tokenizer", help="bytes (by default), or bpe: byte pairs learnt from the training texts."),
        click.option("--vocabulary", type=int, help="Of bpe, at most so many tokens; 8,000 by default."),
        click.option("--max-tokens", type=int, help="Tokens a row; 512 by default."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _texts_of(task: str | None, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The task, and the settings that name texts; takes the options about texts out of `given`."""
    from seqbench.training.command import TEXTS
    from seqbench.training.texts import TextData

    path, chosen = given.pop("hf_dataset", None), {}
    for name, option in TEXTS.items():
        value = given.pop(option.removeprefix("--").replace("-", "_"), None)
        if value not in (None, ()):
            chosen[name] = value
    if (path is None) == (task is None):
        raise InputError("Name either a dataset of seqbench or texts: seqbench train TASK, or --hf-dataset PATH.")
    if path is None:
        if chosen:
            raise InputError(
                f"{', '.join(TEXTS[name] for name in chosen)} is for texts. Leave it out, or name --hf-dataset PATH."
            )
        return str(task), {}
    return path, {"texts": TextData(path=path, **chosen)}


def _words_of(given: dict[str, Any]) -> dict[str, Any]:
    """The settings that name words of a file; takes the options about them out of `given`."""
    from seqbench.training.words import WordData

    path, column = given.pop("train", None), given.pop("column", None)
    if path is None and column is not None:
        raise InputError(f"--column {column} is for words of a file. Leave it out, or name --train FILE.")
    return {} if path is None else {"words": WordData.of(path, column)}


def settings_of(task: str | None, model: str, tier: str, given: dict[str, Any]) -> "Settings":
    """The settings that a command line asks for; options that were not given are None or empty."""
    from seqbench.training.settings import resolve

    task, texts = _texts_of(task, given := dict(given))
    changes = texts | _words_of(given) | {key: value for key, value in given.items() if value not in (None, ())}
    if "train_lengths" in changes:
        changes["recipe"] = changes.get("recipe", {}) | {"train_lengths": list(changes.pop("train_lengths"))}
    return resolve(task, model, tier, **changes)


@click.command()
@click.argument("task", required=False)
@click.option("--model", required=True, help="A reference model (ldru, lstm, ...), or FILE.py:CLASS.")
@click.option(
    "--set", "options", multiple=True, callback=key_values, metavar="KEY=VALUE", help="An option of the model."
)
@click.option("--recipe", multiple=True, callback=key_values, metavar="KEY=VALUE", help="An option of the dataset.")
@catalogue_option
@click.option("--train", help="Words to train on: a .parquet, .csv, .tsv, .jsonl or .txt file, or a glob.")
@click.option("--column", help="Their column (default: input_ids, or the only one that could be).")
@_text_options
@click.option("--tier", default="quick", show_default=True, help="quick or paper: where the settings begin.")
@click.option("--sampling", multiple=True, callback=weights, metavar="LAW[=WEIGHT]", help="Law of the training words.")
@click.option("--also", multiple=True, help="A further target: syntactic_class or node_classes.")
@two_numbers("--train-lengths", "Lengths of training sequences.")
@_plain_options
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, cuda:1, ...")
@click.option("--tensorboard", is_flag=True, help="Also write curves for TensorBoard.")
@click.option("--out", type=click.Path(), help="The run's folder; runs/RUN_ID by default.")
@click.option("--resume", is_flag=True, help="Go on with a stopped run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def train(
    task: str | None,
    model: str,
    tier: str,
    out: str | None,
    resume: bool,
    device: str,
    tensorboard: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Train a reference model on a dataset, or on texts to classify, then evaluate it."""
    require_torch()
    from seqbench.training.checkpoint import exists
    from seqbench.training.evaluate import evaluate as measure
    from seqbench.training.loop import train as run
    from seqbench.training.parallel import is_first
    from seqbench.training.result import write
    from seqbench.training.summary import summary

    settings = settings_of(task, model, tier, given)
    folder = Path(out or f"runs/{settings.run_id}")
    if resume and not exists(folder) and is_first():
        click.echo(f"There is no run in {folder} yet, so there is nothing to go on with: it begins.", err=True)
    try:
        folder = run(settings, folder, resume=resume, device=device, tensorboard=tensorboard)
    except KeyboardInterrupt:
        there = f"the checkpoint is in {folder}" if exists(folder) else "there is no checkpoint yet"
        click.echo(f"Stopped; {there}. Go on with the same command and --resume.", err=True)
        raise SystemExit(130) from None
    if not is_first():
        return
    facts = measure(folder, device=device, coverage=True)
    write(folder, facts)
    click.echo(json.dumps(facts, indent=1) if as_json else f"{summary(facts)}\n{folder}")


@click.command()
@click.argument("run", type=click.Path())
@click.option("--task", help="Another dataset with the same symbols and labels.")
@two_numbers("--lengths", "Test lengths instead of the dataset's.")
@click.option("--words", type=click.IntRange(1), help="Sequences a length.")
@click.option(
    "--test-lengths", type=click.IntRange(0), help="How many lengths, evenly spread; 0 for all. As the run by default."
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate(
    run: str,
    task: str | None,
    lengths: tuple[int, int] | None,
    words: int | None,
    test_lengths: int | None,
    device: str,
    as_json: bool,
) -> None:
    """Evaluate a trained run, at any lengths; the result is kept in its folder, under evaluations/."""
    require_torch()
    from seqbench.training.evaluate import check_free, file_of, options_of
    from seqbench.training.evaluate import evaluate as measure
    from seqbench.training.result import write
    from seqbench.training.summary import summary

    check_free(path := file_of(Path(run), options_of(task, lengths, words, test_lengths)))
    facts = measure(Path(run), task=task, lengths=lengths, words=words, number=test_lengths, device=device)
    click.echo(json.dumps(facts, indent=1) if as_json else summary(facts))
    click.echo(write(Path(run), facts, path), err=as_json)


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
    from seqbench.training.table import table

    if only_list:
        for folder in sweeps.claimed(Path(grid), Path(out)):
            click.echo(shlex.join(sweeps.command(folder)))
        return
    try:
        results = sweeps.sweep(Path(grid), Path(out), jobs)
    except KeyboardInterrupt:
        click.echo(f"Stopped; results and checkpoints are in {out}. Go on with the same command.", err=True)
        raise SystemExit(130) from None
    click.echo(json.dumps(results, indent=1) if as_json else table(results))


@click.command()
@click.argument("run", type=click.Path())
@click.option(
    "--words", type=click.IntRange(1), default=4096, show_default=True, help="Words whose blocks are looked at."
)
@click.option("--roots", is_flag=True, help="Look at whole words, as for models without blocks.")
@click.option("--png", type=click.Path(), help="Also draw the blocks or words in a plane, coloured by class.")
@force_option
@click.option("--projection", default="pca", show_default=True, help="How they come to the plane: pca or tsne.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def classes(
    run: str, words: int, roots: bool, png: str | None, force: bool, projection: str, device: str, as_json: bool
) -> None:
    """Show what a trained model has learnt of the syntactic classes, and a tree model of their products."""
    require_torch()
    from seqbench.drawing.style import new_picture
    from seqbench.training.classes import classes_of, classes_text, draw
    from seqbench.training.embedding import checked_projection

    checked_projection(projection)
    picture = None if png is None else new_picture(png, force=force)
    found = classes_of(Path(run), words, device, roots=roots)
    if picture:
        draw(found, picture, projection)
    click.echo(json.dumps(found.facts(), indent=1) if as_json else classes_text(found))
    if png:
        click.echo(png, err=as_json)


@click.command()
@click.option("--models", required=True, multiple=True, help="A reference model; may be repeated.")
@click.option("--lengths", required=True, multiple=True, type=click.IntRange(1), help="A length; may be repeated.")
@click.option("--batch", type=click.IntRange(1), default=16, show_default=True, help="Words in a pass.")
@click.option("--limit", type=float, default=5.0, show_default=True, help="Seconds after which a model is left out.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda, ...")
@click.option("--png", type=click.Path(), help="Also draw seconds against length.")
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def profile(
    models: tuple[str, ...],
    lengths: tuple[int, ...],
    batch: int,
    limit: float,
    device: str,
    png: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Measure inference time and memory of models against length."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # PyTorch's own profiler prints a line a start and stop otherwise
    require_torch()
    from seqbench.drawing.style import new_picture
    from seqbench.training import profile as profiles
    from seqbench.training.parallel import device_of

    picture = None if png is None else new_picture(png, force=force)
    rows = profiles.profile(models, lengths, batch=batch, limit=limit, device=device_of(device))
    click.echo(json.dumps(rows, indent=1) if as_json else profiles.text(rows))
    if picture:
        profiles.draw(rows, picture)
        click.echo(png, err=as_json)
