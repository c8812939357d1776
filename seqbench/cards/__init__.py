"""Dataset cards: one page a dataset, with its picture, statistics, coverage and sources, and a gallery of all."""
