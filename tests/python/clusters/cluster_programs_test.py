"""Programs of several processes: those of the documents with parameter servers and workers, each process run by `python -m flowray`
or by TensorFlow. Only the ports and the folder of the checkpoints are the test's, and a faster learning rate where the night is not."""

import contextlib
import json
import os
import re
import socket
import tempfile
import textwrap
import unittest
from pathlib import Path

import documents
from two_systems import PYTHON_TESTS, has_tensorflow
from cluster_process import OURS, THEIRS, Process

NIGHTLY = bool(os.environ.get("FLOWRAY_NIGHTLY"))
WAITING_SERVER = "import tensorflow as tf\n" \
                 "tf.train.Server(%r, job_name=%r, task_index=%d).join()\n"


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("localhost", 0))
        return [one.getsockname()[1] for one in sockets]


class ClusterProgramsTest(unittest.TestCase):
    @contextlib.contextmanager
    def mixture(self, *makes):
        """A part of a test, with a folder, ports and processes of its own."""
        if THEIRS in makes and not has_tensorflow():
            self.skipTest("no TensorFlow in build/interop-venv (tests/interop/run makes it)")
        self.ports = {}
        with self.subTest(makes=makes), contextlib.ExitStack() as self.processes:
            folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            self.folder = Path(self.processes.enter_context(folder))
            yield

    def start(self, make, program, *arguments):
        process = Process(make, program, *arguments)
        self.processes.callback(process.end)
        return process

    def program(self, name, title, ranges, prelude="", put=()):
        """Lines of a document as a file; `put` are texts and what stands there instead."""
        lines = documents.lines_of(title)
        if lines is None:
            self.skipTest("the document is not there: " + title)
        text = prelude + "".join(textwrap.dedent("\n".join(lines[first - 1:last])) + "\n" for first, last in ranges)
        for old, new in put:
            self.assertIn(old, text)
            text = text.replace(old, new)
        for port in sorted(set(re.findall(r"localhost:(\d{4})\b", text)) - set(self.ports)):
            self.ports[port] = str(free_ports(1)[0])
        text = re.sub(r"localhost:(\d{4})\b", lambda found: "localhost:" + self.ports[found.group(1)], text)
        path = self.folder / f"{name}.py"
        path.write_text("# coding=utf-8\n" + text.replace("/tmp/train_logs", str(self.folder / "train_logs")), encoding="utf-8")
        return path

    def check_client_of_server(self, server_make, client_make):
        with self.mixture(server_make, client_make):
            server = self.program("server", documents.DISTRIBUTED, [(252, 260)])
            client = self.program("client", documents.DISTRIBUTED, [(274, 294)])
            self.start(server_make, server)
            status, said, error = self.start(client_make, client).wait()
            self.assertEqual(status, 0, error)
            self.assertRegex(said, r"^\[ *4\.875 +126\.4500(05|0458)\]$")
            self.assertTrue(list((self.folder / "basic_tmp").glob("events.out*")))

    def test_a_client_of_a_server(self):
        self.check_client_of_server(OURS, OURS)
        self.check_client_of_server(OURS, THEIRS)
        self.check_client_of_server(THEIRS, OURS)

    def check_between_graph(self, ps_make, chief_make, worker_make):
        with self.mixture(ps_make, chief_make, worker_make):
            # Adagrad has come far enough after 27,000 steps by the document's rate, 1,100 by this one.
            put = [] if NIGHTLY else [("AdagradOptimizer(0.01)", "AdagradOptimizer(0.05)")]
            program = self.program("bg_dist", documents.DISTRIBUTED, [(306, 377)], put=put)
            self.start(ps_make, program, "--job_name=ps", "--task_index=0")
            chief = self.start(chief_make, program, "--job_name=worker", "--task_index=0")
            # TensorFlow's begin when all tasks are there; ours when the chief has initialised, for which they look every 30 s.
            if chief_make == OURS:
                chief.next("步驟: ")
            worker = self.start(worker_make, program, "--job_name=worker", "--task_index=1")
            for process in (chief, worker):
                status, said, error = process.wait()
                self.assertEqual(status, 0, error)
                steps = re.findall(r"^步驟: (\d+), loss: ([\d.]+)$", said, re.MULTILINE)
                self.assertLessEqual(float(steps[-1][1]), 70, said)
                self.assertEqual([int(step) for step, _ in steps], sorted(int(step) for step, _ in steps))

    def test_workers_train_what_the_ps_holds(self):
        self.check_between_graph(OURS, OURS, OURS)
        self.check_between_graph(THEIRS, OURS, OURS)
        if NIGHTLY:  # the worker, which TensorFlow's chief wants to be there, looks for the variables too early, and 30 s later
            self.check_between_graph(OURS, THEIRS, OURS)

    def supervised(self, job, task, with_summaries=True):
        ranges = [(660, 676), (679, 680), (763, 766) if job == "ps" else (781, 813)] + [(823, 858)] * (job != "ps")
        put = [('strjob_name = "ps"', f'strjob_name = "{job}"'), ("task_index = 0", f"task_index = {task}")]
        if not with_summaries:
            put.append(("sv.summary_computed(sess,summary_str,global_step=epoch)", "pass"))
        return self.program(f"{job}{task}", documents.SCOPES, ranges, 'plotdata = {"batchsize": [], "loss": []}\n', put)

    def saved_step(self):
        """The step of the newest checkpoint; 0 where there is none."""
        with contextlib.suppress(FileNotFoundError):
            text = (self.folder / "log" / "super" / "checkpoint").read_text()
            found = re.search(r'^model_checkpoint_path: ".*model\.ckpt-(\d+)"', text)
            return int(found.group(1)) if found else 0
        return 0

    def begin_at(self, process):
        process.next("sess ok$")
        return int(process.next(r"(\d+)$").group(1))

    def check_that_a_chief_goes_on(self, ps_make, chief_make):
        with self.mixture(ps_make, chief_make):
            ps, chief = self.supervised("ps", 0), self.supervised("worker", 0)
            worker = self.supervised("worker", 1, with_summaries=False)
            server = self.start(ps_make, ps)
            server.next(r"waiting\.\.\.\.")
            first = self.start(chief_make, chief)
            # TensorFlow's master waits for every task.
            other = self.start(OURS, worker) if chief_make == THEIRS else None
            self.assertEqual(self.begin_at(first), 0)
            first.next(r"Epoch: \d+ cost= ")
            other = other or self.start(OURS, worker)
            self.assertGreater(self.begin_at(other), 0)
            while self.saved_step() == 0:  # the first one is of step 0, the second 5 s later
                first.next("Epoch: ")
            first.kill()
            other.seen = len(other.lines)
            other.next("Epoch: ")  # it does without the chief
            saved = self.saved_step()
            again = self.start(chief_make, chief)
            self.assertGreaterEqual(self.begin_at(again), saved)
            again.next("Epoch: ")
            for process in (again, other, server):
                process.kill()
            saved = self.saved_step()
            self.start(ps_make, ps).next(r"waiting\.\.\.\.")
            if chief_make == THEIRS:
                self.start(OURS, worker)
            self.assertGreaterEqual(self.begin_at(self.start(chief_make, chief)), saved)

    def test_a_chief_saves_and_goes_on_where_it_was_killed(self):
        self.check_that_a_chief_goes_on(OURS, OURS)
        if NIGHTLY:  # for the same reason
            self.check_that_a_chief_goes_on(OURS, THEIRS)

    def test_only_the_chief_writes_summaries(self):
        with self.mixture(OURS):
            self.start(OURS, self.supervised("ps", 0))
            self.start(OURS, self.supervised("worker", 0)).next("Epoch: ")
            status, said, error = self.start(OURS, self.supervised("worker", 1)).wait()
            self.assertEqual(status, 1)
            self.assertRegex(said, r"^sess ok\n\d+\n$")
            self.assertRegex(error, "RuntimeError: Writing a summary requires a summary writer.")

    def check_replicas_in_one_graph(self, ps_make, worker_make, client_make):
        # By hand: the four points' mean of x is 0, that of x^2 is 5/8; so w - 2 shrinks by 1 - 2 * 5/8 / 4 and b - 1/2 by 1 - 2 / 4.
        expected = "".join(f"step {step}: w = {2 - 2 * (11 / 16) ** (step + 1):.4f}, b = {0.5 - 0.5 ** (step + 2):.4f}\n"
                           for step in range(0, 40, 10)) + "w = 2.0000, b = 0.5000\n"
        with self.mixture(ps_make, worker_make, client_make):
            ports = free_ports(3)
            cluster = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{port}" for port in ports[1:]]}
            for job, task, make in (("ps", 0, ps_make), ("worker", 0, worker_make), ("worker", 1, worker_make)):
                path = self.folder / f"{job}{task}.py"
                path.write_text(WAITING_SERVER % (cluster, job, task))
                self.start(make, path)
            client = self.folder / "client.py"
            client.write_text((PYTHON_TESTS / "cluster_programs" / "in_graph_replicas.py").read_text())
            status, said, error = self.start(client_make, client, cluster["worker"][0]).wait()
            self.assertEqual((status, said), (0, expected), error)

    def test_replicas_in_one_graph(self):
        self.check_replicas_in_one_graph(OURS, OURS, OURS)
        self.check_replicas_in_one_graph(OURS, OURS, THEIRS)
        self.check_replicas_in_one_graph(OURS, THEIRS, OURS)

    def check_sync_replicas(self, ps_make, chief_make, worker_make):
        # By hand, as in one graph: 20 steps by the mean gradient of all four points.
        w, b = 2 - 2 * (11 / 16) ** 20, 0.5 - 0.5 ** 21
        with self.mixture(ps_make, chief_make, worker_make):
            ports = free_ports(3)
            cluster = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{port}" for port in ports[1:]]}
            program = self.folder / "sync_replicas.py"
            program.write_text((PYTHON_TESTS / "cluster_programs" / "sync_replicas.py").read_text())
            self.start(ps_make, program, json.dumps(cluster), "ps", "0")
            workers = [self.start(make, program, json.dumps(cluster), "worker", str(task))
                       for task, make in enumerate((chief_make, worker_make))]
            for worker in workers:
                worker.next(rf"step 20: w = {w:.4f}, b = {b:.4f}$")
            for worker in reversed(workers):
                worker.go_on()
                status, _, error = worker.wait()
                self.assertEqual(status, 0, error)

    def test_replicas_that_wait_for_one_another(self):
        self.check_sync_replicas(OURS, OURS, OURS)
        self.check_sync_replicas(OURS, THEIRS, OURS)
        self.check_sync_replicas(OURS, OURS, THEIRS)
        self.check_sync_replicas(THEIRS, OURS, OURS)

    def check_lenet(self, mode, *makes):
        steps, least_accuracy = (1250, 0.87) if NIGHTLY else (60, 0.6)
        with self.mixture(*makes):
            ports = free_ports(3)
            cluster = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{port}" for port in ports[1:]]}
            program = self.folder / "lenet.py"
            program.write_text((PYTHON_TESTS / "cluster_programs" / "lenet.py").read_text())
            tasks = [self.start(make, program, json.dumps(cluster), job, str(task), mode, str(steps))
                     for make, (job, task) in zip(makes, (("ps", 0), ("worker", 0), ("worker", 1)), strict=True)]
            chief, other = tasks[1:]
            for worker in (chief, other):
                worker.next("trained")
            chief.say("")
            accuracy = float(chief.next(r"accuracy (\S+)").group(1))
            self.assertGreaterEqual(accuracy, least_accuracy, mode)
            for worker in (other, chief):
                worker.go_on()
                status, _, error = worker.wait()
                self.assertEqual(status, 0, error)

    @unittest.skipUnless(os.path.exists("/usr/share/datasets/fashion-mnist"), "Debian's dataset-fashion-mnist is not installed")
    def test_lenet_between_graph(self):
        for mode in ("async", "sync"):
            self.check_lenet(mode, OURS, OURS, OURS)
            if NIGHTLY:
                self.check_lenet(mode, OURS, THEIRS, OURS)
                self.check_lenet(mode, THEIRS, OURS, THEIRS)

    def test_a_replica_that_is_killed_in_a_step_is_dropped(self):
        with self.mixture(OURS):
            ports = free_ports(3)
            cluster = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{port}" for port in ports[1:]]}
            program = self.folder / "dropped_replica.py"
            program.write_text((PYTHON_TESTS / "cluster_programs" / "dropped_replica.py").read_text())
            self.start(OURS, program, json.dumps(cluster), "ps", "0")
            chief, other = (self.start(OURS, program, json.dumps(cluster), "worker", str(task)) for task in (0, 1))
            chief.next("one step")
            other.next("one step")
            other.kill()  # its second step waits for the chief's gradients
            chief.go_on()
            chief.next("done")
            status, _, error = chief.wait()
            self.assertEqual(status, 0, error)


if __name__ == "__main__":
    unittest.main()
