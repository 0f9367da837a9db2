"""flowray.ray: placement groups, as Ray 2.60 has them on one machine."""

import unittest

from flowray import ray
from flowray.ray.util import get_placement_group, placement_group, placement_group_table, remove_placement_group
from flowray.ray.util.placement_group import get_current_placement_group
from flowray.ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


@ray.remote
def seen():
    context, group = ray.get_runtime_context(), get_current_placement_group()
    return context.get_placement_group_id(), group and group.id.hex(), context.get_assigned_resources(), ray.get_gpu_ids()


@ray.remote
def double(x):
    return 2 * x


@ray.remote
def makes_another():
    return ray.get(seen.remote())[0]


@ray.remote
class Holder:
    def seen(self):
        return ray.get_runtime_context().get_placement_group_id(), ray.get_gpu_ids()


def within(group, *args, **options):
    return PlacementGroupSchedulingStrategy(group, *args, **options)


class PlacementGroupsTest(unittest.TestCase):
    def setUp(self):
        ray.init(num_cpus=4, num_gpus=2)
        self.addCleanup(ray.shutdown)

    def free(self):
        return {name: amount for name, amount in ray.available_resources().items() if name in ("CPU", "GPU")}

    def test_what_it_sets_aside(self):
        group = placement_group([{"CPU": 2}, {"CPU": 1, "GPU": 1}], name="two")
        self.assertTrue(group.wait(60))
        self.assertEqual(ray.get(group.ready()), group)
        self.assertEqual(self.free(), {"CPU": 1.0, "GPU": 1.0})
        self.assertEqual((group.bundle_specs, group.bundle_count, group.is_empty), ([{"CPU": 2.0}, {"CPU": 1.0, "GPU": 1.0}], 2, False))
        told = placement_group_table(group)
        self.assertEqual({name: told[name] for name in ("placement_group_id", "name", "bundles", "strategy", "state")},
                         {"placement_group_id": group.id.hex(), "name": "two", "bundles": {0: {"CPU": 2.0}, 1: {"CPU": 1.0, "GPU": 1.0}},
                          "strategy": "PACK", "state": "CREATED"})
        self.assertEqual(list(placement_group_table()), [group.id.hex()])
        self.assertEqual(get_placement_group("two"), group)
        remove_placement_group(group)
        self.assertEqual(self.free(), {"CPU": 4.0, "GPU": 2.0})
        self.assertEqual(placement_group_table(group)["state"], "REMOVED")
        self.assertFalse(group.wait(0))
        with self.assertRaisesRegex(ValueError, "Failed to look up placement group with name: two"):
            get_placement_group("two")

    def test_calls_in_it(self):
        group = placement_group([{"CPU": 2}, {"CPU": 1, "GPU": 1}])
        name = group.id.hex()
        self.assertEqual(ray.get(seen.options(scheduling_strategy=within(group)).remote()), (name, name, {"CPU": 1.0}, []))
        self.assertEqual(ray.get(seen.options(scheduling_strategy=within(group, 1), num_gpus=1).remote()),
                         (name, name, {"CPU": 1.0, "GPU": 1.0}, [0]))
        self.assertEqual(ray.get(seen.options(placement_group=group, placement_group_bundle_index=0).remote())[0], name)
        self.assertEqual(ray.get(seen.remote())[:2], (None, None))
        holder = Holder.options(num_gpus=1, scheduling_strategy=within(group, 1)).remote()
        self.assertEqual(ray.get(holder.seen.remote()), (name, [0]))
        other = Holder.options(num_gpus=1).remote()
        self.assertEqual(ray.get(other.seen.remote()), (None, [1]), "the first is the group's")
        waits = seen.options(scheduling_strategy=within(group, 1), num_cpus=0, num_gpus=1).remote()
        self.assertEqual(ray.wait([waits], timeout=0.1)[0], [], "its GPU is the actor's")
        del holder
        self.assertEqual(ray.get(waits, timeout=60)[3], [0])

    def test_children(self):
        group = placement_group([{"CPU": 2}])
        inside = makes_another.options(scheduling_strategy=within(group, 0, placement_group_capture_child_tasks=True))
        self.assertEqual(ray.get(inside.remote()), group.id.hex())
        self.assertIsNone(ray.get(makes_another.options(scheduling_strategy=within(group, 0)).remote()))

    def test_what_can_never_be(self):
        apart = placement_group([{"CPU": 0.5}, {"CPU": 0.5}], strategy="STRICT_SPREAD")
        large = placement_group([{"CPU": 10}])
        one = placement_group([{"CPU": 1}], strategy="STRICT_SPREAD")
        self.assertTrue(one.wait(60))
        self.assertEqual((apart.wait(0.05), large.wait(0)), (False, False))
        self.assertEqual(ray.wait([apart.ready()], timeout=0.05)[0], [])
        self.assertEqual(placement_group_table(apart)["state"], "PENDING")
        self.assertEqual(self.free()["CPU"], 3.0)

    def test_it_waits_for_what_is_taken(self):
        holder = Holder.options(num_cpus=3).remote()
        ray.get(holder.seen.remote())
        group = placement_group([{"CPU": 1}, {"CPU": 1}])
        self.assertFalse(group.wait(0))
        del holder
        self.assertTrue(group.wait(60))

    def test_what_runs_in_one_that_is_removed(self):
        group = placement_group([{"CPU": 1}, {"CPU": 1}])
        holder = Holder.options(scheduling_strategy=within(group, 0), num_cpus=1).remote()
        ray.get(holder.seen.remote())
        waits = seen.options(scheduling_strategy=within(group, 0)).remote()
        remove_placement_group(group)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "its placement group was removed"):
            ray.get(holder.seen.remote())
        for call in (waits, seen.options(scheduling_strategy=within(group)).remote()):
            with self.assertRaisesRegex(ray.exceptions.RayError, "placement group was removed"):
                ray.get(call, timeout=60)
        pending = placement_group([{"CPU": 10}])
        ready = pending.ready()
        remove_placement_group(pending)
        with self.assertRaisesRegex(ray.exceptions.RayError, "placement group was removed"):
            ray.get(ready, timeout=60)
        remove_placement_group(pending)

    def test_in_a_task(self):
        @ray.remote
        def make(group):
            made = placement_group([{"CPU": 1}], name="made")
            ready = made.wait(60)
            return group.bundle_specs, ready, ray.get(made.ready()), get_placement_group("made") == made
        group = placement_group([{"CPU": 1}])
        specs, ready, made, found = ray.get(make.remote(group))
        self.assertEqual((specs, ready, made.bundle_specs, found), ([{"CPU": 1.0}], True, [{"CPU": 1.0}], True))
        remove_placement_group(made)

    def test_what_is_refused(self):
        for bundles, text in (([], "Bundles must be a non-empty list of resource dictionaries"), ([{}], "Bundles cannot be an empty dictionary"),
                              ([{"CPU": 0}], "Bundles cannot be an empty dictionary"), ({"CPU": 1}, "bundles must be a list, got <class 'dict'>")):
            with self.assertRaisesRegex(ValueError, text):
                placement_group(bundles)
        with self.assertRaisesRegex(ValueError, "Invalid placement group strategy FOO"):
            placement_group([{"CPU": 1}], strategy="FOO")
        with self.assertRaisesRegex(ValueError, "`lifetime` argument must be either `None` or 'detached'. Got foo"):
            placement_group([{"CPU": 1}], lifetime="foo")
        group = placement_group([{"CPU": 2.0}, {"CPU": 1.0, "GPU": 1.0}])
        with self.assertRaisesRegex(ValueError, "placement group bundle index 5 is invalid. Valid placement group indexes: 0-2"):
            seen.options(scheduling_strategy=within(group, 5)).remote()
        with self.assertRaisesRegex(ValueError, r"Cannot schedule seen with the placement group because the resource request \{'CPU': 3"):
            seen.options(scheduling_strategy=within(group), num_cpus=3).remote()
        with self.assertRaisesRegex(NotImplementedError, "there is one machine"):
            seen.options(scheduling_strategy=object())
        with self.assertRaisesRegex(ValueError, "Failed to look up placement group with name: none"):
            get_placement_group("none")


class LocalModeTest(unittest.TestCase):
    def test_in_local_mode(self):
        with ray.init(local_mode=True):
            group = placement_group([{"CPU": 1}])
            self.assertTrue(group.wait(0))
            self.assertEqual(ray.get(double.options(scheduling_strategy=within(group)).remote(2)), 4)
        with ray.init(num_cpus=1):
            self.assertEqual(ray.get(double.remote(3)), 6, "in another runtime")


if __name__ == "__main__":
    unittest.main()
