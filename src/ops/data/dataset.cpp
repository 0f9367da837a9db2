#include "ops/data/dataset.h"

#include "graph/graph.h"
#include "ops/data/dataset_row.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::ops {

Dataset::Dataset(const DatasetParts& parts) : cardinality_(parts.cardinality) {
  for (const std::vector<Array>* const kept : {&parts.inputs, &parts.others}) {
    for (const Array& part : *kept) {
      hold(part);
      if (graph::variant_as<Dataset>(part) != nullptr) kept_datasets_.push_back(part);
    }
  }
  for (const Array& input : parts.inputs) {
    const auto* const dataset = graph::variant_as<Dataset>(input);
    if (dataset != nullptr) num_walks_ += dataset->num_walks_;  // of at most kMostWalks
    if (num_walks_ > kMostWalks) {
      throw errors::ResourceExhaustedError(
          fmt::format("A walk through a dataset would be more than {} walks through those that it is made of",
                      kMostWalks));
    }
  }
}

DatasetParts parts_of(const graph::BlockingCall& call, int64_t cardinality) {
  DatasetParts parts{.inputs = {}, .others = {}, .cardinality = cardinality};
  for (int i = 0; i < call.num_inputs(); ++i) parts.inputs.push_back(call.value(i));
  return parts;
}

DatasetInput::DatasetInput(Array variant)
    : variant_(std::move(variant)), dataset_(graph::variant_as<Dataset>(variant_)) {
  if (dataset_ == nullptr) throw errors::InvalidArgumentError("Tensor must be a Dataset object.");
}

template <class T>
T scalar_argument(const graph::BlockingCall& call, int i, std::string_view name) {
  if (call.in(i).rank() != 0) throw errors::InvalidArgumentError(fmt::format("{} must be a scalar", name));
  return *call.in(i).data<T>();
}
template int64_t scalar_argument<int64_t>(const graph::BlockingCall&, int, std::string_view);
template int32_t scalar_argument<int32_t>(const graph::BlockingCall&, int, std::string_view);
template bool scalar_argument<bool>(const graph::BlockingCall&, int, std::string_view);
template std::string scalar_argument<std::string>(const graph::BlockingCall&, int, std::string_view);

graph::FunctionRequest function_argument(const graph::BlockingCall& call, std::string_view name, int first,
                                         size_t count) {
  graph::FunctionRequest request{call.attrs().get<graph::OpaqueAttr>(name).message, {}};
  for (size_t i = 0; i < count; ++i) request.captured.push_back(call.value(first + static_cast<int>(i)));
  return request;
}

IterationContext call_context(const graph::BlockingCall& call) {
  return {graph::function_runner(call.states()), graph::FunctionLibrary::of(call.node().graph()),
          call.limits()};
}

void components_shape(graph::ShapeContext& context) {
  const auto& shapes = context.attrs().get<std::vector<Shape>>("output_shapes");
  if (static_cast<int>(shapes.size()) != context.num_outputs()) return;
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, shapes[static_cast<size_t>(i)]);
}

}  // namespace flowray::ops
