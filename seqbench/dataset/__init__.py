"""From blocks to Hugging Face datasets, files, cards and reports."""
