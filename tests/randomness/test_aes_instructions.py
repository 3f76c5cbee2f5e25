"""The processor's instructions: the bytes of the standard, and of `CounterStream`, from any place on."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sudare.randomness.aes_instructions import GROUP_BYTES, WIDTH, InstructionStream, blocks_per_instruction
from sudare.randomness.words import CounterStream, Words

pytestmark = pytest.mark.skipif(WIDTH == 0, reason="this processor encrypts one block at a time")

EXAMPLES = [
    # FIPS 197, Appendix B and Appendix C.1; NIST SP 800-38A, F.5.1: key, block, what it is encrypted to.
    ("2b7e151628aed2a6abf7158809cf4f3c", "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
    ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "ec8cdf7398607cb0f2d21675ea9ea1e4"),
]

LENGTHS = [0, 1, 15, 16, 17, GROUP_BYTES - 1, GROUP_BYTES, GROUP_BYTES + 1, 5 * GROUP_BYTES + 77]

PLACES = [0, 1, 1000, *(edge - blocks for edge in (2**32, 2**64, 5 * 2**64) for blocks in (0, 1, 31, 32, 33, 70))]


def drawn(kind: type[InstructionStream | CounterStream], key: bytes, first_byte: int, *lengths: int) -> list[bytes]:
    """Return what one stream gives, call by call."""
    stream = kind(key, first_byte)
    buffers = [np.empty(length, np.uint8) for length in lengths]
    for buffer in buffers:
        stream.fill(buffer)
    return [buffer.tobytes() for buffer in buffers]


@pytest.mark.parametrize(("key", "block", "expected"), EXAMPLES)
def test_the_examples_of_the_standards_come_out(key: str, block: str, expected: str) -> None:
    assert drawn(InstructionStream, bytes.fromhex(key), 16 * int(block, 16), 16) == [bytes.fromhex(expected)]


@pytest.mark.parametrize("block", PLACES)
@pytest.mark.parametrize("skip", [0, 1, 15])
def test_every_length_from_every_place_is_that_of_the_library(block: int, skip: int) -> None:
    for length in LENGTHS:
        place = (bytes(range(16)), 16 * block + skip, length)
        assert drawn(InstructionStream, *place) == drawn(CounterStream, *place)


def test_random_keys_places_and_pieces_are_those_of_the_library() -> None:
    choice = np.random.default_rng(197)
    for _ in range(300):
        place = (choice.bytes(16), int.from_bytes(choice.bytes(10)) >> int(choice.integers(80)))
        pieces = choice.integers(4 * GROUP_BYTES, size=5)
        assert drawn(InstructionStream, *place, *pieces) == drawn(CounterStream, *place, *pieces)


def test_nothing_is_written_beside_the_buffer() -> None:
    room = np.full(4 * GROUP_BYTES, 7, np.uint8)
    for start, stop in ((64, 65), (33, 33 + GROUP_BYTES), (40, 3 * GROUP_BYTES - 5)):
        room[:] = 7
        InstructionStream(bytes(16), 3).fill(room[start:stop])
        assert set(room[:start]) == set(room[stop:]) == {7}


def test_words_are_drawn_by_the_instructions() -> None:
    assert isinstance(Words(bytes(16))._stream(0), InstructionStream)


@pytest.mark.parametrize(
    ("triple", "features", "blocks"),
    [
        ("x86_64-pc-linux-gnu", "+aes,+avx2,+avx512f,+vaes", 4),
        ("x86_64-pc-linux-gnu", "+aes,+avx2,-avx512f,+vaes", 2),
        ("x86_64-pc-linux-gnu", "+aes,+avx2,+avx512f,-vaes", 0),
        ("x86_64-pc-linux-gnu", "-aes,+avx2,+avx512f,+vaes", 0),
        ("x86_64-pc-linux-gnu", "+aes,-avx2,-avx512f,+vaes", 0),
        ("x86_64-pc-linux-gnu", "", 0),
        ("arm64-apple-darwin", "+aes,+avx2,+avx512f,+vaes", 0),
    ],
)
def test_no_instruction_is_used_that_the_processor_lacks(triple: str, features: str, blocks: int) -> None:
    assert blocks_per_instruction(triple, features) == blocks


PRINT = """
import numpy as np
from sudare.randomness.aes_instructions import WIDTH, _fill
from sudare.randomness.words import Words
words = Words(bytes(range(16)), 5).take(100_003, np.uint8).tobytes()
"""


def printed(script: str, cache: Path, **environment: str) -> str:
    """Return what a process of its own says, which compiles into this cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), **environment}
    command = [sys.executable, "-c", PRINT + script]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip()


@pytest.mark.parametrize(
    ("environment", "blocks"),
    [
        ({"NUMBA_CPU_FEATURES": "+aes,+avx,+avx2,+vaes"}, 2),
        ({"NUMBA_CPU_FEATURES": "+aes"}, 0),
        ({"NUMBA_CPU_NAME": "generic"}, 0),
        ({"NUMBA_DISABLE_JIT": "1"}, 0),
    ],
)
def test_a_narrower_machine_gives_the_same_bytes(environment: dict[str, str], blocks: int, tmp_path: Path) -> None:
    said = printed("print(WIDTH, words.hex())", tmp_path, **environment)
    assert said == f"{blocks} {drawn(CounterStream, bytes(range(16)), 5, 100_003)[0].hex()}"


def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    counts = "print(sum(_fill.stats.cache_hits.values()), sum(_fill.stats.cache_misses.values()))"
    assert [printed(counts, tmp_path) for _ in range(2)] == ["0 1", "1 0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_draws_the_same_bytes(tmp_path: Path) -> None:
    script = """
import os, sys
child = os.fork()
again = Words(bytes(range(16)), 5).take(100_003, np.uint8).tobytes()
if not child:
    os._exit(0 if again == words else 1)
print(os.waitpid(child, 0)[1], again == words)
"""
    assert printed(script, tmp_path) == "0 True"
