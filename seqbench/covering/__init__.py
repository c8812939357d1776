"""Coverage: which compositions of syntactic classes a training set shows, expects, needs and lacks (docs/coverage.md)."""
