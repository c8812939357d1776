"""Hub-ready folders: made, compared, verified, pushed, and made again at other lengths."""
