"""scripts/conformance: compares each op with TensorFlow's and writes docs/conformance.md. Needs Python 3.10 and its standard library;
TensorFlow is in the environment of tests/interop."""

import argparse
import collections
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORKERS = 2
OP_LIMIT_S = 300
SAMPLE_CASES = 6

sys.path.insert(0, str(HERE))
import report  # noqa: E402
import signatures  # noqa: E402


def interop():
    """tests/interop/run as a module: it knows where TensorFlow is."""
    loader = importlib.machinery.SourceFileLoader("interop_run", str(ROOT / "tests" / "interop" / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("interop_run", loader))
    loader.exec_module(module)
    return module


class Worker:
    """A process with TensorFlow and a server. One that dies is started again, and the op it was at counts as not run."""

    def __init__(self, python, arguments):
        self.command = [python, str(HERE / "worker.py"), *arguments]
        self.process = None

    def start(self):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True, env=environment)
        self.tail = collections.deque(maxlen=20)
        threading.Thread(target=lambda pipe, tail: tail.extend(pipe), args=(self.process.stderr, self.tail), daemon=True).start()

    def run(self, op):
        if self.process is None:
            self.start()
        limit = threading.Timer(OP_LIMIT_S, self.process.kill)
        limit.start()
        try:
            self.process.stdin.write(op + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                answer = json.loads(line) if line.startswith("{") else {}
                if answer.get("op") == op:
                    return answer
        except BrokenPipeError:
            pass
        finally:
            limit.cancel()
        status = self.process.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # its server
        self.process = None
        said = [line.strip() for line in self.tail if "Error" in line or "Check failed" in line or line.startswith("F")]
        return {"op": op, "broken": f"its process ended with status {status}: {' / '.join(said[-2:])}"}

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def run_all(ops, workers, show):
    """The answers by op; the workers take ops from one list."""
    waiting, answers, lock = list(reversed(ops)), {}, threading.Lock()

    def work(worker):
        while True:
            with lock:
                if not waiting:
                    break
                op = waiting.pop()
            answer = worker.run(op)
            with lock:
                answers[op] = answer
                show(answer)
        worker.end()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {op: answers[op] for op in ops}


def chosen_ops(options):
    table = signatures.signatures()
    unknown = [op for op in options.op if op not in table]
    if unknown:
        sys.exit(f"scripts/conformance: no such op: {', '.join(unknown)}")
    return options.op or sorted(op for op in table if table[op].group and table[op].group in options.groups)


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/conformance", description="Compares each op with TensorFlow's")
    parser.add_argument("--op", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--groups", default="ABC", help="only the ops of these groups (default: ABC)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the values (default: 0)")
    parser.add_argument("--sample", action="store_true", help="a few cases of each op, as CI runs them")
    parser.add_argument("--nightly", action="store_true", help="all cases of three seeds")
    parser.add_argument("--self-test", action="store_true", help="break kernels and see that each is found")
    parser.add_argument("--flowray", default=str(ROOT / "build" / "release" / "bin" / "flowray"), help="the program whose server is tested")
    parser.add_argument("--quiet", action="store_true", help="show no op that is as it should be")
    parser.add_argument("--verbose", action="store_true", help="show every difference and what could not be built")
    return parser.parse_args()


def python_with_tensorflow():
    module = interop()
    try:
        return module.python_with_tensorflow()
    except module.Unavailable as error:
        print(f"skipped: the conformance of the ops needs the packages of tests/interop/requirements.txt: {error}")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)


def compare(options, ops, seed, python):
    sample = SAMPLE_CASES if options.sample else 0
    workers = [Worker(python, [options.flowray, "--seed", str(seed), "--sample", str(sample)]) for _ in range(min(WORKERS, len(ops)))]
    return run_all(ops, workers, lambda answer: report.show(answer, options.verbose, options.quiet))


def main():
    options = arguments()
    python = python_with_tensorflow()
    if options.self_test:
        import self_test

        return self_test.run(python, options.op)
    started = time.monotonic()
    ops = chosen_ops(options)
    seeds = [options.seed, options.seed + 1, options.seed + 2] if options.nightly else [options.seed]
    failed, skipped = set(), set()
    for seed in seeds:
        answers = compare(options, ops, seed, python)
        counts = report.summary(answers)
        print(f"{report.text_of(counts)}; {time.monotonic() - started:.0f} s")
        if not (options.op or options.sample or seed != options.seed or options.groups != "ABC"):
            report.write(answers, ROOT / "docs" / "conformance.md")
        failed |= show_unexpected(answers)
        if not options.sample:
            failed |= show_lacking(answers)
        skipped |= {op for op in answers if op in report.open_differences() or not report.is_compared(answers[op])} - failed
    print(f"{len(ops) - len(failed | skipped)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


def show_lacking(answers):
    """The ops whose cases do not reach what they should."""
    lines = report.lacking(answers)
    for line in lines:
        print(line)
    return {line.partition(":")[0] for line in lines}


def show_unexpected(answers):
    """The ops that are different and not known to be."""
    unexpected = report.unexpected(answers)
    for op, texts in unexpected.items():
        print(f"{op}: {texts[0]}" + (f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""))
    return set(unexpected)


if __name__ == "__main__":
    sys.exit(main())
