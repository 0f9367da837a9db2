// Datasets that carry a state from element to element, and those that gather elements by a key.
#include <flowray/tf/array.h>
#include <flowray/tf/data.h>
#include <flowray/tf/math.h>
#include <flowray/tf/ops/data_ops.h>

#include "core/counted_text.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::data {
namespace {

std::string dtype_text(DType dtype) { return fmt::format("<dtype: '{}'>", dtype_name(dtype)); }

/// As Python's str().
std::string text_of_types(const std::vector<DType>& types) {
  return types.size() == 1 ? dtype_text(types[0]) : tuple_text(types);
}

std::string misfit_of_scan(const std::vector<DType>& expected, const std::vector<DType>& given) {
  return fmt::format(
      "Invalid `scan_func`. The element types for the new state must match the initial state. "
      "Expected {}, got {}.",
      text_of_types(expected), text_of_types(given));
}
std::string misfit_of_reduce(const std::vector<DType>& expected, const std::vector<DType>& given) {
  return fmt::format(
      "The element types for the new state must match the initial state. Expected {} but got {}.",
      text_of_types(expected), text_of_types(given));
}

std::string number_misfit(size_t expected, size_t given) {
  return fmt::format(
      "The element classes for the new state must match the initial state. Expected {}; got {} of them.\nThe "
      "function takes the state and the components of an element, and gives the new state first.",
      counted_text(expected, "tensor"), given);
}

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(spec_of(tensor));
  return specs;
}

/// `fn`, whose only result becomes an int64.
internal::ElementFunction as_integer(const internal::ElementFunction& fn) {
  return [&fn](const std::vector<Tensor>& arguments) {
    const std::vector<Input> results = fn(arguments);
    std::vector<Input> integers;
    for (const Input& result : results) integers.emplace_back(cast(result, DType::kInt64));
    return integers;
  };
}

void check_scalar(const ElementsFunction& function, std::string_view argument) {
  const std::vector<TensorSpec>& results = function.results;
  if (results.size() == 1 && results[0].shape.is_compatible_with(TensorShape())) return;
  throw ValueError(
      fmt::format("Invalid `{}`. `{}` must return a single `tf.int64` scalar tensor but its return "
                  "type is {}.",
                  argument, argument, spec_text(results)));
}

}  // namespace

Dataset Dataset::scan_elements(const List<Input>& initial_state, const internal::ElementFunction& fn,
                               const NameOption& options) const {
  const CalledOn on = {*this, "scan()"};
  DatasetCall call(on, options.name, initial_state.where());
  const std::vector<Tensor> first = components_of(call, initial_state);
  std::vector<TensorSpec> state = specs_of(first);
  const ElementsFunction function =
      build_state_function(call.graph(), state, spec_, {{"Dataset_scan", "fn"}, misfit_of_scan}, fn);
  if (function.results.size() < state.size())
    throw TypeError(number_misfit(state.size(), function.results.size()));
  std::vector<TensorSpec> element(function.results.begin() + std::ssize(state), function.results.end());
  if (element.empty()) {
    throw TypeError(
        "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value "
        "but "
        "its return type is only the state.");
  }
  call.take_list(first).take_list(function.captured);
  call.set("f", function_attr(function.name)).set("Tstate", types_of(state));
  call.set("Targuments", function.captured_types()).set("preserve_cardinality", true);
  return call.make("ScanDataset", std::move(element));
}

std::vector<Tensor> reduce_to_any_state(const Dataset& dataset, const List<Input>& initial_state,
                                        const internal::ElementFunction& fn, const NameOption& options) {
  DatasetCall call({dataset, "reduce()"}, options.name, initial_state.where());
  std::vector<Tensor> first;
  {
    const graph::NameScope scope(call.graph(), "initial_state");
    first = components_of(call, initial_state);
  }
  std::vector<TensorSpec> state = specs_of(first);
  const ElementsFunction function = build_state_function(call.graph(), state, dataset.element_spec(),
                                                         {{"Dataset_reduce", "fn"}, misfit_of_reduce}, fn);
  call.take_list(first).take_list(function.captured);
  call.set("f", function_attr(function.name)).set("Tstate", types_of(state));
  call.set("Targuments", function.captured_types());
  return call.compute("ReduceDataset", state);
}

std::vector<Tensor> Dataset::reduce_elements(const List<Input>& initial_state,
                                             const internal::ElementFunction& fn,
                                             const NameOption& options) const {
  const auto whole_state = [&](const std::vector<Tensor>& arguments) {
    std::vector<Input> state = fn(arguments);
    if (state.size() != initial_state.size())
      throw TypeError(number_misfit(initial_state.size(), state.size()));
    return state;
  };
  return reduce_to_any_state(*this, initial_state, whole_state, options);
}

std::vector<Tensor> Dataset::get_single_element(const NameOption& options, Input::Where where) const {
  return DatasetCall({*this, "get_single_element()"}, options.name, where)
      .compute("DatasetToSingleElement", spec_);
}

Tensor Dataset::cardinality(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  const CalledOn on = {*this, "cardinality()"};
  (void)graph_of_dataset(on, where);
  return raw_ops::DatasetCardinality(variant_, {.name = options.name});
}

Dataset Dataset::group_elements(const internal::ElementFunction& key_fn,
                                const internal::GroupFunction& reduce_fn,
                                const internal::ElementFunction& window_size_fn, const NameOption& options,
                                Input::Where where) const {
  const ErrorLine errors(where);
  internal::check_function(reduce_fn, "reduce_fn", where);
  const CalledOn on = {*this, "group_by_window()"};
  graph::Graph& graph = graph_of_dataset(on, where);
  const TensorSpec integer = {DType::kInt64, TensorShape()};
  const ElementsFunction key =
      build_function(graph, spec_, {"Dataset_group_by_window_key", "key_fn"}, as_integer(key_fn));
  check_scalar(key, "key_func");
  const TensorSpec group = {.dtype = DType::kVariant, .shape = TensorShape(), .dataset = spec_};
  const ElementsFunction reduced =
      build_function(graph, {integer, group}, {"Dataset_group_by_window_reduce", "reduce_fn"},
                     internal::DatasetFunction([&](const std::vector<Tensor>& arguments) {
                       return reduce_fn(arguments[0], Dataset(arguments[1], spec_));
                     }));
  const ElementsFunction size = build_function(
      graph, {integer}, {"Dataset_group_by_window_size", "window_size_fn"}, as_integer(window_size_fn));
  check_scalar(size, "window_size_func");
  DatasetCall call(on, options.name, where);
  call.take_list(key.captured).take_list(reduced.captured).take_list(size.captured);
  call.set("key_func", function_attr(key.name)).set("Tkey_func_other_arguments", key.captured_types());
  call.set("reduce_func", function_attr(reduced.name))
      .set("Treduce_func_other_arguments", reduced.captured_types());
  call.set("window_size_func", function_attr(size.name))
      .set("Twindow_size_func_other_arguments", size.captured_types());
  return call.make("GroupByWindowDataset", reduced.results);
}

Dataset Dataset::unique(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  for (const TensorSpec& component : spec_) {
    if (component.dtype != DType::kInt32 && component.dtype != DType::kInt64 &&
        component.dtype != DType::kString) {
      throw TypeError(
          fmt::format("`tf.data.Dataset.unique` does not support type {} -- only `tf.int32`, `tf.int64`, and "
                      "`tf.string` are supported.",
                      dtype_text(component.dtype)));
    }
  }
  return DatasetCall({*this, "unique()"}, options.name, where).make("UniqueDataset", spec_);
}

}  // namespace flowray::tf::data
