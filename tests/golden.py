#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the program prints is what it printed when somebody last looked.

	tests/golden.py [--update] [FILE...]	default: tests/golden/*.case

A case file holds comments ("## ..."), commands ("$ ..."), below each what it prints on both
outputs, and "= STATUS" where it does not exit with 0.  Commands run in the project's folder,
with `fairground` in the PATH and a folder of their own in $WORK.  --update writes what
is printed now into the files; `git diff` then shows what changed, and a person judges.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import tap


def parse(text):
    """[(head lines, command, expected lines, status)]; head: comments and blanks above."""
    cases, head = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            cases.append([head, line[2:], [], 0])
            head = []
        elif line.startswith("## "):
            head.append(line)
        elif status := re.fullmatch(r"= (\d+)", line):
            cases[-1][3] = int(status[1])
        else:
            assert cases, f"text before any command: {line}"
            cases[-1][2].append(line)
    for case in cases:
        while case[2] and case[2][-1] == "":
            case[2].pop()
    return cases


def render(cases):
    out = []
    for number, (head, command, lines, status) in enumerate(cases):
        out += [""] * (number > 0) + head + [f"$ {command}"] + lines + [f"= {status}"] * (status != 0)
    return "\n".join(out) + "\n"


def run(command):
    """(lines printed, exit status)"""
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, PATH=tap.BUILD + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8", WORK=work)
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tap.ROOT, env=env, text=True, timeout=120,
                              errors="backslashreplace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        lines = done.stdout.replace(work, "$WORK").split("\n")
        while lines and lines[-1] == "":
            lines.pop()
        return lines, done.returncode


def check(case):
    _, command, expected, status = case
    lines, got = run(command)
    assert (lines, got) == (expected, status), "\n".join([f"$ {command}", *lines, f"= {got}"])


def update(path):
    with open(path, encoding="utf-8") as file:
        cases = parse(file.read())
    for case in cases:
        case[2], case[3] = run(case[1])
    with open(path, "w", encoding="utf-8") as file:
        file.write(render(cases))


def claims(paths):
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for case in parse(file.read()):
                name = f"{os.path.basename(path)}: {case[1]}".replace("#", "")
                found.append((name, lambda case=case: check(case)))
    return found


EXAMPLE = "## one\n$ echo '# a'\n# a\n\n## two\n$ echo b; exit 3\nb\n= 3\n"


def test_a_file_is_read_and_written_the_same():
    assert render(parse(EXAMPLE)) == EXAMPLE


def test_output_and_status_are_compared():
    for case in parse(EXAMPLE):
        check(case)
    for wrong in (EXAMPLE.replace("\n# a\n", "\nA\n"), EXAMPLE.replace("= 3", "= 4")):
        try:
            for case in parse(wrong):
                check(case)
        except AssertionError:
            continue
        raise AssertionError("it passed")


def main():
    words = sys.argv[1:]
    paths = [word for word in words if word != "--update"] or sorted(
        glob.glob(os.path.join(tap.ROOT, "tests/golden/*.case")))
    if "--update" in words:
        tap.need_program()
        for path in paths:
            update(path)
        return 0
    selftests = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    return tap.run(selftests + claims(paths))


if __name__ == "__main__":
    sys.exit(main())
