#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every policy function compiles for BPF.

`static inline` code that nobody calls is never compiled, so a unit is generated in which
each function is called by a wrapper of its own, kept and not inlined.  A wrapper gives a
struct back through a pointer: BPF can call no function that returns one, but may inline it.
"""
import os
import re
import shutil
import subprocess
import tempfile

import tap

# Regular by the house's style: type, name, arguments, then the body's brace on its own line.
FUNCTION = re.compile(r"^static inline ([\w ]+?[ *]+)(policy_\w+)\(([^)]*)\)\n\{", re.M)
ANY_INLINE = re.compile(r"^static inline\b", re.M)
WRAPPER = """
{kind}emit_{name}({args});
__attribute__((noinline, used)) {kind}emit_{name}({args})
{{
	{give}{name}({names});
}}
"""
PLANTED = "static inline {kind} policy_planted({args})\n{{\n\treturn {value};\n}}\n"


def functions(text):
    """(type, name, arguments) of each static inline function of a header."""
    found = [(m[1], m[2], " ".join(m[3].split())) for m in FUNCTION.finditer(text)]
    return found, len(ANY_INLINE.findall(text))


def argument_name(argument):
    return re.search(r"(\w+)(?:\[\w*\])?$", argument)[1]


def wrapper(kind, name, args):
    names = "" if args == "void" else ", ".join(argument_name(one) for one in args.split(","))
    give = "" if kind.strip() == "void" else "return "
    if kind.startswith("struct ") and "*" not in kind:
        args = f"{kind.strip()} *out" + (f", {args}" if names else "")
        kind, give = "void ", "*out = "
    return WRAPPER.format(kind=kind, name=name, args=args, give=give, names=names)


def unit(src):
    """The generated text and how many functions it emits."""
    folder = os.path.join(src, "policy")
    heads, bodies = [], []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".h"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found, nr = functions(file.read())
        assert len(found) == nr, f"{name}: {nr} inline functions, {len(found)} understood"
        heads.append(f'#include "policy/{name}"\n')
        bodies += [wrapper(*one) for one in found]
    return "".join(heads + bodies), len(bodies)


def compile_for_bpf(src):
    """(exit status, messages, number of functions, symbols of the object)"""
    clang = shutil.which("clang")
    if not clang:
        raise tap.Skip("clang is not here; on Debian: apt-get install clang")
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "all.c"), os.path.join(folder, "all.o")
        text, nr = unit(src)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            [clang, "-target", "bpf", "-mcpu=v3", "-O2", "-ffreestanding", "-Wall", "-Werror",
             "-fno-crash-diagnostics", "-I", src, "-c", path, "-o", out], capture_output=True, text=True, timeout=120)
        emitted = 0
        if done.returncode == 0:
            with open(out, "rb") as file:
                emitted = len(set(re.findall(rb"emit_policy_\w+", file.read())))
        # A refusal of the backend comes with a stack of clang's own.
        messages = "\n".join(line for line in done.stderr.splitlines() if "rror: " in line or "In function" in line)
        return done.returncode, messages, nr, emitted


def planted(kind, args, value, before=""):
    """Compiles a policy folder that holds int.h and one function."""
    with tempfile.TemporaryDirectory() as src:
        os.mkdir(os.path.join(src, "policy"))
        shutil.copy(os.path.join(tap.ROOT, "src/policy/int.h"), os.path.join(src, "policy"))
        with open(os.path.join(src, "policy", "planted.h"), "w", encoding="utf-8") as file:
            file.write('#include "policy/int.h"\n' + before + PLANTED.format(kind=kind, args=args, value=value))
        return compile_for_bpf(src)


def refused(kind, args, value, why):
    status, messages, nr, _ = planted(kind, args, value)
    assert nr == 1 and status != 0, "it compiled"
    assert re.search(why, messages), messages


def test_every_policy_function_compiles_for_bpf():
    status, messages, nr, emitted = compile_for_bpf(os.path.join(tap.ROOT, "src"))
    assert status == 0, messages
    assert nr >= 2, f"only {nr} functions found"
    assert emitted == nr, f"{nr} functions, {emitted} in the object"
    print(f"# {nr} functions")


def test_a_harmless_function_compiles():
    status, messages, _, emitted = planted("u64", "u64 a,\n\t\t\t\t\tu64 b", "a / b")
    assert status == 0 and emitted == 1, messages


def test_a_struct_may_be_returned_if_it_is_inlined():
    status, messages, _, emitted = planted("struct pair", "u32 a", "(struct pair){ a, a }",
                                           "struct pair { u32 a, b; };\n")
    assert status == 0 and emitted == 1, messages


def test_a_planted_signed_division_is_refused():
    refused("s64", "s64 a, s64 b", "a / b", "signed division|sdiv")


def test_a_planted_signed_remainder_is_refused():
    refused("s32", "s32 a, s32 b", "a % b", "signed division|srem")


def test_a_planted_128_bit_multiplication_is_refused():
    refused("u64", "u64 a, u64 b", "(u64)((unsigned __int128)a * b >> 64)", "__multi3")


def test_planted_floating_point_is_refused():
    refused("u64", "u64 a", "(u64)((double)a * 1.5)", "__muldf3")


def test_a_sixth_argument_is_refused():
    refused("u64", "u64 a, u64 b, u64 c, u64 d, u64 e, u64 f", "a + b + c + d + e + f",
            "too many|stack arg")


def test_an_irregular_function_is_not_passed_over():
    found, nr = functions("static inline u64\npolicy_odd(u64 a) {\n\treturn a;\n}\n")
    assert (len(found), nr) == (0, 1)


if __name__ == "__main__":
    tap.main(globals())
