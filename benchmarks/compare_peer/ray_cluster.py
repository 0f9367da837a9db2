"""A Ray cluster of this machine for the peers, started and stopped with the process that uses it."""

import os
import signal
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"  # the C++ API finds no token by itself
os.environ.pop("RAY_ADDRESS", None)  # not somebody's own cluster
HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["PYTHONPATH"] = os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])])  # for Ray's workers
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])

import ray  # noqa: E402

CPUS = 2  # as many as the rows have actors; each worker may use what it gets of them


def start():
    """Starts the cluster unless it runs and returns its address. One process, one cluster."""
    if not ray.is_initialized():
        start.address = ray.init(
            num_cpus=CPUS,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            object_store_memory=1 << 30,
        ).address_info["gcs_address"]
    return start.address


def stop():
    """Ends every process of the cluster."""
    ray.shutdown()


def stop_at_the_end(work):
    """Runs `work`; its cluster is gone afterwards, also on Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        work()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not leave half a cluster
        stop()
