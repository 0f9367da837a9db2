/// The gradient of a functional While: the loop again, with a counter and a list for each value that the
/// gradient reads of an iteration, and behind it a While that runs the gradient of the body as often, from
/// the last iteration to the first.
///
///     While(x...)            = x', ...                            while condition(x...): x... = body(x...)
///     extension              = x', ..., count, list...            ... and count += 1, list = list + [value]
///     While(count, g..., invariants..., list...)                  while count > 0:
///                                                                   count -= 1, list, value = pop(list)
///                                                                   g... = gradient of body(g..., value...)
#include "tf/gradients/call_gradients.h"

#include "graph/shape_context.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "tf/build/function_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {

using engine::FunctionBodies;
using graph::Attrs;
using graph::Endpoint;
using graph::FunctionPart;
using graph::Node;

namespace {

/// For ops of lists: -1 where the shape or a dimension is not known.
Array element_shape(const Shape& shape) {
  if (!shape.has_rank()) return Array(int32_t{-1});
  std::vector<int32_t> dims;
  for (const int64_t dim : shape.dims()) dims.push_back(static_cast<int32_t>(dim < 0 ? -1 : dim));
  return Array(dims);
}

class WhileGradient {
 public:
  WhileGradient(Node& node, const std::vector<Endpoint>& grads)
      : num_inputs_(static_cast<size_t>(node.num_inputs())),
        call_(ExtendedCalls::of(node.graph()).last(node)),
        builder_(node.graph()),
        condition_(call_, 0, 0),
        body_(call_, 1, 0),
        grads_(grads) {
    grads_.resize(static_cast<size_t>(call_.num_outputs()));  // of what extensions have added
  }

  std::vector<Endpoint> build() {
    std::vector<Endpoint> result(grads_.size());
    find_active();
    if (!active_.empty()) {
      std::vector<DType> seeds(grads_.size(), DType::kInvalid);
      for (const size_t i : active_) seeds[i] = dtype_of_gradient(i);
      body_.differentiate(seeds);
      for (const size_t i : active_) body_.fill_in_zeros(i, seeds[i]);
      collect_reads();
      Node& forward = extend_loop();
      Node& backward = make_gradient(forward);
      for (size_t k = 0; k < active_.size(); ++k)
        result[active_[k]] = backward.output(static_cast<int>(k) + 1);
    }
    for (size_t i = 0; i < result.size(); ++i) {
      if (!result[i]) result[i] = no_gradient(builder_, call_.input(static_cast<int>(i)));
    }
    result.resize(num_inputs_);  // counters and lists begin empty
    return result;
  }

 private:
  bool is_invariant(size_t i) const { return body_.results()[i] == body_.args()[i]; }

  DType dtype_of_gradient(size_t i) const {
    const Endpoint arg = body_.args()[i];
    if (base_dtype(arg.dtype()) != DType::kResource) return base_dtype(arg.dtype());
    return is_invariant(i) ? variable_dtype(arg) : DType::kInvalid;
  }

  /// The variables whose gradient is not zero in all iterations.
  void find_active() {
    std::vector<bool> is_active(grads_.size(), false);
    std::vector<size_t> open;
    const auto add = [&](size_t i) {
      if (is_active[i] || !is_differentiable(body_.args()[i].dtype())) return;
      if (dtype_of_gradient(i) == DType::kInvalid) return;
      is_active[i] = true;
      open.push_back(i);
    };
    for (size_t i = 0; i < grads_.size(); ++i) {
      if (grads_[i]) add(i);
    }
    while (!open.empty()) {
      const std::vector<bool> behind = body_.args_behind(open.back());
      open.pop_back();
      for (size_t i = 0; i < behind.size(); ++i) {
        if (behind[i]) add(i);
      }
    }
    for (size_t i = 0; i < is_active.size(); ++i) {
      if (is_active[i]) active_.push_back(i);
    }
  }

  void collect_reads() {
    std::vector<Endpoint> ends;
    for (const size_t i : active_) ends.push_back(body_.gradient(i));
    for (const Endpoint& read : body_.reads_of(ends)) {
      const auto arg = std::ranges::find(body_.args(), read);
      const auto place = static_cast<size_t>(arg - body_.args().begin());
      if (arg != body_.args().end() && is_invariant(place)) {
        invariants_.push_back(place);
      } else if (base_dtype(read.dtype()) == DType::kResource) {
        throw errors::UnimplementedError(
            fmt::format("The gradient of '{}' needs a handle that is another one in each iteration ({})",
                        call_.name(), read.node->name()));
      } else {
        kept_.push_back(read);
      }
    }
  }

  // ---- forwards

  Node& extend_loop() {
    graph::Builder inside(body_.graph());
    count_ = body_.new_arg(DType::kInt32, Shape());
    const Endpoint counted = ops::python_with_number(inside, "AddV2", count_, 1, "add");
    BesideCall beside(call_);
    std::vector<Endpoint> inputs(call_.inputs().begin(), call_.inputs().end());
    std::vector<FunctionPart::Arg> args;
    std::vector<FunctionPart::Arg> condition_args;
    for (const Endpoint& arg : body_.args()) args.push_back({base_dtype(arg.dtype()), arg});
    for (const Endpoint& arg : condition_.args()) condition_args.push_back({base_dtype(arg.dtype()), arg});
    std::vector<Endpoint> results = body_.results();
    const auto add = [&](Endpoint first, Endpoint arg, Endpoint next) {
      inputs.push_back(first);
      args.push_back({arg.dtype(), arg});
      condition_args.push_back({arg.dtype(), {}});
      results.push_back(next);
    };
    add(beside.constant(Array(int32_t{0})), count_, counted);
    for (const Endpoint& value : kept_) {
      lists_.push_back(body_.new_arg(DType::kVariant, Shape()));
      const Endpoint shape = beside.constant(element_shape(value.shape()));
      const Endpoint list = beside.op("EmptyTensorList", {shape, beside.constant(Array(int32_t{-1}))},
                                      {{"element_dtype", base_dtype(value.dtype())}});
      add(list, lists_.back(), inside.op("TensorListPushBack", {lists_.back(), value}));
    }
    const std::string condition_name =
        condition_.add_forward_function(FunctionBodies::function_name(call_, 0) + "_forward",
                                        std::move(condition_args), condition_.results());
    const std::string body_name = body_.add_forward_function(
        FunctionBodies::function_name(call_, 1) + "_forward", std::move(args), std::move(results));
    std::vector<Shape> shapes;
    for (const Endpoint& arg : body_.args()) shapes.push_back(arg.shape());  // in all iterations
    shapes.resize(inputs.size());
    std::vector<DType> dtypes;
    for (const Endpoint& input : inputs) dtypes.push_back(base_dtype(input.dtype()));
    return beside.extend(call_.op(), std::move(inputs),
                         {{"T", dtypes},
                          {"cond", function_attr(condition_name)},
                          {"body", function_attr(body_name)},
                          {"output_shapes", shapes}},
                         shapes);
  }

  // ---- backwards

  Endpoint first_gradient(size_t i) {
    if (grads_[i]) return grads_[i];
    const Endpoint last = own_output(call_, static_cast<int>(i));
    if (base_dtype(last.dtype()) != DType::kResource) return zeros_like_value(builder_, last);
    const Endpoint shape = builder_.op("VariableShape", {call_.input(static_cast<int>(i))});
    return builder_.op("Fill", {shape, builder_.constant(Array(0).astype(dtype_of_gradient(i)))});
  }

  Node& make_gradient(Node& forward) {
    std::vector<Endpoint> inputs = {forward.output(call_.num_outputs())};
    std::vector<Shape> shapes = {Shape()};
    for (const size_t i : active_) {
      inputs.push_back(first_gradient(i));
      const bool is_handle = base_dtype(call_.input(static_cast<int>(i)).dtype()) == DType::kResource;
      shapes.push_back(is_handle ? shape_of_gradient(call_.input(static_cast<int>(i)))
                                 : body_.args()[i].shape());
    }
    for (const size_t i : invariants_) {
      inputs.push_back(call_.input(static_cast<int>(i)));
      shapes.push_back(call_.input(static_cast<int>(i)).shape());
    }
    for (size_t k = 0; k < kept_.size(); ++k) {
      inputs.push_back(forward.output(call_.num_outputs() + 1 + static_cast<int>(k)));
      shapes.emplace_back();
    }
    std::vector<DType> dtypes;
    for (const Endpoint& input : inputs) dtypes.push_back(base_dtype(input.dtype()));
    const std::string name = FunctionBodies::function_name(call_, 1) + "_gradient";
    const std::string condition_name = add_condition(name, dtypes);
    const std::string body_name = add_body(name, dtypes);
    Node& made = *builder_.node(call_.op(), std::move(inputs),
                                {{"T", dtypes},
                                 {"cond", function_attr(condition_name)},
                                 {"body", function_attr(body_name)},
                                 {"output_shapes", shapes},
                                 {"_lower_using_switch_merge", true}});
    for (size_t i = 0; i < shapes.size(); ++i) made.merge_output_shape(static_cast<int>(i), shapes[i]);
    return made;
  }

  std::string add_condition(const std::string& of, const std::vector<DType>& dtypes) {
    graph::Builder inside(condition_.graph());
    const Endpoint count = condition_.new_arg(DType::kInt32, Shape());
    const Endpoint goes_on = ops::python_with_number(inside, "Greater", count, 0, "Greater");
    std::vector<FunctionPart::Arg> args;
    for (const DType dtype : dtypes) args.push_back({dtype, {}});
    args[0].value = count;
    return condition_.add_gradient_function(of + "_condition", std::move(args), {goes_on});
  }

  std::string add_body(const std::string& of, const std::vector<DType>& dtypes) {
    graph::Builder inside(body_.graph());
    std::vector<Endpoint> values = {count_};
    std::vector<Endpoint> results = {ops::python_with_number(inside, "Sub", count_, 1, "sub")};
    for (const size_t i : active_) {
      values.push_back(body_.seed(i));
      results.push_back(body_.gradient(i));
    }
    for (const size_t i : invariants_) {
      values.push_back(body_.args()[i]);
      results.push_back(body_.args()[i]);
    }
    std::map<Endpoint, Endpoint, EndpointOrder> sources;
    for (size_t k = 0; k < kept_.size(); ++k) {
      const Endpoint shape = inside.constant(element_shape(kept_[k].shape()));
      Node* const pop = inside.node("TensorListPopBack", {lists_[k], shape},
                                    {{"element_dtype", base_dtype(kept_[k].dtype())}});
      values.push_back(lists_[k]);
      results.push_back(pop->output(0));
      sources[kept_[k]] = pop->output(1);
    }
    std::vector<FunctionPart::Arg> args;
    for (size_t i = 0; i < values.size(); ++i) args.push_back({dtypes[i], values[i]});
    return body_.add_gradient_function(of + "_body", std::move(args), std::move(results), sources);
  }

  size_t num_inputs_;
  Node& call_;
  graph::Builder builder_;
  BodyGradient condition_;
  BodyGradient body_;
  std::vector<Endpoint> grads_;
  std::vector<size_t> active_;      // variables with a gradient
  std::vector<size_t> invariants_;  // arguments that the gradient reads and the loop does not change
  std::vector<Endpoint> kept_;      // what else it reads of an iteration
  Endpoint count_;
  std::vector<Endpoint> lists_;  // arguments of the body, by kept_
};

}  // namespace

std::vector<Endpoint> while_gradient(Node& node, const std::vector<Endpoint>& grads) {
  return WhileGradient(node, grads).build();
}

}  // namespace flowray::tf
