#include "support/interpreter.h"

#include "graph/blocking_call.h"
#include "graph/signature.h"
#include "graph/variable.h"

#include <set>

namespace flowray::testing {
namespace {

using graph::Endpoint;
using graph::Node;
using graph::NodeInput;
using Key = std::pair<const Node*, int>;

Key key_of(Endpoint endpoint) { return {endpoint.node, endpoint.index}; }

struct ById {
  bool operator()(const Node* a, const Node* b) const { return a->id() < b->id(); }
};

/// Everything that must run, in creation order, which is a topological one for graphs without loops.
std::set<Node*, ById> needed_nodes(const std::vector<Endpoint>& fetches, const std::vector<Node*>& targets,
                                   const std::map<Key, NodeInput>& fed) {
  std::set<Node*, ById> needed;
  std::vector<Node*> open(targets);
  for (const Endpoint& fetch : fetches) {
    if (!fed.contains(key_of(fetch))) open.push_back(fetch.node);
  }
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (!needed.insert(node).second) continue;
    for (const Endpoint& input : node->inputs()) {
      if (!fed.contains(key_of(input))) open.push_back(input.node);
    }
    for (Node* control : node->control_inputs()) open.push_back(control);
  }
  return needed;
}

bool stands_for_resource(DType dtype) { return is_ref(dtype) || dtype == DType::kResource; }

class Run {
 public:
  Run(graph::ResourceContainers& containers, graph::NodeStates& states, std::map<Key, NodeInput> values)
      : containers_(containers), states_(states), values_(std::move(values)) {}

  void run_node(Node& node) {
    std::vector<NodeInput> inputs;
    try {
      for (int i = 0; i < node.num_inputs(); ++i) inputs.push_back(input(node, i));
      std::vector<Array> outputs;
      if (!makes_resource(node)) outputs = graph::evaluate(node, inputs, states_, serial_);
      for (int i = 0; i < node.num_outputs(); ++i) keep_output(node, i, inputs, outputs);
    } catch (const errors::OpError& error) {
      graph::rethrow_with_node(node, error);
    }
  }

  Array fetch(Endpoint endpoint) {
    const NodeInput& value = values_.at(key_of(endpoint));
    return value.resource != nullptr ? graph::resource_as<graph::Variable>(*value.resource).read() : value.value;
  }

 private:
  static bool makes_resource(const Node& node) {
    if (node.num_outputs() != 1 || !stands_for_resource(node.output_dtype(0))) return false;
    return node.num_inputs() == 0;
  }

  NodeInput input(const Node& node, int i) {
    NodeInput value = values_.at(key_of(node.input(i)));
    const bool wants_resource = graph::takes_reference(node.schema(), node.attrs(), i) ||
                                node.input(i).dtype() == DType::kResource;
    if (value.resource != nullptr && !wants_resource) {
      value = {graph::resource_as<graph::Variable>(*value.resource).read(), nullptr};
    }
    return value;
  }

  void keep_output(Node& node, int i, const std::vector<NodeInput>& inputs, std::vector<Array>& outputs) {
    NodeInput& value = values_[{&node, i}];
    if (makes_resource(node)) {
      value.resource = graph::bind_resource(node, containers_, states_).get();  // which the containers or states hold
    } else if (stands_for_resource(node.output_dtype(i))) {
      value.resource = inputs[static_cast<size_t>(i)].resource;
    } else {
      value.value = std::move(outputs[static_cast<size_t>(i)]);
    }
  }

  graph::ResourceContainers& containers_;
  graph::NodeStates& states_;
  std::map<Key, NodeInput> values_;
  Serial serial_;
};

}  // namespace

std::vector<Array> Interpreter::run(const std::vector<Endpoint>& fetches, const std::vector<Feed>& feeds,
                                    const std::vector<Node*>& targets) {
  std::map<Key, NodeInput> fed;
  for (const Feed& feed : feeds) fed[key_of(feed.endpoint)] = {feed.value, nullptr};
  Run run(containers_, *this, fed);
  for (Node* node : needed_nodes(fetches, targets, fed)) {
    run.run_node(*node);
  }
  std::vector<Array> results;
  for (const Endpoint& fetch : fetches) results.push_back(run.fetch(fetch));
  return results;
}

std::shared_ptr<graph::NodeState> Interpreter::find_or_make(
    const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) {
  std::shared_ptr<graph::NodeState>& state = states_[name];
  if (state == nullptr) state = make();
  return state;
}

}  // namespace flowray::testing
