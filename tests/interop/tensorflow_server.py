#!/usr/bin/env python3
"""TensorFlow's own server at a free port, as a process that prints what `flowray server` does and ends on SIGTERM."""

import os
import signal

# Before there are threads, which would take the signal otherwise.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import tensorflow.compat.v1 as tf  # noqa: E402

server = tf.train.Server({"local": {0: "localhost:0"}}, job_name="local", task_index=0)
print(f"Started server with target: {server.target}", flush=True)
signal.sigwait({signal.SIGTERM})
os._exit(0)
