#!/usr/bin/env python3
"""A proxy between a client and a server of TensorFlow's MasterService that writes down what both say.

    recording_proxy.py ADDRESS FILE

It listens at a free port, prints what a server does at its start, and appends a line to FILE for each call before the client
gets the answer. A process of its own: some calls of TensorFlow's client keep Python from running beside them.
"""

import json
import os
import re
import signal
import sys
import threading
from concurrent import futures
from dataclasses import asdict, dataclass

import grpc

SERVICE = "tensorflow.MasterService"
ALL_WRITTEN = "/flowray.Recorder/AllWritten"
UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


@dataclass
class Call:
    method: str  # such as RunStep
    request: bytes
    response: bytes = b""
    code: int = 0
    details: str = ""
    number: int = 0  # rises as they arrive: a client that gives up makes its next call before this one is answered


def recorded_calls(path):
    """The calls in a file that a proxy has written, as they came."""
    with open(path, encoding="ascii") as file:
        lines = [json.loads(line) for line in file]
    calls = [Call(**{**line, "request": bytes.fromhex(line["request"]), "response": bytes.fromhex(line["response"])}) for line in lines]
    return sorted(calls, key=lambda call: call.number)


def wait_until_written(target):
    """Until the proxy has written down each call that has reached it: a client that gives up does not wait for the answer."""
    with grpc.insecure_channel(target.removeprefix("grpc://")) as channel:
        if channel.unary_unary(ALL_WRITTEN)(b"") != b"yes":
            raise TimeoutError("a call has been under way for a minute")


def request_lines(calls):
    """A use of a server as tests/golden/requests.txt has it: a line for each request, with the same names for sessions each time."""
    sessions = []
    for call in calls:
        if call.method == "CreateSession" and call.code == 0:
            sessions.append(re.search(rb"[0-9a-f]{16}", call.response)[0])
        request = call.request
        for i, handle in enumerate(sessions):
            request = request.replace(handle, b"session-%08d" % i)
        yield f"{call.method} {request.hex()}\n"


class Proxy(grpc.GenericRpcHandler):
    def __init__(self, address, path):
        self.channel = grpc.insecure_channel(address, UNLIMITED)
        self.file = open(path, "a", encoding="ascii")  # noqa: SIM115
        self.changed = threading.Condition()
        self.under_way = 0
        self.arrived = 0

    def service(self, details):
        if details.method == ALL_WRITTEN:
            return grpc.unary_unary_rpc_method_handler(lambda request, context: self.wait_until_written())
        service, _, method = details.method.removeprefix("/").partition("/")
        if service != SERVICE:
            return None
        return grpc.unary_unary_rpc_method_handler(lambda request, context: self.pass_on(Call(method, request), context))

    def wait_until_written(self):
        with self.changed:
            return b"yes" if self.changed.wait_for(lambda: self.under_way == 0, timeout=60) else b"no"

    def pass_on(self, call, context):
        with self.changed:
            self.under_way += 1
            self.arrived += 1
            call.number = self.arrived
        try:
            return self.pass_and_write(call, context)
        finally:
            with self.changed:
                self.under_way -= 1
                self.changed.notify_all()

    def pass_and_write(self, call, context):
        try:
            left_s = context.time_remaining()
            if left_s is not None and left_s > 1e6:
                left_s = None  # what grpcio says where there is no deadline
            send = self.channel.unary_unary(f"/{SERVICE}/{call.method}", bytes, bytes)
            call.response = send(call.request, timeout=left_s)
        except grpc.RpcError as error:
            call.code, call.details = error.code().value[0], error.details()
        line = {**asdict(call), "request": call.request.hex(), "response": call.response.hex()}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
        if call.code != 0:
            context.abort(next(code for code in grpc.StatusCode if code.value[0] == call.code), call.details)
        return call.response


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    server = grpc.server(futures.ThreadPoolExecutor(8), [Proxy(*sys.argv[1:])], options=UNLIMITED)
    port = server.add_insecure_port("localhost:0")
    server.start()
    print(f"Started server with target: grpc://localhost:{port}", flush=True)
    signal.sigwait({signal.SIGTERM})
    os._exit(0)


if __name__ == "__main__":
    main()
