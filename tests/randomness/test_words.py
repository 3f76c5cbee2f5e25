"""The stream: the words of a row depend on key and row alone."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from sudare.errors import InvalidParameter
from sudare.randomness import Fresh, NotPrivate, Recorded, Seeded, Words, is_private, opened
from sudare.randomness.words import BLOCK_BYTES, CounterStream, _same_bytes

KEY = bytes(range(16))


def reference(first_byte: int, count: int) -> bytes:
    """One long encryption of zeros from the start of the stream, then cut."""
    encryptor = Cipher(AES(KEY), CTR(bytes(16))).encryptor()
    return encryptor.update(bytes(first_byte + count))[first_byte:]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("per_row", [1, 2, 3, 50])
@pytest.mark.parametrize("first_row", [0, 1, 5, 1000])
def test_words_are_aes_in_counter_mode_from_the_row_on(dtype, per_row, first_row):
    size = np.dtype(dtype).itemsize * per_row
    words = Words(KEY, first_row).take(257, dtype, per_row)
    assert words.tobytes() == reference(first_row * size, 257 * size)


def test_blocks_join_without_a_seam():
    rows = 3 * BLOCK_BYTES // 4 + 17
    assert Words(KEY, 3).take(rows, np.uint32).tobytes() == reference(12, 4 * rows)


def test_a_row_wider_than_a_block_is_drawn_whole():
    width = BLOCK_BYTES // 4 + 5
    assert Words(KEY, 2).take(3, np.uint32, width).tobytes() == reference(2 * 4 * width, 3 * 4 * width)


def test_no_rows_take_no_words():
    assert Words(KEY).take(0, np.uint64).shape == (0,)


def test_threads_and_pickles_get_the_same_words():
    words = Words(KEY)
    expected = words.take(100_000, np.uint32).tobytes()
    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: words.take(100_000, np.uint32).tobytes(), range(16)))
    assert set(drawn) == {expected}
    assert pickle.loads(pickle.dumps(words)).take(100_000, np.uint32).tobytes() == expected


def test_the_key_is_not_shown():
    assert "key" not in repr(Words(KEY))


@pytest.mark.parametrize("length", [0, 8, 15, 17, 24, 32])
def test_a_key_of_another_length_is_refused(length):
    with pytest.raises(InvalidParameter, match="16 bytes"):
        Words(bytes(length)).take(1, np.uint8)


def test_fresh_sources_never_repeat():
    keys = {opened(None, None, np.zeros(1)).key for _ in range(100)} | {Fresh().bind(None, np.zeros(1)).key}
    assert len(keys) == 101


def test_seeded_and_recorded_reports_are_marked_and_keep_the_mark():
    for source in (Seeded(1), Recorded(np.zeros(8, np.uint64))):
        marked = source.bind(None, np.zeros(1)).mark(np.zeros(3))
        assert isinstance(marked, NotPrivate)
        assert not is_private(marked[1:] * 2)
        assert not is_private(pickle.loads(pickle.dumps(marked)))
        assert "not private" in repr(marked)


def test_fresh_reports_are_not_marked():
    assert is_private(Words(KEY).mark(np.zeros(3)))


def test_a_seed_names_a_stream_for_each_column():
    streams = [Seeded(1), Seeded(2), Seeded(1, "age"), Seeded(1, "glucose")]
    assert len({s.bind(None, np.zeros(1)).take(4, np.uint64).tobytes() for s in streams}) == 4


@pytest.mark.parametrize("seed", [True, 1.5, "1", None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(InvalidParameter, match="seed"):
        Seeded(seed)


def test_a_short_recording_is_refused():
    with pytest.raises(InvalidParameter, match="fewer words"):
        Recorded(np.zeros(2, np.uint64)).bind(None, np.zeros(1)).take(3, np.uint64)


def test_a_generator_that_gives_other_bytes_is_not_used():
    class Miscompiled(CounterStream):
        def fill(self, buffer):
            super().fill(buffer)
            buffer[len(buffer) // 2] ^= 1

    assert _same_bytes(CounterStream, CounterStream)
    assert not _same_bytes(Miscompiled, CounterStream)


def test_what_numpy_joins_or_picks_from_marked_arrays_is_marked():
    marked, plain = np.arange(4.0).view(NotPrivate), np.arange(4.0)
    found = [
        np.concatenate([plain, marked]),
        np.stack([plain, marked]),
        np.where(plain > 1, marked, plain),
        np.append(plain, marked),
        np.einsum("i,i->i", plain, marked),
        np.split(marked, 2)[0],
    ]
    assert not any(is_private(array) for array in found)


@pytest.mark.parametrize("first_row", [-1, True, 0.0, "0"])
def test_rows_are_numbered_from_zero(first_row):
    with pytest.raises(InvalidParameter, match="numbered"):
        Seeded(1, first_row=first_row)


def test_what_is_no_source_is_refused():
    with pytest.raises(InvalidParameter, match=r"receipt\.source"):
        opened(5, None, np.zeros(1))
