#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints src/workload/draw_tables.h.  A test runs it and compares.

Tail tables run over q, the probability to lie further out.  32 linear pieces in
each halving of q: entry 32 * k is at q = 2^-k, entry 32 * k + i at
q = 2^-k * (1 - i / 64).  30 halvings reach the cut of 6 sigma (q = 2^-28.9).
"""
import math
from statistics import NormalDist

PIECES = 32
HALVINGS = 30
CUT_SIGMA = 6


def tail(entry):
    k, i = divmod(entry, PIECES)
    return 2.0**-k * (1 - i / (2 * PIECES))


def half_normal():
    """|z| in 2^-24 that a normal value exceeds with probability q."""
    for entry in range(PIECES * HALVINGS + 1):
        z = -NormalDist().inv_cdf(tail(entry) / 2)
        yield round(min(max(z, 0.0), CUT_SIGMA) * 2**24)


def log_of_half():
    """-ln(1 - i / 64) in 2^-26: one halving, the others add ln 2."""
    for i in range(PIECES + 1):
        yield round(-math.log(1 - i / (2 * PIECES)) * 2**26)


def power_of_two():
    """2^(i / 256) in 2^-32, less 1."""
    for i in range(257):
        yield round((2 ** (i / 256) - 1) * 2**32)


def table(kind, name, values):
    values = list(values)
    print(f"static const {kind} {name}[{len(values)}] = {{")
    for at in range(0, len(values), 8):
        print("\t" + ", ".join(str(v) for v in values[at:at + 8]) + ",")
    print("};")


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-only */")
    print("/* Made by tools/draw_tables.py, which says what the entries are.  Do not edit. */")
    print("/* clang-format off */")
    print(f"#define DRAW_PIECES   {PIECES}")
    print(f"#define DRAW_HALVINGS {HALVINGS}")
    print(f"#define DRAW_CUT      {CUT_SIGMA * 2**24}u /* 6 sigma in 2^-24 */")
    print(f"#define DRAW_LN2      {round(math.log(2) * 2**26)}u /* ln 2 in 2^-26 */")
    print(f"#define DRAW_LOG2E    {round(math.log2(math.e) * 2**20)} /* 1 / ln 2 in 2^-20 */")
    table("u32", "draw_half_normal", half_normal())
    table("u32", "draw_log_of_half", log_of_half())
    table("u64", "draw_power_of_two", power_of_two())


main()
