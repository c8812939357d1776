"""Coverage: which compositions of syntactic classes a training set shows and lacks (theory: docs/coverage.md)."""
