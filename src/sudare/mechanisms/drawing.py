"""Drawing from a table of weights, exactly: two 64-bit words a row, the same steps whatever the value.

The first word rounds the value, read once in fixed point, to one of the two grid points around it; the second is looked
up in the row of that point. Rows are drawn in short chunks and simple loops, which the compiler turns into vectors.
"""

import numpy as np
from numba import njit

_CHUNK_ROWS = 1024  # three scratch arrays of it stay in the first-level cache

# A quotient by a float reciprocal errs upward by less than 2⁻⁵¹ of itself: taking 2⁻⁵⁰ off the reciprocal leaves it
# never too large, and at most one too small while it stays below 2⁴⁹. One comparison then makes it exact.
_BELOW = 1.0 - 2.0**-50


@njit(cache=True, nogil=True)
def draw_by_search(values, words, last, upto, outputs, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Draw by halving the row: `upto` holds, row after row, how many words fall on each cell or one before it."""
    points, picks, places = _scratch()
    cells = np.uint64(len(outputs))
    for first in range(0, len(values), _CHUNK_ROWS):
        rows = min(_CHUNK_ROWS, len(values) - first)
        _read(values[first : first + rows], words[2 * first : 2 * (first + rows)], last, points, picks)
        for row in range(rows):
            places[row] = points[row] * cells
        left = cells
        while left > np.uint64(1):
            half = left >> np.uint64(1)
            for row in range(rows):
                places[row] += half if upto[places[row] + half - np.uint64(1)] <= picks[row] else np.uint64(0)
            left -= half
        for row in range(rows):
            reports[first + row] = outputs[places[row] - points[row] * cells]


@njit(cache=True, nogil=True)
def draw_by_blocks(values, words, shape, outputs, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Draw by one division: `shape` and the order of `outputs` (cells, then −C and +C) are those of a `BlockGrid`."""
    points, picks, places = _scratch()
    for first in range(0, len(values), _CHUNK_ROWS):
        rows = min(_CHUNK_ROWS, len(values) - first)
        _read(values[first : first + rows], words[2 * first : 2 * (first + rows)], shape[0], points, picks)
        _place(points[:rows], picks[:rows], shape, places[:rows])
        for row in range(rows):
            reports[first + row] = outputs[places[row]]


@njit(cache=True, nogil=True)
def _scratch():  # type: ignore[no-untyped-def]  # pragma: no cover
    return np.empty(_CHUNK_ROWS, np.uint64), np.empty(_CHUNK_ROWS, np.uint64), np.empty(_CHUNK_ROWS, np.uint64)


@njit(cache=True, nogil=True)
def _read(values, words, last, points, picks):  # type: ignore[no-untyped-def]  # pragma: no cover
    # Words are parted first: loads that skip every other word would keep the next loop out of vector registers.
    for row in range(len(values)):
        points[row] = words[2 * row]
        picks[row] = words[2 * row + 1]
    for row in range(len(values)):
        # 0 to 2³¹ times K − 1: a grid point and 31 bits beyond it. A uniform 31-bit word carries over to the next
        # point in exactly as many cases as those bits say.
        fixed = np.uint64(np.int64((np.float64(values[row]) + 1.0) * 1073741824.0 + 0.5)) * last
        points[row] = (fixed + (points[row] >> np.uint64(33))) >> np.uint64(31)


@njit(cache=True, nogil=True)
def _place(points, picks, shape, places):  # type: ignore[no-untyped-def]  # pragma: no cover
    last, width, inside, outside, half, remainder, least, step = shape
    zero, block, others = np.uint64(0), width * inside, last * outside
    by_inside, by_outside = _BELOW / np.float64(inside), _BELOW / np.float64(outside)
    middle, columns = (last + width - np.uint64(1)) >> np.uint64(1), last + width
    for row in range(len(points)):
        point, pick = points[row], picks[row]
        hit = pick < block
        part = pick if hit else pick - block
        size = inside if hit else outside
        cell = np.uint64(np.float64(part) * (by_inside if hit else by_outside))
        cell += np.uint64(part - cell * size >= size)
        rest = part - others
        central = middle + np.uint64(rest >= half)
        column = columns + np.uint64(rest - remainder >= least + (last - point) * step)
        other = central if rest < remainder else column
        miss = cell + (zero if cell < point else width)
        places[row] = cell + point if hit else (miss if cell < last else other)
