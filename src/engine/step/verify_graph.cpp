#include "engine/step/verify_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::engine {
namespace {

class GraphCheck {
 public:
  explicit GraphCheck(const StepGraph& step) : step_(step), made_(step.values.size(), false) {}

  void run() {
    for (const ValueId id : step_.feeds) {
      check_range(id, "a feed");
      if (step_.values[id].producer >= 0) fail("a feed has a producer", id);
      make(id);
    }
    for (ValueId id = 0; id < step_.values.size(); ++id) {
      if (step_.values[id].producer >= static_cast<int32_t>(step_.nodes.size()))
        fail("its producer does not exist", id);
      if (step_.values[id].known.has_value()) make(id);
    }
    for (size_t place = 0; place < step_.nodes.size(); ++place) check(place);
    for (const ValueId id : step_.fetches) {
      if (id == kNoValue) continue;
      check_range(id, "a fetch");
      if (!made_[id]) fail("it is fetched and nobody makes it", id);
    }
    if (step_.num_blocking_part > step_.nodes.size()) fail("the blocking part is longer than the list");
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw errors::InternalError("The step's graph is wrong: " + what);
  }
  [[noreturn]] void fail(const std::string& what, ValueId id) const {
    fail(fmt::format("value {} {}: {}", id, step_.values[id].name(), what));
  }
  [[noreturn]] static void fail(const std::string& what, const StepNode& item) {
    fail(fmt::format("node {}: {}", item.node->name(), what));
  }

  void check_range(ValueId id, const char* role) const {
    if (id >= step_.values.size()) fail(fmt::format("{} is value {} of {}", role, id, step_.values.size()));
  }

  void make(ValueId id) {
    if (made_[id]) fail("it is made twice", id);
    made_[id] = true;
  }

  void check(size_t place) {
    const StepNode& item = step_.nodes[place];
    if (item.node == nullptr) fail(fmt::format("place {} has no node", place));
    for (const ValueId id : item.inputs) {
      if (id >= step_.values.size()) fail("an input is out of range", item);
      if (!made_[id]) fail("input " + step_.values[id].name() + " is read before it is made", item);
    }
    for (const uint32_t control : item.controls) {
      if (control >= place) fail("it waits for a node that comes later", item);
    }
    for (const uint32_t before : item.waits_for) {
      if (before >= place || before >= step_.num_blocking_part)
        fail("it waits for what is not in front of it", item);
    }
    for (const ValueId id : item.outputs) {
      if (id >= step_.values.size()) fail("an output is out of range", item);
      if (step_.values[id].producer != static_cast<int32_t>(place))
        fail("an output has another producer", item);
      make(id);
    }
    check_bodies(item);
  }

  void check_bodies(const StepNode& item) const {
    const size_t num_bodies = item.kind == StepKind::kOp ? 0 : item.kind == StepKind::kTokens ? 1 : 2;
    if (item.bodies.size() != num_bodies) fail("it has a wrong number of bodies", item);
    if (item.kind == StepKind::kTokens) return;  // its nodes have no order
    for (const StepGraph& body : item.bodies) verify(body);
    if (item.kind == StepKind::kIf) {
      if (step_.values[item.inputs[0]].dtype() != DType::kBool) fail("its predicate is not a boolean", item);
      for (const StepGraph& body : item.bodies) {
        if (body.feeds.size() + 1 != item.inputs.size()) fail("a branch takes other inputs", item);
        if (body.fetches.size() != item.outputs.size()) fail("a branch gives other outputs", item);
      }
    } else if (item.kind == StepKind::kWhile) {
      const StepGraph& condition = item.bodies[0];
      const StepGraph& body = item.bodies[1];
      if (condition.feeds.size() != item.inputs.size()) fail("the condition takes other inputs", item);
      if (condition.fetches.empty()) fail("the condition gives no predicate", item);
      if (base_dtype(condition.values[condition.fetches[0]].dtype()) != DType::kBool)
        fail("the condition gives something else than a boolean", item);
      if (body.feeds.size() + 1 != item.inputs.size() + condition.fetches.size())
        fail("the body takes other inputs", item);
      if (body.fetches.size() != item.outputs.size()) fail("the body gives other outputs", item);
    }
  }

  const StepGraph& step_;
  std::vector<bool> made_;
};

}  // namespace

void verify(const StepGraph& step) { GraphCheck(step).run(); }

}  // namespace flowray::engine
