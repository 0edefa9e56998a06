# SPDX-License-Identifier: GPL-2.0-only
"""TAP for tests written in Python: a test is a function named test_..., its name the claim.

It fails by an exception (assert with a message) and is skipped by raising Skip(reason), or
Cannot(reason) where nothing that could be installed would help: cores, the system's own QEMU.
"""
import os
import sys
import traceback

ROOT = os.environ.get("FAIRGROUND_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("FAIRGROUND_BUILD") or os.path.join(ROOT, "build")


def need_program():
    """Before expectations are written: "command not found" is none."""
    if not os.access(os.path.join(BUILD, "fairground"), os.X_OK):
        sys.exit(f"no fairground in {BUILD}: set FAIRGROUND_BUILD to the build folder")


class Skip(Exception):
    pass


class Cannot(Skip):
    """Told apart by tests/summary.py, by these words."""

    def __str__(self):
        return f"this machine cannot: {super().__str__()}"


def outcome(body):
    """(ok, what follows the claim on its line)"""
    try:
        body()
    except Skip as why:
        return True, f" # SKIP {why}"
    except Exception:
        for line in traceback.format_exc().splitlines():
            print("#", line)
        return False, ""
    return True, ""


def run(claims):
    """@claims: (name, function) in order.  Returns the exit status."""
    failed = 0
    print(f"1..{len(claims)}")
    for number, (name, body) in enumerate(claims, 1):
        ok, rest = outcome(body)
        failed += not ok
        print(f"{'ok' if ok else 'not ok'} {number} - {name}{rest}", flush=True)
    return 1 if failed else 0


def main(module_globals):
    found = [(name[5:], body) for name, body in module_globals.items() if name.startswith("test_")]
    sys.exit(run(found))
