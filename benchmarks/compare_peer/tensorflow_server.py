#!/usr/bin/env python3
"""TensorFlow's session server in a process of its own: prints its target and serves until it is terminated."""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow.compat.v1 as tf  # noqa: E402


def main():
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = tf.train.Server.create_local_server()
    print(f"Started server with target: {tf.compat.as_str(server.target)}", file=replies, flush=True)
    server.join()


if __name__ == "__main__":
    sys.exit(main())
