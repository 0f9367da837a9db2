#include "graph/kernel/blocking_call.h"

#include "graph/exchange/graph_import.h"
#include "graph/kernel/kernel.h"
#include "graph/resource/resource.h"
#include "ops/all_ops.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowray::graph {
namespace {

using ::testing::StartsWith;

class NoStates : public NodeStates {
 public:
  std::shared_ptr<NodeState> find_or_make(const std::string&,
                                          const std::function<std::shared_ptr<NodeState>()>&) override {
    return nullptr;
  }
};

TEST(BindResource, OfAPlaceholderIsRefused) {
  const auto message = wire::from_text_format<wire::GraphDef>(
      "node { name: 'a' op: 'PlaceholderV2' attr { key: 'dtype' value { type: DT_RESOURCE } } "
      "attr { key: 'shape' value { shape { dim { size: 2 } } } } } "
      "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT_REF } } } "
      "node { name: 'c' op: 'FakeParam' attr { key: 'dtype' value { type: DT_RESOURCE } } "
      "attr { key: 'shape' value { shape { } } } }");
  Graph graph(ops::op_table());
  ResourceContainers containers;
  NoStates states;
  for (Node* const node : import_graph_def(message, graph)) {
    try {
      (void)bind_resource(*node, containers, states);
      ADD_FAILURE() << node->name() << " stands for nothing";
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_THAT(error.message(), StartsWith("You must feed a value for placeholder tensor '" +
                                              node->name() + "' with dtype "));
    }
  }
}

}  // namespace
}  // namespace flowray::graph
