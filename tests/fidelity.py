#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The simulator against recorded kernels: no pair that was near has moved away.

	tests/fidelity.py [--update]

What is off and known is in docs/fidelity.md; a pair of task and metric that is off now and not
listed there fails.  --update writes the document anew (tools/fidelity.py report): read its diff,
and put the cause of a new one into tests/fidelity/causes.json.
"""
import glob
import os
import sys

import tap

sys.path.insert(0, os.path.join(tap.ROOT, "tools"))
import fidelity  # noqa: E402


def claim(kernel, name, features, known):
    def body():
        found = fidelity.compare(kernel, name, features)
        fresh = sorted(pair for pair in found.off() if (kernel, found.title, *pair) not in known)
        assert not fresh, "\n".join(found.line(*pair) for pair in fresh)
    return body


def claims():
    known = fidelity.known_off()
    found = []
    for kernel, name, features in fidelity.recorded():
        title = name + (" with " + features if features else "")
        found.append((f"{title} on {kernel} is as near as it was", claim(kernel, name, features, known)))
    return found


def test_every_recording_is_whole_and_has_its_workload():
    found = {os.path.relpath(path, fidelity.FOLDER) for path in glob.glob(os.path.join(fidelity.FOLDER, "[0-9]*/*.json"))}
    whole = {os.path.relpath(fidelity.recording(*job), fidelity.FOLDER) for job in fidelity.recorded()}
    assert found and found == whole, found ^ whole


def test_a_pair_that_moved_away_is_found():
    one = fidelity.Compared(*fidelity.recorded()[0])
    row = one.rows[0]
    row.update(verdict="off", simulator=2 * row["kernel"], distance_pct=100.0)
    assert (row["name"], row["metric"]) in one.off()
    assert f"| {row['name']} | {row['metric']} |" in one.line(row["name"], row["metric"])
    assert (one.kernel, one.title, row["name"], "no such metric") not in fidelity.known_off()


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        tap.need_program()
        fidelity.BUILD = tap.BUILD
        sys.exit(fidelity.report())
    fidelity.BUILD = tap.BUILD
    selftests = [(name[5:], body) for name, body in globals().items() if name.startswith("test_")]
    sys.exit(tap.run(selftests + claims()))
