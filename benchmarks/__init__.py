"""Speed and memory, each as a ratio or a bound measured in one run: `make bench`."""
