"""How many steps a second one ps with 1, 2 and 4 workers makes of LeNet-5, out of step and in step, as the table of docs/clusters.md.

    python3 benchmarks/steps_of_clusters.py [--rounds N] [--seconds S] [--bin build/release/bin]

Runs examples/lenet_cluster.cpp by `flowray cluster`: with 100 images a step, where the kernels are most of it, and with one, where
the weights' way is. A step of SyncReplicasOptimizer has a gradient of each worker; out of step a step is one worker's. The numbers
are medians of the rounds, behind them the least and the greatest; a first, shorter run of each says how many steps take that long.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST_STEPS = 40


def steps_a_second(folder, workers, sync, batch, steps):
    command = [folder / "flowray", "cluster", "--tasks", "ps=1", f"worker={workers}", "--", folder / "lenet_cluster", "--ps", "{ps}", "--workers", "{worker}",
               "--job_name", "{job}", "--task_index", "{task}", "--batch", batch, "--steps", steps, *(["--sync"] if sync else [])]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    found = re.search(r"\[worker/0\] steps/s (\S+)", done.stdout)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return float(found[1])


def rounded(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="of steps in each run")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "release" / "bin", help="folder of flowray and lenet_cluster")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; {options.rounds} rounds of {options.seconds:g} s\n")
    print("| images a step | workers | out of step, steps/s | images/s | in step, steps/s | images/s |\n|---|---|---|---|---|---|")
    for batch in (100, 1):
        for workers in (1, 2, 4):
            cells = []
            for sync in (False, True):
                first = steps_a_second(options.bin, workers, sync, batch, FIRST_STEPS)
                steps = max(FIRST_STEPS, round(first * options.seconds))
                rates = [steps_a_second(options.bin, workers, sync, batch, steps) for _ in range(options.rounds)]
                images = statistics.median(rates) * batch * (workers if sync else 1)
                cells += [f"{rounded(statistics.median(rates))} ({rounded(min(rates))} to {rounded(max(rates))})", rounded(images)]
            print(f"| {batch} | {workers} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
