"""Words held out of training by a keyed hash, so that no evaluation word can be a training word, by construction."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import Words, unit_key
from seqbench.jit import kernel

Array = npt.NDArray[Any]

SHARE = 8  # one word in eight is held out
MIN_LOG2_WORDS = 10.0  # lengths where some label has fewer than 2^10 words are left to training whole
MAX_ATTEMPTS = 2000

_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def is_held_out(tokens: Array, offsets: Array, dataset: str, version: str, seed: int) -> npt.NDArray[np.bool_]:
    """Whether each word is held out: a fixed pseudo-random eighth of all words, another for every dataset and seed.

    Example:
        >>> words = np.arange(16, dtype=np.uint8)
        >>> is_held_out(words, np.arange(17), "parity_check", "1.0.0", 0).sum()
        np.int64(1)
    """
    return hash_words(tokens, offsets, unit_key(dataset, version, seed, "held out")) < np.uint64(2**64 // SHARE)


@kernel
def hash_words(tokens: Array, offsets: Array, key: Words) -> npt.NDArray[np.uint64]:
    """A keyed 64-bit hash of every word: symbols stirred in one by one by the finaliser of SplitMix64.

    Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    first = (np.uint64(key[0]) << np.uint64(32)) | np.uint64(key[1])
    second = (np.uint64(key[2]) << np.uint64(32)) | np.uint64(key[3])
    out = np.empty(len(offsets) - 1, dtype=np.uint64)
    for i in range(len(out)):
        h = first
        for j in range(offsets[i], offsets[i + 1]):
            h = (h ^ (np.uint64(tokens[j]) + second)) * _MIX_1
            h ^= h >> np.uint64(27)
            h *= _MIX_2
            h ^= h >> np.uint64(31)
        out[i] = h
    return out
