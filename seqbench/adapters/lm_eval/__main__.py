"""`python -m seqbench.adapters.lm_eval` prints the folder for --include_path."""

from seqbench.adapters.lm_eval import PATH

if __name__ == "__main__":
    print(PATH)  # noqa: T201 -- a command's output
