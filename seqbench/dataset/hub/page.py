"""README.md and eval.yaml of an exported folder: what the Hub, its viewer and `load_dataset` read."""

from collections.abc import Mapping

import datasets
from huggingface_hub import DatasetCardData

from seqbench.catalogue.citations import citations_of
from seqbench.catalogue.reader import Catalogue
from seqbench.dataset.builder import features_of
from seqbench.dataset.chance import chance_of
from seqbench.dataset.examples import examples
from seqbench.dataset.hub.manifest import Config, Manifest
from seqbench.dataset.hub.names import MOST, names_by_column
from seqbench.dataset.markdown import bibtex, by_id, examples_table
from seqbench.generation.base_plan import BasePlan, sentence

TITLE = "seqbench: exact synthetic benchmarks for sequence models"
TAGS = ["benchmark", "formal-languages", "length-generalization", "seqbench", "sequence-modeling", "synthetic"]
# The words that the Hub knows, by the number of rows under which they hold.
_SIZES = {10**3: "n<1K", 10**4: "1K<n<10K", 10**5: "10K<n<100K", 10**6: "100K<n<1M", 10**7: "1M<n<10M",
          10**8: "10M<n<100M", 10**9: "100M<n<1B", 10**10: "1B<n<10B", 10**11: "10B<n<100B"}  # fmt: skip


def size_category(rows: int) -> str:
    """The Hub's word for a number of rows.

    Example:
        >>> size_category(999), size_category(1000)
        ('n<1K', '1K<n<10K')
    """
    return next((word for limit, word in _SIZES.items() if rows < limit), "100B<n<1T")


def readme(plans: Mapping[str, BasePlan], manifest: Manifest, catalogue: Catalogue) -> str:
    """The text of README.md: a YAML head for machines, and a page for people."""
    card = DatasetCardData(
        pretty_name=TITLE,
        license="apache-2.0",
        tags=TAGS,
        size_categories=[size_category(manifest.rows)],
        annotations_creators=["machine-generated"],
        configs=[_head(name, plans[name], config) for name, config in manifest.configs.items()],
    )
    infos = {name: _info(name, plans[name], config) for name, config in manifest.configs.items()}
    datasets.info.DatasetInfosDict(infos).to_dataset_card_data(card)
    return f"---\n{card.to_yaml(line_break=chr(10))}\n---\n\n{_body(plans, manifest, catalogue)}"


def _head(name: str, planned: BasePlan, config: Config) -> dict[str, object]:
    # The library's cache key holds this text: with the digest in it, a replaced folder never meets an old cache.
    note = f"{sentence(planned.recipe.title)} Data version {config.version}, content sha256:{config.digest}"
    files = [{"split": split, "path": f"{name}/{split}-*.parquet"} for split in config.splits]
    return {"config_name": name, "description": note, "data_files": files}


def _info(name: str, planned: BasePlan, config: Config) -> datasets.DatasetInfo:
    splits = {split: datasets.SplitInfo(split, part.memory, part.rows) for split, part in config.splits.items()}
    return datasets.DatasetInfo(
        config_name=name,
        features=features_of(planned),
        splits=datasets.SplitDict(splits),
        download_size=sum(shard.size for part in config.splits.values() for shard in part.shards),
        dataset_size=sum(part.memory for part in config.splits.values()),
    )


def _body(plans: Mapping[str, BasePlan], manifest: Manifest, catalogue: Catalogue) -> str:
    first = next(iter(plans))
    options = ", ".join(f"`{key} = {value}`" for key, value in manifest.options.items())
    sources = sorted({planned.citation for planned in plans.values()})
    cited = {each.text: each for source in sources for each in citations_of(source, catalogue.citations)}
    return f"""# {TITLE}

Every row is a pure function of a small definition (in `definitions/`), its options and a seed; labels are exact.
Made with seqbench {manifest.made_with["seqbench"]}{f", with {options}" if options else ""}.

## Use

```python
import datasets

data = datasets.load_dataset("ORG/NAME", "{first}", revision="vX.Y.Z")  # or the path of this folder, without revision
```

Plain `datasets` is enough. Other lengths, seeds and options come from seqbench itself (`pip install seqbench`):
`seqbench regenerate DIR --config {first} --split test --lengths 501 1000`.

## Datasets

| name | what is asked | data version | rows |
| --- | --- | --- | --- |
{_table(plans, manifest)}

{chr(10).join(_about(planned, catalogue) for planned in plans.values())}
## Check

`seqbench verify DIR` makes every row again from `definitions/`, compares it with the files here, and names the first
row that differs. Each split has a digest of its logical content in `seqbench.json`, which does not depend on the
Parquet writer. `croissant.json` describes the files, `eval.yaml` names the test splits.

## Licence and sources

Apache-2.0. The tasks come from:

{chr(10).join(f"- {source}" for source in sources)}

{bibtex(cited.values())}"""


def _about(planned: BasePlan, catalogue: Catalogue) -> str:
    """What a dataset is, worked examples, what ids stand for, and what guessing scores."""
    about = catalogue.describe(planned.name, planned.recipe.parameters)
    parts = [f"### {planned.name}\n", f"{about.definition}\n", examples_table(examples(planned))]
    names = [f"Ids of `{column}`: {by_id(each, MOST)}." for column, each in names_by_column(planned).items()]
    return "\n".join([*parts, *(f"{line}\n" for line in (*names, chance_of(planned)) if line)])


def _table(plans: Mapping[str, BasePlan], manifest: Manifest) -> str:
    lines = []
    for name, config in manifest.configs.items():
        rows = ", ".join(f"{split} {part.rows:,}" for split, part in config.splits.items())
        title = plans[name].recipe.title.replace("|", "\\|")
        lines.append(f"| `{name}` | {title} | {config.version} | {rows} |")
    return "\n".join(lines)


def eval_yaml(plans: Mapping[str, BasePlan], manifest: Manifest) -> str:
    """The text of eval.yaml: one task a test split."""
    lines = [
        f'name: "{TITLE}"',
        "description: Exact labels at lengths beyond training.",
        "evaluation_framework: seqbench",
    ]
    tasks = [(name, split) for name in plans for split in manifest.configs[name].splits if split.startswith("test")]
    lines.append("tasks:" if tasks else "tasks: []")
    for name, split in tasks:
        lines += [f"  - id: {name}_{split}", f"    config: {name}", f"    split: {split}"]
    return "\n".join(lines) + "\n"
