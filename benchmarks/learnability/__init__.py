"""Which reference model learns which task in the quick tier."""
