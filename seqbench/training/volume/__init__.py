"""Exact-solution volumes of one-layer transformers (Zhu, Chiang, arXiv 2610.07676, 2026): see docs/nesv.md."""
