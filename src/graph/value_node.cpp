#include "graph/value_node.h"

#include "core/thread_owned.h"

namespace flowray::graph {
namespace {

struct Pooled {
  std::vector<ValueNode*> nodes;
  ~Pooled() {
    for (ValueNode* node : nodes) node->release();
  }
};

}  // namespace

ValueNodeHome::ValueNodeHome()
    : id_([] {
        static std::atomic<uint64_t> number{0};
        return number.fetch_add(1, std::memory_order_relaxed) + 1;
      }()) {}

void ValuePool::add(ValueNode* node) { ThreadOwned<Pooled>::get().nodes.push_back(node); }

size_t ValuePool::size() { return ThreadOwned<Pooled>::get().nodes.size(); }

void ValuePool::drain(size_t kept) noexcept {
  std::vector<ValueNode*>& nodes = ThreadOwned<Pooled>::get().nodes;
  while (nodes.size() > kept) {
    ValueNode* const node = nodes.back();
    nodes.pop_back();
    node->release();
  }
}

}  // namespace flowray::graph
