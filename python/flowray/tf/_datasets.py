"""tf.data: structures of components around the language's datasets and iterators, which take and give lists."""

from flowray import _native
from flowray.tf import _elements, _sparse_components
from flowray.tf._elements import DatasetSpec
from flowray.tf._shape import TensorShape
from flowray.tf._sparse import SparseTensorSpec, is_sparse
from flowray.tf._specs import TensorSpec

AUTOTUNE = -1


def _number(value, default):
    return default if value is None else value


def _one_for_each(structure, given, what):
    """`given` in a row, where it has the structure of the elements."""
    flat = _elements.flatten(given)
    wanted = _elements.flatten(structure)
    if len(flat) != len(wanted):
        raise ValueError("The two structures don't have the same sequence length. Input structure has length %d, while shallow structure "
                         "has length %d.\n%s has one for each component." % (len(flat), len(wanted), what))
    return flat


def _is_shape(value):
    """A shape may be written as a tuple of numbers."""
    return isinstance(value, (list, TensorShape)) or isinstance(value, tuple) and all(
        item is None or hasattr(item, "__index__") or hasattr(item, "value") for item in value)


def _shapes(structure, shapes):
    """The shapes of the components, in a row."""
    if not _elements.is_structure(structure):
        return [TensorShape(shapes)]
    if isinstance(structure, dict):
        parts = [(structure[key], shapes[key]) for key in sorted(structure)] if isinstance(shapes, dict) else None
    else:
        parts = list(zip(structure, shapes)) if isinstance(shapes, (tuple, list)) and len(shapes) == len(structure) else None
    if parts is None:
        given = len(shapes) if hasattr(shapes, "__len__") else 1
        raise ValueError("The two structures don't have the same sequence length. Input structure has length %d, while shallow structure "
                         "has length %d.\nThere must be a shape for each component." % (given, len(structure)))
    return [shape for part, own in parts for shape in _shapes(part, own)]


class Dataset:
    """A sequence of elements, which are tensors or structures of them; see docs/datasets.md."""

    def __init__(self, native, structure):
        """`structure`: anything in the places of the components, specs or values where datasets and sparse tensors are."""
        self._native = native
        self._spec = _elements.specs_of(structure, native.output_types, native.output_shapes)

    # ---- what its elements are

    @property
    def element_spec(self):
        return self._spec

    @property
    def output_types(self):
        return _elements.map_structure(lambda spec: spec.dtype, self._spec)

    @property
    def output_shapes(self):
        return _elements.map_structure(lambda spec: spec.shape, self._spec)

    @property
    def output_classes(self):
        return _elements.map_structure(_class_of, self._spec)

    @property
    def _variant_tensor(self):
        return self._native.variant_tensor

    def __repr__(self):
        return "<%s element_spec=%r>" % (type(self).__name__, self._spec)

    def __iter__(self):
        if _native.executing_eagerly():
            return EagerIterator(self)
        raise RuntimeError("`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function.\n"
                           "Fetch make_one_shot_iterator().get_next() in a session instead.")

    def __bool__(self):
        return True

    # ---- sources

    @staticmethod
    def from_tensors(tensors, name=None):
        """One element."""
        tensors = _elements.with_sparse(tensors)
        return Dataset(_native._dataset_from_tensors(_elements.components_of(tensors), name), tensors)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """An element for each row."""
        tensors = _elements.with_sparse(tensors)
        components = [_sparse_components.serialized(value, by_rows=True) if is_sparse(value) else value for value in _elements.flatten(tensors)]
        return Dataset(_native._dataset_from_tensor_slices(components, name), _rows_of(_elements.kinds_of(tensors)))

    @staticmethod
    def range(*args, output_type=_native.as_dtype("int64"), name=None):
        """range(stop), range(start, stop) or range(start, stop, step)."""
        if not 1 <= len(args) <= 3:
            raise ValueError("Invalid `args`. The length of `args` should be between 1 and 3 but was %d." % len(args))
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (args + (1,))[:3]
        dtype = _native.as_dtype(output_type)
        if dtype != _native.as_dtype("int64"):
            raise NotImplementedError("output_type=%s is not there yet: map the numbers with tf.cast" % dtype.name)
        return Dataset(_native._range_dataset(start, stop, step, name), None)

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """Elements with those of several datasets in them, in the structure that these are given in."""
        if len(args) > 1 or not args and datasets is None:
            raise TypeError("Must pass either a structure of datasets as `datasets`, or the datasets as arguments."
                            if not args else "Dataset.zip takes one (nested) tuple or dict of datasets")
        datasets = args[0] if args else datasets
        for dataset in _elements.flatten(datasets):
            if isinstance(dataset, list):
                raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python "
                                "`list` is not supported and you should use `tuple` instead.")
            if not isinstance(dataset, Dataset):
                raise TypeError("Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects but "
                                "encountered object of type %s." % type(dataset))
        native = _native._zip_datasets([dataset._native for dataset in _elements.flatten(datasets)], name)
        return Dataset(native, _elements.map_structure(lambda dataset: dataset._spec, datasets))

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """The names of the files that match a glob pattern or several."""
        return Dataset(_native._list_files(file_pattern, _number(shuffle, True), seed, name), None)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        """What generator(*args) yields."""
        from flowray.tf import _generator_datasets
        return _generator_datasets.from_generator(Dataset, generator, output_types, output_shapes, args, output_signature, name)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None):
        """Random integers of 32 bits, without end; each walk gives the same ones."""
        if rerandomize_each_iteration:
            raise NotImplementedError("random(rerandomize_each_iteration=True) is not there: Dataset.range(n).shuffle(n) has another order each time")
        return Dataset(_native._random_dataset(seed, name), None)

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None):
        """The elements of several datasets, whose turn is drawn by their weights."""
        if rerandomize_each_iteration:
            raise NotImplementedError("sample_from_datasets(rerandomize_each_iteration=True) is not there: other seeds draw other turns")
        is_dataset = isinstance(weights, Dataset)
        natives, structure = _alternatives(datasets)
        return Dataset(_native._sample_from_datasets(natives, None if is_dataset else weights, [weights._native] if is_dataset else [], seed,
                                                     stop_on_empty_dataset), structure)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True):
        """The elements of several datasets, whose turn is what `choice_dataset` says."""
        natives, structure = _alternatives(datasets)
        if not isinstance(choice_dataset, Dataset):
            raise TypeError("Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is %s." % type(choice_dataset))
        return Dataset(_native._choose_from_datasets(natives, choice_dataset._native, stop_on_empty_dataset), structure)

    @staticmethod
    def counter(start=0, step=1, dtype=_native.as_dtype("int64"), name=None):
        """start, start + step, ... without end."""
        dtype, end = _native.as_dtype(dtype), 2 ** 63 - 1 if step > 0 else -2 ** 63
        numbers = Dataset.range(start, end, step, name=name)
        return numbers if dtype == _native.as_dtype("int64") else numbers.map(lambda number: _native.cast(number, dtype))

    # ---- transformations

    def _same(self, native):
        return Dataset(native, self._spec)

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """`batch_size` elements stacked."""
        size = batch_size if drop_remainder is True and isinstance(batch_size, int) else None
        return self._stacked(self._native.batch(batch_size, drop_remainder, name), size)

    def _stacked(self, native, size):
        if any(isinstance(spec, DatasetSpec) for spec in _elements.flatten(self._spec)):
            raise NotImplementedError("batches of datasets are not there: flat_map gives the elements of windows")
        return Dataset(native, _of_sparse(lambda spec: _sparse_components.batched(spec, size), self._spec))

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        """The same of elements that have not one shape."""
        for spec in _elements.flatten(self._spec):
            if isinstance(spec, SparseTensorSpec):
                raise TypeError("`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements in the "
                                "input dataset is not a subclass of TensorSpec: `%r`.\nDataset.batch needs no padding for it." % spec)
        shapes = [] if padded_shapes is None else _shapes(self._spec, padded_shapes)
        values = padding_values
        if values is not None and not _elements.is_structure(values):
            values = [values] * len(_elements.flatten(self._spec))
        elif values is not None:
            values = _one_for_each(self._spec, values, "padding_values")
        return self._stacked(self._native.padded_batch(batch_size, shapes, values or [], drop_remainder, name), None)

    def unbatch(self, name=None):
        """The rows of elements as elements."""
        return Dataset(self._native.unbatch(name), _rows_of(self._spec))

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of `size` elements."""
        return Dataset(self._native.window(size, shift, stride, drop_remainder, name), _elements.map_structure(DatasetSpec, self._spec))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """Picks from a buffer of so many elements by chance."""
        return self._same(self._native.shuffle(buffer_size, seed, _number(reshuffle_each_iteration, True), name))

    def repeat(self, count=None, name=None):
        """Without end where `count` is None or -1."""
        return self._same(self._native.repeat(_number(count, -1), name))

    def take(self, count, name=None):
        """The first `count`; -1: all."""
        return self._same(self._native.take(count, name))

    def skip(self, count, name=None):
        """Without the first `count`."""
        return self._same(self._native.skip(count, name))

    def shard(self, num_shards, index, name=None):
        """Every num_shards-th element, from `index` on."""
        return self._same(self._native.shard(num_shards, index, name))

    def cache(self, filename="", name=None):
        """Keeps what the first walk gives: in memory or, where `filename` is given, in a checkpoint of that name that later walks read."""
        return self._same(self._native.cache(filename, name))

    def prefetch(self, buffer_size, name=None):
        """So many elements are made before they are asked for."""
        return self._same(self._native.prefetch(_number(buffer_size, AUTOTUNE), name))

    def concatenate(self, dataset, name=None):
        """This one, then another one."""
        own, other = _elements.flatten(self._spec), _elements.flatten(dataset._spec)
        if len(own) != len(other) or any(isinstance(a, SparseTensorSpec) != isinstance(b, SparseTensorSpec) for a, b in zip(own, other)):
            raise TypeError("Incompatible dataset elements:\n  %r vs.   %r" % (self._spec, dataset._spec))
        known = [_sparse_components.merged(a, b) if isinstance(a, SparseTensorSpec) else a for a, b in zip(own, other)]
        return Dataset(self._native.concatenate(dataset._native, name), _elements.pack(self._spec, known))

    def enumerate(self, start=0, name=None):
        """(number, element)."""
        return Dataset(self._native.enumerate(start, name), (None, self._spec))

    def ignore_errors(self, log_warning=False, name=None):
        """Without the elements that cannot be made."""
        types, shapes = _elements.native_specs(self._spec)
        attrs = {"output_types": types, "output_shapes": shapes, "log_warning": log_warning}
        return _dataset_of(_native.op("IgnoreErrorsDataset", name, (self._variant_tensor,), attrs), DatasetSpec(self._spec))

    def apply(self, transformation_func):
        """What the function gives for this dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError("`transformation_func` must return a `tf.data.Dataset` object. Got %s." % type(dataset))
        return dataset

    def with_options(self, options, name=None):
        """Options tell TensorFlow how to run a dataset; what comes out is the same."""
        if not isinstance(options, Options):
            raise ValueError("Invalid `options`: a tf.data.Options is expected, not %r" % (options,))
        return self

    # ---- functions of elements

    def _element(self, components):
        """The components as the program sees them."""
        return _packed(self._spec, components)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None, use_unbounded_threadpool=False, name=None):
        """What `map_func` gives for each element."""
        if synchronous or use_unbounded_threadpool:
            raise NotImplementedError("map(synchronous=, use_unbounded_threadpool=) are not there: leave them out, the values are the same")
        call, seen = self._mapping(map_func)
        native = self._native.map(call, num_parallel_calls, deterministic, name)
        return Dataset(native, seen[0])

    def _mapping(self, map_func):
        """A function of lists, and the structure that it gives once it has been called."""
        _check_callable(map_func, "func")
        seen = []

        def call(components):
            result = _elements.returned(_elements.call(map_func, self._element(components)))
            seen.append(_elements.kinds_of(result))
            return _components(result)
        return call, seen

    def _map_and_batch(self, map_func, batch_size, num_parallel_calls, drop_remainder):
        call, seen = self._mapping(map_func)
        native = self._native.map_and_batch(call, batch_size, num_parallel_calls, drop_remainder)
        size = batch_size if drop_remainder is True and isinstance(batch_size, int) else None
        return Dataset(native, seen[0])._stacked(native, size)

    def filter(self, predicate, name=None):
        """The elements for which `predicate` gives true."""
        return self._filtered(predicate, False, name)

    def take_while(self, predicate, name=None):
        """Those before the first one for which it does not."""
        return self._filtered(predicate, True, name)

    def _filtered(self, predicate, ends, name):
        _check_callable(predicate, "func")
        return self._same(self._native.filter(
            lambda components: _flat(_elements.call(predicate, self._element(components))), ends, name))

    def _of_datasets(self, map_func, seen):
        _check_callable(map_func, "func")

        def call(components):
            dataset = _elements.call(map_func, self._element(components))
            if not isinstance(dataset, Dataset):
                raise TypeError("The `map_func` argument must return a `Dataset` object. Got %s." % type(dataset))
            seen.append(dataset._spec)
            return dataset._native
        return call

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that `map_func` gives, one dataset after the other."""
        seen = []
        return Dataset(self._native.flat_map(self._of_datasets(map_func, seen), name), seen[0])

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None):
        """The same with several of them taking turns."""
        seen = []
        native = self._native.interleave(self._of_datasets(map_func, seen), _number(cycle_length, AUTOTUNE), _number(block_length, 1),
                                         num_parallel_calls, deterministic, name)
        return Dataset(native, seen[0])

    def _of_state(self, function, state):
        """A function of lists from one of a state and an element, with the structures that it was called with."""
        def call(tensors):
            count = len(_elements.flatten(state))
            return function(_packed(state, tensors[:count]), self._element(tensors[count:]))
        return call

    def scan(self, initial_state, scan_func, name=None):
        """Elements that follow from those before: `scan_func(state, element)` gives (new state, what the element becomes)."""
        _check_callable(scan_func, "scan_func")
        initial_state = _elements.with_sparse(initial_state)
        state = _state_kinds(initial_state)
        seen = []

        def step(state_before, element):
            result = _elements.returned(scan_func(state_before, element))
            if not isinstance(result, tuple) or len(result) != 2:
                raise TypeError("Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value but its "
                                "return type is %s." % _type_text(result))
            new, output = result
            seen.append(_elements.kinds_of(output))
            _check_state(state, new)
            return _one_for_each(state, _elements.pack(new, _elements.components_of(new)), "the state") + _components(output)
        return Dataset(self._native.scan(_elements.components_of(initial_state), self._of_state(step, state), name), seen[-1])

    def reduce(self, initial_state, reduce_func, name=None):
        """The state after the last element: `reduce_func(state, element)` gives the new one."""
        _check_callable(reduce_func, "func")
        initial_state = _elements.with_sparse(initial_state)
        state = _state_kinds(initial_state)

        def step(state_before, element):
            new = _elements.returned(reduce_func(state_before, element))
            if new is None:
                raise TypeError("The element classes for the new state must match the initial state.\nThe function gives None.")
            _check_state(state, new)
            return _elements.components_of(new)
        return _packed(state, self._native.reduce(_elements.components_of(initial_state), self._of_state(step, state), name))

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        """Elements of one key, `window_size` at a time, become the dataset reduce_func(key, their dataset)."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        _check_callable(key_func, "func")
        _check_callable(reduce_func, "func")
        size = window_size_func if window_size_func is not None else lambda key: window_size
        _check_callable(size, "func")
        seen = []

        def reduced(components):
            key, group = components
            dataset = reduce_func(key, _dataset_of(group, DatasetSpec(self._spec)))
            if not isinstance(dataset, Dataset):
                raise TypeError("Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return type is %s."
                                % _type_text(dataset))
            seen.append(dataset._spec)
            return dataset._native
        native = self._native.group_by_window(lambda components: _flat(_elements.call(key_func, self._element(components))), reduced,
                                              lambda components: _flat(size(components[0])), name)
        return Dataset(native, seen[-1])

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                                  pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False, name=None):
        """Batches of elements that are about as long: `element_length_func` gives a length, the boundaries which bucket it falls into, and
        each bucket has its size of batches. They are padded to the longest of the batch, or of the bucket."""
        from flowray.tf import _sequence_buckets
        return _sequence_buckets.batches(self, element_length_func, list(bucket_boundaries), list(bucket_batch_sizes), padded_shapes,
                                         padding_values, pad_to_bucket_boundary, no_padding, drop_remainder, name)

    def unique(self, name=None):
        """Without elements that were there before."""
        return self._same(self._native.unique(name))

    def get_single_element(self, name=None):
        """The only element, as tensors; a step fails where there is none, or more."""
        return self._element(self._native.get_single_element(name))

    def cardinality(self):
        """How many elements it has, without a walk: INFINITE_CARDINALITY and UNKNOWN_CARDINALITY are answers, too."""
        return self._native.cardinality()

    # ---- iterators

    def make_one_shot_iterator(self):
        """Walks through it once, without being initialized."""
        return Iterator(self._native.make_one_shot_iterator(), self._spec)

    def make_initializable_iterator(self, shared_name=None):
        """Walks through it each time that its initializer has run."""
        return Iterator(self._native.make_initializable_iterator(shared_name), self._spec)


def _alternatives(datasets):
    """Datasets whose elements are of one structure, and that one."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    specs = [_elements.kinds_of(dataset._spec) for dataset in datasets]
    for number, spec in enumerate(specs):
        if spec != specs[0]:
            raise TypeError("Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec=%s.\nDataset %d "
                            "element_spec=%s." % (datasets[0]._spec, number, datasets[number]._spec))
    return [dataset._native for dataset in datasets], specs[0]


def _check_callable(function, what):
    if not callable(function):
        raise ValueError("Argument `%s` must be a callable. Received %s=%r (of type %s)" % (what, what, function, type(function)))


def _type_text(value):
    return repr(TensorSpec(value.shape, value.dtype)) if isinstance(value, _native.Tensor) else str(type(value))


def _flat(result):
    return [] if result is None else _elements.flatten(result)


def _components(result):
    return [] if result is None else _elements.components_of(result)


def _dataset_of(variant_tensor, spec):
    types, shapes = _elements.native_specs(spec.element_spec)
    return Dataset(_native._dataset_of(variant_tensor, types, shapes), _elements.kinds_of(spec.element_spec))


def _packed(kinds, components):
    """The values that the components carry, as the program sees them."""
    def value(component, kind):
        if isinstance(kind, DatasetSpec):
            return _dataset_of(component, kind)
        return _sparse_components.deserialized(component, kind) if isinstance(kind, SparseTensorSpec) else component
    return _elements.pack(kinds, [value(component, kind) for component, kind in zip(components, _elements.flatten(kinds))])


def _class_of(spec):
    if isinstance(spec, DatasetSpec):
        return Dataset
    return _native.SparseTensor if isinstance(spec, SparseTensorSpec) else _native.Tensor


def _of_sparse(function, specs):
    """What says where sparse tensors and datasets are, the specs of sparse ones as `function` makes them."""
    return _elements.map_structure(lambda kind: function(kind) if isinstance(kind, SparseTensorSpec) else kind, _elements.kinds_of(specs))


def _rows_of(specs):
    return _of_sparse(_sparse_components.row, specs)


def _state_kinds(state):
    """Those of a state, which may have other shapes after a step: only the ranks of sparse tensors are known."""
    def of_rank(spec):
        return SparseTensorSpec(None if spec.shape.ndims is None else [None] * spec.shape.ndims, spec.dtype)
    return _of_sparse(of_rank, _elements.kinds_of(state))


def _check_state(state, new):
    """TypeError where sparse and dense tensors are in other places than before."""
    old, now = _elements.flatten(state), _elements.flatten(new)
    if len(old) != len(now) or all(isinstance(kind, SparseTensorSpec) == is_sparse(value) for kind, value in zip(old, now)):
        return
    classes = [_elements.pack(state, [kind(value) for value in values]) for kind, values in (
        (lambda spec: _native.SparseTensor if isinstance(spec, SparseTensorSpec) else _native.Tensor, old),
        (lambda value: _native.SparseTensor if is_sparse(value) else _native.Tensor, now))]
    raise TypeError("The element classes for the new state must match the initial state. Expected %s but got %s." % tuple(classes))


def _of_files(filenames, num_parallel_reads, of_one, of_all):
    """The elements of files, of so many at a time that take turns, as TensorFlow's do: `of_one` gives the dataset of a file, `of_all` the native
    one of a list."""
    if num_parallel_reads is None and not isinstance(filenames, Dataset):
        return of_all(filenames)
    names = filenames if isinstance(filenames, Dataset) else Dataset.from_tensor_slices(_native.reshape(_native.convert_to_tensor(filenames), [-1]))
    if num_parallel_reads is None:
        return names.flat_map(of_one)._native
    return names.interleave(of_one, num_parallel_reads, 1, num_parallel_reads)._native


class TextLineDataset(Dataset):
    """The lines of text files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        def lines(files):
            return _native._text_line_dataset(files, compression_type, buffer_size, name)
        super().__init__(_of_files(filenames, num_parallel_reads, lambda file: Dataset(lines(file), None), lines), None)


class TFRecordDataset(Dataset):
    """The records of TFRecord files."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        def records(files):
            return _native._tf_record_dataset(files, compression_type, buffer_size, name)
        super().__init__(_of_files(filenames, num_parallel_reads, lambda file: Dataset(records(file), None), records), None)


class FixedLengthRecordDataset(Dataset):
    """Pieces of files, of `record_bytes` bytes each."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
                 num_parallel_reads=None, name=None):
        def records(files):
            return _native._fixed_length_record_dataset(files, record_bytes, header_bytes, footer_bytes, buffer_size, compression_type, name)
        super().__init__(_of_files(filenames, num_parallel_reads, lambda file: Dataset(records(file), None), records), None)


class _OptionsOf:
    """Attributes of these names and types, and of no others. None: TensorFlow may choose."""

    def __init__(self, kind, types):
        self.__dict__.update(dict.fromkeys(types), _kind=kind, _types=types)

    def __setattr__(self, name, value):
        if name not in self._types:
            raise AttributeError("Cannot set the property %s on %s." % (name, self._kind))
        if value is not None and not isinstance(value, self._types[name]):
            raise TypeError("Property \"%s\" must be of type %s, got: %r (type: %s)" % (name, self._types[name], value, type(value)))
        self.__dict__[name] = value

    def __eq__(self, other):
        return isinstance(other, _OptionsOf) and self.__dict__ == other.__dict__

    __hash__ = None


_OPTIMIZATIONS = ("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch", "map_and_batch_fusion",
                  "map_and_filter_fusion", "map_fusion", "map_parallelization", "map_vectorization", "noop_elimination", "parallel_batch",
                  "shuffle_and_repeat_fusion", "hoist_random_uniform", "autotune", "autotune_buffers")


class Options(_OptionsOf):
    """tf.data.Options: how TensorFlow may run a dataset. Elements and their order are the same whatever they say."""

    def __init__(self):
        threading = _OptionsOf("ThreadingOptions", {"max_intra_op_parallelism": int, "private_threadpool_size": int})
        optimization = _OptionsOf("OptimizationOptions", dict.fromkeys(_OPTIMIZATIONS, bool))
        distribute = _OptionsOf("DistributeOptions", {"auto_shard": bool, "auto_shard_policy": object, "num_devices": int})
        autotune = _OptionsOf("AutotuneOptions", {"enabled": bool, "cpu_budget": int, "ram_budget": int})
        super().__init__("Options", {
            "deterministic": bool, "experimental_deterministic": bool, "experimental_slack": bool, "dataset_name": str, "framework_type": list,
            "experimental_external_state_policy": object, "experimental_stats": object, "experimental_numa_aware": bool,
            "experimental_warm_start": bool, "experimental_symbolic_checkpoint": bool, "experimental_threading": _OptionsOf, "threading": _OptionsOf,
            "experimental_optimization": _OptionsOf, "experimental_distribute": _OptionsOf, "autotune": _OptionsOf})
        self.threading = self.experimental_threading = threading
        self.experimental_optimization, self.experimental_distribute, self.autotune = optimization, distribute, autotune


class Iterator:
    """Where a walk through a dataset is."""

    def __init__(self, native, structure):
        self._native = native
        self._spec = _elements.specs_of(structure, native.output_types, native.output_shapes)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """One that no dataset belongs to yet: see make_initializer."""
        kinds, types, shapes = _kinds_types_shapes(output_types, output_shapes, output_classes)
        return Iterator(_native._iterator_from_structure(types, shapes, shared_name or ""), kinds)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator whose string_handle() is fed or given."""
        kinds, types, shapes = _kinds_types_shapes(output_types, output_shapes, output_classes)
        return Iterator(_native._iterator_from_string_handle(string_handle, types, shapes), kinds)

    @property
    def initializer(self):
        """Begins a walk through the dataset."""
        return self._native.initializer()

    def make_initializer(self, dataset, name=None):
        """Begins a walk through this dataset."""
        own, other = _elements.flatten(self._spec), _elements.flatten(dataset._spec)
        if [_class_of(spec) for spec in own] != [_class_of(spec) for spec in other]:
            raise TypeError("Expected output classes %r but got dataset with output classes %r." % (self.output_classes, dataset.output_classes))
        for spec, given in zip(own, other):
            if isinstance(spec, SparseTensorSpec) and not spec.shape.is_compatible_with(given.shape):
                raise TypeError("Expected output shapes compatible with %r but got dataset with output shapes %r."
                                % (self.output_shapes, dataset.output_shapes))
        return self._native.make_initializer(dataset._native, name)

    def get_next(self, name=None):
        """The next element; each of these nodes takes one in each step that needs it."""
        return _packed(self._spec, self._native.get_next(name))

    def string_handle(self, name=None):
        """A string that from_string_handle takes."""
        return self._native.string_handle(name)

    element_spec = Dataset.element_spec
    output_types = Dataset.output_types
    output_shapes = Dataset.output_shapes
    output_classes = Dataset.output_classes

    @property
    def _iterator_resource(self):
        return self._native.resource


class EagerIterator:
    """A walk through a dataset in eager execution: for element in dataset."""

    def __init__(self, dataset):
        if not _native.executing_eagerly():
            raise RuntimeError("tfe.Iterator is only available in eager mode: dataset.make_one_shot_iterator() walks through a dataset in graphs")
        self._iterator = dataset.make_one_shot_iterator()

    def __iter__(self):
        return self

    def __next__(self):
        from flowray.tf import errors
        try:
            return self._iterator.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    next = __next__

    def get_next(self, name=None):
        """The next element; errors.OutOfRangeError after the last."""
        return self._iterator.get_next(name)

    _iterator_resource = property(lambda self: self._iterator._iterator_resource)
    element_spec = property(lambda self: self._iterator.element_spec)
    output_types = property(lambda self: self._iterator.output_types)
    output_shapes = property(lambda self: self._iterator.output_shapes)
    output_classes = property(lambda self: self._iterator.output_classes)


def _kinds_types_shapes(output_types, output_shapes, output_classes):
    """What says which components are sparse, and the dtype and shape of each."""
    types = [_native.as_dtype(dtype) for dtype in _elements.flatten(output_types)]
    shapes = [TensorShape(None)] * len(types) if output_shapes is None else _shapes(output_types, output_shapes)
    classes = [_native.Tensor] * len(types)
    if output_classes is not None:
        classes = _one_for_each(output_types, output_classes, "output_classes")
    for cls in classes:
        if cls not in (_native.Tensor, _native.SparseTensor):
            raise NotImplementedError("components of class %r are not there yet: only tf.Tensor and tf.SparseTensor" % (cls,))
    specs = [SparseTensorSpec(shape, dtype) if cls is _native.SparseTensor else TensorSpec(shape, dtype)
             for cls, dtype, shape in zip(classes, types, shapes)]
    kinds = [spec if isinstance(spec, SparseTensorSpec) else None for spec in specs]
    return (_elements.pack(output_types, kinds), *_elements.native_specs(tuple(specs)))


def make_one_shot_iterator(dataset):
    """dataset.make_one_shot_iterator()"""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    """dataset.make_initializable_iterator(shared_name)"""
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    """Of each component."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    """Of each component."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    """Of each component."""
    return dataset_or_iterator.output_classes


# ---- tf.data.experimental and tf.contrib.data: functions for Dataset.apply

def cardinality(dataset):
    """Dataset.cardinality"""
    return dataset.cardinality()


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """map and batch as one."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
                         "`num_parallel_batches` was set to %s and `num_parallel_calls` was set to %s."
                         % (num_parallel_batches, num_parallel_calls))
    calls = num_parallel_calls if num_parallel_batches is None else batch_size * num_parallel_batches
    return lambda dataset: dataset._map_and_batch(map_func, batch_size, calls, drop_remainder)


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """Dataset.sample_from_datasets"""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """Dataset.choose_from_datasets, which passes over datasets that have no more elements."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


class RandomDataset(Dataset):
    """Dataset.random"""

    def __init__(self, seed=None):
        super().__init__(_native._random_dataset(seed, None), None)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch():
    """Dataset.unbatch"""
    return lambda dataset: dataset.unbatch()


def take_while(predicate):
    """Dataset.take_while"""
    return lambda dataset: dataset.take_while(predicate)


def ignore_errors(log_warning=False):
    """Dataset.ignore_errors"""
    return lambda dataset: dataset.ignore_errors(log_warning)


def enumerate_dataset(start=0):
    """Dataset.enumerate"""
    return lambda dataset: dataset.enumerate(start)


def scan(initial_state, scan_func):
    """Dataset.scan"""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """Dataset.group_by_window"""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def unique():
    """Dataset.unique"""
    return lambda dataset: dataset.unique()


def get_single_element(dataset):
    """dataset.get_single_element()"""
    return dataset.get_single_element()


def batch_and_drop_remainder(batch_size):
    """Dataset.batch without a smaller last batch."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)
