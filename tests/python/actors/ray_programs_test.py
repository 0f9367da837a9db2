"""Whole programs with tasks and actors: output, signals, forks, threads, and the end of the interpreter."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

WITH_THREADS = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
CLASSES_OF_MAIN = """
import ray
import numpy as np

SCALE = 10

class Point:
    def __init__(self, x):
        self.x = x
    def scaled(self):
        return Point(self.x * SCALE)

@ray.remote
def scaled(point):
    return point.scaled()

@ray.remote
class Holder:
    def __init__(self, point):
        self.point = point
    def get(self):
        return self.point, isinstance(self.point, Point)

ray.init(num_cpus=2)
point = ray.get(scaled.remote(Point(np.float32(2))))
print(type(point) is Point, point.x)
point, same = ray.get(Holder.remote(point).get.remote())
print(type(point) is Point, point.x, same)
print(ray.get(ray.remote(lambda x: x + SCALE).remote(1)))
"""
MAIN_PRINTS = "True 20.0\nTrue 20.0 True\n11\n"


def available_gigabytes():
    """What Linux says can be taken, and what there is where shared memory lies."""
    available = int(re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii")).group(1)) / 1e6
    return min(available, shutil.disk_usage("/dev/shm").free / 1e9)


class ProgramsTest(unittest.TestCase):
    def start(self, text, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "program.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        # A session of its own, so that a ^C reaches all of its processes as in a terminal, and no others.
        process = subprocess.Popen([sys.executable, *options, "-m", "flowray", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def run_program(self, text):
        process = self.start(text)
        output, error = process.communicate(timeout=100)
        self.assertEqual((process.returncode, error), (0, ""), output)
        return output

    def test_classes_and_functions_of_the_program(self):
        self.assertEqual(self.run_program(CLASSES_OF_MAIN), MAIN_PRINTS)

    def test_a_program_with_threads(self):
        self.assertEqual(self.run_program(WITH_THREADS + CLASSES_OF_MAIN), MAIN_PRINTS)

    def test_workers_of_a_program_with_threads_have_the_libraries_that_it_has_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {
                    "quiet": "import sys\nprint('never shown in workers')\ndef say(text, file=sys.stdout): print(text, end='', file=file)\n",
                    "threads": WITH_THREADS, "fails": "import os, sys\nif 'SEEN' in os.environ: sys.exit(3)\nos.environ['SEEN'] = '1'\n",
                    "starts": "from flowray import ray\nray.init(num_cpus=1)\n", "last": ""}.items():
                (Path(folder) / f"library_that_{name}.py").write_text(text)
            package = Path(folder) / "library_that_spins"
            package.mkdir()
            (package / "__init__.py").write_text(WITH_THREADS)
            for name in "abcdef":
                (package / f"{name}.py").write_text("")
            output = self.run_program("""
                import os, sys
                sys.path.append(%r)
                import library_that_quiet, library_that_threads, library_that_starts, library_that_fails
                from library_that_spins import a, b, c, d, e, f
                import library_that_last, fractions
                import ray
                open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_module.py"), "w").close()
                import own_module
                ray.shutdown()
                ray.init(num_cpus=1)
                @ray.remote
                def f():
                    import sys
                    sys.modules["library_that_quiet"].say("")  # to the stream that it found as it was imported
                    return sorted(name for name in sys.modules if name.startswith(("library_", "own_", "fractions")))
                print(ray.get(f.remote()))
                """ % (folder,))
        self.assertEqual(output, "never shown in workers\n['fractions', 'library_that_last', 'library_that_quiet']\n")

    def test_a_program_that_has_run_steps(self):
        steps = "import tensorflow as tf\nwith tf.Session() as sess: sess.run(tf.matmul(tf.ones([600, 600]), tf.ones([600, 600])))\n"
        self.assertEqual(self.run_program(steps + CLASSES_OF_MAIN), MAIN_PRINTS)

    def test_local_mode(self):
        text = CLASSES_OF_MAIN.replace("num_cpus=2", "local_mode=True")
        self.assertEqual(self.run_program(text), MAIN_PRINTS)

    def test_output_of_workers_has_their_names_and_keeps_its_order(self):
        output = self.run_program("""
            import ray, logging
            @ray.remote
            class Talker:
                def talk(self, n):
                    for i in range(n):
                        print(f"line {i}")
                    print("no end of line", end="")
            @ray.remote
            def f():
                print("from a task")
            ray.init(num_cpus=1)
            talker = Talker.remote()
            ray.get([talker.talk.remote(3), f.remote()])
            """)
        lines = output.splitlines()
        talked = [line for line in lines if line.startswith("(Talker pid=")]
        self.assertEqual([re.sub(r"pid=\d+", "pid=N", line) for line in talked],
                         ["(Talker pid=N) line 0", "(Talker pid=N) line 1", "(Talker pid=N) line 2", "(Talker pid=N) no end of line"])
        self.assertEqual(len([line for line in lines if re.fullmatch(r"\(f pid=\d+\) from a task", line)]), 1, output)

    def shown(self, output):
        """The lines of workers, without their process ids."""
        return [re.sub(r" pid=\d+\)", ")", line) for line in output.splitlines()]

    def test_output_of_tasks_has_the_names_that_ray_gives_it(self):
        output = self.run_program("""
            import os, ray
            ray.init(num_cpus=1)
            @ray.remote
            def f(text):
                print(text)
            @ray.remote
            def g():
                print("tail", end="")
            @ray.remote
            def silent():
                os.write(1, b"")
            @ray.remote
            def child():
                os.system("echo from a child")
            def outer():
                return ray.remote(lambda: print("anonymous")), ray.remote(inner)
            def inner():
                print("inner")
            ray.get(f.remote("one"))
            ray.get([call.remote() for call in outer()])
            ray.get([g.remote(), f.remote("two"), f.options(name="a name").remote("three"), f.options(name="dotted.name").remote("four")])
            ray.get([silent.remote() for _ in range(100)])
            ray.get(f.remote("five"))
            import time
            time.sleep(0.01)
            ray.get(child.remote())
            """)
        self.assertEqual(self.shown(output), ["(f) one", "(<lambda>) anonymous", "(inner) inner", "(g) tail", "(f) two", "(a name) three",
                                              "(dotted.name) four", "(f) five", "(child) from a child"])

    def test_output_of_workers_of_a_program_that_writes_to_a_file(self):
        text = """
            import ray, sys, logging
            logging.getLogger("kept").addHandler(logging.StreamHandler(sys.stdout))
            ray.init(num_cpus=1)
            @ray.remote
            def f():
                print("one ", end="")
                logging.getLogger("kept").warning("two")
                print("three")
                logging.getLogger().warning("four")
            ray.get(f.remote())
            """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(textwrap.dedent(text), encoding="utf-8")
            for options in ([], ["-u"]):
                with open(Path(folder) / "output", "w+", encoding="utf-8") as file:
                    subprocess.run([sys.executable, *options, "-m", "flowray", str(path)], stdout=file, stderr=subprocess.STDOUT, timeout=100,
                                   check=True)
                    file.seek(0)
                    shown = self.shown(file.read())
                # Where the worker had no core for a while between its two writes, the line's beginning is shown by itself.
                self.assertIn(sorted(shown), [["(f) four", "(f) one two", "(f) three"], ["(f) four", "(f) one ", "(f) three", "(f) two"]])

    def test_a_worker_whose_output_is_an_object_that_has_no_hash(self):
        self.assertEqual(self.run_program("""
            import ray, sys
            ray.init(num_cpus=1)
            class Lines(list):
                flushed = 0
                def write(self, text):
                    self.append(text)
                def flush(self):
                    self.flushed += 1
            @ray.remote
            def f():
                if not isinstance(sys.stdout, Lines):
                    sys.stdout = Lines()
                print("kept")
                return list(sys.stdout), sys.stdout.flushed
            print(ray.get(f.remote()), ray.get(f.remote()))
            """), "(['kept', '\\n'], 0) (['kept', '\\n', 'kept', '\\n'], 1)\n")

    def test_output_of_actors_has_the_name_that_their_class_gives_them(self):
        output = self.run_program("""
            import ray
            class Plain:
                def __init__(self, number):
                    self.number = number
                    print(f"made {number}")
                def talk(self):
                    print(f"says {self.number}")
            class Shown(Plain):
                def __repr__(self):
                    return "Shown(%d)" % self.number
            for number, kind in enumerate([Plain, Shown]):
                actor = ray.remote(kind).options(name="name").remote(number)
                ray.get(actor.talk.remote())
                ray.get(actor.__ray_terminate__.remote()) if number < 0 else ray.kill(actor)
            """)
        self.assertEqual(self.shown(output), ["(Plain) made 0", "(Plain) says 0", "(Shown) made 1", "(Shown(1)) says 1"])

    def test_output_that_has_no_end_is_shown_while_the_task_runs(self):
        process = self.start("""
            import os, sys, time, ray
            folder = os.path.dirname(os.path.abspath(__file__))
            ray.init(num_cpus=1)
            def wait_for(name):
                while not os.path.exists(os.path.join(folder, name)):
                    time.sleep(0.01)
            @ray.remote
            def f():
                print("abc", end="")
                wait_for("first")
                sys.stderr.write("\\r 10%")
                print("def", end="")
                wait_for("second")
                sys.stderr.write("\\r 20%\\n")
                print("ghi")
            ray.get(f.remote())
            """)
        folder = Path(process.args[-1]).parent
        self.assertEqual(self.shown(process.stdout.readline()), ["(f) abc"])
        (folder / "first").touch()
        self.assertEqual(self.shown(process.stdout.readline()), ["(f) def"])
        # What reads it here takes \\r for the end of a line.
        self.assertEqual(self.shown(process.stderr.readline() + process.stderr.readline()), ["(f) ", " 10%"])
        (folder / "second").touch()
        output, error = process.communicate(timeout=100)
        self.assertEqual((process.returncode, self.shown(output)), (0, ["(f) ghi"]), error)
        self.assertEqual(self.shown(error), ["(f) ", " 20%"])

    def test_a_name_waits_without_the_interpreters_lock_where_nobody_reads_the_output(self):
        for is_blocking in (True, False):
            with self.subTest(is_blocking=is_blocking):
                process = self.start("""
                    import os, sys, threading, time, ray
                    ticks = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ticks")
                    ray.init(num_cpus=1)
                    def tick():
                        with open(ticks, "ab", buffering=0) as file:
                            while True:
                                file.write(b".")
                                time.sleep(0.01)
                    @ray.remote
                    def fill():
                        threading.Thread(target=tick, daemon=True).start()
                        os.set_blocking(1, False)
                        last = time.monotonic()
                        while time.monotonic() < last + 1:
                            try:
                                os.write(1, b"\\n")  # so that there is no room for a name
                                last = time.monotonic()
                            except BlockingIOError:
                                time.sleep(0.01)
                        os.set_blocking(1, %r)
                    @ray.remote
                    def g():
                        print("from g")
                    ray.get(fill.remote())
                    ref = g.remote()
                    print(ray.wait([ref], timeout=1)[0], file=sys.stderr)
                    before, end = os.path.getsize(ticks), time.monotonic() + 10
                    while os.path.getsize(ticks) < before + 5 and time.monotonic() < end:
                        time.sleep(0.01)
                    print(os.path.getsize(ticks) >= before + 5, file=sys.stderr, flush=True)
                    ray.get(ref)
                    """ % (is_blocking,))
                self.assertEqual([process.stderr.readline(), process.stderr.readline()], ["[]\n", "True\n"])
                output, error = process.communicate(timeout=100)
                self.assertEqual((process.returncode, error), (0, ""))
                self.assertEqual(self.shown(output)[-1], "(g) from g")

    def test_logging_of_workers_is_shown_on_the_error_output(self):
        process = self.start("""
            import ray, logging
            @ray.remote
            def f():
                logging.warning("careful")
            ray.init(num_cpus=1)
            ray.get(f.remote())
            """)
        output, error = process.communicate(timeout=100)
        self.assertEqual((process.returncode, output), (0, ""))
        self.assertRegex(error, r"^\(f pid=\d+\) WARNING:root:careful\n$")

    def test_ctrl_c_ends_a_wait(self):
        process = self.start("""
            import ray
            @ray.remote
            class Sleeper:
                def sleep(self):
                    import time
                    time.sleep(1000)
            ray.init(num_cpus=1)
            ref = Sleeper.remote().sleep.remote()
            try:
                print("waiting", flush=True)
                ray.get(ref)
            except KeyboardInterrupt:
                print("interrupted")
            """)
        self.assertEqual(process.stdout.readline(), "waiting\n")
        os.killpg(process.pid, signal.SIGINT)
        output, error = process.communicate(timeout=100)
        self.assertEqual((process.returncode, output, error), (0, "interrupted\n", ""))

    def interrupted(self, text):
        """The (exit status, output after the first line, error output) of a program that is interrupted when it has said "waiting"."""
        process = self.start(text)
        self.assertEqual(process.stdout.readline(), "waiting\n")
        os.killpg(process.pid, signal.SIGINT)
        output, error = process.communicate(timeout=100)
        return process.returncode, output, error

    def test_ctrl_c_ends_a_wait_for_some_of_many_calls(self):
        self.assertEqual(self.interrupted("""
            import ray, signal, time
            @ray.remote
            class Sleeper:
                def sleep(self):
                    time.sleep(1000)
            @ray.remote
            def gives():
                time.sleep(1000)
                yield 1
            ray.init(num_cpus=2)
            sleepers = [Sleeper.remote() for _ in range(2)]
            refs = [sleepers[i % 2].sleep.remote() for i in range(1000)]
            generators = [gives.remote(), gives.remote()]
            try:
                print("waiting", flush=True)
                ray.wait(refs, num_returns=500)
            except KeyboardInterrupt:
                print("interrupted")
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                ray.wait(refs + generators)
            except KeyboardInterrupt:
                print("interrupted")
            """), (0, "interrupted\ninterrupted\n", ""))

    def test_ctrl_c_that_nobody_catches(self):
        status, output, error = self.interrupted("""
            import os, ray, time
            @ray.remote
            class Sleeper:
                def pid(self):
                    return os.getpid()
                def sleep(self):
                    time.sleep(1000)
            ray.init(num_cpus=2)
            sleepers = [Sleeper.remote() for _ in range(2)]
            pids = ray.get([sleeper.pid.remote() for sleeper in sleepers])
            refs = [sleeper.sleep.remote() for sleeper in sleepers for _ in range(500)]
            print("waiting", flush=True)
            print(*pids, flush=True)
            ray.get(refs)
            """)
        self.assertIn(status, (-signal.SIGINT, 128 + signal.SIGINT, 1))
        self.assertEqual((error.count("KeyboardInterrupt"), error.count("Traceback")), (1, 1), error)
        for pid in output.split():
            self.assertFalse(os.path.exists("/proc/" + pid), "a worker is left")

    def test_the_interpreter_ends_with_calls_in_flight(self):
        self.assertEqual(self.run_program("""
            import ray, threading
            @ray.remote
            class Sleeper:
                def sleep(self):
                    import time
                    time.sleep(1000)
            ray.init(num_cpus=2)
            sleepers = [Sleeper.remote() for _ in range(2)]
            refs = [sleeper.sleep.remote() for sleeper in sleepers for _ in range(3)]
            threading.Thread(target=lambda: ray.get(refs), daemon=True).start()
            print("end")
            """), "end\n")

    def test_a_process_that_is_forked_afterwards_says_what_to_do(self):
        self.assertEqual(self.run_program("""
            import os, ray
            ray.init(num_cpus=1)
            ref = ray.put(1)
            f = ray.remote(lambda: 1)
            called = ray.remote(lambda: 1)
            ray.get(called.remote())
            pid = os.fork()
            if pid == 0:
                for use in (lambda: ray.get(ref), lambda: ray.put(1), f.remote, called.remote, ray.nodes):
                    try:
                        use()
                        print("done", flush=True)
                    except ray.exceptions.RaySystemError as error:
                        print("forked" in str(error) and "ray.init()" in str(error), flush=True)
                print(ray.is_initialized(), flush=True)
                ray.init(num_cpus=1)
                print(ray.get(f.remote()), flush=True)
                ray.shutdown()
                os._exit(0)
            os.waitpid(pid, 0)
            print(ray.get(ref))
            """), "True\n" * 5 + "False\n1\n1\n")

    def test_a_process_that_is_forked_after_shutdown_may_begin_its_own(self):
        self.assertEqual(self.run_program("""
            import os, ray
            ray.init(num_cpus=1)
            ref = ray.put(1)
            ray.shutdown()
            for use in (lambda: ray.get(ref), lambda: ray.wait([ref])):
                try:
                    use()
                except ray.exceptions.RaySystemError as error:
                    print(str(error))
            pid = os.fork()
            if pid == 0:
                print(ray.get(ray.remote(lambda: 2).remote()), flush=True)
                ray.shutdown()
                os._exit(0)
            os.waitpid(pid, 0)
            """), "System error: Ray has not been started yet. You can start Ray with 'ray.init()'.\n" * 2 + "2\n")

    def test_arguments_of_init_of_other_types_are_refused(self):
        self.assertEqual(self.run_program("""
            import ray
            for options in ({"namespace": 3}, {"namespace": ""}, {"local_mode": "x"}, {"job_config": 3}, {"ignore_reinit_error": "x"},
                            {"log_to_driver": "x"}):
                try:
                    ray.init(num_cpus=1, **options)
                    print("taken", options)
                except (TypeError, ValueError) as error:
                    print(type(error).__name__, str(error).splitlines()[0])
            print(ray.is_initialized())
            """), "TypeError namespace must be None or a string.\n"
                  "ValueError \"\" is not a valid namespace. Pass None to not specify a namespace.\n"
                  "TypeError ray.init(local_mode='x'): it must be True or False\n"
                  "TypeError ray.init(job_config=3): it must be a ray.job_config.JobConfig\n"
                  "TypeError ray.init(ignore_reinit_error='x'): it must be True or False\n"
                  "TypeError ray.init(log_to_driver='x'): it must be True or False\nFalse\n")

    def test_processes_of_the_program_beside_it(self):
        self.assertEqual(self.run_program("""
            import multiprocessing, ray
            def child(queue):
                queue.put("from a child")
            ray.init(num_cpus=1)
            ref = ray.put(1)
            context = multiprocessing.get_context("fork")
            queue = context.Queue()
            process = context.Process(target=child, args=(queue,))
            process.start()
            print(queue.get(timeout=60))
            process.join()
            print(ray.get(ref))
            """), "from a child\n1\n")

    @unittest.skipUnless(os.environ.get("FLOWRAY_NIGHTLY"), "takes long: with FLOWRAY_NIGHTLY")
    def test_an_array_of_a_gigabyte(self):
        if available_gigabytes() < 6:
            self.skipTest("takes 6 GB of memory")
        self.assertEqual(self.run_program("""
            import numpy as np, ray
            @ray.remote
            def ends(array):
                return float(array[0]), float(array[-1]), array.flags.writeable
            ray.init(num_cpus=1, object_store_memory=3 << 30)
            print(ray.get(ends.remote(np.arange(2.0**27))))
            """), "(0.0, 134217727.0, False)\n")

    def test_a_process_that_is_full_of_weights_and_dies(self):
        self.assertEqual(self.run_program("""
            import os, numpy as np, ray
            @ray.remote
            class Holder:
                def make(self):
                    return [ray.put(np.full(100_000, 7.0))]
                def die(self):
                    os._exit(1)
            ray.init(num_cpus=1)
            holder = Holder.remote()
            (ref,) = ray.get(holder.make.remote())
            try:
                ray.get(holder.die.remote())
            except ray.exceptions.RayActorError as error:
                print("exited with status 1" in str(error))
            print(ray.get(ref).sum())
            """), "True\n700000.0\n")

    def test_init_again(self):
        self.assertEqual(self.run_program("""
            import ray
            @ray.remote
            def f(x):
                return x + 1
            for _ in range(3):
                with ray.init(num_cpus=1):
                    print(ray.get(f.remote(1)), ray.is_initialized())
                print(ray.is_initialized())
            ray.init(num_cpus=1)
            ray.init(ignore_reinit_error=True)
            try:
                ray.init()
            except RuntimeError as error:
                print(error)
            """), "2 True\nFalse\n" * 3 + "Maybe you called ray.init twice by accident? This error can be suppressed by passing in "
                  "'ignore_reinit_error=True' or by calling 'ray.shutdown()' prior to 'ray.init()'.\n")

    def test_older_arguments_of_init_are_warned_of_and_unknown_ones_refused(self):
        process = self.start("""
            import ray
            ray.init(redis_address=None, include_webui=False, num_cpus=1)
            ray.shutdown()
            ray.init(include_webui=False, num_cpus=1)
            ray.shutdown()
            for arguments in ({"nonsense": 1}, {"address": "10.0.0.1:6379"}, {"num_cpus": -1}):
                try:
                    ray.init(**arguments)
                except Exception as error:
                    print(type(error).__name__, str(error).partition(chr(10))[0])
            """)
        output, error = process.communicate(timeout=100)
        self.assertEqual(error.count("RuntimeWarning: ray.init(include_webui=...) has no effect"), 1, error)
        self.assertEqual(output.splitlines(), [
            "RuntimeError Unknown keyword argument(s): nonsense",
            "ConnectionError ray.init(address='10.0.0.1:6379'): there are no clusters to connect to. Leave the address out: the runtime is "
            "of this program", "ValueError Resource quantities must be nonnegative. Violated by resource 'CPU' in {'CPU': -1}."])

    def test_every_argument_of_rays_versions_without_meaning_here_is_warned_of_once(self):
        # Of Ray 2.60's signature, and of the first versions'.
        names = """labels include_dashboard dashboard_host dashboard_port configure_logging logging_level logging_format logging_config
            enable_resource_isolation cgroup_path system_reserved_cpu system_reserved_memory proxy_server_url
            redirect_output redirect_worker_output num_local_schedulers start_workers_from_local_scheduler driver_id job_id
            include_log_monitor enable_object_reconstruction redis_address redis_password num_redis_shards include_webui huge_pages
            plasma_directory plasma_store_socket_name raylet_socket_name temp_dir load_code_from_local use_raylet object_id_seed
            redis_max_memory redis_max_clients webui_host lru_evict include_java""".split()
        self.assertEqual(self.run_program("""
            import ray, warnings
            names = %r
            for round in range(2):
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    with ray.init(num_cpus=1, **dict.fromkeys(names, 1)):
                        pass
                print(sorted(str(one.message).split("=")[0] for one in told) == sorted("ray.init(" + name for name in names), len(told))
            ray.init(num_cpus=1, **dict.fromkeys(names))
            """ % (names,)), "True %d\nFalse 0\n" % len(names))

    def test_an_actor_with_a_gpu_runs_with_one_warning(self):
        process = self.start("""
            import ray
            @ray.remote(num_gpus=1)
            class Network:
                def gpus(self):
                    return ray.get_gpu_ids()
            ray.init(num_cpus=1)
            print(ray.get([Network.remote().gpus.remote() for _ in range(2)]))
            """)
        output, error = process.communicate(timeout=100)
        self.assertEqual((process.returncode, output), (0, "[[], []]\n"))
        self.assertEqual(error.count("asks for a GPU, and this machine has none: it is granted"), 1, error)


if __name__ == "__main__":
    unittest.main()
