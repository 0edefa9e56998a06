#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What ./check counts, and that nothing can fail without being counted."""
import json

import summary
import tap


def of(*tests, strict=False, plain=()):
    lines = [json.dumps({"name": "project:suite / t", "result": result, "returncode": status, "stdout": text})
             for result, status, text in tests]
    return summary.summarise(lines, strict, plain)


def closes(count, text):
    assert summary.closing(count) == text, f"{summary.closing(count)}; {count.failed}"


def test_single_claims_are_counted():
    closes(of(("OK", 0, "1..2\nok 1 - a\nok 2 - b\n"), ("OK", 0, "1..1\nok 1 - c\n")), "3 passed, 0 failed")


def test_a_failed_claim_is_counted_and_named():
    count = of(("FAIL", 1, "1..2\nok 1 - a\nnot ok 2 - b\n"))
    closes(count, "1 passed, 1 failed")
    assert count.failed == ["project:suite / t: b"]


def test_a_program_that_died_after_its_claims_fails():
    closes(of(("ERROR", -6, "1..1\nok 1 - a\n")), "1 passed, 1 failed")


def test_a_program_that_timed_out_fails():
    closes(of(("TIMEOUT", -15, "1..5\nok 1 - a\n")), "1 passed, 1 failed")


def test_a_broken_plan_fails():
    closes(of(("OK", 0, "1..3\nok 1 - a\nok 2 - b\n")), "2 passed, 1 failed")


def test_no_claims_fail():
    closes(of(("OK", 0, "")), "0 passed, 1 failed")
    closes(of(), "0 passed, 1 failed")


def test_a_test_with_only_a_status_is_one_claim():
    closes(of(("OK", 0, ""), plain=["t"]), "1 passed, 0 failed")
    closes(of(("FAIL", 1, ""), plain=["t"]), "0 passed, 1 failed")


def test_a_skip_is_told_and_is_a_failure_where_strict():
    skip = ("OK", 0, "1..2\nok 1 - a\nok 2 - b # SKIP no such tool\n")
    closes(of(skip), "1 passed, 0 failed, 1 skipped")
    assert of(skip).skipped == ["project:suite / t: b: no such tool"]
    closes(of(skip, strict=True), "1 passed, 1 failed")


def test_what_the_machine_cannot_is_told_and_is_no_failure():
    def fails():
        raise tap.Cannot("2 cores, not 4")

    ok, rest = tap.outcome(fails)
    assert ok
    skip = ("OK", 0, f"1..2\nok 1 - a\nok 2 - b{rest}\n")
    closes(of(skip, strict=True), "1 passed, 0 failed, 1 skipped")
    assert of(skip, strict=True).skipped == ["project:suite / t: b: this machine cannot: 2 cores, not 4"]


def test_a_whole_program_can_be_skipped():
    skip = ("SKIP", 0, "1..0 # SKIP nothing to test on\n")
    assert of(skip).skipped == ["project:suite / t: all of it: nothing to test on"]
    closes(of(skip, skip, strict=True), "0 passed, 2 failed")


if __name__ == "__main__":
    tap.main(globals())
