"""TOML definitions as checked records, and the machines they stand for."""
