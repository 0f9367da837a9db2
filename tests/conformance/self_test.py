"""Breaks kernels one by one, in a copy of the tree that is built apart, and sees that more cases of the op that uses them turn out
different: broken_kernels.toml names the op and the mutation of tests/mutate/mutations.toml. Nothing of it is in the product."""

import os
import re
import shutil
import subprocess
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TABLE = HERE / "broken_kernels.toml"
MUTATIONS = ROOT / "tests" / "mutate" / "mutations.toml"
# Below the copy as build/release is below the repository, so that ccache knows what is not broken.
COPY = ROOT / "build" / "conformance-self-test" / "tree"
BUILD = COPY / "build" / "release"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "examples", "include", "src", "tools", "scripts", "tests")
FLOWRAY = BUILD / "bin" / "flowray"
ENDED = 1_000_000


class Complaint(Exception):
    """Says why a kernel cannot be judged."""


def broken_kernels():
    mutations = {mutation["name"]: mutation for mutation in tomllib.loads(MUTATIONS.read_text())["mutation"]}
    return [{**mutations[entry["mutation"]], "op": entry["op"]} for entry in tomllib.loads(TABLE.read_text())["broken"]]


def run(python, ops):
    """Breaks what belongs to `ops`, or all."""
    started = time.monotonic()
    update_copy()
    build()
    print(f"unbroken: built ({time.monotonic() - started:.0f} s)", flush=True)
    entries = [entry for entry in broken_kernels() if not ops or entry["op"] in ops]
    before = differences(python, sorted({entry["op"] for entry in entries}))
    failed = 0
    for op, count in before.items():
        if count == ENDED:
            raise SystemExit(f"{op} cannot be compared unbroken: scripts/conformance --op {op} --flowray {FLOWRAY}")
    for entry in entries:
        started = time.monotonic()
        verdict = judge(python, entry, before)
        failed += not verdict.startswith("red")
        print(f"{verdict:11} {entry['op']}: {entry['breaks']} ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"{len(entries) - failed} passed, {failed} failed")
    return 1 if failed else 0


def update_copy():
    """Makes the copy equal to the tree; files that are equal keep their times, so that their objects stay."""
    wanted = {path.relative_to(ROOT) for top in COPIED for path in ([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*"))
              if path.is_file() and "__pycache__" not in path.parts}
    for path in wanted:
        content, target = (ROOT / path).read_bytes(), COPY / path
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(ROOT / path, target)
    for top in COPIED:
        for path in (COPY / top).rglob("*") if (COPY / top).is_dir() else []:
            if path.is_file() and path.relative_to(COPY) not in wanted and "__pycache__" not in path.parts:
                path.unlink()


def build():
    options = ["-DFLOWRAY_TESTS=OFF", "-DFLOWRAY_EXAMPLES=ON", "-DFLOWRAY_BENCHMARKS=OFF"]  # ON: the command, too
    for command in ([str(COPY / "scripts" / "configure"), "release", *options], ["cmake", "--build", str(BUILD), "--target", "flowray-command"]):
        done = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error" in line]
            raise Complaint("does not build: " + " / ".join(errors[:3] or done.stdout.splitlines()[-3:]))


def judge(python, entry, before):
    path = COPY / entry["file"]
    whole = path.read_text()
    if whole.count(entry["find"]) != 1:
        return f"stale: the snippet is there {whole.count(entry['find'])} times"
    try:
        path.write_text(whole.replace(entry["find"], entry["replace"]))
        build()
        more = differences(python, [entry["op"]])[entry["op"]] - before[entry["op"]]
        return f"red, {'no end' if more > ENDED // 2 else more}" if more > 0 else "SURVIVED"
    except Complaint as complaint:
        return f"error: {complaint}"
    finally:
        path.write_text(whole)


def differences(python, ops):
    """By op, how many cases and gradients of it are different; all of them where the server does not survive them."""
    command = [str(COPY / "scripts" / "conformance"), "--op", *ops, "--flowray", str(FLOWRAY), "--verbose"]
    environment = {**os.environ, "FLOWRAY_ORACLE_PYTHON": python}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    counts, op = {}, None
    for line in done.stdout.splitlines():
        head = re.match(r"(\w+): (?:\d+ cases|(its process ended with status ))", line)
        if head and head[1] in ops:
            op = head[1]
            counts.setdefault(op, ENDED if head[2] else 0)
        elif op and re.match(r"    (?:values|empty|large|error|taken|gradient) ", line):
            counts[op] += 1
    if len(counts) < len(ops):
        raise Complaint("is not compared: " + " / ".join(done.stdout.splitlines()[-3:]))
    return counts
