#pragma once
/// tf.TensorArray: a list of tensors that loops write and read by number, and what is made of it: tf.map_fn,
/// tf.foldl, tf.foldr and tf.scan. Gradients flow through all of them.

#include <flowray/tf/control_flow.h>
#include <flowray/tf/input.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct TensorArrayOptions {
  /// Of elements; more can be written where `dynamic_size` is set.
  OptionalInput size = {};
  bool dynamic_size = false;
  /// Whether reading an element throws it away, so that it can be read once.
  bool clear_after_read = true;
  std::string tensor_array_name = {};
  /// Another array's handle, and what its operations wait for: no node is made.
  Tensor handle = {};
  Tensor flow = {};
  /// Whether all elements have one shape, which writing then tells and checks.
  bool infer_shape = true;
  TensorShape element_shape = TensorShape::unknown_rank();
  bool colocate_with_first_write_call = true;
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
  /// As far as it is known.
  const TensorShape& element_shape() const;
  /// Whether it grows when something is written beyond its end.
  bool dynamic_size() const;
  /// The same array, whose operations run after what `flow` comes from.
  TensorArray with_flow(const Tensor& flow) const;

  /// The element of this number, an int32 scalar. In a step: InvalidArgumentError for one that is none.
  Tensor read(const Input& index, const NameOption& options = {}) const;
  /// Throws ValueError "Inconsistent shapes: saw ... but expected ..." for a value of another shape.
  TensorArray write(const Input& index, const Input& value, const NameOption& options = {}) const;
  /// All elements along a new dimension 0; they have one shape.
  Tensor stack(const NameOption& options = {}) const;
  /// The elements of these numbers, int32 [n], along a new dimension 0.
  Tensor gather(const Input& indices, const NameOption& options = {}) const;
  /// The elements one behind the other along their dimension 0.
  Tensor concat(const NameOption& options = {}) const;
  /// Row i of `value` becomes element i: the reverse of stack.
  TensorArray unstack(const Input& value, const NameOption& options = {}) const;
  /// Row i of `value` becomes the element indices[i], int32 [n].
  TensorArray scatter(const Input& indices, const Input& value, const NameOption& options = {}) const;
  /// The first lengths[0] rows of `value` become element 0, the next ones element 1, and so on.
  TensorArray split(const Input& value, const Input& lengths, const NameOption& options = {}) const;
  /// The number of elements, an int32 scalar.
  Tensor size(const NameOption& options = {}) const;
  /// Frees the elements when it runs.
  Operation close(const NameOption& options = {}) const;
  /// The same array with operations that wait for the control dependencies around.
  TensorArray identity() const;

 private:
  struct State;
  TensorArray(std::shared_ptr<State> state, Tensor flow) : state_(std::move(state)), flow_(std::move(flow)) {}
  void check_element_shape(const TensorShape& shape) const;

  std::shared_ptr<State> state_;
  Tensor flow_;
};

// ---- loops over the rows of tensors

struct MapFnOptions {
  /// Of what the function gives; empty: those of the tensors.
  std::vector<DType> dtypes = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here.
  bool swap_memory = false;
  /// Whether all results have one shape.
  bool infer_shape = true;
  std::string name = {};
};
/// Takes a row of each tensor.
using RowFunction = std::function<std::vector<Input>(const std::vector<Tensor>&)>;
/// tf.map_fn: what `fn` gives for each row, stacked. Throws ValueError for scalars.
std::vector<Tensor> map_fn(const RowFunction& fn, const std::vector<Input>& elems,
                           const MapFnOptions& options = {}, Input::Where where = Input::Where::current());

struct FoldOptions {
  /// What the first call gets; empty: the first rows, of which there must be as many as results.
  std::vector<Input> initializer = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here.
  bool swap_memory = false;
  std::string name = {};
};
/// Takes what the last call gave, and a row of each tensor.
using FoldFunction =
    std::function<std::vector<Input>(const std::vector<Tensor>& before, const std::vector<Tensor>& row)>;
/// tf.foldl: what the last call gives.
std::vector<Tensor> foldl(const FoldFunction& fn, const std::vector<Input>& elems,
                          const FoldOptions& options = {}, Input::Where where = Input::Where::current());
/// The same from the last row to the first.
std::vector<Tensor> foldr(const FoldFunction& fn, const std::vector<Input>& elems,
                          const FoldOptions& options = {}, Input::Where where = Input::Where::current());

struct ScanOptions {
  std::vector<Input> initializer = {};
  /// At least 1. Written into the nodes, for engines that look at it.
  int64_t parallel_iterations = 10;
  /// Whether gradients flow through the loop; false saves remembering values for them.
  bool back_prop = true;
  /// Written into the nodes; nothing is swapped here.
  bool swap_memory = false;
  /// Whether elements written must have the shape of the first, which is then known.
  bool infer_shape = true;
  /// Begins with the last row.
  bool reverse = false;
  std::string name = {};
};
/// tf.scan: what every call gives, stacked.
std::vector<Tensor> scan(const FoldFunction& fn, const std::vector<Input>& elems,
                         const ScanOptions& options = {}, Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
