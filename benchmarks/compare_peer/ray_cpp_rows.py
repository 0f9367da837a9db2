#!/usr/bin/env python3
"""Serves the rows of ray_cpp/rows.cc: starts a cluster as for Ray's Python API and the program as its driver.

The program is the argument after --serve. It is given a running cluster because one that Ray's C++ API starts itself is
ended by `ray stop`, which would end every Ray of this machine.
"""

import os
import subprocess
import sys

import ray_cluster


def main():
    if len(sys.argv) != 3 or sys.argv[2] != "--serve":
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} PROGRAM --serve   (started by scripts/compare)")
    with subprocess.Popen([sys.argv[1]], env={**os.environ, "RAY_ADDRESS": ray_cluster.start()}) as process:
        try:
            status = process.wait()
        except BaseException:
            process.kill()
            raise
    sys.exit(status)


if __name__ == "__main__":
    ray_cluster.stop_at_the_end(main)
