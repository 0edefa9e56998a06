#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""rtapp_count.py FILE...: what is in a workload file, by a reading of its own.

Prints what tests/tool_rtapp_count.c prints, a JSON line per file, but shares nothing with
the reader in src/input: its own tokens, its own list of events.
"""
import json
import re
import sys

EVENTS = ("lock", "unlock", "wait", "signal", "broad", "sync", "sleep", "run", "timer", "suspend", "resume", "mem",
          "iorun", "yield", "barrier", "fork", "sem_post", "sem_wait")
OBSOLETE = ("exec", "period", "deadline", "lock_order", "resources")
TOKEN = re.compile(r'(?P<skip>\s+|/\*.*?\*/|//[^\n]*|#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*")|(?P<mark>[{}\[\]:,])'
                   r'|(?P<word>[^\s{}\[\]:,"]+)', re.S)


class Refused(Exception):
    pass


def tokens(text):
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise Refused(f"no token at {at}")
        at = found.end()
        if found.lastgroup != "skip":
            yield found.lastgroup, found.group()
    yield "end", ""


class Reader:
    """Objects become lists of (key, value), so that repeated keys stay."""

    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self):
        return self.tokens[self.at][1]

    def value(self):
        kind, text = self.next()
        if text == "{":
            return self.members()
        if text == "[":
            return self.items()
        if kind not in ("text", "word"):
            raise Refused(f"no value: {text}")
        return json.loads(text)

    def items(self):
        found = []
        while self.peek() != "]":
            found.append(self.value())
            if self.peek() == ",":
                self.next()
        self.next()
        return ("array", found)

    def members(self):
        found = []
        while self.peek() != "}":
            kind, key = self.next()
            if kind != "text":
                raise Refused(f"no key: {key}")
            value = None
            if self.peek() == ":":
                self.next()
                value = self.value()
            found.append((json.loads(key), value))
            if self.peek() == ",":
                self.next()
        self.next()
        return found


def count(members):
    for key, value in members:
        if key in OBSOLETE:
            raise Refused(f"{key} is obsolete")
        if key.startswith(("mem", "iorun")) and not isinstance(value, list):
            raise Refused(f"{key} has no cost")
    return sum(key.startswith(EVENTS) for key, value in members)


def phases(name, task):
    inner = [value for key, value in task if key == "phases"]
    if not inner:
        return [{"name": name, "events": count(task)}]
    count(task)
    return [{"name": key, "events": count(value)} for key, value in inner[0]]


def read(path):
    with open(path, encoding="utf-8") as file:
        document = Reader(file.read()).value()
    tasks = [value for key, value in document if key == "tasks"]
    if not tasks:
        raise Refused("no tasks")
    return [{"name": name, "phases": phases(name, task)} for name, task in tasks[0]]


def line(path):
    try:
        return {"file": path, "tasks": read(path)}
    except Refused as why:
        return {"file": path, "refused": str(why)}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(json.dumps(line(name)))
