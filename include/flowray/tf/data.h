#pragma once
/// tf.data: datasets, which are sequences of elements that a step reads one by one, and the iterators that
/// walk through them. An element is one tensor or several, its components.
///
///     auto numbers = tf::data::Dataset::from_tensor_slices({features, labels})
///                        .map([](auto x, auto y) { return std::tuple(x / 255.0f, y); })
///                        .shuffle(10000).repeat().batch(32);
///     tf::data::Iterator iterator = numbers.make_one_shot_iterator();
///     auto [x, y] = iterator.get_next<2>();
///
/// A dataset is a node of the graph: what it reads is computed when its iterator is initialized, and
/// functions given to it are called once, when it is made, to build a function of the graph's library.
/// Errors: OutOfRangeError "End of sequence" from a step that asks for an element behind the last one.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/several.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::data {

/// tf.data.AUTOTUNE: as many calls at once, or elements ahead, as seems good.
inline constexpr int64_t AUTOTUNE = -1;
/// What Dataset::cardinality gives of a dataset without end.
inline constexpr int64_t INFINITE_CARDINALITY = -1;
/// And of one whose elements would have to be counted, or are more than int64 has numbers for.
inline constexpr int64_t UNKNOWN_CARDINALITY = -2;

/// What is known of a component of the elements.
struct TensorSpec {
  /// The dtype; kInvalid: not set.
  DType dtype = DType::kInvalid;
  /// The shape, as far as it is known.
  TensorShape shape = TensorShape::unknown_rank();
  /// For a component that is itself a dataset (Dataset::window), whose dtype is variant: its components.
  std::vector<TensorSpec> dataset = {};

  /// Whether dtypes and shapes are the same.
  bool operator==(const TensorSpec&) const = default;
};

/// The components of the next element; none behind the last one.
using GeneratedElement = std::optional<std::vector<Array>>;
/// Makes the elements of one walk, one after the other.
using ElementGenerator = std::function<GeneratedElement()>;

class Dataset;
class Iterator;

/// Where a loop over a dataset's elements is: an input iterator, whose end is std::default_sentinel.
class ElementIterator {
 public:
  using value_type = std::vector<Array>;
  using difference_type = std::ptrdiff_t;

  /// The components of the element.
  const std::vector<Array>& operator*() const { return element_; }
  /// As operator*.
  const std::vector<Array>* operator->() const { return &element_; }
  /// Goes to the next element, which is made now. Throws what making it throws.
  ElementIterator& operator++();
  /// The same; the element before is not kept.
  void operator++(int) { ++*this; }
  /// Whether there are no more elements.
  bool operator==(std::default_sentinel_t) const { return state_ == nullptr; }

 private:
  friend class Dataset;
  struct State;
  explicit ElementIterator(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // null behind the last element
  std::vector<Array> element_;
};

struct BatchOptions {
  /// Whether a last batch with fewer elements is left out; the batch's size is then known.
  OptionalInput drop_remainder = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct PaddedBatchOptions {
  /// What components are padded to, one for each; an unknown dimension: to the longest of the batch. Empty:
  /// the components' shapes.
  std::vector<TensorShape> padded_shapes = {};
  /// Scalars, one for each component; empty: 0 or "".
  std::vector<Input> padding_values = {};
  /// Whether a last batch with fewer elements is left out; left out: it is not.
  OptionalInput drop_remainder = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct ShuffleOptions {
  /// With the graph's seed it decides the order; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// Whether each walk through it has another order; false where epochs must have the same one.
  bool reshuffle_each_iteration = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct WindowOptions {
  /// How many elements later the next window begins; empty: its size.
  OptionalInput shift = {};
  /// How far apart its elements are.
  OptionalInput stride = {};
  /// Whether a last window with fewer elements is left out; left out: it is not.
  OptionalInput drop_remainder = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct MapOptions {
  /// How many elements are worked on at once; empty: one.
  OptionalInput num_parallel_calls = {};
  /// Whether parallel results keep their order; empty: they do.
  std::optional<bool> deterministic = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct InterleaveOptions {
  /// How many inner datasets are open at once, and how many elements in a row each gives.
  Input cycle_length = AUTOTUNE;
  /// How many elements in a row each open dataset gives before it is the next one's turn.
  Input block_length = 1;
  /// How many of them are read at once; empty: one.
  OptionalInput num_parallel_calls = {};
  /// Whether parallel results keep their order; empty: they do.
  std::optional<bool> deterministic = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct FilesOptions {
  /// How the files are compressed: "" (not at all), "ZLIB" or "GZIP".
  OptionalInput compression_type = {};
  /// Bytes that are read ahead.
  OptionalInput buffer_size = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct FixedLengthRecordOptions {
  /// Bytes at a file's beginning and end that are not records.
  OptionalInput header_bytes = {};
  /// Bytes at a file's end that are not records.
  OptionalInput footer_bytes = {};
  /// Bytes that are read ahead.
  OptionalInput buffer_size = {};
  /// How the files are compressed: "" (not at all), "ZLIB" or "GZIP".
  OptionalInput compression_type = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct CsvOptions {
  /// How the files are compressed: "" (not at all), "ZLIB" or "GZIP".
  OptionalInput compression_type = {};
  /// Bytes that are read ahead.
  OptionalInput buffer_size = {};
  /// Whether the first record of each file is a header, which is left out.
  Input header = false;
  /// The one character between fields.
  Input field_delim = ",";
  /// Whether a field in double quotes may have everything in it.
  Input use_quote_delim = true;
  /// What stands for a missing value, beside nothing.
  Input na_value = "";
  /// The columns that are wanted, from 0, in rising order; empty: all.
  std::vector<int64_t> select_cols = {};
};
struct IdxOptions {
  /// Of an image, in pixels.
  int64_t rows = 28;
  /// Of an image, in pixels.
  int64_t columns = 28;
  /// How the files are compressed: "" (not at all), "ZLIB" or "GZIP".
  OptionalInput compression_type = {};
};
struct ListFilesOptions {
  /// Whether the names come in random order, so that training mixes files; false for the same order in each
  /// run.
  bool shuffle = true;
  /// With the graph's seed it decides that order; left out: the graph's alone, or none that can be repeated.
  std::optional<int64_t> seed = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct InitializableIteratorOptions {
  /// Iterators of that name in the session's containers are one.
  std::string shared_name = {};
};

namespace internal {
using tf::internal::OneOrSeveral;

/// Takes the components of an element.
using ElementFunction = std::function<std::vector<Input>(const std::vector<Tensor>&)>;
using DatasetFunction = std::function<Dataset(const std::vector<Tensor>&)>;

/// How many tensors a function takes that takes no list of them: 1 to 8; 0 for none of these.
template <class F, size_t N = 1>
constexpr size_t number_of_arguments() {
  if constexpr (N > 8) {
    return 0;
  } else if constexpr (tf::internal::TakesTensors<F, N>) {
    return N;
  } else {
    return number_of_arguments<F, N + 1>();
  }
}
/// A function of one to eight tensors, or of a list of them. (One that takes anything takes a tensor.)
template <class F>
concept OfElement = number_of_arguments<F>() != 0 || tf::internal::TakesList<F>;

[[noreturn]] void throw_number_of_components(size_t takes, size_t components);

[[noreturn]] void throw_no_function(std::string_view argument, Input::Where where);
/// Throws ValueError for a std::function without a function in it.
template <class F>
void check_function(const F& function, std::string_view argument, Input::Where where) {
  if (tf::internal::is_unset(function)) throw_no_function(argument, where);
}

template <OfElement F>
decltype(auto) call_of_element(const F& fn, const std::vector<Tensor>& components) {
  constexpr size_t kTakes = number_of_arguments<F>();
  if constexpr (kTakes != 0) {
    if (components.size() != kTakes) throw_number_of_components(kTakes, components.size());
    return tf::internal::call_with<kTakes>(fn, components);
  } else {
    return fn(components);
  }
}
template <OfElement F>
using ResultOf =
    std::remove_cvref_t<decltype(call_of_element(std::declval<const F&>(), std::vector<Tensor>()))>;
/// Takes a key, a scalar of int64, and the dataset of the elements that have it.
using GroupFunction = std::function<Dataset(const Tensor& key, const Dataset& group)>;
/// Gives a component or several.
template <class F>
concept GivesElement = OfElement<F> && OneOrSeveral<ResultOf<F>, Input>;
template <class F>
concept GivesDataset = OfElement<F> && std::same_as<ResultOf<F>, Dataset>;
}  // namespace internal

/// tf.data.Dataset. A cheap handle; a default-made one is "none".
class Dataset {
 public:
  Dataset() = default;
  /// The dataset behind a variant tensor, such as a component of Dataset::window's elements.
  Dataset(Tensor variant_tensor, std::vector<TensorSpec> element_spec);

  /// Whether it is a dataset at all.
  bool has_value() const { return variant_.has_value(); }
  /// The scalar of dtype variant that stands for it in the graph.
  const Tensor& variant_tensor() const { return variant_; }
  /// What is known of each component: dtype and shape.
  const std::vector<TensorSpec>& element_spec() const { return spec_; }
  /// The dtype of each component.
  std::vector<DType> output_types() const;
  /// The shape of each component, as far as it is known.
  std::vector<TensorShape> output_shapes() const;

  // ---- sources

  /// One element, whose components these are.
  static Dataset from_tensors(const List<Input>& tensors, const NameOption& options = {});
  /// The same of one component.
  template <InputLike T>
  static Dataset from_tensors(const T& tensor, const NameOption& options = {},
                              Input::Where where = Input::Where::current()) {
    return from_tensors(one_component(tensor, where), options);
  }
  /// An element for each row. Throws ValueError for scalars, and for tensors of other numbers of rows.
  ///
  ///     from_tensor_slices(features)            elements of one component, the rows
  ///     from_tensor_slices({features, labels})  of two, as of a tuple in Python
  ///     from_tensor_slices({1.0, 2.0, 3.0})     of numbers alone: a vector, as a list is in Python
  static Dataset from_tensor_slices(const List<Input>& tensors, const NameOption& options = {});
  /// The same of one component.
  template <InputLike T>
  static Dataset from_tensor_slices(const T& tensor, const NameOption& options = {},
                                    Input::Where where = Input::Where::current()) {
    return slices_of(one_component(tensor, where), options);
  }
  /// Elements that a function of the program makes: each walk calls `generator` once, and what it gives for
  /// each element, as of tf::py_func. An error that they throw is the step's, and the walk goes on behind it;
  /// OutOfRangeError ends it. The step throws InvalidArgumentError for other dtypes, shapes or numbers of
  /// components than `element_spec` says. Throws ValueError for an empty `generator`.
  ///
  ///     auto squares = tf::data::Dataset::from_generator(
  ///         [] {
  ///           return [i = 0]() mutable -> tf::data::GeneratedElement {
  ///             if (i == 3) return std::nullopt;
  ///             ++i;
  ///             return {{i * i}};
  ///           };
  ///         },
  ///         {{tf::int32, {}}});
  static Dataset from_generator(const std::function<ElementGenerator()>& generator,
                                const std::vector<TensorSpec>& element_spec, const NameOption& options = {},
                                Input::Where where = Input::Where::current());
  /// 0, 1, ... stop - 1, of int64.
  static Dataset range(const Input& stop, const NameOption& options = {});
  /// The same from `start` on, by `step`, which may be negative and must not be 0 (InvalidArgumentError of
  /// the walk).
  static Dataset range(const Input& start, const Input& stop, const Input& step = 1,
                       const NameOption& options = {});
  /// The names of the files that match, one for each element: `file_pattern` is a glob pattern or several.
  /// The step throws InvalidArgumentError where none does.
  static Dataset list_files(const Input& file_pattern, const ListFilesOptions& options = {});
  /// Elements with the components of an element of each. Ends with the shortest.
  static Dataset zip(const List<Dataset>& datasets, const NameOption& options = {});

  // ---- transformations; each gives a dataset and leaves this one as it is

  /// `batch_size` elements stacked; int64 and at least 1.
  Dataset batch(const Input& batch_size, const BatchOptions& options = {}) const;
  /// `batch_size` elements stacked, which need not have one shape: they are padded.
  Dataset padded_batch(const Input& batch_size, const PaddedBatchOptions& options = {}) const;
  /// The rows of elements as elements. Throws ValueError for scalars.
  Dataset unbatch(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// Datasets of `size` elements.
  Dataset window(const Input& size, const WindowOptions& options = {}) const;
  /// Picks from a buffer of so many elements by chance.
  Dataset shuffle(const Input& buffer_size, const ShuffleOptions& options = {}) const;
  /// The elements `count` times over; -1: without end.
  Dataset repeat(const Input& count = -1, const NameOption& options = {}) const;
  /// The first `count`; -1: all.
  Dataset take(const Input& count, const NameOption& options = {}) const;
  /// The dataset without its first `count` elements; -1: without any.
  Dataset skip(const Input& count, const NameOption& options = {}) const;
  /// Elements index, index + num_shards, index + 2 num_shards, ... Throws InvalidArgumentError for numbers
  /// that do not fit.
  Dataset shard(const Input& num_shards, const Input& index, const NameOption& options = {}) const;
  /// Keeps what the first walk gives, in memory or, where `filename` is not empty, in a checkpoint of that
  /// name: it is there when a walk has come to the end, and the next ones read it. A walk throws
  /// AlreadyExistsError while another one writes.
  Dataset cache(const Input& filename = "", const NameOption& options = {}) const;
  /// Makes `buffer_size` elements before they are asked for.
  Dataset prefetch(const Input& buffer_size, const NameOption& options = {}) const;
  /// The elements of this one, then those of another one. Throws TypeError, ValueError where elements differ
  /// in dtype or number.
  Dataset concatenate(const Dataset& dataset, const NameOption& options = {},
                      Input::Where where = Input::Where::current()) const;
  /// The dataset without the elements that cannot be made; with `log_warning`, their errors are printed.
  Dataset ignore_errors(bool log_warning = false, const NameOption& options = {},
                        Input::Where where = Input::Where::current()) const;
  /// With a number before the components: start, start + 1, ...
  Dataset enumerate(const Input& start = 0, const NameOption& options = {}) const;

  /// What `fn` gives for each element: it takes the components (or a vector of them), and gives one, or a
  /// tuple or vector of several.
  template <internal::GivesElement F>
  Dataset map(const F& fn, const MapOptions& options = {},
              Input::Where where = Input::Where::current()) const {
    internal::check_function(fn, "fn", where);
    return map_elements(element_function(fn), options, where);
  }
  /// The elements for which `predicate` gives true.
  template <internal::GivesElement F>
  Dataset filter(const F& predicate, const NameOption& options = {},
                 Input::Where where = Input::Where::current()) const {
    internal::check_function(predicate, "predicate", where);
    return filter_elements("FilterDataset", element_function(predicate), options, where);
  }
  /// The elements before the first one for which `predicate` gives false.
  template <internal::GivesElement F>
  Dataset take_while(const F& predicate, const NameOption& options = {},
                     Input::Where where = Input::Where::current()) const {
    internal::check_function(predicate, "predicate", where);
    return filter_elements("TakeWhileDataset", element_function(predicate), options, where);
  }
  /// The elements of the datasets that `fn` gives, one dataset after the other.
  template <internal::GivesDataset F>
  Dataset flat_map(const F& fn, const NameOption& options = {},
                   Input::Where where = Input::Where::current()) const {
    internal::check_function(fn, "fn", where);
    return flat_map_elements(dataset_function(fn), options, where);
  }
  /// The elements of the datasets that `fn` gives, several of them taking turns.
  template <internal::GivesDataset F>
  Dataset interleave(const F& fn, const InterleaveOptions& options = {},
                     Input::Where where = Input::Where::current()) const {
    internal::check_function(fn, "fn", where);
    return interleave_elements(dataset_function(fn), options, where);
  }

  /// Elements that follow from those before: `fn` takes the state, then the components, and gives the new
  /// state, then the components of the element. Throws TypeError where the state changes its number of
  /// tensors or a dtype.
  template <internal::GivesElement F>
  Dataset scan(const List<Input>& initial_state, const F& fn, const NameOption& options = {}) const {
    internal::check_function(fn, "fn", initial_state.where());
    return scan_elements(initial_state, element_function(fn), options);
  }
  /// Sorts elements by a key: `key_fn` gives it for each, a scalar integer. Each `window_size` elements of
  /// one key, and at the end those that are left, become the dataset that `reduce_fn(key,
  /// group)` makes of them.
  template <internal::GivesElement F>
  Dataset group_by_window(const F& key_fn, const internal::GroupFunction& reduce_fn, const Input& window_size,
                          const NameOption& options = {}) const {
    internal::check_function(key_fn, "key_fn", window_size.where());
    return group_elements(
        element_function(key_fn), reduce_fn,
        [&window_size](const std::vector<Tensor>&) { return std::vector<Input>{window_size}; }, options,
        window_size.where());
  }
  /// The same where `window_size_fn` gives the size for each key.
  template <internal::GivesElement F, internal::GivesElement G>
    requires(!InputLike<G>)
  Dataset group_by_window(const F& key_fn, const internal::GroupFunction& reduce_fn, const G& window_size_fn,
                          const NameOption& options = {},
                          Input::Where where = Input::Where::current()) const {
    internal::check_function(key_fn, "key_fn", where);
    internal::check_function(window_size_fn, "window_size_fn", where);
    return group_elements(element_function(key_fn), reduce_fn, element_function(window_size_fn), options,
                          where);
  }
  /// The dataset without elements that were there before; they have one component, int32, int64 or string.
  Dataset unique(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;

  // ---- what a step computes of all elements

  /// The state after the last element: `fn` takes the state, then the components, and gives the new state.
  /// Throws TypeError where the state changes its number of tensors or a dtype.
  ///
  ///     auto numbers = tf::data::Dataset::range(5);
  ///     tf::Tensor sum = numbers.reduce({int64_t{0}}, [](auto sum, auto x) { return sum + x; })[0];
  template <internal::GivesElement F>
  std::vector<Tensor> reduce(const List<Input>& initial_state, const F& fn,
                             const NameOption& options = {}) const {
    internal::check_function(fn, "fn", initial_state.where());
    return reduce_elements(initial_state, element_function(fn), options);
  }
  /// The components of its only element. The step throws InvalidArgumentError where there is none, or more.
  std::vector<Tensor> get_single_element(const NameOption& options = {},
                                         Input::Where where = Input::Where::current()) const;

  /// How many elements it has, int64, without a walk through it: INFINITE_CARDINALITY and
  /// UNKNOWN_CARDINALITY are answers, too.
  Tensor cardinality(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;

  // ---- iterators

  /// Walks through it once, without being initialized. Throws ValueError where it depends on a variable, a
  /// placeholder or another thing with a state.
  Iterator make_one_shot_iterator(Input::Where where = Input::Where::current()) const;
  /// Walks through it each time that its initializer has run.
  Iterator make_initializable_iterator(const InitializableIteratorOptions& options = {},
                                       Input::Where where = Input::Where::current()) const;

  /// A loop over the elements, outside of a graph's steps:
  ///
  ///     for (const std::vector<Array>& batch : dataset.batch(32)) use(batch[0]);
  ///
  /// It adds an iterator to the graph and runs it in the default session of this thread, if that is one of
  /// this graph, else in a session of its own, which knows no values of variables.
  ElementIterator begin(Input::Where where = Input::Where::current()) const;
  /// The end of the loop.
  std::default_sentinel_t end() const { return {}; }

  // ---- what the templates call, with lists

  /// from_tensor_slices of components.
  static Dataset slices_of(const List<Input>& components, const NameOption& options);
  /// map of a function of lists.
  Dataset map_elements(const internal::ElementFunction& fn, const MapOptions& options,
                       Input::Where where) const;
  /// filter or take_while, as `op` says.
  Dataset filter_elements(const char* op, const internal::ElementFunction& predicate,
                          const NameOption& options, Input::Where where) const;
  /// flat_map of a function of lists.
  Dataset flat_map_elements(const internal::DatasetFunction& fn, const NameOption& options,
                            Input::Where where) const;
  /// scan of a function of lists.
  Dataset scan_elements(const List<Input>& initial_state, const internal::ElementFunction& fn,
                        const NameOption& options) const;
  /// reduce of a function of lists.
  std::vector<Tensor> reduce_elements(const List<Input>& initial_state, const internal::ElementFunction& fn,
                                      const NameOption& options) const;
  /// group_by_window of functions of lists.
  Dataset group_elements(const internal::ElementFunction& key_fn, const internal::GroupFunction& reduce_fn,
                         const internal::ElementFunction& window_size_fn, const NameOption& options,
                         Input::Where where) const;
  /// interleave of a function of lists.
  Dataset interleave_elements(const internal::DatasetFunction& fn, const InterleaveOptions& options,
                              Input::Where where) const;

 private:
  template <class T>
  static List<Input> one_component(const T& tensor, Input::Where where) {
    if constexpr (std::constructible_from<Input, const T&, Input::Where>) {
      return List<Input>(std::vector<Input>{Input(tensor, where)}, where);
    } else {
      return List<Input>(std::vector<Input>{tensor}, where);
    }
  }
  template <class F>
  static internal::ElementFunction element_function(const F& fn) {
    return [&fn](const std::vector<Tensor>& components) {
      return tf::internal::list_of<Input>(internal::call_of_element(fn, components));
    };
  }
  template <class F>
  static internal::DatasetFunction dataset_function(const F& fn) {
    return [&fn](const std::vector<Tensor>& components) { return internal::call_of_element(fn, components); };
  }

  Tensor variant_;
  std::vector<TensorSpec> spec_;
};

/// The lines of text files, without their ends, as scalar strings.
Dataset text_line_dataset(const Input& filenames, const FilesOptions& options = {});
/// The records of TFRecord files.
Dataset tf_record_dataset(const Input& filenames, const FilesOptions& options = {});
/// Pieces of `record_bytes` bytes.
Dataset fixed_length_record_dataset(const Input& filenames, const Input& record_bytes,
                                    const FixedLengthRecordOptions& options = {});

/// What a column of CSV files has where a record has nothing in it.
class RecordDefault {
 public:
  /// float32, float64, int32, int64 or string: each record must have a value there.
  RecordDefault(DType required) : required_(required) {}  // NOLINT: implicit, as the other one
  /// This scalar, whose dtype is the column's.
  template <InputLike T>
  RecordDefault(const T& value) : value_(Input(value)) {}

  /// kInvalid where there is a value.
  DType required() const { return required_; }
  /// Unset where a record must have one.
  const OptionalInput& value() const { return value_; }

 private:
  DType required_ = DType::kInvalid;
  OptionalInput value_;
};

/// The records of CSV files, by RFC 4180, a component for each column:
///
///     tf::data::csv_dataset("flowers.csv", {tf::float32, 0.5f, "unknown"}, {.header = true})
///
/// The step throws InvalidArgumentError for a record that is not such a one; the next step goes on behind it.
Dataset csv_dataset(const Input& filenames, const std::vector<RecordDefault>& record_defaults,
                    const CsvOptions& options = {});
/// Images and labels of idx files, as MNIST and Fashion-MNIST come: uint8 of [rows, columns], and a scalar
/// uint8. The files' own sizes are not looked at; InvalidArgumentError where the last image is not whole.
Dataset idx_dataset(const Input& images, const Input& labels, const IdxOptions& options = {});

/// Elements that functions of the graph make: `init` gives the state of a walk, `next` of that state the
/// components of an element, until it fails with OutOfRangeError, and what `finalize` gives of the state ends
/// it. tf.data.Dataset.from_generator is made of it.
Dataset generator_dataset(const internal::ElementFunction& init, const internal::ElementFunction& next,
                          const internal::ElementFunction& finalize, const NameOption& options = {},
                          Input::Where where = Input::Where::current());

/// tf.data.Iterator: where a walk through a dataset is.
class Iterator {
 public:
  Iterator() = default;

  /// One that no dataset belongs to yet: see make_initializer.
  static Iterator from_structure(std::vector<TensorSpec> element_spec,
                                 const InitializableIteratorOptions& options = {},
                                 Input::Where where = Input::Where::current());
  /// The iterator, of this session, whose string_handle() is fed or given.
  static Iterator from_string_handle(const Input& string_handle, std::vector<TensorSpec> element_spec);

  /// Whether it is an iterator at all.
  bool has_value() const { return resource_.has_value(); }
  /// The components of the next element; each of these nodes takes one in each step that needs it.
  std::vector<Tensor> get_next(const NameOption& options = {},
                               Input::Where where = Input::Where::current()) const;
  /// N of them as an array; one alone as itself. Throws ValueError for another number.
  template <size_t N>
  tf::internal::OneOrArray<N> get_next(const NameOption& options = {},
                                       Input::Where where = Input::Where::current()) const {
    check_number_of_components(N, where);
    return tf::internal::one_or_array<N>(get_next(options, where));
  }
  /// Begins a walk through the dataset of make_initializable_iterator. Throws ValueError for other iterators.
  Operation initializer(Input::Where where = Input::Where::current()) const;
  /// Begins one through this dataset, whose elements must be of the iterator's dtypes and shapes: TypeError.
  Operation make_initializer(const Dataset& dataset, const NameOption& options = {},
                             Input::Where where = Input::Where::current()) const;
  /// A string that from_string_handle takes.
  Tensor string_handle(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// The resource that stands for it in the graph.
  const Tensor& resource() const { return resource_; }
  /// What is known of each component: dtype and shape.
  const std::vector<TensorSpec>& element_spec() const { return spec_; }

 private:
  friend class Dataset;
  Iterator(Tensor resource, Operation initializer, std::vector<TensorSpec> spec, bool is_one_shot,
           Input::Where where);
  void check_number_of_components(size_t asked, Input::Where where) const;

  Tensor resource_;
  Operation initializer_;
  Tensor string_handle_;
  std::vector<TensorSpec> spec_;
  bool is_one_shot_ = false;
};

}  // namespace flowray::tf::data

#pragma GCC visibility pop
