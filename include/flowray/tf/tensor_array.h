#pragma once
/// tf.TensorArray: a list of tensors that loops write and read by number, and what is made of it: tf.map_fn,
/// tf.foldl, tf.foldr and tf.scan. Gradients flow through all of them.

#include <flowray/tf/control_flow.h>
#include <flowray/tf/input.h>
#include <flowray/tf/several.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct TensorArrayOptions {
  /// How many elements; more can be written where `dynamic_size` is set.
  OptionalInput size = {};
  /// Whether it grows when something is written beyond its end; needed where the number of elements is not
  /// known; false: that is an error of the step.
  bool dynamic_size = false;
  /// Whether reading an element throws it away, so that it can be read once; false where an element is read
  /// several times; its memory stays until the step ends.
  bool clear_after_read = true;
  /// What the array is called inside of a step, with a number behind it.
  std::string tensor_array_name = {};
  /// Another array's handle, and what its operations wait for: no node is made.
  Tensor handle = {};
  /// The flow of the array whose handle is given; ValueError for a handle without.
  Tensor flow = {};
  /// Whether all elements have one shape, which writing then tells and checks; false for elements of
  /// different shapes.
  bool infer_shape = true;
  /// What the elements' shape is known to be.
  TensorShape element_shape = TensorShape::unknown_rank();
  /// Whether the array is placed with the first value that is written; false leaves it to the device scopes
  /// around.
  bool colocate_with_first_write_call = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

/// A handle; copies stand for the same array at the same time. What changes the array gives a new handle,
/// whose operations run after it: `array = array.write(i, x);`. As a loop's variable stands its `flow()`, and
/// the loop's body makes the handle anew: `array.with_flow(values[1])`.
class TensorArray {
 public:
  /// Throws ValueError for neither or both of size and handle.
  explicit TensorArray(DType dtype, const TensorArrayOptions& options = {},
                       Input::Where where = Input::Where::current());

  /// The dtype of the elements.
  DType dtype() const;
  /// What the nodes know the array by.
  const Tensor& handle() const;
  /// A float scalar that hands on the order of writes and reads: it goes through loops in place of the array.
  const Tensor& flow() const { return flow_; }
  /// The shape of the elements, as far as it is known.
  const TensorShape& element_shape() const;
  /// Whether it grows when something is written beyond its end.
  bool dynamic_size() const;
  /// The same array, whose operations run after what `flow` comes from.
  TensorArray with_flow(const Tensor& flow) const;

  /// The element of this number, an int32 scalar. In a step: InvalidArgumentError for one out of range.
  Tensor read(const Input& index, const NameOption& options = {}) const;
  /// Throws ValueError "Inconsistent shapes: saw ... but expected ..." for a value of another shape.
  TensorArray write(const Input& index, const Input& value, const NameOption& options = {}) const;
  /// All elements along a new dimension 0; they have one shape.
  Tensor stack(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// The elements of these numbers, int32 [n], along a new dimension 0.
  Tensor gather(const Input& indices, const NameOption& options = {}) const;
  /// The elements one behind the other along their dimension 0.
  Tensor concat(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// Row i of `value` becomes element i: the reverse of stack.
  TensorArray unstack(const Input& value, const NameOption& options = {}) const;
  /// Row i of `value` becomes the element indices[i], int32 [n].
  TensorArray scatter(const Input& indices, const Input& value, const NameOption& options = {}) const;
  /// The first lengths[0] rows of `value` become element 0, the next ones element 1, and so on.
  TensorArray split(const Input& value, const Input& lengths, const NameOption& options = {}) const;
  /// The number of elements, an int32 scalar.
  Tensor size(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// Frees the elements when it runs.
  Operation close(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// The same array with operations that wait for the control dependencies around.
  TensorArray identity(Input::Where where = Input::Where::current()) const;

 private:
  struct State;
  TensorArray(std::shared_ptr<State> state, Tensor flow) : state_(std::move(state)), flow_(std::move(flow)) {}
  void check_element_shape(const TensorShape& shape) const;

  std::shared_ptr<State> state_;
  Tensor flow_;
};

// ---- loops over the rows of tensors

struct MapFnOptions {
  /// The dtypes of what the function gives; empty: those of the tensors.
  std::vector<DType> dtypes = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here. Set it for a graph that TensorFlow is to run on a GPU
  /// with too little memory for what the loop remembers.
  bool swap_memory = false;
  /// Whether all results have one shape; false where they differ.
  bool infer_shape = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Takes a row of each tensor.
using RowFunction = std::function<std::vector<Input>(const std::vector<Tensor>&)>;
namespace internal {
std::vector<Tensor> map_rows(const RowFunction& fn, const std::vector<Input>& elems,
                             const MapFnOptions& options = {}, Input::Where where = Input::Where::current());
}  // namespace internal

/// tf.map_fn: what `fn` gives for each row, stacked. It takes a list of the tensors' rows and gives a list.
/// Throws ValueError for scalars.
template <class F, internal::InList T>
std::vector<Tensor> map_fn(const F& fn, const std::vector<T>& elems, const MapFnOptions& options = {},
                           Input::Where where = Input::Where::current()) {
  internal::check_callable(fn, "fn", where);
  return internal::map_rows([&](const std::vector<Tensor>& row) { return internal::list_of<Input>(fn(row)); },
                            std::vector<Input>(elems.begin(), elems.end()), options, where);
}
/// Of so many tensors: `fn` takes as many rows. Where it gives one value the result is a tensor, and an array
/// where it gives a tuple.
///
///     auto [sums, products] = tf::map_fn([](auto a, auto b) { return std::tuple(a + b, a * b); }, {x, y});
template <size_t N, class F>
auto map_fn(const F& fn, const Input (&elems)[N], const MapFnOptions& options = {},
            Input::Where where = Input::Where::current()) {
  internal::check_callable(fn, "fn", where);
  const std::vector<Input> list(std::begin(elems), std::end(elems));
  if constexpr (internal::TakesTensors<F, N>) {
    using Result = std::remove_cvref_t<decltype(internal::call_with<N>(fn, std::vector<Tensor>()))>;
    return internal::shaped_as<Result, Input>(internal::map_rows(
        [&](const std::vector<Tensor>& row) {
          return internal::list_of<Input>(internal::call_with<N>(fn, row));
        },
        list, options, where));
  } else {
    return map_fn(fn, list, options, where);
  }
}
/// The same of one tensor: tf::map_fn([](auto row) { return row * row; }, x).
template <class F, InputLike T>
auto map_fn(const F& fn, const T& elems, const MapFnOptions& options = {},
            Input::Where where = Input::Where::current()) {
  return map_fn(fn, {Input(elems, where)}, options, where);
}

struct FoldOptions {
  /// What the first call gets; empty: the first rows, of which there must be as many as results.
  std::vector<Input> initializer = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here. Set it for a graph that TensorFlow is to run on a GPU
  /// with too little memory for what the loop remembers.
  bool swap_memory = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Takes what the last call gave, and a row of each tensor.
using FoldFunction =
    std::function<std::vector<Input>(const std::vector<Tensor>& before, const std::vector<Tensor>& row)>;

struct ScanOptions {
  /// What the first call gets; empty: the first rows.
  std::vector<Input> initializer = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here. Set it for a graph that TensorFlow is to run on a GPU
  /// with too little memory for what the loop remembers.
  bool swap_memory = false;
  /// Whether elements written must have the shape of the first, which is then known; false where they differ.
  bool infer_shape = true;
  /// Whether it begins with the last row. For recurrences from the end, as of discounted rewards.
  bool reverse = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
namespace internal {
std::vector<Tensor> foldl_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                               const FoldOptions& options = {}, Input::Where where = Input::Where::current());
std::vector<Tensor> foldr_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                               const FoldOptions& options = {}, Input::Where where = Input::Where::current());
std::vector<Tensor> scan_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                              const ScanOptions& options = {}, Input::Where where = Input::Where::current());

/// Throws ValueError unless as many values go from call to call as the function takes.
void check_initializer(size_t given, size_t taken);

/// One of these three, of N tensors and M values that go from call to call: `fn` takes arrays of them, or a
/// tensor for an array of one, or two lists.
template <size_t M, size_t N, class Rows, class F, class Options>
auto fold_rows(Rows rows, const F& fn, const std::vector<Input>& elems, const Options& options,
               Input::Where where) {
  check_callable(fn, "fn", where);
  if constexpr (std::is_invocable_v<const F&, const OneOrArray<M>&, const OneOrArray<N>&>) {
    using Result =
        std::remove_cvref_t<std::invoke_result_t<const F&, const OneOrArray<M>&, const OneOrArray<N>&>>;
    static_assert(
        !TupleLike<Result> || requires { requires std::tuple_size<Result>::value == M; },
        "the function must give as many values as go from call to call: those of the initializer, or "
        "one for each tensor");
    const auto next = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& row) {
      check_initializer(before.size(), M);
      return list_of<Input>(fn(one_or_array<M>(before), one_or_array<N>(row)));
    };
    return shaped_as<Result, Input>(rows(next, elems, options, where));
  } else {
    const auto next = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& row) {
      return list_of<Input>(fn(before, row));
    };
    return rows(next, elems, options, where);
  }
}
}  // namespace internal

/// tf.foldl: what the last call gives. `fn` takes what the last call gave, and a row of each tensor, both as
/// lists, and gives a list.
template <class F, internal::InList T>
std::vector<Tensor> foldl(const F& fn, const std::vector<T>& elems, const FoldOptions& options = {},
                          Input::Where where = Input::Where::current()) {
  internal::check_callable(fn, "fn", where);
  const auto next = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& row) {
    return internal::list_of<Input>(fn(before, row));
  };
  return internal::foldl_rows(next, std::vector<Input>(elems.begin(), elems.end()), options, where);
}
/// Of so many tensors: `fn` takes two arrays of as many, and gives a tuple, or a list.
template <size_t N, class F>
auto foldl(const F& fn, const Input (&elems)[N], const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return internal::fold_rows<N, N>(internal::foldl_rows, fn, {std::begin(elems), std::end(elems)}, options,
                                   where);
}
/// With the values for the first call, one or a tuple: `fn` takes it, or an array of as many, and the rows.
///
///     auto [sum, count] = tf::foldl(
///         [](auto before, auto row) { return std::tuple(before[0] + row, before[1] + 1); }, x,
///         std::tuple(0.0, 0));
template <size_t N, class F, internal::Initial I>
auto foldl(const F& fn, const Input (&elems)[N], const I& initializer, FoldOptions options = {},
           Input::Where where = Input::Where::current()) {
  options.initializer = internal::list_of<Input>(initializer);
  return internal::fold_rows<internal::kNumberIn<I>, N>(internal::foldl_rows, fn,
                                                        {std::begin(elems), std::end(elems)}, options, where);
}
/// The same of one tensor: tf::foldl([](auto before, auto row) { return before + row; }, x).
template <InputLike T, class F>
auto foldl(const F& fn, const T& elems, const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return foldl(fn, {Input(elems, where)}, options, where);
}
/// The same from a first value: tf::foldl([](auto before, auto row) { return before + row; }, x, 0.0).
template <InputLike T, class F, internal::Initial I>
auto foldl(const F& fn, const T& elems, const I& initializer, const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return foldl(fn, {Input(elems, where)}, initializer, options, where);
}

/// tf.foldr: what the last call gives, from the last row to the first. `fn` as of foldl.
template <class F, internal::InList T>
std::vector<Tensor> foldr(const F& fn, const std::vector<T>& elems, const FoldOptions& options = {},
                          Input::Where where = Input::Where::current()) {
  internal::check_callable(fn, "fn", where);
  const auto next = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& row) {
    return internal::list_of<Input>(fn(before, row));
  };
  return internal::foldr_rows(next, std::vector<Input>(elems.begin(), elems.end()), options, where);
}
/// The same of so many tensors; see tf::foldl.
template <size_t N, class F>
auto foldr(const F& fn, const Input (&elems)[N], const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return internal::fold_rows<N, N>(internal::foldr_rows, fn, {std::begin(elems), std::end(elems)}, options,
                                   where);
}
/// The same with the values for the first call, one or a tuple.
template <size_t N, class F, internal::Initial I>
auto foldr(const F& fn, const Input (&elems)[N], const I& initializer, FoldOptions options = {},
           Input::Where where = Input::Where::current()) {
  options.initializer = internal::list_of<Input>(initializer);
  return internal::fold_rows<internal::kNumberIn<I>, N>(internal::foldr_rows, fn,
                                                        {std::begin(elems), std::end(elems)}, options, where);
}
/// The same of one tensor: tf::foldr([](auto before, auto row) { return before + row; }, x).
template <InputLike T, class F>
auto foldr(const F& fn, const T& elems, const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return foldr(fn, {Input(elems, where)}, options, where);
}
/// The same of one tensor, from a first value.
template <InputLike T, class F, internal::Initial I>
auto foldr(const F& fn, const T& elems, const I& initializer, const FoldOptions& options = {},
           Input::Where where = Input::Where::current()) {
  return foldr(fn, {Input(elems, where)}, initializer, options, where);
}

/// tf.scan: what every call gives, stacked. `fn` as of foldl.
template <class F, internal::InList T>
std::vector<Tensor> scan(const F& fn, const std::vector<T>& elems, const ScanOptions& options = {},
                         Input::Where where = Input::Where::current()) {
  internal::check_callable(fn, "fn", where);
  const auto next = [&](const std::vector<Tensor>& before, const std::vector<Tensor>& row) {
    return internal::list_of<Input>(fn(before, row));
  };
  return internal::scan_rows(next, std::vector<Input>(elems.begin(), elems.end()), options, where);
}
/// The same of so many tensors: `fn` takes two arrays of as many, and gives a tuple, or a list.
template <size_t N, class F>
auto scan(const F& fn, const Input (&elems)[N], const ScanOptions& options = {},
          Input::Where where = Input::Where::current()) {
  return internal::fold_rows<N, N>(internal::scan_rows, fn, {std::begin(elems), std::end(elems)}, options,
                                   where);
}
/// The same with the values for the first call, one or a tuple.
template <size_t N, class F, internal::Initial I>
auto scan(const F& fn, const Input (&elems)[N], const I& initializer, ScanOptions options = {},
          Input::Where where = Input::Where::current()) {
  options.initializer = internal::list_of<Input>(initializer);
  return internal::fold_rows<internal::kNumberIn<I>, N>(internal::scan_rows, fn,
                                                        {std::begin(elems), std::end(elems)}, options, where);
}
/// The same of one tensor: tf::scan([](auto before, auto row) { return before + row; }, x)
/// gives its running sums.
template <InputLike T, class F>
auto scan(const F& fn, const T& elems, const ScanOptions& options = {},
          Input::Where where = Input::Where::current()) {
  return scan(fn, {Input(elems, where)}, options, where);
}
/// The same of one tensor, from a first value.
template <InputLike T, class F, internal::Initial I>
auto scan(const F& fn, const T& elems, const I& initializer, const ScanOptions& options = {},
          Input::Where where = Input::Where::current()) {
  return scan(fn, {Input(elems, where)}, initializer, options, where);
}

}  // namespace flowray::tf

#pragma GCC visibility pop
