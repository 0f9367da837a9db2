#pragma once
/// Handles on what a graph holds: Tensor (one output of an operation) and Operation.

#include <flowray/tf/dtypes.h>
#include <flowray/tf/errors.h>

#include <compare>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::graph {
class Graph;
class Node;
}  // namespace flowray::graph

namespace flowray::tf {

class Graph;
class Index;
class Operation;
class FeedDict;
class Session;

/// tf.Tensor: the symbolic result of an operation in a graph. A cheap handle; it keeps its graph alive. A
/// default-made Tensor is "None" (tf::gradients returns it where nothing flows): has_value() tells, and all
/// else throws ValueError "None values not supported." that names what was unset, and the line of the call:
/// that is what the last parameter of methods is for.
class Tensor {
 public:
  using Where = std::source_location;

  Tensor() noexcept = default;
  Tensor(const Tensor& other) noexcept;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  /// Whether it is not None. What its elements are is known to a step only.
  bool has_value() const noexcept { return node_ != nullptr; }
  /// Identity, as Python's `is`: element-wise comparison is tf::equal.
  bool is(const Tensor& other) const noexcept { return node_ == other.node_ && index_ == other.index_; }

  /// "op:0".
  std::string name(Where where = Where::current()) const;
  /// The dtype of its elements; of a variable's reference float32_ref and its siblings.
  DType dtype(Where where = Where::current()) const;
  /// Its shape, as far as it is known.
  const TensorShape& shape(Where where = Where::current()) const;
  /// shape() by TensorFlow's name.
  TensorShape get_shape(Where where = Where::current()) const { return shape(where); }
  /// Adds what the program knows about the shape. Throws ValueError if it contradicts what is known.
  void set_shape(const TensorShape& shape, Where where = Where::current());
  /// The operation that makes it.
  Operation op(Where where = Where::current()) const;
  /// Which output of its operation it is.
  int value_index() const noexcept { return index_; }
  /// The graph that it belongs to.
  Graph graph(Where where = Where::current()) const;
  /// The operations that take it as an input, those made until now.
  std::vector<Operation> consumers(Where where = Where::current()) const;

  /// Part of it, as Python's x[1], x[1:3], x[..., 0]: x[1], x[tf::Slice{1, 3}], x[{tf::ellipsis, 0}];
  /// see tf/slicing.h.
  Tensor operator[](const Index& index) const;
  /// The same for several dimensions: x[{1, 2}].
  Tensor operator[](std::initializer_list<Index> indices) const;

  /// Whether it has a value at once: it was made while tf::eager() was on (flowray/tf/eager.h).
  bool is_eager() const noexcept;
  /// The value of a tensor that was made while tf::eager() was on: Python's .numpy(). Throws ValueError for a
  /// tensor of a graph.
  Array value(Where where = Where::current()) const;

  /// session.run(tensor, feeds) in the default session. Throws ValueError if there is none. (A template, so
  /// that the braces of eval({}) are feeds.)
  template <int = 0>
  Array eval(Where where = Where::current()) const {
    return eval_at(where);
  }
  /// The same with values fed, in `session` if it is given.
  Array eval(const FeedDict& feeds, Session* session = nullptr, Where where = Where::current()) const;

  /// For Flowray itself.
  Tensor(graph::Node* node, int index) noexcept;
  /// For Flowray itself.
  graph::Node* node() const noexcept { return node_; }

 private:
  Array eval_at(Where where) const;

  graph::Node* node_ = nullptr;
  int index_ = 0;
};

/// Tensor("add:0", shape=(2,), dtype=float32)
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// tf.Operation: a node of a graph. A cheap handle; it keeps its graph alive. A default-made one is "None",
/// as a Tensor is.
class Operation {
 public:
  using Where = std::source_location;

  Operation() noexcept = default;
  Operation(const Operation& other) noexcept;
  Operation(Operation&& other) noexcept;
  Operation& operator=(const Operation& other) noexcept;
  Operation& operator=(Operation&& other) noexcept;
  ~Operation();

  /// Whether it is not None.
  bool has_value() const noexcept { return node_ != nullptr; }
  /// Whether both stand for one operation.
  bool operator==(const Operation& other) const noexcept { return node_ == other.node_; }

  /// "scope/MatMul".
  std::string name(Where where = Where::current()) const;
  /// "MatMul", ...
  std::string type(Where where = Where::current()) const;
  /// The device that the program asked for: "/device:CPU:0"; "" where it left it open.
  std::string device(Where where = Where::current()) const;
  /// The tensors that it takes, in the op's order.
  std::vector<Tensor> inputs(Where where = Where::current()) const;
  /// The operations that it waits for without taking a value of theirs.
  std::vector<Operation> control_inputs(Where where = Where::current()) const;
  /// The tensors that it makes.
  std::vector<Tensor> outputs(Where where = Where::current()) const;
  /// The tensor that is its output `index`. Throws IndexError for an index out of range.
  Tensor output(int index, Where where = Where::current()) const;
  /// The graph that it belongs to.
  Graph graph(Where where = Where::current()) const;
  /// "NAME = Op(inputs) attr=value -> dtype[shape]".
  std::string to_string(Where where = Where::current()) const;

  /// session.run(operation, feeds) in the default session. Throws ValueError if there is none. (A template as
  /// Tensor::eval is.)
  template <int = 0>
  void run(Where where = Where::current()) const {
    run_at(where);
  }
  /// The same with values fed, in `session` if it is given.
  void run(const FeedDict& feeds, Session* session = nullptr, Where where = Where::current()) const;

  /// For Flowray itself.
  explicit Operation(graph::Node* node) noexcept;
  /// For Flowray itself.
  graph::Node* node() const noexcept { return node_; }

 private:
  void run_at(Where where) const;

  graph::Node* node_ = nullptr;
};

/// Its NodeDef in protobuf's text form, as Python prints an operation.
std::ostream& operator<<(std::ostream& out, const Operation& operation);

}  // namespace flowray::tf

#pragma GCC visibility pop
