#pragma once
/// What a shape function sees. The same function runs while a graph is built (with what is known then) and
/// when a step is specialised to real shapes.

#include "graph/attributes.h"
#include "graph/checked_index.h"
#include "graph/graph.h"
#include "graph/op_schema.h"

#include <span>
#include <string>
#include <vector>

namespace flowray::graph {

/// Thrown where a function asks for the value of an input that only the run will tell: the engine then leaves
/// the node to be worked out in each run.
class UnknownValue : public errors::InternalError {
 public:
  using errors::InternalError::InternalError;
};

class ShapeContext {
 public:
  struct Input {
    Shape shape;
    DType dtype = DType::kInvalid;
    /// The value where it is known (constants and what is computed from them), else null.
    const Array* value = nullptr;
    /// For an input that holds a shape: what is known of it where the value as a whole is not. For a resource
    /// handle: the shape of the variable behind it.
    const Shape* value_as_shape = nullptr;
    /// For a handle: the attributes of the node that made it, else null.
    const Attrs* handle = nullptr;
  };

  ShapeContext(const OpSchema& schema, const Attrs& attrs, std::span<const Input> inputs, int num_outputs,
               bool running)
      : schema_(schema),
        attrs_(attrs),
        inputs_(inputs),
        running_(running),
        outputs_(static_cast<size_t>(num_outputs), Shape::unknown_rank()) {}

  const OpSchema& schema() const { return schema_; }
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // Every number of an input or output is checked: InvalidArgumentError where there is none of it.

  const Shape& input(int i) const { return known(i).shape; }
  DType input_dtype(int i) const { return known(i).dtype; }
  /// Known value of input `i`, or null.
  const Array* value(int i) const {
    values_read_ |= i < kMostTracked ? uint64_t{1} << i : kAllValues;
    return known(i).value;
  }
  /// Bit i: whether the value of input `i` was asked for, so that the shapes may depend on it.
  uint64_t values_read() const { return values_read_; }
  /// The attributes of the node that made the handle which is input `i`; null where that is not known.
  const Attrs* handle(int i) const { return known(i).handle; }
  /// Input `i`, an int32 or int64 vector of dimensions (-1: unknown), as a shape as far as it is known. A
  /// scalar -1 is unknown rank. Unknown rank where nothing is known.
  Shape value_as_shape(int i) const;
  /// Input `i`, an integer array, as int64 values. Throws UnknownValue.
  std::vector<int64_t> integers(int i) const;

  void set_output(int i, Shape shape) {
    outputs_[checked_index("output", i, outputs_.size())] = std::move(shape);
  }
  std::vector<Shape>& outputs() { return outputs_; }

  /// Whether real shapes of a step are checked: all input shapes are fully defined, and errors use
  /// TensorFlow's run-time words where they differ.
  bool running() const { return running_; }

  /// Input `i` must have `rank` dimensions: "Shape must be rank 2 but is rank 3". Returns the shape, of
  /// that rank.
  Shape with_rank(int i, int64_t rank) const;
  Shape with_rank_at_least(int i, int64_t rank) const;
  /// Both known and different: "Dimensions must be equal, but are 3 and 4". Returns the known one.
  static int64_t merge_dim(int64_t a, int64_t b);
  /// Throws errors::InvalidArgumentError with the bare reason.
  [[noreturn]] static void fail(const std::string& reason);

 private:
  static constexpr int kMostTracked = 64;
  static constexpr uint64_t kAllValues = ~uint64_t{0};
  const Input& known(int i) const { return inputs_[checked_index("input", i, inputs_.size())]; }

  const OpSchema& schema_;
  const Attrs& attrs_;
  std::span<const Input> inputs_;
  bool running_;
  mutable uint64_t values_read_ = 0;
  std::vector<Shape> outputs_;
};

/// What arrays of either shape have in common: dimensions where they agree, unknown rank where their
/// ranks differ.
Shape common_shape(const Shape& a, const Shape& b);

// Shape functions that many ops share.

/// Output 0 has input 0's shape.
void unchanged_shape(ShapeContext& context);
/// All outputs are scalars.
void scalar_shape(ShapeContext& context);
/// Output 0 is a handle of the first form, a reference to two strings: container and name.
void reference_handle_shape(ShapeContext& context);
/// NumPy broadcasting of inputs 0 and 1: "Dimensions must be equal, but are 2 and 3".
void broadcast_shape(ShapeContext& context);
/// Output shapes cannot be known before the step.
void unknown_shape(ShapeContext& context);
/// The op has no outputs.
void no_outputs(ShapeContext& context);

/// The shape of the variable that a resource handle stands for, as the node that made the handle declares it;
/// unknown rank for anything else.
Shape handle_shape(const Endpoint& handle);
/// The attributes of the node that made the handle or reference; null for anything else.
const Attrs* handle_attrs(const Endpoint& handle);

/// NumPy broadcasting of two shapes, as far as they are known. Throws errors::InvalidArgumentError.
Shape broadcast(const Shape& a, const Shape& b, bool running);

}  // namespace flowray::graph
