"""Languages as finite objects: machines, regular expressions, families, syntactic monoids. No files, no randomness."""
