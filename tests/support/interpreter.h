#pragma once
/// A slow, plainly right way to run a graph: node by node in creation order, every output in fresh memory,
/// nothing fused, folded, planned or reused. Loops are run iteration by iteration, and what is in a branch
/// that is not taken has no outcome. The engine must agree with it on every graph that the tests run.

#include "graph/graph.h"
#include "graph/kernel/evaluate.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowray::testing {

class Interpreter : private graph::NodeStates {
 public:
  explicit Interpreter(
      std::shared_ptr<graph::ResourceContainers> containers = std::make_shared<graph::ResourceContainers>())
      : containers_(std::move(containers)) {}

  struct Feed {
    graph::Endpoint endpoint;
    Array value;
  };

  /// Runs what `fetches` and `targets` need. Variables and random generators keep their state from call to
  /// call. Throws errors::InvalidArgumentError for a fetch in a branch that is not taken.
  std::vector<Array> run(const std::vector<graph::Endpoint>& fetches, const std::vector<Feed>& feeds = {},
                         const std::vector<graph::Node*>& targets = {});
  Array run(graph::Endpoint fetch, const std::vector<Feed>& feeds = {}) {
    return run(std::vector{fetch}, feeds)[0];
  }

  /// Why it cannot say what comes out of a step: waiting for others, numbers without a seed. Empty if it can.
  static std::string beyond(const std::vector<graph::Endpoint>& fetches,
                            const std::vector<graph::Endpoint>& feeds,
                            const std::vector<graph::Node*>& targets);

  graph::ResourceContainers& containers() { return *containers_; }

 private:
  std::shared_ptr<graph::NodeState> find_or_make(
      const std::string& name, const std::function<std::shared_ptr<graph::NodeState>()>& make) override;

  std::shared_ptr<graph::ResourceContainers> containers_;
  std::map<std::string, std::shared_ptr<graph::NodeState>> states_;
};

/// The same dtype, shape and elements: to the bit for what `threads` = 1 made, else floats nearly, since
/// several threads may add in another order.
bool is_same(const Array& a, const Array& b, int threads);

}  // namespace flowray::testing
