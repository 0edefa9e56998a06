#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who includes whom in src/ is as the table of ARCHITECTURE.md says.

The table's rows are `| `folder/` | holds | may include |`; the last column names folders
or single headers in backticks, or is the word "everything".
"""
import os
import re
import tempfile

import tap

ROW = re.compile(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|\s*$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SOURCES = (".c", ".h", ".def")


def table(text):
    """folder -> set of folders and headers it may include; None for everything."""
    rows = {}
    for line in text.splitlines():
        if row := ROW.match(line):
            names = {name.rstrip("/") for name in re.findall(r"`([^`]+)`", row[2])}
            rows[row[1]] = None if row[2].strip() == "everything" else names
    return rows


def allowed(rows, folder, header):
    if rows[folder] is None:
        return True
    return header.split("/")[0] in rows[folder] | {folder} or header in rows[folder]


def faults_of(rows, folder, file, text):
    for header in INCLUDE.findall(text):
        if "/" not in header:
            yield f'{file}: "{header}" does not name its folder'
        elif not allowed(rows, folder, header):
            yield f'{file}: {folder}/ may not include "{header}"'


def faults(rows, src):
    found = []
    for folder in sorted(os.listdir(src)):
        if not os.path.isdir(os.path.join(src, folder)):
            continue
        if folder not in rows:
            found.append(f"{folder}/ has no row in the table")
            continue
        for at, _, files in os.walk(os.path.join(src, folder)):
            for name in sorted(files):
                if name.endswith(SOURCES):
                    path = os.path.join(at, name)
                    with open(path, encoding="utf-8") as file:
                        found += faults_of(rows, folder, os.path.relpath(path, src), file.read())
    return found


def project_rows():
    with open(os.path.join(tap.ROOT, "ARCHITECTURE.md"), encoding="utf-8") as file:
        return table(file.read())


def planted(folder, text):
    """The faults of a tree that has one file with @text in @folder."""
    with tempfile.TemporaryDirectory() as src:
        os.mkdir(os.path.join(src, folder))
        with open(os.path.join(src, folder, "a.c"), "w", encoding="utf-8") as file:
            file.write(text)
        return faults(project_rows(), src)


def test_the_table_has_every_folder():
    rows = project_rows()
    assert {"policy", "base", "events", "sim", "input", "analysis", "report", "cli"} <= set(rows), rows


def test_includes_follow_the_table():
    found = faults(project_rows(), os.path.join(tap.ROOT, "src"))
    assert not found, "\n".join(found)


def test_a_planted_violation_is_found():
    assert planted("analysis", '#include "sim/sim.h"\n') == ['analysis/a.c: analysis/ may not include "sim/sim.h"']


def test_a_single_header_opens_no_folder():
    assert planted("base", '#include "policy/int.h"\n') == []
    assert planted("base", '#include "policy/release.h"\n') != []


def test_a_header_without_its_folder_is_found():
    assert planted("base", '#include "vec.h"\n') != []


def test_a_folder_without_a_row_is_found():
    assert planted("elsewhere", "") == ["elsewhere/ has no row in the table"]


if __name__ == "__main__":
    tap.main(globals())
