"""croissant.json: the folder described for any tool that reads the Croissant format (MLCommons, version 1.1)."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from seqbench.dataset.hub.manifest import Config, Manifest
from seqbench.dataset.hub.names import names_by_column
from seqbench.dataset.hub.page import TITLE
from seqbench.generation.base_plan import BasePlan, sentence

# fmt: off
_TERMS = (
    "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject",
    "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)
# fmt: on
_CONTEXT = {  # the format's own, word for word: tools compare it
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "sc": "https://schema.org/",
}
_KINDS = ((pa.types.is_boolean, "sc:Boolean"), (pa.types.is_integer, "sc:Integer"), (pa.types.is_floating, "sc:Float"))


def croissant(plans: Mapping[str, BasePlan], manifest: Manifest) -> str:
    """The text of croissant.json: every Parquet file with its digest, every split's columns."""
    first = next(iter(plans.values()))
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": "seqbench",
        "description": f"{TITLE}. Datasets: {', '.join(plans)}.",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "url": first.homepage,
        "version": manifest.made_with["seqbench"],
        "citeAs": " ".join(sorted({planned.citation for planned in plans.values()})),
        "distribution": [_file(shard.file, shard.sha256, shard.size) for _, _, shard in manifest.shards()],
        "recordSet": [record for name, config in manifest.configs.items() for record in _records(plans[name], config)],
    }
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def _file(path: str, sha256: str, size: int) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": sha256,
    }


def _records(planned: BasePlan, config: Config) -> list[dict[str, Any]]:
    """One record set a file: a set over several files would need an archive that holds them."""
    names = names_by_column(planned)
    return [
        {
            "@type": "cr:RecordSet",
            "@id": f"{shard.file}/rows",
            "name": f"{shard.file}/rows",
            "description": f"{sentence(planned.recipe.title)} Split {split}, {shard.rows} rows.",
            "field": [_field(shard.file, column, names.get(column.name, ())) for column in planned.schema],
        }
        for split, part in config.splits.items()
        for shard in part.shards
    ]


def _field(file: str, column: pa.Field, names: Sequence[str]) -> dict[str, Any]:
    shape, kind = [], column.type
    while pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        shape.append(str(kind.list_size) if pa.types.is_fixed_size_list(kind) else "-1")
        kind = kind.value_type
    return {
        "@type": "cr:Field",
        "@id": f"{file}/rows/{column.name}",
        "name": column.name,
        **({"description": _ids(names)} if names else {}),
        "dataType": next((name for fits, name in _KINDS if fits(kind)), "sc:Text"),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
        **({"isArray": True, "arrayShape": ",".join(shape)} if shape else {}),
    }


def _ids(names: Sequence[str]) -> str:
    """What ids stand for.

    Example:
        >>> _ids(["(", ")"])
        'Ids: 0 is "(", 1 is ")".'
    """
    return f"Ids: {', '.join(f'{number} is {json.dumps(name)}' for number, name in enumerate(names))}."
