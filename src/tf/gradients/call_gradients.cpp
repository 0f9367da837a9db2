#include "tf/gradients/call_gradients.h"

#include "engine/step/extended_calls.h"
#include "graph/exchange/attr_message.h"
#include "graph/exchange/node_links.h"
#include "graph/shape_context.h"
#include "tf/build/function_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {

using engine::CallRole;
using engine::FunctionBodies;
using graph::Attrs;
using graph::Endpoint;
using graph::FunctionPart;
using graph::Node;

// ---- what all calls make

BesideCall::BesideCall(Node& call)
    : call_(call), builder_(call.graph()), without_(call.graph()), inside_(context_of(call)) {
  graph::Scopes& scopes = call.graph().scopes();
  colocation_.swap(scopes.colocation);
  scopes.devices.push_back(call.device());
}

BesideCall::~BesideCall() {
  graph::Scopes& scopes = call_.graph().scopes();
  colocation_.swap(scopes.colocation);
  scopes.devices.pop_back();
}

Node* BesideCall::known(Node* node) {
  ExtendedCalls::of(call_.graph()).add_node(*node);
  return node;
}

Endpoint BesideCall::op(std::string_view op, std::vector<Endpoint> inputs, Attrs attrs) {
  return known(builder_.node(op, std::move(inputs), std::move(attrs)))->output(0);
}

Endpoint BesideCall::constant(const Array& value) {
  const Endpoint made = builder_.constant(value);
  known(made.node);
  return made;
}

Node& BesideCall::extend(std::string_view op, std::vector<Endpoint> inputs, const Attrs& attrs,
                         const std::vector<Shape>& output_shapes) {
  graph::Graph& graph = call_.graph();
  std::vector<std::string> names;
  for (const Node* const call : engine::extended_calls(call_)) names.push_back(call->name());
  names.push_back(call_.name());
  Attrs all = attrs;
  for (const auto& [name, value] : call_.attrs().items()) {
    if (all.contains(name) || name == graph::kColocation || name == "_output_shapes" ||
        name == graph::kGradientFunction || name == "_gradient_op_type")
      continue;
    const bool is_of_op = graph.ops().find(op)->find_attr(name) != nullptr;
    if (is_of_op || name.starts_with('_')) all.set(name, value);
  }
  all.set(graph::kColocation, std::vector<std::string>{"loc:@" + names.front()});
  all.set(graph::kExtendedCalls, std::move(names));
  Node* const made =
      graph.add({.op = op,
                 .inputs = std::move(inputs),
                 .attrs = std::move(all),
                 .control_inputs = {call_.control_inputs().begin(), call_.control_inputs().end()}});
  for (size_t i = 0; i < output_shapes.size(); ++i) {
    made->merge_output_shape(static_cast<int>(i), output_shapes[i]);
  }
  return *known(made);
}

Endpoint own_output(Node& call, int i) {
  for (Node* const before : engine::extended_calls(call)) {
    if (i < before->num_outputs()) return before->output(i);
  }
  return call.output(i);
}

DType variable_dtype(const Endpoint& handle) {
  const Attrs* const attrs = graph::handle_attrs(handle);
  const graph::AttrValue* const dtype = attrs == nullptr ? nullptr : attrs->find("dtype");
  return dtype == nullptr ? DType::kInvalid : dtype->get<DType>();
}

Shape shape_of_gradient(const Endpoint& input) {
  return base_dtype(input.dtype()) == DType::kResource ? graph::handle_shape(input) : input.shape();
}

Endpoint no_gradient(graph::Builder& builder, const Endpoint& input) {
  if (base_dtype(input.dtype()) == DType::kResource || !is_differentiable(input.dtype())) return {};
  return zeros_like_value(builder, input);
}

bool calls_function(const Node& node) { return engine::call_role(node.schema()) != CallRole::kNone; }

bool calls_one_function(const Node& node) {
  const CallRole role = engine::call_role(node.schema());
  return role == CallRole::kFunction || role == CallRole::kCall;
}

// ---- If, Case and plain calls

namespace {

class BranchGradient {
 public:
  BranchGradient(Node& node, const std::vector<Endpoint>& grads)
      : call_(ExtendedCalls::of(node.graph()).last(node)),
        builder_(node.graph()),
        role_(engine::call_role(call_.schema())),
        first_arg_(role_ == CallRole::kIf || role_ == CallRole::kCase ? 1 : 0),
        grads_(grads) {
    grads_.resize(static_cast<size_t>(call_.num_outputs()));  // of what the extension has added
  }

  std::vector<Endpoint> build() {
    differentiate_branches();
    collect_reads();
    extend_call();
    std::vector<Endpoint> result(static_cast<size_t>(call_.num_inputs()));
    if (!outputs_.empty()) {
      Node& made = make_gradient();
      for (size_t i = 0; i < outputs_.size(); ++i) {
        result[outputs_[i] + static_cast<size_t>(first_arg_)] = made.output(static_cast<int>(i));
      }
    }
    for (size_t i = static_cast<size_t>(first_arg_); i < result.size(); ++i) {
      if (!result[i]) result[i] = no_gradient(builder_, call_.input(static_cast<int>(i)));
    }
    return result;
  }

 private:
  size_t num_branches() const {
    if (role_ == CallRole::kIf) return 2;
    return role_ == CallRole::kCase ? FunctionBodies::count(call_) : 1;
  }

  void differentiate_branches() {
    std::vector<DType> seeds;
    for (const Endpoint& grad : grads_) seeds.push_back(grad ? base_dtype(grad.dtype()) : DType::kInvalid);
    for (size_t i = 0; i < num_branches(); ++i) {
      branches_.push_back(std::make_unique<BodyGradient>(call_, i, first_arg_));
      branches_.back()->differentiate(seeds);
    }
    const size_t num_args = branches_.front()->args().size();
    for (size_t arg = 0; arg < num_args; ++arg) {
      DType dtype = DType::kInvalid;
      for (const auto& branch : branches_) {
        if (branch->gradient(arg)) dtype = base_dtype(branch->gradient(arg).dtype());
      }
      if (dtype == DType::kInvalid) continue;
      outputs_.push_back(arg);
      for (const auto& branch : branches_) branch->fill_in_zeros(arg, dtype);
    }
  }

  /// What a value is behind the Identity through which functions return their results.
  static Endpoint passed_on(Endpoint value) {
    while (value.node->op() == "Identity") value = value.node->input(0);
    return value;
  }

  /// What the gradients read: arguments come from where the call got them, results from the call, all else
  /// from its extension.
  void collect_reads() {
    reads_.resize(branches_.size());
    passed_on_.resize(branches_.size());
    for (size_t b = 0; b < branches_.size(); ++b) {
      BodyGradient& branch = *branches_[b];
      std::vector<Endpoint> ends;
      for (const size_t arg : outputs_) ends.push_back(branch.gradient(arg));
      for (const Endpoint& read : branch.reads_of(ends)) {
        if (const auto arg = std::ranges::find(branch.args(), read); arg != branch.args().end()) {
          read_args_.insert(static_cast<size_t>(arg - branch.args().begin()));
        } else if (const auto result = std::ranges::find(branch.results(), passed_on(read), passed_on);
                   result != branch.results().end()) {
          read_results_.insert(static_cast<size_t>(result - branch.results().begin()));
          if (*result != read) passed_on_[b][read] = *result;
        } else {
          reads_[b].push_back(read);
        }
      }
    }
  }

  // ---- the call with more results

  void extend_call() {
    if (std::ranges::all_of(reads_, [](const auto& reads) { return reads.empty(); })) return;
    std::vector<DType> dtypes;
    std::vector<Shape> shapes;
    for (int i = 0; i < call_.num_outputs(); ++i) {
      dtypes.push_back(base_dtype(call_.output_dtype(i)));
      shapes.push_back(call_.output_shape(i));
    }
    for (const auto& reads : reads_) {
      for (const Endpoint& read : reads) {
        if (base_dtype(read.dtype()) == DType::kResource) {
          throw errors::UnimplementedError(
              fmt::format("The gradient of '{}' needs a handle that is made inside of its function ({})",
                          call_.name(), read.node->name()));
        }
        dtypes.push_back(base_dtype(read.dtype()));
        shapes.push_back(read.shape());
      }
    }
    std::vector<std::string> names;
    for (size_t b = 0; b < branches_.size(); ++b) names.push_back(add_forward_function(b));
    BesideCall beside(call_);
    Attrs attrs = function_attrs(names);
    attrs.set("Tout", dtypes);
    if (first_arg_ > 0) attrs.set("output_shapes", shapes);
    source_ = &beside.extend(op(), {call_.inputs().begin(), call_.inputs().end()}, attrs, shapes);
  }

  std::string add_forward_function(size_t b) {
    BodyGradient& branch = *branches_[b];
    graph::Builder inside(branch.graph());
    std::vector<FunctionPart::Arg> args;
    for (const Endpoint& arg : branch.args()) args.push_back({base_dtype(arg.dtype()), arg});
    std::vector<Endpoint> results = branch.results();
    for (size_t other = 0; other < reads_.size(); ++other) {
      for (const Endpoint& read : reads_[other]) {
        // A value of another branch is never read: anything stands for it.
        results.push_back(
            other == b
                ? read
                : inside.op("FakeParam", {}, {{"dtype", base_dtype(read.dtype())}, {"shape", read.shape()}}));
      }
    }
    return branch.add_forward_function(FunctionBodies::function_name(call_, b) + "_forward", std::move(args),
                                       std::move(results));
  }

  // ---- the gradient's call

  Node& make_gradient() {
    std::vector<Endpoint> inputs;
    if (first_arg_ > 0) inputs.push_back(call_.input(0));
    for (const Endpoint& grad : grads_) {
      if (grad) inputs.push_back(grad);
    }
    for (const size_t arg : read_args_) inputs.push_back(call_.input(static_cast<int>(arg) + first_arg_));
    for (const size_t result : read_results_) inputs.push_back(own_output(call_, static_cast<int>(result)));
    int output = call_.num_outputs();
    for (const auto& reads : reads_) {
      for (size_t i = 0; i < reads.size(); ++i) inputs.push_back(source_->output(output++));
    }
    std::vector<std::string> names;
    for (size_t b = 0; b < branches_.size(); ++b) names.push_back(add_gradient_function(b));
    std::vector<DType> dtypes;
    std::vector<Shape> shapes;
    for (const size_t arg : outputs_) {
      dtypes.push_back(base_dtype(branches_.front()->gradient(arg).dtype()));
      shapes.push_back(shape_of_gradient(call_.input(static_cast<int>(arg) + first_arg_)));
    }
    Attrs attrs = function_attrs(names);
    attrs.set("Tout", dtypes);
    if (first_arg_ > 0) attrs.set("output_shapes", shapes);
    if (first_arg_ > 0) attrs.set("_lower_using_switch_merge", true);
    Node& made = *builder_.node(op(), std::move(inputs), std::move(attrs));
    for (size_t i = 0; i < shapes.size(); ++i) made.merge_output_shape(static_cast<int>(i), shapes[i]);
    return made;
  }

  std::string add_gradient_function(size_t b) {
    BodyGradient& branch = *branches_[b];
    std::vector<FunctionPart::Arg> args;
    for (size_t i = 0; i < grads_.size(); ++i) {
      if (grads_[i]) args.push_back({base_dtype(grads_[i].dtype()), branch.seed(i)});
    }
    for (const size_t arg : read_args_)
      args.push_back({base_dtype(branch.args()[arg].dtype()), branch.args()[arg]});
    for (const size_t result : read_results_)
      args.push_back({base_dtype(branch.results()[result].dtype()), branch.results()[result]});
    for (size_t other = 0; other < reads_.size(); ++other) {
      for (const Endpoint& read : reads_[other])
        args.push_back({base_dtype(read.dtype()), other == b ? read : Endpoint{}});
    }
    std::vector<Endpoint> results;
    for (const size_t arg : outputs_) results.push_back(branch.gradient(arg));
    return branch.add_gradient_function(FunctionBodies::function_name(call_, b) + "_gradient",
                                        std::move(args), std::move(results), passed_on_[b]);
  }

  // ---- nodes like the call

  std::string_view op() const {
    const bool is_by_another_op = role_ == CallRole::kFunction || call_.op() == "SymbolicGradient";
    if (!is_by_another_op) return call_.op();
    return call_.schema().row.stateful ? "StatefulPartitionedCall" : "PartitionedCall";
  }

  /// By number: else and then, or branch 0, 1, ...
  Attrs function_attrs(const std::vector<std::string>& names) const {
    if (role_ == CallRole::kIf) {
      return {{"else_branch", function_attr(names[0])}, {"then_branch", function_attr(names[1])}};
    }
    if (role_ == CallRole::kCase) return {{"branches", functions_attr(names)}};
    return {{"f", function_attr(names[0])}};
  }

  Node& call_;
  graph::Builder builder_;
  CallRole role_;
  int first_arg_;
  std::vector<Endpoint> grads_;
  std::vector<std::unique_ptr<BodyGradient>> branches_;
  std::vector<size_t> outputs_;  // arguments that get a gradient
  std::set<size_t> read_args_;
  std::set<size_t> read_results_;
  std::vector<std::vector<Endpoint>> reads_;                            // by branch, of its inside
  std::vector<std::map<Endpoint, Endpoint, EndpointOrder>> passed_on_;  // by branch, reads that are results
  Node* source_ = &call_;                                               // what gives these
};

// ---- functions that come with a gradient

/// The function that a call names, with the attributes that it is called with, under another name.
graph::AttrValue renamed_function(const Node& call, const std::string& name) {
  wire::NameAttrList function;
  std::string borrowed;
  if (engine::call_role(call.schema()) == CallRole::kCall) {
    borrowed = call.attrs().get<graph::OpaqueAttr>("f").message;
    function = *std::get<wire::AttrValue::kFunc>(wire::decode<wire::AttrValue>(borrowed).value);
  } else {
    for (const auto& [key, value] : call.attrs().items()) {
      if (!key.starts_with('_')) function.attr.add(wire::Text::borrow(key), graph::attr_to_message(value));
    }
  }
  function.name = name;
  wire::AttrValue message;
  message.value.emplace<wire::AttrValue::kFunc>(std::move(function));
  return graph::OpaqueAttr{wire::encode(message)};
}

/// A call of `function`, which takes the inputs of the call and the gradients of its outputs.
std::vector<Endpoint> given_gradient(Node& call, const std::vector<Endpoint>& grads,
                                     const std::string& function) {
  const graph::LibraryFunction* const found = graph::FunctionLibrary::of(call.graph()).find(function);
  if (found == nullptr) throw errors::NotFoundError(fmt::format("Function {} is not defined.", function));
  graph::Builder builder(call.graph());
  std::vector<Endpoint> inputs(call.inputs().begin(), call.inputs().end());
  for (int i = 0; i < call.num_outputs(); ++i) {
    const Endpoint grad = grads[static_cast<size_t>(i)];
    inputs.push_back(grad ? grad : zeros_like_value(builder, call.output(i)));
  }
  std::vector<DType> dtypes;
  for (const Endpoint& input : call.inputs()) {
    const DType dtype = base_dtype(input.dtype());
    dtypes.push_back(dtype == DType::kResource ? variable_dtype(input) : dtype);
  }
  const bool is_stateful = found->definition.signature.is_stateful;
  Node& made = *builder.node(is_stateful ? "StatefulPartitionedCall" : "PartitionedCall", std::move(inputs),
                             {{"f", renamed_function(call, function)}, {"Tout", dtypes}});
  std::vector<Endpoint> result;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const Endpoint input = call.input(i);
    result.push_back(is_differentiable(input.dtype()) ? made.output(i) : Endpoint{});
    made.merge_output_shape(i, shape_of_gradient(input));
  }
  return result;
}

}  // namespace

std::vector<Endpoint> call_gradient(Node& node, const std::vector<Endpoint>& grads) {
  const RecursiveLock lock(ExtendedCalls::of(node.graph()).mutex());
  if (engine::call_role(node.schema()) == CallRole::kWhile) return while_gradient(node, grads);
  if (calls_one_function(node)) {
    const std::string given =
        graph::FunctionLibrary::of(node.graph()).gradient_of(FunctionBodies::function_name(node, 0));
    if (!given.empty()) return given_gradient(node, grads, given);
  }
  return BranchGradient(node, grads).build();
}

}  // namespace flowray::tf
