"""Tokenizers of texts: bytes, or byte pairs learnt from the training texts."""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError, not_installed

if TYPE_CHECKING:
    from collections.abc import Iterable

Array = npt.NDArray[Any]

TOKENIZERS = ("bytes", "bpe")


class Tokenizer(Protocol):
    """Texts to token ids.

    Attributes:
        size: number of ids, the end token's among them.
        end: the id of the end token, which stands behind every text.
    """

    size: int
    end: int

    def lists(self, texts: pa.LargeStringArray) -> tuple[Array, Array]:
        """The ids of all texts, flat, and their number by text."""


class Bytes:
    """A token a byte of UTF-8.

    Example:
        >>> Bytes().lists(pa.array(["hé"], pa.large_string()))[0].tolist()
        [104, 195, 169]
    """

    size, end = 257, 256

    def lists(self, texts: pa.LargeStringArray) -> tuple[Array, Array]:
        """The bytes of all texts, flat, and their number by text."""
        offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)
        data = texts.buffers()[2]
        flat = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        return flat[offsets[0] : offsets[-1]], np.diff(offsets)


class BytePairs:
    """Byte pairs (Sennrich, Haddow, Birch, ACL 2016) over bytes, by the library `tokenizers`.

    Example:
        >>> tokenizer = BytePairs.learnt([["aaa ab", "aaa"]], 260)
        >>> tokenizer.size <= 260, tokenizer.lists(pa.array(["aaa"], pa.large_string()))[1].tolist() < [3]
        (True, True)
    """

    def __init__(self, tokenizer: Any) -> None:
        """Around one of the library's."""
        self._tokenizer = tokenizer
        self.end = tokenizer.token_to_id("<end>")
        self.size = tokenizer.get_vocab_size()

    @classmethod
    def learnt(cls, texts: "Iterable[Iterable[str]]", size: int) -> "BytePairs":
        """Of texts, with at most so many ids.

        Raises:
            InputError: the library is not installed, or there are fewer ids than bytes.
        """
        library = _library()
        if size < Bytes.size:
            raise InputError(f"A vocabulary of {size} is too small: bytes and the end token alone are {Bytes.size}.")
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.decoder = library.decoders.ByteLevel()
        tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=["<end>"],
            initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator((text for part in texts for text in part), trainer)
        return cls(tokenizer)

    def decode(self, ids: Array) -> str:
        """The text of ids, without the end tokens."""
        return str(self._tokenizer.decode(list(map(int, ids))))

    def lists(self, texts: pa.LargeStringArray) -> tuple[Array, Array]:
        """The ids of all texts, flat, and their number by text."""
        made = [each.ids for each in self._tokenizer.encode_batch_fast(texts.to_pylist(), add_special_tokens=False)]
        counts = np.array([len(ids) for ids in made], np.int64)
        return np.concatenate([np.array(ids, np.int32) for ids in made] or [np.empty(0, np.int32)]), counts


def _library() -> Any:
    try:
        import tokenizers
    except ImportError:
        raise not_installed('The tokenizer "bpe"', "tokenizers", "train", 'Or take "bytes".') from None
    return tokenizers
