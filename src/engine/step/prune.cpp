#include "engine/step/extended_calls.h"
#include "engine/step/step_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>

namespace flowray::engine {
namespace {

using graph::Endpoint;
using graph::Node;

struct EndpointHash {
  size_t operator()(const Endpoint& endpoint) const {
    return std::hash<const void*>()(endpoint.node) * 31 + static_cast<size_t>(endpoint.index);
  }
};

class Pruner {
 public:
  explicit Pruner(const StepRequest& request) : request_(request) {}

  StepGraph prune() {
    for (const Endpoint& feed : request_.feeds) {
      if (!values_.emplace(feed, static_cast<ValueId>(step_.values.size())).second) {
        throw errors::InvalidArgumentError(fmt::format("Endpoint \"{}\" fed more than once.", feed.name()));
      }
      step_.feeds.push_back(static_cast<ValueId>(step_.values.size()));
      step_.values.push_back({feed, -1});
    }
    collect();
    if (find_extensions()) collect();
    for (Node* node : ordered()) append(node);
    for (const BackEdge& edge : back_edges_)
      step_.nodes[edge.node].inputs[edge.input] = values_.at(edge.from);
    for (const Endpoint& fetch : request_.fetches) step_.fetches.push_back(values_.at(source(fetch)));
    return std::move(step_);
  }

 private:
  bool is_fed(const Endpoint& endpoint) const { return values_.contains(endpoint); }
  bool is_done(const Node* node) const { return request_.done != nullptr && request_.done->contains(node); }

  /// Where a value comes from: what a node that ran before has given on is the reference that it got; what a
  /// node gives that is extended in this step comes from the extension.
  Endpoint source(Endpoint endpoint) const {
    while (is_done(endpoint.node) && !is_fed(endpoint)) endpoint = endpoint.node->inputs()[0];
    if (!is_fed(endpoint)) endpoint.node = running(endpoint.node);
    return endpoint;
  }

  /// The node that runs in place of `node`.
  Node* running(Node* node) const {
    const auto found = extended_.find(node);
    return found == extended_.end() ? node : found->second;
  }

  /// Finds the extensions among the collected nodes: nodes that compute a call's outputs and more, and so run
  /// in place of it. A call with several takes the one that extends the most calls, the oldest of those.
  /// Returns whether there are any; the nodes are then to be collected anew.
  bool find_extensions() {
    std::unordered_map<const Node*, size_t> extent;
    for (const auto& [extension, count] : waits_for_) {
      if (is_done(extension)) continue;
      const std::vector<Node*> calls = extended_calls(*extension);
      for (Node* const call : calls) {
        if (is_done(call)) continue;
        Node*& running = extended_[call];
        const bool is_better = running == nullptr || calls.size() > extent[call] ||
                               (calls.size() == extent[call] && extension->id() < running->id());
        if (!is_better) continue;
        running = extension;
        extent[call] = calls.size();
      }
    }
    if (extended_.empty()) return false;
    waits_for_.clear();
    waiting_on_.clear();
    return true;
  }

  /// From the end of a loop to its head: nothing that the first iteration waits for.
  static bool is_back_edge(const Node* to, const Node* from) {
    return from->schema().row.flow == graph::FlowRole::kNextIteration &&
           to->schema().row.flow == graph::FlowRole::kMerge;
  }

  /// Walks backwards from what is asked for and counts, for each needed node, what it waits for.
  void collect() {
    std::vector<Node*> open;
    for (Node* const target : request_.targets) open.push_back(running(target));
    for (const Endpoint& fetch : request_.fetches) {
      if (!is_fed(source(fetch))) open.push_back(source(fetch).node);
    }
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      if (!waits_for_.emplace(node, 0).second) continue;
      const auto wait_for = [&](Node* before) {
        ++waits_for_[node];
        waiting_on_[before].push_back(node);
        open.push_back(before);
      };
      for (const Endpoint& input : node->inputs()) {
        const Endpoint from = source(input);
        if (is_fed(from)) continue;
        if (is_back_edge(node, from.node)) {
          open.push_back(from.node);
        } else {
          wait_for(from.node);
        }
      }
      for (Node* control : node->control_inputs()) {
        if (!is_done(control)) wait_for(running(control));
      }
    }
  }

  /// Kahn's algorithm; among nodes that are ready the oldest runs first, so that updates, which are made
  /// last, come last.
  std::vector<Node*> ordered() {
    const auto younger = [](const Node* a, const Node* b) { return a->id() > b->id(); };
    std::priority_queue<Node*, std::vector<Node*>, decltype(younger)> ready(younger);
    for (const auto& [node, count] : waits_for_) {
      if (count == 0) ready.push(node);
    }
    std::vector<Node*> order;
    while (!ready.empty()) {
      Node* node = ready.top();
      ready.pop();
      order.push_back(node);
      for (Node* waiting : waiting_on_[node]) {
        if (--waits_for_[waiting] == 0) ready.push(waiting);
      }
    }
    if (order.size() != waits_for_.size()) {
      throw errors::InvalidArgumentError(
          "The graph has a cycle that is not a loop of Enter and NextIteration");
    }
    return order;
  }

  void append(Node* node) {
    StepNode item;
    item.node = node;
    for (const Endpoint& input : node->inputs()) {
      const auto made = values_.find(source(input));
      if (made == values_.end())
        back_edges_.push_back({step_.nodes.size(), item.inputs.size(), source(input)});
      item.inputs.push_back(made == values_.end() ? kNoValue : made->second);
    }
    for (Node* control : node->control_inputs()) {
      if (!is_done(control)) item.controls.push_back(places_.at(running(control)));
    }
    const auto place = static_cast<uint32_t>(step_.nodes.size());
    for (int i = 0; i < node->num_outputs(); ++i) {
      const auto id = static_cast<ValueId>(step_.values.size());
      step_.values.push_back({node->output(i), static_cast<int32_t>(place)});
      values_.emplace(node->output(i), id);  // a fed output keeps its fed value for its consumers
      item.outputs.push_back(id);
    }
    places_[node] = place;
    step_.nodes.push_back(std::move(item));
  }

  struct BackEdge {
    size_t node;
    size_t input;
    Endpoint from;
  };

  const StepRequest& request_;
  StepGraph step_;
  std::vector<BackEdge> back_edges_;
  std::unordered_map<Endpoint, ValueId, EndpointHash> values_;
  std::unordered_map<Node*, int> waits_for_;
  std::unordered_map<Node*, std::vector<Node*>> waiting_on_;
  std::unordered_map<const Node*, uint32_t> places_;
  std::unordered_map<const Node*, Node*> extended_;  // see running()
};

}  // namespace

StepGraph prune(const StepRequest& request) { return Pruner(request).prune(); }

}  // namespace flowray::engine
