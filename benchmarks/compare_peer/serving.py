"""Serves rows to scripts/compare over stdin and stdout; the protocol is in docs/measuring.md.

A row is an object with
    prepare(threads)     builds what is measured, outside the clock
    begin()              puts it back to its given weights, outside the clock (may do nothing)
    step()               one iteration of the work
    check()              a short deterministic run, the list of its results
and may have
    operations           how many iterations of the table's row one step is (default 1)
    measure(seconds)     in place of step(): returns (iterations, seconds spent on them)
"""

import json
import os
import sys
import time

CHUNK_S = 0.005  # the clock is read about this often


def measure(step, seconds):
    """Calls `step` for about `seconds` and returns (iterations, seconds really spent)."""
    chunk, iterations = 1, 0
    begin = now = time.perf_counter()
    while now - begin < seconds:
        for _ in range(chunk):
            step()
        iterations += chunk
        last, now = now, time.perf_counter()
        if now - last < CHUNK_S / 2:
            chunk *= 2
    return iterations, now - begin


def answer(rows, line):
    """What to reply to one line."""
    command, _, rest = line.partition(" ")
    if command == "rows":
        return list(rows)
    name, _, number = (rest, "", "") if command == "check" else rest.rpartition(" ")
    if command not in ("prepare", "run", "check"):
        raise ValueError(f"'{line}': expected rows, prepare ROW THREADS, run ROW SECONDS, check ROW or quit")
    if name not in rows:
        raise ValueError(f"no row '{name}'; there are {list(rows)}")
    if command == "prepare":
        rows[name].prepare(int(number))
        return {"ok": True}
    if command == "check":
        return {"values": [float(value) for value in rows[name].check()]}
    row = rows[name]
    row.begin()
    if hasattr(row, "measure"):
        iterations, seconds = row.measure(float(number))
    else:
        iterations, seconds = measure(row.step, float(number))
    return {"iterations": iterations * getattr(row, "operations", 1), "seconds": seconds}


def serve(rows):
    """Answers lines until quit or the end of input. Whatever libraries print goes to stderr."""
    if sys.argv[1:] != ["--serve"]:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} --serve   (started by scripts/compare)")
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        line = line.strip()
        if line == "quit":
            break
        try:
            reply = answer(rows, line)
        except Exception as error:  # the other rows can still be measured
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)
