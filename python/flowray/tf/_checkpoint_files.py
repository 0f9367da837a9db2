"""tf.train: the files beside checkpoints, which programs read, write and remove themselves."""

import glob
import os
import re
import time

from flowray import _native
from flowray.tf import logging as _logging
from flowray.tf import _messages

CheckpointState = _messages.message(
    "CheckpointState", ("model_checkpoint_path", 1, "string"), ("all_model_checkpoint_paths", 2, "string", True),
    ("all_model_checkpoint_timestamps", 3, "double", True), ("last_preserved_timestamp", 4, "double"))
_V2 = 2


def generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """What the file "checkpoint" of a folder says; the paths below a relative folder are relative to it."""
    paths = list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != model_checkpoint_path:
        _logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path)
        paths.append(model_checkpoint_path)
    timestamps = list(all_model_checkpoint_timestamps or ())
    if timestamps and len(timestamps) != len(paths):
        raise ValueError("Checkpoint timestamps, if provided, must match checkpoint paths (got paths %s and timestamps %s)" %
                         (paths, timestamps))

    def told(path):
        return path if os.path.isabs(save_dir) or os.path.isabs(path) else os.path.relpath(path, save_dir)

    state = CheckpointState(model_checkpoint_path=told(model_checkpoint_path), all_model_checkpoint_paths=[told(path) for path in paths],
                             all_model_checkpoint_timestamps=timestamps)
    if last_preserved_timestamp is not None:
        state.last_preserved_timestamp = last_preserved_timestamp
    return state


def _quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None,
                            all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """Writes the file that tells the newest checkpoint of a folder, at once or not at all."""
    file = os.path.join(save_dir, latest_filename or "checkpoint")
    state = generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps,
                                            last_preserved_timestamp)
    if file == state.model_checkpoint_path:
        raise RuntimeError("Save path '%s' conflicts with path used for checkpoint state.  Please use a different save path." %
                           model_checkpoint_path)
    lines = ["model_checkpoint_path: " + _quoted(state.model_checkpoint_path)]
    lines += ["all_model_checkpoint_paths: " + _quoted(path) for path in state.all_model_checkpoint_paths]
    lines += ["all_model_checkpoint_timestamps: %r" % timestamp for timestamp in state.all_model_checkpoint_timestamps]
    if last_preserved_timestamp is not None:
        lines.append("last_preserved_timestamp: %r" % float(last_preserved_timestamp))
    _native.train._write_file(file, "".join(line + "\n" for line in lines).encode())


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """What the file that tells the newest checkpoint of a folder says; None where there is none."""
    read = _native.train.get_checkpoint_state(checkpoint_dir, latest_filename)
    if read is None:
        return None
    state = CheckpointState(model_checkpoint_path=read.model_checkpoint_path, all_model_checkpoint_paths=read.all_model_checkpoint_paths)
    with open(os.path.join(checkpoint_dir, latest_filename or "checkpoint"), encoding="utf-8") as file:
        for line in file:
            field, _, number = line.partition(":")
            if field == "all_model_checkpoint_timestamps":
                state.all_model_checkpoint_timestamps.append(float(number))
            elif field == "last_preserved_timestamp":
                state.last_preserved_timestamp = float(number)
    return state


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When checkpoints were written, in seconds; nothing for those that are not there."""
    times = []
    for prefix in checkpoint_prefixes:
        for path in (prefix + ".index", prefix):
            if os.path.exists(path):
                times.append(os.stat(path).st_mtime_ns / 1e9)
                break
    return times


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=_V2, meta_graph_suffix="meta"):
    """Removes a checkpoint's files."""
    found = [re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_prefix) + "." + meta_graph_suffix]
    if checkpoint_format_version == _V2:
        found.append(checkpoint_prefix + ".index")
        found += glob.glob(glob.escape(checkpoint_prefix) + ".data-?????-of-?????")
    else:
        found.append(checkpoint_prefix)
    for path in found:
        try:
            os.remove(path)
        except FileNotFoundError:
            pass  # another process may have removed it


def _wait_for_another(checkpoint_dir, last, timeout):
    between = 1.0
    end = None if timeout is None else time.time() + timeout
    while True:
        path = _native.train.latest_checkpoint(checkpoint_dir)
        if path and path != last:
            return path
        if end is not None and time.time() + between > end:
            return None
        time.sleep(between)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the path of each new checkpoint of a folder, at most one in `min_interval_secs`. It ends where there was none for `timeout`
    seconds, and with `timeout_fn` where that then says so."""
    path = None
    while True:
        another = _wait_for_another(checkpoint_dir, path, timeout)
        if another:
            start = time.time()
            path = another
            yield path
            rest = start + min_interval_secs - time.time()
            if rest > 0:
                time.sleep(rest)
        elif timeout_fn is None:
            _logging.info("Timed-out waiting for a checkpoint (without timeout_fn).")
            return
        if timeout_fn is not None and timeout_fn():
            return


def _debug_string(reader):
    """A line for each tensor, as bytes: name, type and shape."""
    shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    names = {"float32": "DT_FLOAT", "float64": "DT_DOUBLE", "float16": "DT_HALF"}
    return "".join("%s (%s) [%s]\n" % (name, names.get(dtypes[name].name, "DT_" + dtypes[name].name.upper()), ",".join(map(str, shapes[name])))
                   for name in sorted(shapes)).encode()


_native.CheckpointReader.debug_string = _debug_string
