#include "engine/specialise.h"

#include "graph/blocking_call.h"
#include "graph/evaluate.h"
#include "graph/shape_context.h"
#include "graph/signature.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {
namespace {

using graph::Node;

/// Larger results are computed in each run rather than kept for good.
constexpr int64_t kMaxFoldedBytes = 1 << 20;

class Specialiser {
 public:
  Specialiser(const StepGraph& step, const Resources& resources)
      : step_(step), resources_(resources), facts_(step.values.size()) {}

  Facts run(std::span<const Shape> fed_shapes) {
    for (size_t i = 0; i < step_.feeds.size(); ++i) facts_[step_.feeds[i]].shape = fed_shapes[i];
    for (const StepNode& item : step_.nodes) {
      try {
        visit(item);
      } catch (const errors::OpError& error) {
        graph::rethrow_with_node(*item.node, error);
      }
    }
    return std::move(facts_);
  }

 private:
  void visit(const StepNode& item) {
    const Node& node = *item.node;
    if (node.schema().row.is_constant) {
      ValueFacts& fact = facts_[item.outputs[0]];
      fact.constant = node.attrs().get<Array>("value");
      fact.shape = fact.constant.shape();
      return;
    }
    const bool only_resources = bind_resources(item);
    if (node.schema().row.compute == nullptr && !(only_resources && item.inputs.empty())) infer(item);
    if (!only_resources && can_fold(item)) fold(item);
  }

  /// References and resource handles: a node without inputs makes one, others pass on that of their first
  /// input.
  bool bind_resources(const StepNode& item) {
    const Node& node = *item.node;
    bool only_resources = node.num_outputs() > 0;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!stands_for_resource(node.output_dtype(i))) {
        only_resources = false;
        continue;
      }
      ValueFacts& fact = facts_[item.outputs[static_cast<size_t>(i)]];
      fact.shape = node.output_dtype(i) == DType::kResource ? Shape() : node.output_shape(i);
      fact.handle_shape = graph::handle_shape(step_.values[item.outputs[static_cast<size_t>(i)]].endpoint);
      if (item.inputs.empty()) {
        fact.resource = graph::bind_resource(node, resources_.containers, resources_.states);
      } else {
        fact.resource = facts_[item.inputs[0]].resource;
      }
    }
    return only_resources;
  }

  std::vector<graph::ShapeContext::Input> shape_inputs(const StepNode& item) const {
    std::vector<graph::ShapeContext::Input> inputs;
    for (ValueId id : item.inputs) {
      const ValueFacts& fact = facts_[id];
      inputs.push_back({fact.shape, base_dtype(step_.values[id].endpoint.dtype()),
                        fact.constant.has_value() ? &fact.constant : nullptr,
                        fact.resource != nullptr ? &fact.handle_shape : nullptr,
                        graph::handle_attrs(step_.values[id].endpoint)});
    }
    return inputs;
  }

  void infer(const StepNode& item) {
    const Node& node = *item.node;
    if (node.schema().row.shape == nullptr) return;
    const auto inputs = shape_inputs(item);
    const bool running = std::all_of(inputs.begin(), inputs.end(),
                                     [](const auto& input) { return input.shape.is_fully_defined(); });
    graph::ShapeContext context(node.schema(), node.attrs(), inputs, node.num_outputs(), running);
    try {
      node.schema().row.shape(context);
    } catch (const graph::UnknownValue&) {
      return;  // the shapes follow in each run
    }
    for (size_t i = 0; i < item.outputs.size(); ++i) {
      // What stands for a variable has the variable's shape, which an assignment checks but never changes
      // here.
      if (facts_[item.outputs[i]].resource == nullptr) facts_[item.outputs[i]].shape = context.outputs()[i];
    }
  }

  bool can_fold(const StepNode& item) const {
    const graph::OpRow& row = item.node->schema().row;
    if (row.stateful || item.inputs.empty() || item.outputs.empty()) return false;
    if (row.prepare == nullptr && !row.view && row.compute == nullptr) return false;
    for (ValueId id : item.inputs) {
      const ValueFacts& fact = facts_[id];
      if (fact.resource != nullptr) return false;
      if (!fact.constant.has_value() && !(row.reads_shapes_only && fact.is_static())) return false;
    }
    for (ValueId id : item.outputs) {
      const int64_t count = facts_[id].shape.num_elements();
      const auto width = static_cast<int64_t>(dtype_size(step_.values[id].endpoint.dtype()));
      if (row.compute == nullptr && (count < 0 || count * width > kMaxFoldedBytes)) return false;
    }
    return true;
  }

  void fold(const StepNode& item) {
    std::vector<graph::NodeInput> inputs;
    for (ValueId id : item.inputs) {
      Array value = facts_[id].constant;
      // Only its shape is looked at.
      if (!value.has_value()) {
        value = Array::wrap(nullptr, nullptr, step_.values[id].endpoint.dtype(), facts_[id].shape);
      }
      inputs.push_back({std::move(value), nullptr});
    }
    Serial serial;
    std::vector<Array> outputs = graph::evaluate(*item.node, inputs, resources_.states, serial);
    for (size_t i = 0; i < outputs.size(); ++i) {
      facts_[item.outputs[i]].shape = outputs[i].shape();
      facts_[item.outputs[i]].constant = std::move(outputs[i]);
    }
  }

  const StepGraph& step_;
  const Resources& resources_;
  Facts facts_;
};

}  // namespace

Facts specialise(const StepGraph& step, std::span<const Shape> fed_shapes, const Resources& resources) {
  return Specialiser(step, resources).run(fed_shapes);
}

std::string to_text(const StepGraph& step, const Facts& facts) {
  std::string text;
  for (size_t i = 0; i < facts.size(); ++i) {
    const StepValue& value = step.values[i];
    text += fmt::format("{} {}{}", value.endpoint.name(), dtype_name(value.endpoint.dtype()),
                        facts[i].shape.to_string());
    if (facts[i].constant.has_value()) text += " = " + facts[i].constant.to_string();
    if (facts[i].resource != nullptr) text += " resource " + facts[i].resource->name();
    text += "\n";
  }
  return text;
}

}  // namespace flowray::engine
