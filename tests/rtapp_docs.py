#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every workload of Debian's rt-app package: as many events per phase as rtapp_count.py finds."""
import glob
import gzip
import json
import os
import subprocess
import tempfile

import rtapp_count
import tap

DOCS = "/usr/share/doc/rt-app"
# file -> what the message must say
REFUSED = {
    "examples/merge/global.json": "\"tasks\"",
    "examples/merge/resources.json": "\"tasks\"",
    "examples/merge/thread0.json": "\"exec\" is obsolete",
    "examples/merge/thread1.json": "\"exec\" is obsolete",
    "examples/merge/thread2.json": "\"exec\" is obsolete",
    "examples/merge/thread3.json": "\"exec\" is obsolete",
    "examples/tutorial/example6.json": "\"mem\": expected its cost",
    "taskset.json": "\"exec\" is obsolete",
}


def tool(paths):
    done = subprocess.run([os.path.join(tap.BUILD, "tests/tool_rtapp_count")] + paths, check=True, text=True,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def workloads():
    found = sorted(glob.glob(DOCS + "/**/*.json*", recursive=True))
    if not found:
        raise tap.Skip("Debian's rt-app is not installed: no files in " + DOCS)
    return found


def unpacked(path, folder):
    """Debian compresses large documents."""
    if not path.endswith(".gz"):
        return path
    out = os.path.join(folder, os.path.relpath(path, DOCS).replace("/", "_")[:-3])
    with gzip.open(path) as packed, open(out, "wb") as file:
        file.write(packed.read())
    return out


def compare(paths):
    """(read, refused) after the two sides agreed on each file."""
    read = refused = 0
    for ours in tool(paths):
        theirs = rtapp_count.line(ours["file"])
        assert ("refused" in ours) == ("refused" in theirs), f"{ours}\n{theirs}"
        assert ours.get("tasks") == theirs.get("tasks"), f"{ours}\n{theirs}"
        read += "tasks" in ours
        refused += "refused" in ours
    return read, refused


def test_every_documented_workload_has_the_counted_events():
    with tempfile.TemporaryDirectory() as folder:
        read, refused = compare([unpacked(path, folder) for path in workloads()])
    assert read >= 17 and refused == len(REFUSED), f"{read} read, {refused} refused"


def test_fragments_and_obsolete_grammar_are_refused_by_name():
    workloads()
    for name, said in REFUSED.items():
        path = os.path.join(DOCS, name)
        message = tool([path])[0].get("refused", "it was read")
        assert message.startswith(path) and said in message, message


def test_our_own_workloads_have_the_counted_events():
    paths = sorted(glob.glob(os.path.join(tap.ROOT, "workloads/*.json")))
    read, refused = compare(paths)
    assert read == len(paths) and not refused


def test_stated_costs_let_memory_events_in():
    """The tutorial's example 6, with the costs it lacks."""
    path = os.path.join(DOCS, "examples/tutorial/example6.json")
    if not os.path.exists(path):
        raise tap.Skip("Debian's rt-app is not installed: no " + path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = text.replace('"duration" : 2,', '"duration" : 2, "fairground": { "costs": { "mem_ns_per_kib": 40,'
                        ' "iorun_ns_per_kib": 10.5 } },', 1)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        assert tool([file.name])[0]["tasks"] == [{"name": "thread0", "phases": [{"name": "thread0", "events": 4}]}]


def test_a_lost_repeated_key_would_be_seen():
    """What json-c makes of a phase with two runs: the counts differ."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write('{"tasks": {"a": {"run": 1, "sleep": 2, "run": 3, "suspend", "run": 4,}}}')
        file.flush()
        assert rtapp_count.line(file.name)["tasks"][0]["phases"][0]["events"] == 5
        compare([file.name])


if __name__ == "__main__":
    tap.main(globals())
