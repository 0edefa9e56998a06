#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Generated files are what their generators print."""
import os
import subprocess
import sys

import tap


def compare(path, generator):
    with open(os.path.join(tap.ROOT, path), encoding="utf-8") as file:
        want = file.read()
    done = subprocess.run([sys.executable, os.path.join(tap.ROOT, generator)], check=True, text=True,
                          stdout=subprocess.PIPE)
    assert done.stdout == want, f"{path} is not what {generator} prints: run it again"


def test_draw_tables_are_what_their_generator_prints():
    compare("src/workload/draw_tables.h", "tools/draw_tables.py")


if __name__ == "__main__":
    tap.main(globals())
