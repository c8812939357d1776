"""From records to blocks of examples: random streams, exact sampling, splits, Arrow."""
