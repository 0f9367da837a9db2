#include <flowray/tf/session.h>
#include <flowray/tf/tensor.h>

#include "core/counted_text.h"
#include "graph/exchange/graph_export.h"
#include "graph/graph.h"
#include "graph/resource/variable.h"
#include "graph/value_node.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace flowray::tf {
namespace {

void retain(graph::Node* node) noexcept {
  if (node == nullptr) return;
  if (node->is_value()) {
    static_cast<graph::ValueNode*>(node)->retain();
  } else {
    node->graph().retain();
  }
}
void release(graph::Node* node) noexcept {
  if (node == nullptr) return;
  if (node->is_value()) {
    static_cast<graph::ValueNode*>(node)->release();
  } else {
    node->graph().release();
  }
}

/// The node behind a handle that a method was called on.
graph::Node& node_for(graph::Node* node, const char* handle, const char* method, Input::Where where) {
  if (node == nullptr) throw_unset_method(handle, method, where);
  return *node;
}
graph::Node& of_tensor(graph::Node* node, const char* method, Input::Where where = {}) {
  return node_for(node, "tf::Tensor", method, where);
}
graph::Node& of_operation(graph::Node* node, const char* method, Input::Where where = {}) {
  return node_for(node, "tf::Operation", method, where);
}

Session& session_for(graph::Node* node, Session* given, std::string_view verb, std::string_view what,
                     std::string_view hint) {
  Session* session = given == nullptr ? get_default_session() : given;
  if (session == nullptr) {
    throw ValueError(fmt::format(
        "Cannot {} using `{}()`: No default session is registered. Use `with sess.as_default(){}` "
        "or pass an explicit session to `{}(session=sess)`\nIn C++: auto scope = "
        "session.as_default();",
        what, verb, hint, verb));
  }
  if (session->graph().get() != &node->graph()) {
    throw ValueError(fmt::format(
        "Cannot use the {} session to {}: the {}'s graph is different from the session's graph.{}",
        given == nullptr ? "default" : "given", what, verb == "eval" ? "tensor" : "operation",
        given == nullptr ? fmt::format(" Pass an explicit session to `{}(session=sess)`.", verb) : ""));
  }
  return *session;
}

}  // namespace

Tensor::Tensor(graph::Node* node, int index) noexcept : node_(node), index_(index) { retain(node_); }
Tensor::Tensor(const Tensor& other) noexcept : node_(other.node_), index_(other.index_) { retain(node_); }
Tensor::Tensor(Tensor&& other) noexcept : node_(std::exchange(other.node_, nullptr)), index_(other.index_) {}
Tensor& Tensor::operator=(const Tensor& other) noexcept {
  retain(other.node_);
  release(node_);
  node_ = other.node_;
  index_ = other.index_;
  return *this;
}
Tensor& Tensor::operator=(Tensor&& other) noexcept {
  std::swap(node_, other.node_);
  std::swap(index_, other.index_);
  return *this;
}
Tensor::~Tensor() { release(node_); }

std::string Tensor::name(Where where) const {
  return fmt::format("{}:{}", of_tensor(node_, "name()", where).name(), index_);
}
DType Tensor::dtype(Where where) const { return of_tensor(node_, "dtype()", where).output_dtype(index_); }
const TensorShape& Tensor::shape(Where where) const {
  return of_tensor(node_, "shape()", where).output_shape(index_);
}
void Tensor::set_shape(const TensorShape& shape, Where where) {
  const ErrorLine line(where);
  of_tensor(node_, "set_shape()").merge_output_shape(index_, shape);
}
Operation Tensor::op(Where where) const { return Operation(&of_tensor(node_, "op()", where)); }
Graph Tensor::graph(Where where) const { return Graph(&of_tensor(node_, "graph()", where).graph()); }

std::vector<Operation> Tensor::consumers(Where where) const {
  std::vector<Operation> found;
  for (graph::Node* node : of_tensor(node_, "consumers()", where).graph().nodes()) {
    for (const graph::Endpoint& input : node->inputs()) {
      if (input.node == node_ && input.index == index_) {
        found.emplace_back(node);
        break;
      }
    }
  }
  return found;
}

bool Tensor::is_eager() const noexcept { return node_ != nullptr && node_->is_value(); }

Array Tensor::value(Where where) const {
  const graph::Node& node = of_tensor(node_, "value()", where);
  if (!node.is_value()) {
    const ErrorLine line(where);
    throw ValueError(fmt::format(
        "Tensor {} is symbolic: it belongs to a graph and has no value outside of a step.\nRun it: "
        "session.run(tensor). Operations give values at once while tf::eager() is on.",
        name()));
  }
  const auto& value_node = static_cast<const graph::ValueNode&>(node);
  if (value_node.resource() != nullptr && is_ref(node.output_dtype(index_)))
    return graph::resource_as<graph::Variable>(*value_node.resource()).read();
  return value_node.value(index_);
}

Array Tensor::eval_at(Where where) const { return eval({}, nullptr, where); }
Array Tensor::eval(const FeedDict& feeds, Session* session, Where where) const {
  const ErrorLine line(where);
  if (is_eager()) {
    throw errors::UnimplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you want?\nIn C++: "
        "tensor.value().");
  }
  return session_for(&of_tensor(node_, "eval()"), session, "eval", "evaluate tensor", "").run(*this, feeds);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.has_value()) return out << "None";
  if (tensor.is_eager()) {
    return out << fmt::format("tf.Tensor({}, shape={}, dtype={})", tensor.value().to_string(),
                              tensor.shape().to_tuple_string(), dtype_name(base_dtype(tensor.dtype())));
  }
  return out << tensor_text(graph::Endpoint{tensor.node(), tensor.value_index()});
}

Operation::Operation(graph::Node* node) noexcept : node_(node) { retain(node_); }
Operation::Operation(const Operation& other) noexcept : node_(other.node_) { retain(node_); }
Operation::Operation(Operation&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
Operation& Operation::operator=(const Operation& other) noexcept {
  retain(other.node_);
  release(node_);
  node_ = other.node_;
  return *this;
}
Operation& Operation::operator=(Operation&& other) noexcept {
  std::swap(node_, other.node_);
  return *this;
}
Operation::~Operation() { release(node_); }

std::string Operation::name(Where where) const { return of_operation(node_, "name()", where).name(); }
std::string Operation::type(Where where) const { return of_operation(node_, "type()", where).op(); }
std::string Operation::device(Where where) const { return of_operation(node_, "device()", where).device(); }
Graph Operation::graph(Where where) const { return Graph(&of_operation(node_, "graph()", where).graph()); }
std::string Operation::to_string(Where where) const {
  return graph::to_text(of_operation(node_, "to_string()", where));
}

std::vector<Tensor> Operation::inputs(Where where) const {
  std::vector<Tensor> tensors;
  for (const graph::Endpoint& input : of_operation(node_, "inputs()", where).inputs())
    tensors.emplace_back(input.node, input.index);
  return tensors;
}

std::vector<Operation> Operation::control_inputs(Where where) const {
  std::vector<Operation> operations;
  for (graph::Node* node : of_operation(node_, "control_inputs()", where).control_inputs())
    operations.emplace_back(node);
  return operations;
}

std::vector<Tensor> Operation::outputs(Where where) const {
  std::vector<Tensor> tensors;
  const int number = of_operation(node_, "outputs()", where).num_outputs();
  for (int i = 0; i < number; ++i) tensors.emplace_back(node_, i);
  return tensors;
}

Tensor Operation::output(int index, Where where) const {
  const ErrorLine line(where);
  if (index < 0 || index >= of_operation(node_, "output()").num_outputs()) {
    throw IndexError(fmt::format("Operation '{}' has {}, there is none number {}", name(),
                                 counted_text(static_cast<size_t>(node_->num_outputs()), "output"), index));
  }
  return {node_, index};
}

void Operation::run_at(Where where) const { run({}, nullptr, where); }
void Operation::run(const FeedDict& feeds, Session* session, Where where) const {
  const ErrorLine line(where);
  session_for(&of_operation(node_, "run()"), session, "run", "execute operation", ":").run(*this, feeds);
}

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  if (!operation.has_value()) return out << "None";
  return out << wire::to_text_format(graph::to_node_def(*operation.node()));
}

}  // namespace flowray::tf
