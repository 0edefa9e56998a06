#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What every file of the project must and must not say."""
import os
import re

import tap

LICENCE = "SPDX-License-Identifier: GPL-2.0-only"
CODE = (".c", ".h", ".py", ".sh", ".def", ".build", ".bt")
SKIPPED = re.compile(r"^(build|\.git|\.cache)")
# Spelled in two parts, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
PRINTS = re.compile(r"\b(exit|_exit|printf|puts|putchar|perror)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.S)


def tree(folder, endings):
    for at, folders, files in os.walk(os.path.join(tap.ROOT, folder)):
        folders[:] = [name for name in folders if not SKIPPED.match(name)]
        for name in sorted(files):
            if name.endswith(endings):
                path = os.path.join(at, name)
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    yield os.path.relpath(path, tap.ROOT), file.read()


def none(found):
    assert not found, "\n".join(found)


def test_every_code_file_names_its_licence():
    none([path for path, text in tree(".", CODE) if LICENCE not in text[:400]])


def test_nothing_is_left_unfinished():
    none([f"{path}: {line.strip()}" for path, text in tree(".", CODE + (".md",))
          for line in text.splitlines() if UNFINISHED.search(line)])


def printing(text):
    return PRINTS.findall(COMMENT.sub("", text))


def test_only_cli_prints_or_exits():
    none([f"{path}: {', '.join(printing(text))}()" for path, text in tree("src", (".c", ".h"))
          if not path.startswith("src/cli/") and printing(text)])


def test_a_planted_print_is_found():
    assert printing('\tprintf("x");\n') == ["printf"]
    assert printing('\tfprintf(to, "exit(1)"); /* puts() */\n') == []


def test_lines_end_without_blanks():
    none([f"{path}:{number}" for path, text in tree("src", (".c", ".h", ".def"))
          for number, line in enumerate(text.split("\n"), 1) if line != line.rstrip()])


if __name__ == "__main__":
    tap.main(globals())
