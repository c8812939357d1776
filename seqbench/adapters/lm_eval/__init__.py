"""Tasks for the LM evaluation harness (lm-eval): one YAML file a dataset, data made on the spot at any length.

    lm_eval --model hf --model_args pretrained=... --include_path "$(python -m seqbench.adapters.lm_eval)" \
        --tasks seqbench_dyck_d6 --metadata '{"test_lengths": [41, 100], "test_examples_per_length": 16}'

`--metadata` takes the options of the dataset; `--tasks seqbench` runs all.
"""

from pathlib import Path

PATH = Path(__file__).parent
"""The folder of the task files, for --include_path."""
