#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""compare_output.py FILE COMMAND...: the command's output must be the file, byte for byte."""
import subprocess
import sys

with open(sys.argv[1], "rb") as file:
    want = file.read()
got = subprocess.run(sys.argv[2:], check=True, stdout=subprocess.PIPE).stdout
if got != want:
    sys.exit(f"{sys.argv[1]} is not what {' '.join(sys.argv[2:])} prints: regenerate it")
