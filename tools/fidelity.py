#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How far the simulator is from kernels: records them, and writes docs/fidelity.md.

	tools/fidelity.py record [--jobs N] [KERNEL[/NAME]]...	the runs of kernels in guests, N at a time (2);
		those of more CPUs (two-...) only if named, with QEMU 8.1 or later
	tools/fidelity.py report				docs/fidelity.md from what is recorded
	tools/fidelity.py draw SEED NUMBER [two]		random workloads, tests/fidelity/workloads/[two-]random-SEED-N.json

A recording is tests/fidelity/KERNEL/NAME.json, of the workload tests/fidelity/workloads/NAME.json
or, with features switched, NAME@FEATURES.json.  `record` makes those that are missing and goes on
with those that have not all of their runs; it may be stopped at any time.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("FAIRGROUND_BUILD") or os.path.join(ROOT, "build")
FOLDER = os.path.join(ROOT, "tests/fidelity")
DOCUMENT = os.path.join(ROOT, "docs/fidelity.md")
KERNELS = ("6.1", "6.12", "7.3")
RUNS = 8
# NAME of a workload, the feature switched
TOGGLES = (("slices", "NO_PREEMPT_SHORT"), ("periodic-and-hogs", "NO_RUN_TO_PARITY"),
           ("periodic-and-hogs", "NO_PLACE_LAG"), ("periodic-and-hogs", "NO_DELAY_DEQUEUE"))
TOGGLED = ("6.12", "7.3")


def workloads():
    return sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(FOLDER, "workloads/*.json")))


def wanted():
    """[(kernel, name, features)] in the order of recording: what is new to all kernels first."""
    found = [(kernel, name, "") for name in workloads() for kernel in KERNELS]
    return found + [(kernel, name, features) for name, features in TOGGLES for kernel in TOGGLED]


RANDOM = "random-"
RESTS = ({"policy": "SCHED_IDLE"}, {"priority": 19})


CPUS = {"two": 2}


def cpus_of(name):
    """More than one: for a guest whose CPUs take turns, which takes QEMU 8.1; recorded when it is named."""
    return CPUS.get(name.split("-")[0], 1)


def is_random(name):
    return RANDOM in name


def drawn_amount(dice, mean_us):
    """A time in us: as it is, or drawn anew at each use."""
    shape = dice.choice(("constant", "constant", "uniform", "exponential"))
    if shape == "constant":
        return mean_us
    if shape == "uniform":
        return {"fairground": {"uniform": {"low_us": mean_us // 2, "high_us": mean_us + mean_us // 2}}}
    return {"fairground": {"exponential": {"mean_us": mean_us}}}


def drawn_task(dice):
    """One that never sleeps, one that sleeps between bursts, or a periodic one."""
    kind = dice.choice(("hog", "burst", "burst", "periodic", "periodic"))
    task = {"cpus": [0], "loop": -1}
    if kind == "hog":
        task["run"] = 10000
    elif kind == "burst":
        run_us = int(100 * 10 ** dice.uniform(0, 1.8))
        task.update(run=drawn_amount(dice, run_us), sleep=drawn_amount(dice, int(run_us * dice.uniform(0.5, 8)) + 200))
    else:
        period_us = dice.choice((1000, 2000, 3000, 5000, 7000, 10000, 16000, 33000))
        task.update(run=drawn_amount(dice, int(period_us * dice.uniform(0.03, 0.4))),
                    timer={"ref": "unique", "period": period_us, "mode": dice.choice(("relative", "absolute"))})
    if kind != "hog" and dice.random() < 0.3:
        task["instance"] = dice.randint(2, 4)
    if dice.random() < 0.3:
        task["priority"] = dice.choice((-10, -5, -1, 3, 5, 10))
    elif dice.random() < 0.15:
        task["policy"] = dice.choice(("SCHED_BATCH", "SCHED_IDLE"))
    if dice.random() < 0.15 and "policy" not in task:
        task["dl-runtime"] = dice.choice((300, 1000, 5000, 20000))
    return task


def drawn_workload(dice):
    tasks = {f"t{i}": drawn_task(dice) for i in range(dice.randint(2, 5))}
    if dice.random() < 0.3:
        for task in tasks.values():
            if dice.random() < 0.5:
                task["taskgroup"] = "/group"
        weight = dice.choice((25, 50, 100, 300))
        return {"global": {"duration": 2, "fairground": {"cgroups": {"/group": {"cpu.weight": weight}}}}, "tasks": tasks}
    return {"global": {"duration": 2}, "tasks": tasks}


def spread(drawn, dice, cpus):
    """The same for more CPUs: most tasks may run on all, and beneath them one on each keeps it from idling."""
    for task in drawn["tasks"].values():
        if dice.random() < 0.7:
            del task["cpus"]
        else:
            task["cpus"] = [dice.randrange(cpus)]
    rest = dice.choice(RESTS)
    for cpu in range(cpus):
        drawn["tasks"][f"rest{cpu}"] = {"cpus": [cpu], "loop": -1, "run": 10000, **rest}
    return drawn


def draw(seed, number, prefix=""):
    for i in range(1, number + 1):
        dice = random.Random(f"{prefix}{seed}/{i}")
        name = f"{prefix + '-' if prefix else ''}{RANDOM}{seed}-{i:02}"
        drawn = drawn_workload(dice)
        with open(workload(name), "w", encoding="utf-8") as file:
            json.dump(spread(drawn, dice, CPUS[prefix]) if prefix else drawn, file, indent=1)
            file.write("\n")
    return 0


def workload(name):
    return os.path.join(FOLDER, "workloads", name + ".json")


def recording(kernel, name, features):
    return os.path.join(FOLDER, kernel, name + ("@" + features if features else "") + ".json")


def runs_of(path):
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8") as file:
        return json.load(file)["runs"]


def record_one(job):
    kernel, name, features = job
    path = recording(*job)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    words = ["validate", "--guest", kernel, "--runs", str(RUNS), "--keep", path, "--json", workload(name)]
    if cpus_of(name) > 1:
        words[1:1] = ["--cpus", str(cpus_of(name))]
    if features:
        words[1:1] = ["--features", features]
    # under everything else: a guest's time does not depend on it
    done = subprocess.run(["nice", "-n", "5", os.path.join(BUILD, "fairground")] + words,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return job, "" if runs_of(path) == RUNS else done.stderr.strip()


def record(args):
    jobs = [job for job in wanted() if runs_of(recording(*job)) < RUNS and
            (f"{job[0]}/{job[1]}" in args.what or
             (cpus_of(job[1]) == 1 and (not args.what or job[0] in args.what)))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for number, (job, fault) in enumerate(pool.map(record_one, jobs), 1):
            failed += bool(fault)
            print(f"{number}/{len(jobs)} {os.path.relpath(recording(*job), FOLDER)} {fault}", flush=True)
    return 1 if failed else 0


class Compared:
    """One recording beside the simulator."""

    def __init__(self, kernel, name, features):
        self.kernel, self.title = kernel, title_of(name, features)
        done = subprocess.run([os.path.join(BUILD, "fairground"), "validate", "--json", "--against",
                               recording(kernel, name, features), workload(name)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.refused = "" if done.returncode in (0, 1) else done.stderr.strip()
        found = json.loads(done.stdout) if not self.refused else {"tasks": [], "distances": []}
        self.settings = found.get("settings", {})
        self.distances = found["distances"]
        # what a kernel does not do at all is no pair to be near in
        self.rows = [row for row in found["tasks"] if row["kernel"] or row["simulator"]]

    def count(self, *verdicts):
        return sum(row["verdict"] in verdicts for row in self.rows)

    def off(self):
        return [(row["name"], row["metric"]) for row in self.rows if row["verdict"] == "off"]

    def line(self, task, metric):
        row = next(row for row in self.rows if (row["name"], row["metric"]) == (task, metric))
        apart = "-" if row["distance_pct"] is None else f"{row['distance_pct']:+.1f}"
        return (f"| {self.kernel} | {self.title} | {task} | {metric} | {shown(row, 'kernel')} | "
                f"{shown(row, 'simulator')} | {apart} |")


def shown(row, side):
    return f"{row[side]:.0f}" if row["metric"] in ("switches", "preempt_waits", "migrations") else f"{row[side]:.3f}"


def title_of(name, features):
    return name + (" " + features if features else "")


def compare(kernel, name, features):
    return Compared(kernel, name, features)


def known_off():
    """{(kernel, title, task, metric)} that docs/fidelity.md lists."""
    with open(DOCUMENT, encoding="utf-8") as file:
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in file if line.startswith("|")]
    return {tuple(row[:4]) for row in rows if len(row) == 8 and row[0] in KERNELS}


def cause_of(causes, kernel, title, task, metric):
    """The first rule that matches; a rule leaves out what it does not look at."""
    for rule in causes:
        if (kernel in rule.get("kernels", [kernel]) and title in rule.get("workloads", [title]) and
                task in rule.get("tasks", [task]) and metric in rule.get("metrics", [metric])):
            return rule["cause"]
    return "not known"


def changes(compared):
    """Lines of the table of features: what a switch changes, on the kernel and in the simulator."""
    plain = {(one.kernel, one.title): one for one in compared}
    for name, features in TOGGLES:
        for kernel in TOGGLED:
            before, after = plain.get((kernel, name)), plain.get((kernel, title_of(name, features)))
            if before and after:
                yield from changed(before, after, features)


def changed(before, after, features):
    old = {(row["name"], row["metric"]): row for row in before.rows}
    for row in after.rows:
        was = old.get((row["name"], row["metric"]))
        if not was or not was["kernel"] or row["kernel_spread_pct"] is None:
            continue
        kernel, simulator = row["kernel"] - was["kernel"], row["simulator"] - was["simulator"]
        noise = max(spread_of(was), spread_of(row))
        if abs(kernel) <= noise:
            continue
        agrees = kernel * simulator > 0 and abs(simulator - kernel) <= 0.2 * abs(kernel)
        yield (f"| {before.kernel} | {before.title} | {features} | {row['name']} | {row['metric']} | {was['kernel']:.3f} | "
               f"{kernel:+.3f} | {simulator:+.3f} | {'agrees' if agrees else 'differs'} |")


def spread_of(row):
    return row["kernel_spread_pct"] * row["kernel"] / 100


def table(compared):
    lines = ["| workload | " + " | ".join(KERNELS) + " |", "|---|" + "---|" * len(KERNELS)]
    by = {(one.kernel, one.title): one for one in compared}
    for title in sorted({one.title for one in compared}):
        cells = []
        for kernel in KERNELS:
            one = by.get((kernel, title))
            if not one:
                cells.append("")
            elif one.refused:
                cells.append("refused")
            else:
                cells.append(f"{one.count('within')}, {one.count('close')}, {one.count('off')}")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def total(compared):
    near = sum(one.count("within", "close") for one in compared)
    pairs = sum(len(one.rows) for one in compared)
    return f"{near} of {pairs} pairs of task and metric ({100 * near / max(pairs, 1):.1f} %)"


def distances(compared):
    lines = ["| kernel | workload | task | between halves | simulator | |", "|---|---|---|---|---|---|"]
    for one in compared:
        lines += [f"| {one.kernel} | {one.title} | {row['name']} | {row['kernel_halves']:.3f} | {row['simulator']:.3f} | "
                  f"{row['verdict']} |" for row in one.distances]
    return lines


HEAD = """# How far from kernels

This file is generated by `tools/fidelity.py report` from the recordings in `tests/fidelity`, and the tests
fail when a pair that is near here moves away. `tools/fidelity.py record` makes the recordings: {runs} runs of
4 s of each workload in a guest of one CPU, the start anywhere between two ticks, on Debian's kernels
{versions}.
The simulator has the kernel's release, HZ and features and the machine file that
`fairground calibrate` measured on that kernel in a guest (`machines/emulated-*.json`), by workloads that are
none of these. It begins as the executor does: threads that were born one by one, on one CPU, and sleep until
all may start, which CFS remembers for a run. No number is fitted to a workload that is compared; but which
costs there are, which experiments tell them and how a run begins was changed with these tables in sight.

*within*: the simulator's median lies in the middle 80 % of the kernel's runs; *close*: CPU share within 1 %,
switches within 5 %, delays within 10 % or 50 us of the kernel's median; else *off*. What neither side does at
all (migrations on one CPU) is not counted.
"""


def document():
    plain = [Compared(*job) for job in recorded() if not job[2] and not is_random(job[1]) and cpus_of(job[1]) == 1]
    more = [Compared(*job) for job in recorded() if not is_random(job[1]) and cpus_of(job[1]) > 1]
    drawn = [Compared(*job) for job in recorded() if is_random(job[1]) and cpus_of(job[1]) == 1]
    spread_out = [Compared(*job) for job in recorded() if is_random(job[1]) and cpus_of(job[1]) > 1]
    toggled = [Compared(*job) for job in recorded() if job[2]]
    with open(os.path.join(FOLDER, "causes.json"), encoding="utf-8") as file:
        causes = json.load(file)
    versions = sorted({f"{one.kernel} ({one.settings['kernel']}, HZ {one.settings['hz']})"
                       for one in plain if not one.refused}, key=lambda text: KERNELS.index(text.split()[0]))
    lines = HEAD.format(runs=RUNS, versions=", ".join(versions)).splitlines()
    lines += ["", "## Workloads", "", f"Near are {total(plain)}. Pairs within, close, off:", ""] + table(plain)
    if drawn:
        seed = drawn[0].title.split("-")[1]
        lines += ["", "## Workloads drawn at random", "", f"Drawn from the seed {seed}, the last commit that changed src/policy or src/sim; 2 s a run. They are no "
                  "part of the", "count above, and nothing was changed after they were recorded.", "",
                  f"Near are {total(drawn)}. Pairs within, close, off:", ""] + table(drawn)
    lines += ["", "## What is off", "", "| kernel | workload | task | metric | kernel's | simulator's | % | cause |",
              "|---|---|---|---|---|---|---|---|"]
    for one in plain + drawn + toggled + more + spread_out:
        lines += [f"{one.line(*pair)} {cause_of(causes, one.kernel, one.title, *pair)} |" for pair in one.off()]
    refused = [f"- {one.title} on {one.kernel}: {one.refused}" for one in plain + toggled + more + spread_out if one.refused]
    lines += (["", "Not simulated:", ""] + refused) if refused else []
    if toggled:
        lines += ["", "## Features", "", "What a switch changes, wherever the kernel's change is larger than the spread of "
                  "its runs;", "*agrees*: the same sign and within a fifth of its size.", ""]
        rows = list(changes(plain + toggled))
        agree = sum(row.endswith("agrees |") for row in rows)
        lines += [f"{agree} of {len(rows)} agree.", "", "| kernel | workload | switch | task | metric | kernel without | "
                  "kernel's change | simulator's | |", "|---|---|---|---|---|---|---|---|---|"] + rows
    lines += ["", "## Distributions", "", "Distance of Kolmogorov and Smirnov of the wakeup delays, those below 50 us taken "
              "for equal: between two", "halves of the kernel's runs, and from the kernel to the simulator. *within*: at most "
              "twice as far.", ""] + distances(plain)
    if more:
        lines += ["", "## More CPUs", "", "In guests whose CPUs take turns in virtual time, by workloads that "
                  "leave no CPU idle.", "An instruction takes 2 ns, as with one.", "", f"Near are {total(more)}. Pairs within, close, off:", ""] + table(more) + [
                      "", "Wakeup delays, as above:", ""] + distances(more)
    if spread_out:
        lines += ["", "Drawn at random from the seed " + spread_out[0].title.split("-")[2] + ", the last commit that had changed a rule "
                  "when they were recorded;", "no part of the count above:", "",
                  f"Near are {total(spread_out)}. Pairs within, close, off:", ""] + table(spread_out)
    return "\n".join(lines) + "\n"


def report():
    text = document()
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


def recorded():
    return [job for job in wanted() if runs_of(recording(*job)) >= RUNS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=("record", "report", "draw"))
    parser.add_argument("what", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_intermixed_args()
    if args.command == "draw":
        return draw(args.what[0], int(args.what[1]), *args.what[2:3])
    return record(args) if args.command == "record" else report()


if __name__ == "__main__":
    sys.exit(main())
