"""flowray.ray: actors end with their last handle, as Ray 2.60's do."""

import os
import select
import tempfile
import unittest

from flowray import ray


class Member:
    def __init__(self):
        self.other = None

    def pid(self):
        return os.getpid()

    def hold(self, other):
        self.other = other

    def drop(self):
        self.other = None

    def me(self):
        return ray.get_runtime_context().current_actor

    def other_pid(self):
        return ray.get(self.other.pid.remote())

    def make(self):
        self.other = Actor.remote()
        return ray.get(self.other.pid.remote())


Actor = ray.remote(Member)


class Process:
    """Of an actor: hears of its end."""

    def __init__(self, actor):
        self.pid = ray.get(actor.pid.remote())
        self._fd = os.pidfd_open(self.pid)

    def lives(self, for_ms=0):
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return not poll.poll(for_ms)

    def close(self):
        os.close(self._fd)


class LifetimeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def process(self, actor):
        process = Process(actor)
        self.addCleanup(process.close)
        return process

    def assert_ends(self, process):
        self.assertFalse(process.lives(for_ms=60_000))

    def assert_lives(self, process):
        """Messages that would have ended it had time to come."""
        other = Actor.remote()
        last = self.process(other)
        del other
        self.assert_ends(last)
        self.assertTrue(process.lives())

    def test_ends_with_its_last_handle(self):
        actor = Actor.remote()
        process = self.process(actor)
        copy = actor
        del actor
        self.assert_lives(process)
        del copy
        self.assert_ends(process)

    def test_what_was_called_is_done_first(self):
        self.assertGreater(ray.get(Actor.remote().pid.remote()), 0)

    def test_in_the_object_store(self):
        actor = Actor.remote()
        process = self.process(actor)
        ref = ray.put({"actor": actor})
        del actor
        self.assert_lives(process)
        actor = ray.get(ref)["actor"]
        del ref
        self.assert_lives(process)
        del actor
        self.assert_ends(process)

    def test_in_another_actor(self):
        actor, holder = Actor.remote(), Actor.remote()
        process = self.process(actor)
        ray.get(holder.hold.remote(actor))
        del actor
        self.assert_lives(process)
        self.assertEqual(ray.get(holder.other_pid.remote()), process.pid)
        ray.get(holder.drop.remote())
        self.assert_ends(process)

    def test_made_by_another_actor(self):
        maker = Actor.remote()
        made = ray.get(maker.make.remote())
        fd = os.pidfd_open(made)
        self.addCleanup(os.close, fd)
        ray.kill(maker)
        self.assertTrue(select.select([fd], [], [], 60)[0], "it ends with the process that has its handle")

    def test_a_handle_to_itself(self):
        actor = Actor.remote()
        process = self.process(actor)
        copy = ray.get(actor.me.remote())
        self.assertEqual(copy, actor)
        del actor
        self.assert_lives(process)
        del copy
        self.assert_ends(process)

    def test_a_handle_in_flight(self):
        @ray.remote
        def ask(handles):
            return ray.get(handles[0].pid.remote())
        actor = Actor.remote()
        process = self.process(actor)
        ref = ask.remote([actor])
        del actor
        self.assertEqual(ray.get(ref), process.pid)
        self.assert_ends(process)

    def test_what_get_actor_finds_does_not_keep_it(self):
        actor = Actor.options(name="named").remote()
        process = self.process(actor)
        found = ray.get_actor("named")
        self.assertEqual(ray.get(found.pid.remote()), process.pid)
        del actor
        self.assert_ends(process)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "all references to it were removed"):
            ray.get(found.pid.remote())
        with self.assertRaises(ValueError):
            ray.get_actor("named")

    def test_a_detached_one_lives(self):
        actor = Actor.options(name="detached", lifetime="detached").remote()
        process = self.process(actor)
        del actor
        self.assert_lives(process)
        ray.kill(ray.get_actor("detached"))
        self.assert_ends(process)
        with self.assertRaisesRegex(ValueError, "`lifetime` argument must be one of 'detached', 'non_detached' and 'None'"):
            Actor.options(lifetime="for ever")

    def test_its_destructor_runs(self):
        class Last:
            def __init__(self, path):
                self.path = path

            def ready(self):
                return True

            def __del__(self):
                open(self.path, "w").close()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ended")
            last = ray.remote(Last).remote(path)
            ray.get(last.ready.remote())
            del last
            while not os.path.exists(path):
                pass


if __name__ == "__main__":
    unittest.main()
