"""The stream of `CounterStream` by the processor's vector AES instructions: the same bytes, in a fraction of the time.

Numba compiles a loop around LLVM's names of these instructions, so that installing needs no compiler. Many counters are
encrypted side by side, and no round waits for the one before it. No table is looked up, neither for the key's schedule
nor for the rounds: the time that this takes says nothing about key or words.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import codegen, config
from numba.extending import intrinsic
from numpy.typing import NDArray

ROUNDS = 10
BLOCK_BYTES = 16
GROUP_BLOCKS = 32
GROUP_BYTES = GROUP_BLOCKS * BLOCK_BYTES

_WORD = ir.IntType(64)
_Emitted: TypeAlias = tuple[Any, Callable[..., Any]]


def blocks_per_instruction(triple: str, features: str) -> int:
    """Return how many blocks one instruction encrypts: 4, 2, or 0 where it is one at most, which gains nothing.

    Parameters
    ----------
    triple
        The machine in LLVM's words; its first part is the architecture.
    features
        What LLVM may use of it, each name after a plus, with commas between.

    Examples
    --------
    >>> blocks_per_instruction("x86_64-unknown-linux-gnu", "+aes,+avx2,+vaes")
    2
    >>> blocks_per_instruction("x86_64-unknown-linux-gnu", "+aes,+avx2")
    0
    """
    usable = set(features.split(","))
    if not triple.startswith("x86_64") or not usable >= {"+aes", "+vaes", "+avx2"}:
        return 0
    return 4 if "+avx512f" in usable else 2


def _width() -> int:
    """Return the same for what Numba compiles for here, which a user may have narrowed."""
    settings: Any = config  # filled in at import
    if settings.DISABLE_JIT:
        return 0
    features = settings.CPU_FEATURES
    if features is None:
        features = codegen.get_host_cpu_features()  # type: ignore[no-untyped-call]
    return blocks_per_instruction(binding.get_process_triple(), features)


WIDTH = _width()


class InstructionStream:
    """AES-128-CTR from any byte on. It lives inside one loop: never shared by threads, never forked, never pickled."""

    def __init__(self, key: bytes, first_byte: int) -> None:
        self._key = np.frombuffer(key, np.uint64, count=2).copy()
        self._position = first_byte

    def fill(self, buffer: NDArray[np.uint8]) -> None:
        """Write the next bytes over the whole buffer."""
        block, skip = divmod(self._position, BLOCK_BYTES)
        high, low = divmod(block, 1 << 64)
        _fill(self._key, np.uint64(high), np.uint64(low), skip, buffer)
        self._position += len(buffer)


@njit(cache=True, nogil=True)
def _fill(key, high, low, skip, buffer):  # type: ignore[no-untyped-def]  # pragma: no cover
    schedule = np.empty(2 * (ROUNDS + 1), np.uint64)
    _expand(key, schedule)  # type: ignore[call-arg]
    scratch = np.empty(GROUP_BYTES, np.uint8)
    done = 0
    while done < len(buffer):
        # 0 stands for 2⁶⁴: the carry is as far away as can be.
        before_carry = np.uint64(0) - low
        carries = np.uint64(0) < before_carry < np.uint64(GROUP_BLOCKS)
        if skip == 0 and not carries and len(buffer) - done >= GROUP_BYTES:
            _encrypt(schedule, high, low, buffer, done)
            done += GROUP_BYTES
        else:
            _encrypt(schedule, high, low, scratch, 0)
            stop = np.int64(before_carry) * BLOCK_BYTES if carries else GROUP_BYTES
            stop = min(stop, skip + len(buffer) - done)
            for position in range(skip, stop):
                buffer[done + position - skip] = scratch[position]
            done += stop - skip
            skip = 0
        low += before_carry if carries else np.uint64(GROUP_BLOCKS)
        high += np.uint64(low == 0)


@intrinsic
def _expand(typing_context: Any, key: Any, schedule: Any) -> _Emitted:  # noqa: ARG001
    """Write the eleven round keys of a key (FIPS 197, KeyExpansion)."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, target = (_data(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True))
        whole, pair, words = ir.IntType(128), ir.VectorType(_WORD, 2), ir.VectorType(ir.IntType(32), 4)
        assist = _function(builder, "llvm.x86.aesni.aeskeygenassist", pair, [pair, ir.IntType(8)])
        round_key = _load(builder, source, 0, pair)
        _store(builder, round_key, target, 0)
        constant = 1
        for number in range(1, ROUNDS + 1):
            assisted = builder.call(assist, [round_key, ir.Constant(ir.IntType(8), constant)])
            assisted = builder.bitcast(assisted, words)
            last_word = builder.shuffle_vector(assisted, assisted, ir.Constant(words, [3] * 4))
            # Each word is the sum of all words before it: two shifts add all four.
            sums = builder.bitcast(round_key, whole)
            for bits in (32, 64):
                sums = builder.xor(sums, builder.shl(sums, ir.Constant(whole, bits)))
            round_key = builder.xor(builder.bitcast(sums, pair), builder.bitcast(last_word, pair))
            _store(builder, round_key, target, number * BLOCK_BYTES)
            constant = constant << 1 if constant < 0x80 else 0x1B
        return context.get_dummy_value()

    return types.void(key, schedule), emit


@intrinsic
def _encrypt(typing_context: Any, schedule: Any, high: Any, low: Any, buffer: Any, start: Any) -> _Emitted:  # noqa: ARG001
    """Encrypt the counters of one group of blocks into the buffer; the carry into `high` is the caller's."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        keys = _data(context, builder, signature.args[0], arguments[0])
        target = builder.gep(_data(context, builder, signature.args[3], arguments[3]), [arguments[4]])
        states = _counters(builder, arguments[1], arguments[2])
        states = [builder.xor(state, _round_key(builder, keys, 0)) for state in states]
        for number in range(1, ROUNDS):
            round_key = _round_key(builder, keys, number)
            states = [builder.call(_instruction(builder, "aesenc"), [state, round_key]) for state in states]
        round_key = _round_key(builder, keys, ROUNDS)
        for index, state in enumerate(states):
            last = builder.call(_instruction(builder, "aesenclast"), [state, round_key])
            _store(builder, last, target, index * WIDTH * BLOCK_BYTES)
        return context.get_dummy_value()

    return types.void(schedule, types.uint64, types.uint64, buffer, types.int64), emit


def _vector() -> ir.VectorType:
    return ir.VectorType(_WORD, 2 * WIDTH)


def _counters(builder: Any, high: Any, low: Any) -> list[Any]:
    """Return the big-endian counters `high:low`, `high:low + 1`, … of one group."""
    vector = _vector()
    swap = _function(builder, f"llvm.bswap.v{2 * WIDTH}i64", vector, [vector])
    base = ir.Constant(vector, ir.Undefined)
    for lane in range(2 * WIDTH):
        base = builder.insert_element(base, low if lane % 2 else high, ir.Constant(ir.IntType(32), lane))
    counters = []
    for first in range(0, GROUP_BLOCKS, WIDTH):
        steps = [0 if lane % 2 == 0 else first + lane // 2 for lane in range(2 * WIDTH)]
        counters.append(builder.call(swap, [builder.add(base, ir.Constant(vector, steps))]))
    return counters


def _round_key(builder: Any, keys: Any, number: int) -> Any:
    """Return one round key, repeated for each block of a vector."""
    pair = _load(builder, keys, number * BLOCK_BYTES, ir.VectorType(_WORD, 2))
    order = ir.Constant(ir.VectorType(ir.IntType(32), 2 * WIDTH), [0, 1] * WIDTH)
    return builder.shuffle_vector(pair, pair, order)


def _instruction(builder: Any, name: str) -> Any:
    return _function(builder, f"llvm.x86.aesni.{name}.{128 * WIDTH}", _vector(), [_vector()] * 2)


def _function(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return the address of an array's first byte."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(data, ir.IntType(8).as_pointer())


def _load(builder: Any, base: Any, offset: int, kind: Any) -> Any:
    pointer = builder.gep(base, [ir.Constant(_WORD, offset)])
    return builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)


def _store(builder: Any, value: Any, base: Any, offset: int) -> None:
    pointer = builder.gep(base, [ir.Constant(_WORD, offset)])
    builder.store(value, builder.bitcast(pointer, value.type.as_pointer()), align=1)
