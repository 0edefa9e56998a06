#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Man page, completion and --help name every command and option of the program's tables."""
import os
import re
import subprocess

import tap

COMMAND = re.compile(r'^CLI_COMMAND\((\w+), (\w+), "([^"]*)"', re.M)
OPTION = re.compile(r'^CLI_OPTION\((\w+), "([\w-]+)", (0|\'\w\'), (NULL|"[^"]*"),((?:\s|\||FOR\(\w+\))+)', re.M)


def source(name):
    with open(os.path.join(tap.ROOT, name), encoding="utf-8") as file:
        return file.read()


def commands():
    """id -> (name, its words)"""
    return {row[0]: (row[1], row[2]) for row in COMMAND.findall(source("src/cli/commands.def"))}


def options():
    """[(name, letter or None, ids of the commands that take it)]"""
    return [(row[1], None if row[2] == "0" else row[2][1], re.findall(r"FOR\((\w+)\)", row[4]))
            for row in OPTION.findall(source("src/cli/options.def"))]


def bash(script):
    return subprocess.run(["bash", "-c", script], cwd=tap.ROOT, text=True, check=True, stdout=subprocess.PIPE).stdout


def completed(*words):
    """What the completion offers for the last of @words."""
    quoted = " ".join(f"'{word}'" for word in words)
    return set(bash(". tools/completion/fairground.bash; PATH=$FAIRGROUND_BUILD:$PATH; "
                    f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _fairground; "
                    'printf "%s\\n" "${COMPREPLY[@]}"').split())


def test_the_tables_are_read():
    assert {name for name, _ in commands().values()} >= {"analyze", "run", "dump", "list"}, commands()
    assert len(options()) == source("src/cli/options.def").count("\nCLI_OPTION("), options()


def test_the_manual_has_every_command():
    manual = source("docs/fairground.1")
    for name, _ in commands().values():
        assert re.search(rf"^\.Cm {name}$", manual, re.M), f"{name} is not in the synopsis"
        assert re.search(rf"^\.It Cm {name}\b", manual, re.M), f"{name} is not explained"


def test_the_manual_has_every_option():
    manual = source("docs/fairground.1")
    for name, letter, _ in options():
        assert re.search(rf"^\.It .*Fl \\-{name}\b", manual, re.M), f"--{name}"
        assert not letter or re.search(rf"^\.It Fl {letter} , Fl \\-{name}\b", manual, re.M), f"-{letter}"


def test_the_manual_has_no_option_of_its_own():
    known = {name for name, _, _ in options()} | {"version"}
    assert set(re.findall(r"^\.It .*?Fl \\-([\w-]+)", source("docs/fairground.1"), re.M)) <= known


def test_completion_offers_every_command():
    assert completed("fairground", "") >= {name for name, _ in commands().values()}


def test_completion_offers_exactly_the_options_of_a_command():
    for ident, (name, _) in commands().items():
        want = {f"--{option}" for option, _, takers in options() if ident in takers}
        assert completed("fairground", name, "--") == want, (name, completed("fairground", name, "--") ^ want)


def test_completion_offers_the_lists():
    words = next(words for name, words in commands().values() if name == "list")
    assert completed("fairground", "list", "") == set(words.split("|"))


def test_completion_asks_the_program():
    assert "6.12" in completed("fairground", "run", "--release", "")
    assert {"PREEMPT_SHORT", "NO_PREEMPT_SHORT"} <= completed("fairground", "run", "--features", "")


def test_help_has_every_option_of_a_command():
    for ident, (name, _) in commands().items():
        text = bash(f'"$FAIRGROUND_BUILD/fairground" {name} --help')
        want = {option for option, _, takers in options() if ident in takers}
        assert set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", text, re.M)) == want, text


def test_every_rule_and_reason_is_explained():
    table = source("src/events/rules.def")
    manual = source("docs/explain.md")
    for name in re.findall(r'^EVENT_RULE\(\w+, "([^"]*)"\)$', table, re.M):
        assert re.search(rf"^\| `{name}` \| \w", manual, re.M), f"docs/explain.md does not explain the rule {name}"
    for name, what in re.findall(r'^EVENT_REASON\(\w+, "([^"]*)",\s+"([^"]*)"\)$', table, re.M):
        assert f"| `{name}` | {what} |\n" in manual, f"docs/explain.md: the row of {name} is not | `{name}` | {what} |"


if __name__ == "__main__":
    tap.main(globals())
