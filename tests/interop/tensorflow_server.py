#!/usr/bin/env python3
"""TensorFlow's own server at a free port, as a process that prints what `flowray server` does and ends on SIGTERM.

tensorflow_server.py [CLUSTER JOB TASK]: a task of a cluster, which is {"ps": ["localhost:2222"], ...} in JSON.
"""

import json
import os
import signal
import sys

# Before there are threads, which would take the signal otherwise.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import tensorflow.compat.v1 as tf  # noqa: E402

cluster, job, task = (json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])) if len(sys.argv) > 1 else ({"local": ["localhost:0"]}, "local", 0)
server = tf.train.Server(cluster, job_name=job, task_index=task)
print(f"Started server with target: {server.target}", flush=True)
signal.sigwait({signal.SIGTERM})
os._exit(0)
