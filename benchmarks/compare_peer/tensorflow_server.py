#!/usr/bin/env python3
"""TensorFlow's session server in a process of its own: prints its target and serves until it is terminated.

tensorflow_server.py [CLUSTER JOB TASK]: a task of a cluster, which is {"ps": ["localhost:2222"], ...} in JSON.
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow.compat.v1 as tf  # noqa: E402


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if len(sys.argv) > 1:
        server = tf.train.Server(json.loads(sys.argv[1]), job_name=sys.argv[2], task_index=int(sys.argv[3]))
    else:
        server = tf.train.Server.create_local_server()
    print(f"Started server with target: {tf.compat.as_str(server.target)}", file=replies, flush=True)
    server.join()


if __name__ == "__main__":
    sys.exit(main())
