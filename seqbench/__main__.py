"""`python -m seqbench` is `seqbench`."""

from seqbench.cli import main

if __name__ == "__main__":
    main()
