#include <flowray/tf/session.h>
#include <flowray/tf/tensor.h>

#include "graph/graph.h"
#include "tf/build/tensor_text.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace flowray::tf {
namespace {

void retain(graph::Node* node) noexcept {
  if (node != nullptr) node->graph().retain();
}
void release(graph::Node* node) noexcept {
  if (node != nullptr) node->graph().release();
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

std::string Tensor::name() const {
  return node_ == nullptr ? "None" : fmt::format("{}:{}", node_->name(), index_);
}
DType Tensor::dtype() const { return node_->output_dtype(index_); }
const TensorShape& Tensor::shape() const { return node_->output_shape(index_); }
void Tensor::set_shape(const TensorShape& shape) { node_->merge_output_shape(index_, shape); }
Operation Tensor::op() const { return Operation(node_); }
Graph Tensor::graph() const { return Graph(&node_->graph()); }

std::vector<Operation> Tensor::consumers() const {
  std::vector<Operation> found;
  for (graph::Node* node : node_->graph().nodes()) {
    for (const graph::Endpoint& input : node->inputs()) {
      if (input.node == node_ && input.index == index_) {
        found.emplace_back(node);
        break;
      }
    }
  }
  return found;
}

Array Tensor::eval() const { return eval({}, nullptr); }
Array Tensor::eval(const FeedDict& feeds, Session* session) const {
  return session_for(node_, session, "eval", "evaluate tensor", "").run(*this, feeds);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor) return out << "None";
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

std::string Operation::name() const { return node_->name(); }
std::string Operation::type() const { return node_->op(); }
std::string Operation::device() const { return node_->device(); }
Graph Operation::graph() const { return Graph(&node_->graph()); }
std::string Operation::to_string() const { return graph::to_text(*node_); }

std::vector<Tensor> Operation::inputs() const {
  std::vector<Tensor> tensors;
  for (const graph::Endpoint& input : node_->inputs()) tensors.emplace_back(input.node, input.index);
  return tensors;
}

std::vector<Operation> Operation::control_inputs() const {
  std::vector<Operation> operations;
  for (graph::Node* node : node_->control_inputs()) operations.emplace_back(node);
  return operations;
}

std::vector<Tensor> Operation::outputs() const {
  std::vector<Tensor> tensors;
  for (int i = 0; i < node_->num_outputs(); ++i) tensors.emplace_back(node_, i);
  return tensors;
}

Tensor Operation::output(int index) const {
  if (index < 0 || index >= node_->num_outputs()) {
    throw IndexError(fmt::format("Operation '{}' has {} outputs, there is none number {}", name(),
                                 node_->num_outputs(), index));
  }
  return {node_, index};
}

void Operation::run() const { run({}, nullptr); }
void Operation::run(const FeedDict& feeds, Session* session) const {
  session_for(node_, session, "run", "execute operation", ":").run(*this, feeds);
}

std::ostream& operator<<(std::ostream& out, const Operation& operation) {
  return out << (operation ? operation.to_string() : "None");
}

}  // namespace flowray::tf
