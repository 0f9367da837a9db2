"""Arguments that a function, a class or a method does not take are a TypeError where `remote` is called, with the words of Ray 2.60."""

import collections
import functools
import unittest

from flowray import ray


def required_by_name(*, c):
    return c


class Plain:
    def value(self):
        return 1


class Kinds:
    def __init__(self, x, y=1):
        self.x, self.y = x, y

    def f(self, a, b=2):
        return a, b

    def named(self, **more):
        return more

    def rest(self, a, *rest, c, d=4):
        return a, rest, c, d

    def placed(self, a, /, b):
        return a, b

    @staticmethod
    def static(a):
        return a

    @classmethod
    def of_class(cls, a):
        return cls.__name__, a

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def kept(self, a):
        return a


class Derived(Kinds):
    pass


Pair = collections.namedtuple("Pair", ["one", "two"])


class ArgumentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=1)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def refused(self, text, call, *args, **kwargs):
        with self.assertRaises(TypeError) as caught:
            call.remote(*args, **kwargs)
        self.assertEqual((type(caught.exception), str(caught.exception)), (TypeError, text))

    def test_of_functions(self):
        @ray.remote
        def f(a, b=2, *, c=3):
            return a, b, c

        for function in (f, f.options(num_returns=1)):
            self.refused("missing a required argument: 'a'", function)
            self.refused("too many positional arguments", function, 1, 2, 3)
            self.refused("got an unexpected keyword argument 'd'", function, 1, d=3)
            self.refused("multiple values for argument 'a'", function, 1, a=3)
            for _ in range(2):
                self.assertEqual(ray.get([function.remote(1), function.remote(b=5, a=1), function.remote(1, 2, c=4)]),
                                 [(1, 2, 3), (1, 5, 3), (1, 2, 4)])
        self.refused("missing a required argument: 'c'", ray.remote(required_by_name))
        self.assertEqual(ray.get(ray.remote(required_by_name).remote(c=1)), 1)

    def test_of_functions_in_workers(self):
        @ray.remote
        def inner(a):
            return a

        @ray.remote(num_cpus=0)
        def outer():
            try:
                inner.remote()
            except TypeError as error:
                return str(error)

        self.assertEqual(ray.get(outer.remote()), "missing a required argument: 'a'")

    def test_of_constructors(self):
        for kind in (ray.remote(Kinds), ray.remote(Derived), ray.remote(Kinds).options(num_cpus=0)):
            self.refused("missing a required argument: 'x'", kind)
            self.refused("got an unexpected keyword argument 'z'", kind, 1, z=1)
        self.refused("too many positional arguments", ray.remote(Plain), 1)
        self.assertEqual(ray.get(ray.remote(Pair).remote(1, 2).index.remote(2)), 1)

    def test_of_methods(self):
        actor = ray.remote(Kinds).remote(1)

        @ray.remote(num_cpus=0)
        def in_worker(actor):
            try:
                actor.f.remote()
            except TypeError as error:
                return str(error), ray.get(actor.f.remote(1, b=3))

        for method in (actor.f, actor.f.options(num_returns=1)):
            self.refused("missing a required argument: 'a'", method)
            self.refused("too many positional arguments", method, 1, 2, 3)
            self.refused("got an unexpected keyword argument 'q'", method, 1, q=3)
        self.refused("too many positional arguments", actor.named, 1)
        self.refused("missing a required argument: 'c'", actor.rest, 1, 2)
        self.refused("missing a required argument: 'a'", actor.static)
        self.refused("too many positional arguments", actor.static, 1, 2)
        self.refused("missing a required argument: 'a'", actor.of_class)
        self.assertEqual(ray.get([actor.f.remote(a=1), actor.named.remote(x=1), actor.rest.remote(1, 2, 3, c=0),
                                  actor.placed.remote(1, b=2), actor.static.remote(1), actor.of_class.remote(a=1), actor.kept.remote(7)]),
                         [(1, 2), {"x": 1}, (1, (2, 3), 0, 4), (1, 2), 1, ("Kinds", 1), 7])
        self.assertEqual(ray.get(in_worker.remote(actor)), ("missing a required argument: 'a'", (1, 3)))

    def test_of_methods_of_actors_that_were_found_by_name(self):
        made = ray.remote(Kinds).options(name="made here").remote(1)
        ray.remote(Kinds).options(name="nobody holds", lifetime="detached").remote(1)
        for name in ("made here", "nobody holds"):
            found = ray.get_actor(name)
            self.refused("missing a required argument: 'a'", found.f)
            self.refused("missing a required argument: 'a'", found.f.options(num_returns=1))
            with self.assertRaisesRegex(AttributeError, "'ActorHandle' object has no attribute 'no_such'\n.*'Kinds'"):
                found.no_such.remote()
            self.assertEqual(ray.get(found.f.remote(1)), (1, 2))
        again = ray.remote(Kinds).options(name="made here", get_if_exists=True).remote(1)
        self.refused("too many positional arguments", again.f, 1, 2, 3)
        ray.kill(ray.get_actor("nobody holds"))
        self.assertEqual(ray.get(made.f.remote(1)), (1, 2))

    def test_of_methods_of_actors_that_were_found_by_name_in_workers(self):
        class Self:
            def found(self):
                return refusal_of(ray.get_actor("found in workers"))

            def f(self, a):
                return a

        @ray.remote(num_cpus=0)
        def in_worker(handles):
            return refusal_of(ray.get_actor("found in workers"))

        def refusal_of(actor):
            try:
                actor.f.remote()
            except TypeError as error:
                return str(error)

        made = ray.remote(Self).options(name="found in workers").remote()
        self.assertEqual(ray.get(made.found.remote()), "missing a required argument: 'a'")  # itself
        self.assertEqual(ray.get(in_worker.remote([made])), "missing a required argument: 'a'")  # got a handle

        @ray.remote(num_cpus=0)
        class Stranger:
            def error(self):
                ref = ray.get_actor("found in workers").f.remote()
                try:
                    ray.get(ref)
                except TypeError as error:
                    return str(error).splitlines()[-1]

        self.assertIn("missing 1 required positional argument: 'a'", ray.get(Stranger.remote().error.remote()))


if __name__ == "__main__":
    unittest.main()
