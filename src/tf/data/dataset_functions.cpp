// Datasets that call a function for each element.
#include <flowray/tf/data.h>
#include <flowray/tf/data_experimental.h>

#include "core/counted_text.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::tf::data {
namespace {

std::string deterministic_text(std::optional<bool> deterministic) {
  if (!deterministic.has_value()) return "default";
  return *deterministic ? "true" : "false";
}

/// Adds the function, and what it captured as the list behind the dataset.
void call_function(DatasetCall& call, const ElementsFunction& function, std::string_view attr) {
  call.take_list(function.captured);
  call.set(attr, function_attr(function.name)).set("Targuments", function.captured_types());
}

std::string spec_of_predicate(const std::vector<TensorSpec>& results) {
  if (results.size() != 1) return "a structure of " + counted_text(results.size(), "tensor");
  return fmt::format("TensorSpec(shape={}, dtype=tf.{}, name=None)", results[0].shape.to_tuple_string(),
                     dtype_name(results[0].dtype));
}

}  // namespace

Dataset Dataset::map_elements(const internal::ElementFunction& fn, const MapOptions& options,
                              Input::Where where) const {
  const ErrorLine errors(where);
  const CalledOn on = {*this, "map()"};
  const ElementsFunction function =
      build_function(graph_of_dataset(on, where), spec_, {"Dataset_map", "fn"}, fn);
  DatasetCall call(on, options.name, where);
  call_function(call, function, "f");
  if (!options.num_parallel_calls.has_value()) return call.make("MapDataset", function.results);
  return call.take(*options.num_parallel_calls, "num_parallel_calls")
      .set("deterministic", deterministic_text(options.deterministic))
      .make("ParallelMapDatasetV2", function.results);
}

Dataset mapped_in_turn(const Dataset& dataset, const internal::ElementFunction& fn, Input::Where where) {
  const CalledOn on = {dataset, "map()"};
  const ElementsFunction function =
      build_function(graph_of_dataset(on, where), dataset.element_spec(), {"Dataset_map", "fn"}, fn);
  DatasetCall call(on, {}, where);
  call_function(call, function, "f");
  return call.set("use_inter_op_parallelism", false)
      .set("preserve_cardinality", true)
      .make("MapDataset", function.results);
}

Dataset Dataset::filter_elements(const char* op, const internal::ElementFunction& predicate,
                                 const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  const CalledOn on = {*this, std::string_view(op) == "FilterDataset" ? "filter()" : "take_while()"};
  const ElementsFunction function =
      build_function(graph_of_dataset(on, where), spec_, {"Dataset_filter", "predicate"}, predicate);
  const std::vector<TensorSpec>& results = function.results;
  if (results.size() != 1 || results[0].dtype != DType::kBool ||
      !results[0].shape.is_compatible_with(TensorShape())) {
    throw ValueError(fmt::format(
        "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {}.",
        spec_of_predicate(results)));
  }
  DatasetCall call(on, options.name, where);
  call_function(call, function, "predicate");
  return call.make(op, spec_);
}

Dataset Dataset::flat_map_elements(const internal::DatasetFunction& fn, const NameOption& options,
                                   Input::Where where) const {
  const ErrorLine errors(where);
  const CalledOn on = {*this, "flat_map()"};
  const ElementsFunction function =
      build_function(graph_of_dataset(on, where), spec_, {"Dataset_flat_map", "fn"}, fn);
  DatasetCall call(on, options.name, where);
  call_function(call, function, "f");
  return call.make("FlatMapDataset", function.results);
}

Dataset Dataset::interleave_elements(const internal::DatasetFunction& fn, const InterleaveOptions& options,
                                     Input::Where where) const {
  const ErrorLine errors(where);
  const CalledOn on = {*this, "interleave()"};
  const ElementsFunction function =
      build_function(graph_of_dataset(on, where), spec_, {"Dataset_interleave", "fn"}, fn);
  DatasetCall call(on, options.name, where);
  call_function(call, function, "f");
  call.take(options.cycle_length, "cycle_length").take(options.block_length, "block_length");
  if (!options.num_parallel_calls.has_value()) return call.make("InterleaveDataset", function.results);
  return call.take(AUTOTUNE, "buffer_output_elements")
      .take(AUTOTUNE, "prefetch_input_elements")
      .take(*options.num_parallel_calls, "num_parallel_calls")
      .set("deterministic", deterministic_text(options.deterministic))
      .make("ParallelInterleaveDatasetV4", function.results);
}

Dataset experimental::map_and_batch_elements(const Dataset& dataset, const internal::ElementFunction& fn,
                                             const Input& batch_size, const MapAndBatchOptions& options,
                                             Input::Where where) {
  const ErrorLine errors(where);
  const CalledOn on = {dataset, "map_and_batch()"};
  const ElementsFunction function = build_function(graph_of_dataset(on, where), dataset.element_spec(),
                                                   {"tf_data_experimental_map_and_batch", "fn"}, fn);
  DatasetCall call(on, {}, where);
  call_function(call, function, "f");
  call.take(batch_size, "batch_size");
  call.take(options.num_parallel_calls.has_value() ? *options.num_parallel_calls : batch_size,
            "num_parallel_calls");
  call.take(options.drop_remainder.has_value() ? *options.drop_remainder : Input(false), "drop_remainder",
            DType::kBool);
  call.set("preserve_cardinality", true);
  return call.make("MapAndBatchDataset", batched(function.results, shapes_of(function.results), batch_size,
                                                 options.drop_remainder));
}

Dataset generator_dataset(const internal::ElementFunction& init, const internal::ElementFunction& next,
                          const internal::ElementFunction& finalize, const NameOption& options,
                          Input::Where where) {
  const ErrorLine errors(where);
  graph::Graph& graph = default_graph();
  const ElementsFunction first = build_function(graph, {}, {"Dataset_generator_init", "init"}, init);
  const ElementsFunction each =
      build_function(graph, first.results, {"Dataset_generator_next", "next"}, next);
  const ElementsFunction last =
      build_function(graph, first.results, {"Dataset_generator_finalize", "finalize"}, finalize);
  DatasetCall call(graph, options.name, where);
  call.take_list(first.captured).take_list(each.captured).take_list(last.captured);
  call.set("init_func", function_attr(first.name)).set("Tinit_func_args", first.captured_types());
  call.set("next_func", function_attr(each.name)).set("Tnext_func_args", each.captured_types());
  call.set("finalize_func", function_attr(last.name)).set("Tfinalize_func_args", last.captured_types());
  return call.make("GeneratorDataset", each.results);
}

}  // namespace flowray::tf::data
