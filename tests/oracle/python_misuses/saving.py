"""tf.train.Saver and devices with arguments that they cannot work with."""

import os
import tempfile

from python_misuses import misuses_of
from tensorflow_v1 import tf


def weight():
    return tf.get_variable("w", initializer=[1.0, 2.0])


def saver(*arguments, **named):
    weight()
    return tf.train.Saver(*arguments, **named)


def saved(function, **named):
    """In a session with w, and a folder."""
    made = saver(**named)
    with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return function(made, session, os.path.join(folder, "model"))


misuses_of(
    "saver",
    of_nothing=lambda: tf.train.Saver(),
    of_empty_list=lambda: saver([]),
    of_empty_dict=lambda: saver({}),
    of_text=lambda: saver("w"),
    of_number=lambda: saver(5),
    of_list_with_none=lambda: saver([None]),
    of_list_with_text=lambda: saver(["w"]),
    of_list_with_tensor=lambda: saver([tf.constant(1.0, name="c")]),
    of_dict_with_none=lambda: saver({"a": None}),
    of_dict_with_text=lambda: saver({"a": "b"}),
    of_dict_with_number_key=lambda: with_number_key(),
    of_one_twice=lambda: same_twice(),
    max_to_keep_text=lambda: saver(max_to_keep="many"),
    max_to_keep_negative=lambda: saver(max_to_keep=-1),
    hours_text=lambda: saver(keep_checkpoint_every_n_hours="a"),
    write_version_wrong=lambda: saver(write_version=7),
    name_number=lambda: saver(name=5),
    unknown_argument=lambda: saver(nothing=1),
    defer_build_none=lambda: tf.train.Saver(defer_build=True),
    not_built=lambda: unbuilt(),
    built_twice=lambda: saver().build(),
    save_no_session=lambda: saved(lambda made, session, path: made.save(None, path)),
    save_number_as_session=lambda: saved(lambda made, session, path: made.save(5, path)),
    save_path_none=lambda: saved(lambda made, session, path: made.save(session, None)),
    save_path_number=lambda: saved(lambda made, session, path: made.save(session, 5)),
    save_in_no_folder=lambda: saved(lambda made, session, path: made.save(session, path + "/no/such/folder/at_all")),
    save_step_text=lambda: saved(lambda made, session, path: made.save(session, path, global_step="a")),
    save_step_fraction=lambda: saved(lambda made, session, path: made.save(session, path, global_step=1.5)),
    save_latest_filename_with_folder=lambda: saved(lambda made, session, path: made.save(session, path, latest_filename="a/b")),
    restore_none=lambda: saved(lambda made, session, path: made.restore(session, None)),
    restore_number=lambda: saved(lambda made, session, path: made.restore(session, 5)),
    restore_empty=lambda: saved(lambda made, session, path: made.restore(session, "")),
    restore_nothing=lambda: saved(lambda made, session, path: made.restore(session, "/no/such/file")),
    restore_no_session=lambda: saved(lambda made, session, path: (made.save(session, path), made.restore(None, path))),
    set_last_checkpoints_none=lambda: saver().set_last_checkpoints(None),
    set_last_checkpoints_text=lambda: saver().set_last_checkpoints("a"),
    recover_none=lambda: saver().recover_last_checkpoints(None),
)


def with_number_key():
    w = weight()
    return tf.train.Saver({5: w})


def same_twice():
    w = weight()
    return tf.train.Saver([w, w])


def unbuilt():
    made = saver(defer_build=True)
    with tf.Session() as session:
        made.save(session, "/tmp/never")


def setter(**named):
    function = tf.train.replica_device_setter(**named)
    with tf.device(function):
        return weight()


misuses_of(
    "setter",
    cluster_number=lambda: setter(cluster=5),
    cluster_text=lambda: setter(cluster="ps"),
    cluster_without_ps=lambda: setter(cluster={"worker": ["localhost:2222"]}),
    ps_tasks_text=lambda: setter(ps_tasks="two"),
    ps_tasks_none=lambda: setter(ps_tasks=None),
    ps_tasks_negative=lambda: setter(ps_tasks=-1),
    ps_device_none=lambda: setter(ps_tasks=2, ps_device=None),
    ps_device_number=lambda: setter(ps_tasks=2, ps_device=5),
    ps_device_wrong=lambda: setter(ps_tasks=2, ps_device="/nothing:here"),
    worker_device_none=lambda: setter(ps_tasks=2, worker_device=None),
    worker_device_wrong=lambda: setter(ps_tasks=2, worker_device="/nothing:here"),
    ps_strategy_number=lambda: setter(ps_tasks=2, ps_strategy=5),
    ps_strategy_word=lambda: setter(ps_tasks=2, ps_strategy="greedy"),
    ps_strategy_gives_none=lambda: setter(ps_tasks=2, ps_strategy=lambda op: None),
    ps_strategy_gives_text=lambda: setter(ps_tasks=2, ps_strategy=lambda op: "a"),
    ps_ops_number=lambda: setter(ps_tasks=2, ps_ops=5),
    ps_ops_text=lambda: setter(ps_tasks=2, ps_ops="VariableV2"),
    ps_ops_empty=lambda: setter(ps_tasks=2, ps_ops=[]),
    unknown_argument=lambda: setter(nothing=1),
    device_number=lambda: on_device(5),
    device_list=lambda: on_device(["/cpu:0"]),
    device_function_gives_number=lambda: on_device(lambda op: 5),
    device_function_gives_none=lambda: on_device(lambda op: None),
    device_function_gives_wrong=lambda: on_device(lambda op: "/nothing:here"),
    device_function_takes_nothing=lambda: on_device(lambda: "/cpu:0"),
    colocate_with_none=lambda: colocated(None),
    colocate_with_text=lambda: colocated("w"),
    colocate_with_number=lambda: colocated(5),
)


misuses_of(
    "checkpoint_state",
    other_times=lambda: tf.train.generate_checkpoint_state_proto("/a", "b", ["b", "c"], [1.0]),
    path_of_state=lambda: tf.train.update_checkpoint_state("/nowhere", "/nowhere/checkpoint"),
)


def on_device(device):
    with tf.device(device):
        return tf.constant(1.0)


def colocated(other):
    with tf.colocate_with(other):
        return tf.constant(1.0)
