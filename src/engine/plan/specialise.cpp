#include "engine/plan/specialise.h"

#include "graph/kernel/blocking_call.h"
#include "graph/kernel/evaluate.h"
#include "graph/kernel/files_of_step.h"
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
  Specialiser(const StepGraph& step, const Resources& resources, Misfits misfits)
      : step_(step), resources_(resources), misfits_(misfits) {
    facts_.values.resize(step.values.size());
  }

  Facts run(std::vector<ValueFacts> fed) {
    for (size_t i = 0; i < step_.feeds.size(); ++i) facts_[step_.feeds[i]] = std::move(fed[i]);
    for (size_t id = 0; id < step_.values.size(); ++id) {
      if (!step_.values[id].known.has_value()) continue;
      facts_[id].constant = step_.values[id].known;
      facts_[id].shape = facts_[id].constant.shape();
    }
    for (uint32_t place = 0; place < step_.nodes.size(); ++place) {
      const StepNode& item = step_.nodes[place];
      try {
        if (item.kind == StepKind::kOp) {
          visit(item);
        } else if (item.kind != StepKind::kTokens) {  // of those only the run can tell
          facts_.bodies[place] = item.kind == StepKind::kIf ? visit_if(item) : visit_while(item);
        }
      } catch (const Error& error) {
        if (item.kind != StepKind::kOp) throw;  // it names the node inside
        if (misfits_ == Misfits::kRefused) graph::rethrow_with_node(*item.node, error);
        for (const ValueId out : item.outputs) facts_[out].shape = Shape::unknown_rank();
      }
    }
    return std::move(facts_);
  }

 private:
  std::vector<ValueFacts> facts_of(std::span<const ValueId> ids) const {
    std::vector<ValueFacts> facts;
    for (const ValueId id : ids) facts.push_back(facts_[id]);
    return facts;
  }

  Facts specialise_body(const StepGraph& body, std::vector<ValueFacts> fed) const {
    return Specialiser(body, resources_, Misfits::kLeftToTheRun).run(std::move(fed));
  }

  std::vector<Facts> visit_if(const StepNode& item) {
    const Array& predicate = facts_[item.inputs[0]].constant;
    std::vector<Facts> bodies(2);
    bool is_first = true;
    for (const size_t branch : {0u, 1u}) {
      const bool is_known = predicate.has_value() && predicate.rank() == 0;
      if (is_known && *predicate.data<bool>() != (branch == 1)) continue;
      bodies[branch] = specialise_body(item.bodies[branch], facts_of(std::span(item.inputs).subspan(1)));
      for (size_t i = 0; i < item.outputs.size(); ++i) {
        const ValueId given = item.bodies[branch].fetches[i];
        if (given == kNoValue) continue;
        const bool is_only = is_first || item.bodies[1 - branch].fetches[i] == kNoValue;
        const DType dtype = step_.values[item.outputs[i]].dtype();
        take_result(facts_[item.outputs[i]], bodies[branch][given], is_only, dtype);
      }
      is_first = false;
    }
    return bodies;
  }

  /// What is known of a result that comes from here (`is_only`) or also from elsewhere. A result
  /// that is not a reference is the value of the variable that is given.
  static void take_result(ValueFacts& result, const ValueFacts& given, bool is_only, DType dtype) {
    result.shape = is_only ? given.shape : graph::common_shape(result.shape, given.shape);
    result.handle_shape =
        is_only ? given.handle_shape : graph::common_shape(result.handle_shape, given.handle_shape);
    if (!stands_for_resource(dtype)) return;
    if (is_only) {
      result.resource = given.resource;
    } else if (result.resource != given.resource) {
      throw errors::UnimplementedError("A branch gives one variable and the other branch another");
    }
  }

  /// Shapes of the loop's variables are those that hold in every iteration: found by going through the body
  /// until they do not change any more. Each round makes at least one dimension unknown, so there are few.
  std::vector<Facts> visit_while(const StepNode& item) {
    std::vector<ValueFacts> fed = facts_of(item.inputs);
    const size_t num_variables = item.outputs.size();
    for (size_t i = 0; i < num_variables; ++i) {
      fed[i].constant = Array();
      if (!is_reference_in_loop(item, i)) fed[i].resource = nullptr;
    }
    std::vector<Facts> bodies(2);
    for (bool changed = true; changed;) {
      changed = false;
      bodies[0] = specialise_body(item.bodies[0], fed);
      std::vector<ValueFacts> fed_to_body = fed;
      for (size_t i = 1; i < item.bodies[0].fetches.size(); ++i) {
        fed_to_body.push_back(bodies[0][item.bodies[0].fetches[i]]);
      }
      bodies[1] = specialise_body(item.bodies[1], std::move(fed_to_body));
      for (size_t i = 0; i < num_variables; ++i) {
        const ValueFacts& next = bodies[1][item.bodies[1].fetches[i]];
        if (fed[i].resource != nullptr && next.resource != fed[i].resource) {
          throw errors::UnimplementedError("A loop changes the variable that it works on");
        }
        const Shape common = graph::common_shape(fed[i].shape, next.shape);
        if (common == fed[i].shape) continue;
        fed[i].shape = common;
        changed = true;
      }
    }
    for (size_t i = 0; i < num_variables; ++i) facts_[item.outputs[i]] = fed[i];
    return bodies;
  }

  void visit(const StepNode& item) {
    const Node& node = *item.node;
    if (node.schema().row.is_constant) {
      ValueFacts& fact = facts_[item.outputs[0]];
      fact.constant = node.attrs().get<Array>("value");
      fact.shape = fact.constant.shape();
      return;
    }
    const bool only_resources = bind_resources(item);
    if (node.schema().row.compute != nullptr) {
      infer_for_compute(item);
    } else if (!(only_resources && item.inputs.empty())) {
      infer(item);
    }
    if (resources_.passes.fold && !only_resources && can_fold(item)) fold(item);
  }

  /// References and resource handles: a node without inputs makes one, if not only when it runs; others pass
  /// on that of their first input.
  bool bind_resources(const StepNode& item) {
    const Node& node = *item.node;
    bool only_resources = node.num_outputs() > 0;
    for (int i = 0; i < static_cast<int>(item.outputs.size()); ++i) {
      if (!stands_for_resource(node.output_dtype(i))) {
        only_resources = false;
        continue;
      }
      ValueFacts& fact = facts_[item.outputs[static_cast<size_t>(i)]];
      fact.shape = node.output_dtype(i) == DType::kResource ? Shape() : node.output_shape(i);
      if (item.inputs.empty() && node.schema().row.start != nullptr) {
        only_resources = false;
      } else if (item.inputs.empty()) {
        fact.handle_shape = graph::handle_shape(step_.values[item.outputs[static_cast<size_t>(i)]].endpoint);
        const graph::FilesOfStep scope(resources_.files);
        fact.resource = graph::bind_resource(node, resources_.containers, resources_.states);
      } else {
        fact.handle_shape = facts_[item.inputs[0]].handle_shape;
        fact.resource = facts_[item.inputs[0]].resource;
      }
    }
    return only_resources;
  }

  std::vector<graph::ShapeContext::Input> shape_inputs(const StepNode& item) const {
    std::vector<graph::ShapeContext::Input> inputs;
    for (ValueId id : item.inputs) {
      const ValueFacts& fact = facts_[id];
      inputs.push_back({fact.shape, base_dtype(step_.values[id].dtype()),
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
      return infer_in_part(item, inputs);
    }
    take_shapes(item, context);
  }

  /// The shapes follow in each run: what can be said of them before is what a graph is built with.
  void infer_in_part(const StepNode& item, std::span<const graph::ShapeContext::Input> inputs) {
    const Node& node = *item.node;
    graph::ShapeContext context(node.schema(), node.attrs(), inputs, node.num_outputs(), /*running=*/false);
    try {
      node.schema().row.shape(context);
    } catch (const Error&) {
      return;  // the run tells what is wrong
    }
    // What follows for values that fit is for the run to check: Reshape of six elements to [?] is
    // refused [4].
    for (Shape& shape : context.outputs()) {
      if (shape.is_fully_defined() && shape.rank() > 0) shape = Shape::of_rank(shape.rank());
    }
    take_shapes(item, context);
  }

  void take_shapes(const StepNode& item, graph::ShapeContext& context) {
    for (size_t i = 0; i < item.outputs.size(); ++i) {
      // What stands for a variable has the variable's shape, which an assignment checks but never
      // changes here.
      if (facts_[item.outputs[i]].resource == nullptr) facts_[item.outputs[i]].shape = context.outputs()[i];
    }
  }

  /// Errors in the inputs of a `compute` function are thrown by itself, when it runs.
  void infer_for_compute(const StepNode& item) {
    try {
      infer(item);
    } catch (const Error&) {
      for (const ValueId id : item.outputs) facts_[id].shape = Shape::unknown_rank();
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
      if (step_.values[id].dtype() == DType::kVariant) return false;  // a list, which grows
      const int64_t count = facts_[id].shape.num_elements();
      const auto width = static_cast<int64_t>(dtype_size(step_.values[id].dtype()));
      // Divided, for the product of a count and a width may not fit.
      if (row.compute == nullptr && (count < 0 || (width > 0 && count > kMaxFoldedBytes / width)))
        return false;
    }
    return true;
  }

  void fold(const StepNode& item) {
    std::vector<graph::NodeInput> inputs;
    for (ValueId id : item.inputs) {
      Array value = facts_[id].constant;
      // Only its shape is looked at.
      if (!value.has_value()) {
        value = Array::wrap(nullptr, nullptr, step_.values[id].dtype(), facts_[id].shape);
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
  const Misfits misfits_;
  Facts facts_;
};

}  // namespace

Facts specialise(const StepGraph& step, std::span<const Shape> fed_shapes, const Resources& resources) {
  std::vector<ValueFacts> fed(fed_shapes.size());
  for (size_t i = 0; i < fed.size(); ++i) fed[i].shape = fed_shapes[i];
  return specialise(step, std::move(fed), resources);
}

Facts specialise(const StepGraph& step, std::vector<ValueFacts> fed, const Resources& resources,
                 Misfits misfits) {
  return Specialiser(step, resources, misfits).run(std::move(fed));
}

std::string to_text(const StepGraph& step, const Facts& facts) {
  std::string text;
  for (size_t i = 0; i < facts.values.size(); ++i) {
    const StepValue& value = step.values[i];
    text += fmt::format("{} {}{}", value.name(), dtype_name(value.dtype()), facts[i].shape.to_string());
    if (facts[i].constant.has_value()) text += " = " + facts[i].constant.to_string();
    if (facts[i].resource != nullptr) text += " resource " + facts[i].resource->name();
    text += "\n";
  }
  return text;
}

}  // namespace flowray::engine
