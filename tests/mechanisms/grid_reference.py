"""What the grid mechanisms are, said once more: one value, two words, whole numbers and fractions, no arrays."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from sudare.randomness import Recorded

TOTAL = 2**64
COINS = 2**31


def point_of(value, coin, points):
    """The grid point that a value is rounded to: of 2³¹ coins, as many move it on as it lies beyond the point below."""
    fixed = math.floor((Fraction(value) + 1) * 2**30 + Fraction(1, 2))
    point, beyond = divmod((points - 1) * fixed, COINS)
    return point + (coin >= COINS - beyond)


def reports_of(mechanism, row, picks):
    """The reports that these second words make of a grid point; no float stands for it exactly, so the coin helps."""
    value = float(mechanism.inputs[row])
    coin = next(coin for coin in (0, COINS - 1) if point_of(value, coin, len(mechanism.inputs)) == row)
    words = np.array([(coin << 33, pick) for pick in picks], np.uint64)
    return mechanism.randomize(np.full(len(picks), value), Recorded(words.ravel()))


def assert_the_words_land(mechanism, row, runs):
    """Every run of words (column, how many) must land on its column from its first word to its last, and no further."""
    counts, picks, columns = Counter(), [], []
    start = 0
    for column, words in runs:
        counts[column] += words
        inner = start + words // 3
        picks += [start, inner, start + words - 1] if words else []
        columns += [column] * 3 if words else []
        start += words
    assert start == TOTAL
    assert [counts[column] for column in range(len(mechanism.outputs))] == mechanism.weights()[row]
    assert (np.asarray(reports_of(mechanism, row, picks)) == mechanism.outputs[columns]).all()


def block_runs(grid, row):
    """The runs of a block grid: the block, the cells beside it, the remainder in the middle, then the two columns."""
    last, width, inside, outside, half, remainder, least, step = (int(number) for number in grid.shape)
    cells = last + width
    block = range(row, row + width)
    runs = [(cell, inside) for cell in block]
    runs += [(cell, outside) for cell in range(cells) if cell not in block]
    runs += [((cells - 1) // 2, half), (cells // 2, remainder - half)]
    if step:
        runs += [(cells, least + (last - row) * step), (cells + 1, least + row * step)]
    return [(int(grid.order[number]), words) for number, words in runs]


def exact_outputs(mechanism, step=1):
    """Every so-manieth output as the rational that it was before it was rounded to a float."""
    return [Fraction(position) * mechanism._grid.scale for position in mechanism._grid.positions[::step].tolist()]


def exact_variance(mechanism, value):
    """The variance of the report of any value: two rows of the table, mixed by distance."""
    last = len(mechanism.inputs) - 1
    below = min(math.floor((Fraction(value) + 1) / 2 * last), last - 1)
    share = (Fraction(value) + 1) / 2 * last - below
    outputs, table = exact_outputs(mechanism), mechanism.weights()
    rows = ((1 - share, table[below]), (share, table[below + 1]))
    square = sum(part * sum(words * y * y for words, y in zip(row, outputs, strict=True)) for part, row in rows)
    return square / TOTAL - Fraction(value) ** 2


def places(mechanism):
    """The grid points and the midpoints between them."""
    points = mechanism.inputs
    return np.sort(np.concatenate([points, (points[1:] + points[:-1]) / 2]))
