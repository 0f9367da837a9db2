#include "engine/step/share.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace flowray::engine {
namespace {

using graph::AttrValue;

/// Longer constants are not compared.
constexpr size_t kMostConstantBytes = 64 * 1024;

uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 1099511628211ULL;
  return hash ^ (hash >> 29);
}

/// Equal to the bit: 0 and -0 differ.
bool same_bits(const AttrValue& a, const AttrValue& b) {
  const auto* const real = a.get_if<float>();
  const auto* const other_real = b.get_if<float>();
  if (real != nullptr && other_real != nullptr)
    return std::bit_cast<uint32_t>(*real) == std::bit_cast<uint32_t>(*other_real);
  const auto* const x = a.get_if<Array>();
  const auto* const y = b.get_if<Array>();
  if (x != nullptr && y != nullptr) {
    if (x->dtype() != y->dtype() || !(x->shape() == y->shape()) || !is_trivial(x->dtype())) return false;
    if (x->size_bytes() > kMostConstantBytes) return false;
    return x->size() == 0 || std::memcmp(x->raw_data(), y->raw_data(), x->size_bytes()) == 0;
  }
  return graph::same_attr(a, b);
}

/// Where a node is and what it is called changes no value.
bool is_of_the_place(std::string_view attr) { return attr == "_class"; }

class Sharer {
 public:
  Sharer(StepGraph step, const std::vector<bool>& fed_resources)
      : step_(std::move(step)), alias_(step_.values.size()), resource_(step_.values.size(), false) {
    for (ValueId id = 0; id < step_.values.size(); ++id) {
      alias_[id] = id;
      const DType dtype = step_.values[id].dtype();
      resource_[id] = is_ref(dtype) || dtype == DType::kResource;
    }
    for (size_t i = 0; i < fed_resources.size(); ++i) {
      if (fed_resources[i]) resource_[step_.feeds[i]] = true;
    }
  }

  StepGraph run() {
    std::vector<uint32_t> stands_for(step_.nodes.size());  // by node: the one that computes its values
    for (uint32_t place = 0; place < step_.nodes.size(); ++place) {
      StepNode& item = step_.nodes[place];
      for (ValueId& id : item.inputs) id = alias_[id];
      rename(item.controls, stands_for);
      rename(item.waits_for, stands_for);
      stands_for[place] = place;
      // What runs as tokens arrive has no order, and a node of it may not run at all.
      const size_t num_bodies = item.kind == StepKind::kTokens ? 0 : item.bodies.size();
      for (size_t i = 0; i < num_bodies; ++i) share_body(item, i);
      if (!is_sharable(item)) continue;
      auto [first, last] = known_.equal_range(hash_of(item));
      for (; first != last; ++first) {
        if (is_same(step_.nodes[first->second], item)) break;
      }
      if (first == last) {
        known_.emplace(hash_of(item), place);
        continue;
      }
      stands_for[place] = first->second;
      for (size_t i = 0; i < item.outputs.size(); ++i)
        alias_[item.outputs[i]] = step_.nodes[first->second].outputs[i];
      ++shared_;
    }
    if (shared_ == 0) return std::move(step_);
    for (ValueId& id : step_.fetches) id = id == kNoValue ? id : alias_[id];
    return without_shared(stands_for);
  }

 private:
  static void rename(std::vector<uint32_t>& nodes, const std::vector<uint32_t>& stands_for) {
    for (uint32_t& node : nodes) node = stands_for[node];
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }

  /// A body may be fed a variable under a name of a plain dtype.
  void share_body(StepNode& item, size_t number) {
    const bool is_if = item.kind == StepKind::kIf;
    StepGraph& body = item.bodies[number];
    std::vector<bool> fed(body.feeds.size(), true);
    for (size_t i = is_if ? 1 : 0; i < item.inputs.size(); ++i)
      fed[i - (is_if ? 1 : 0)] = resource_[item.inputs[i]];
    for (size_t i = item.inputs.size(); !is_if && i < fed.size(); ++i) {
      fed[i] = false;  // what the condition gives
    }
    body = Sharer(std::move(body), fed).run();
  }

  bool is_sharable(const StepNode& item) const {
    if (item.kind != StepKind::kOp || item.outputs.empty()) return false;
    const graph::OpRow& row = item.node->schema().row;
    if (row.stateful || row.is_placeholder || row.start != nullptr || row.resource != nullptr) return false;
    if (row.flow != graph::FlowRole::kNone) return false;
    if (item.inputs.empty() && !row.is_constant) return false;
    const auto is_resource = [&](ValueId id) { return resource_[id]; };
    return std::ranges::none_of(item.inputs, is_resource) && std::ranges::none_of(item.outputs, is_resource);
  }

  static uint64_t hash_of(const StepNode& item) {
    uint64_t hash = mixed(1469598103934665603ULL, reinterpret_cast<uintptr_t>(&item.node->schema()));
    for (const ValueId id : item.inputs) hash = mixed(hash, id);
    if (!item.node->schema().row.is_constant) return hash;
    const Array& value = item.node->attrs().get<Array>("value");
    hash = mixed(hash, static_cast<uint64_t>(value.size()));
    if (!is_trivial(value.dtype())) return hash;
    const auto* bytes = static_cast<const unsigned char*>(value.raw_data());
    for (size_t i = 0; i < std::min<size_t>(value.size_bytes(), 64); ++i) hash = mixed(hash, bytes[i]);
    return hash;
  }

  /// The same op on the same values after the same nodes: a dependent of one may depend on the other.
  static bool is_same(const StepNode& a, const StepNode& b) {
    if (&a.node->schema() != &b.node->schema() || a.inputs != b.inputs || a.controls != b.controls)
      return false;
    if (a.waits_for != b.waits_for || a.outputs.size() != b.outputs.size()) return false;
    const auto x = a.node->attrs().items();
    const auto y = b.node->attrs().items();
    size_t i = 0;
    size_t k = 0;
    for (;; ++i, ++k) {
      while (i < x.size() && is_of_the_place(x[i].first)) ++i;
      while (k < y.size() && is_of_the_place(y[k].first)) ++k;
      if (i == x.size() || k == y.size()) return i == x.size() && k == y.size();
      if (x[i].first != y[k].first || !same_bits(x[i].second, y[k].second)) return false;
    }
  }

  /// The values stay numbered as they are; those without a producer have no reader left.
  StepGraph without_shared(const std::vector<uint32_t>& stands_for) {
    std::vector<uint32_t> place(step_.nodes.size());
    std::vector<StepNode> nodes;
    size_t num_blocking_part = 0;
    for (uint32_t i = 0; i < step_.nodes.size(); ++i) {
      StepNode& item = step_.nodes[i];
      if (stands_for[i] != i) {
        for (const ValueId id : item.outputs) step_.values[id].producer = -1;
        continue;
      }
      place[i] = static_cast<uint32_t>(nodes.size());
      for (uint32_t& node : item.controls) node = place[node];
      for (uint32_t& node : item.waits_for) node = place[node];
      for (const ValueId id : item.outputs) step_.values[id].producer = static_cast<int32_t>(place[i]);
      nodes.push_back(std::move(item));
      if (i < step_.num_blocking_part) num_blocking_part = nodes.size();
    }
    step_.nodes = std::move(nodes);
    step_.num_blocking_part = num_blocking_part;
    return std::move(step_);
  }

  StepGraph step_;
  std::vector<ValueId> alias_;  // by value: the one that stands for it
  std::vector<bool> resource_;  // by value: whether it is, or may be, a variable rather than a value
  std::unordered_multimap<uint64_t, uint32_t> known_;  // nodes by hash
  size_t shared_ = 0;
};

}  // namespace

StepGraph share(StepGraph step) { return Sharer(std::move(step), {}).run(); }

}  // namespace flowray::engine
