#pragma once
/// What functions that make datasets have in common.

#include <flowray/tf/data.h>

#include "tf/build/call_scope.h"
#include "tf/build/function_graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf::data {

std::vector<DType> types_of(const std::vector<TensorSpec>& spec);
std::vector<TensorShape> shapes_of(const std::vector<TensorSpec>& spec);

/// What is known of elements that are of the one kind or of the other.
TensorShape common_shape(const TensorShape& a, const TensorShape& b);
/// As TensorFlow writes the kind of an element in errors.
std::string spec_text(const std::vector<TensorSpec>& spec);
/// The specs of elements that are stacked, `size` of them: `shapes` are what their components are padded to.
std::vector<TensorSpec> batched(const std::vector<TensorSpec>& spec, const std::vector<TensorShape>& shapes,
                                const Input& size, const OptionalInput& drop_remainder);
/// What is known of a tensor.
TensorSpec spec_of(const Tensor& tensor);

/// The dataset that a method was called on.
struct CalledOn {
  const Dataset& dataset;
  std::string_view method;  // "batch()"
};
/// Its graph. Throws ValueError for one that stands for none.
graph::Graph& graph_of_dataset(const CalledOn& on, Input::Where where);

/// A call that makes a dataset in the graph of those that it reads, or of its arguments.
class DatasetCall : public CallScope {
 public:
  /// In the graph of the dataset, which becomes the first argument.
  DatasetCall(const CalledOn& on, const std::string& name, Input::Where where);
  DatasetCall(graph::Graph& graph, const std::string& name, Input::Where where);

  /// Adds an argument: what is not a tensor becomes a constant of that name. Throws TypeError for a tensor of
  /// another dtype.
  DatasetCall& take(const Input& input, std::string_view name, DType dtype = DType::kInt64);
  DatasetCall& take(const Tensor& tensor);
  /// What becomes a constant in the scope of the op.
  DatasetCall& take_inside(const Input& input);
  DatasetCall& take_list(const std::vector<Tensor>& tensors);
  DatasetCall& set(std::string_view name, graph::AttrValue value);
  /// The dataset of that op, whose elements are of this kind.
  Dataset make(std::string_view op, std::vector<TensorSpec> spec);
  /// What that op computes: tensors of this kind.
  std::vector<Tensor> compute(std::string_view op, const std::vector<TensorSpec>& spec);

 private:
  void set_elements(std::string_view op, const std::vector<TensorSpec>& spec);

  std::vector<OpArg> args_;
  graph::Attrs attrs_;
};

/// As tf.data maps datasets of its own: no element is asked for before the one ahead of it is there.
Dataset mapped_in_turn(const Dataset& dataset, const internal::ElementFunction& fn, Input::Where where);

/// tf.data's own way to the two seeds of a shuffle: where one is given, (0, 0) is avoided by nodes.
void take_seeds(DatasetCall& call, std::optional<int64_t> asked);

/// Components as tensors: "normalize_element/component_0". Throws ValueError for none.
std::vector<Tensor> components_of(DatasetCall& call, const List<Input>& tensors);

/// "(tf.int64, tf.string)"
std::string tuple_text(const std::vector<DType>& types);

/// The value of an argument as far as it is known while the graph is made; -1: it is not.
int64_t known_size(const Input& input);
/// Whether it is known to be true.
bool is_known_true(const OptionalInput& input);

/// A function of elements in the library of a graph: what the op that calls it takes.
struct ElementsFunction {
  std::string name;
  std::vector<Tensor> captured;
  std::vector<TensorSpec> results;

  std::vector<DType> captured_types() const;
};
struct FunctionNames {
  std::string in_library;
  std::string_view argument;  // of the public header
};
/// Calls `fn` once, with tensors that stand for the components.
ElementsFunction build_function(graph::Graph& graph, const std::vector<TensorSpec>& components,
                                const FunctionNames& names, const internal::ElementFunction& fn);
struct StateFunctionNames {
  FunctionNames function;
  /// What TensorFlow says where tensors of the state get other dtypes.
  std::string (*misfit)(const std::vector<DType>& expected, const std::vector<DType>& given);
};
/// Builds a function that takes a state before the components, and gives the new one before its other
/// results. Where it changes a shape of the state, `state` becomes what is known of both, and `fn` is called
/// once more. Throws TypeError for another dtype; whether there are as many results as states is for the
/// caller to say.
ElementsFunction build_state_function(graph::Graph& graph, std::vector<TensorSpec>& state,
                                      const std::vector<TensorSpec>& components,
                                      const StateFunctionNames& names, const internal::ElementFunction& fn);
/// Dataset::reduce where the function may give another number of tensors than the state has, as in
/// TensorFlow: then the step fails, unless the dataset is empty.
std::vector<Tensor> reduce_to_any_state(const Dataset& dataset, const List<Input>& initial_state,
                                        const internal::ElementFunction& fn, const NameOption& options);

/// Builds a function that gives a dataset: `results` are the components of that one's elements.
ElementsFunction build_function(graph::Graph& graph, const std::vector<TensorSpec>& components,
                                const FunctionNames& names, const internal::DatasetFunction& fn);

}  // namespace flowray::tf::data
