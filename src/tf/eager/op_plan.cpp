#include "tf/eager/op_plan.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>
#include <utility>

namespace flowray::tf::eagerly {

uint64_t thread_number() {
  static std::atomic<uint64_t> threads{0};
  static constinit thread_local uint64_t number = 0;
  if (number == 0) number = threads.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

OpPlan::OpPlan(graph::ValueNode::Facts facts_of_nodes) : facts(std::move(facts_of_nodes)) {
  free_.reserve(kMostFree);
}

OpPlan::~OpPlan() { close(); }

graph::ValueNode* OpPlan::take(graph::Graph& graph) {
  if (!free_.empty()) {
    graph::ValueNode* const node = free_.back();
    free_.pop_back();
    node->begin_again();
    return node;
  }
  auto made = std::make_unique<graph::ValueNode>(graph, facts);
  made->set_home(shared_from_this());
  return made.release();
}

/// From any thread: what its own thread does not get back ends.
void OpPlan::take_back(graph::ValueNode* node) noexcept {
  if (thread_ == thread_number() && !is_closed_ && free_.size() < kMostFree) {
    free_.push_back(node);
  } else {
    delete node;  // and with the last one this plan
  }
}

void OpPlan::close() noexcept {
  is_closed_ = true;
  const std::vector<graph::ValueNode*> nodes = std::exchange(free_, {});
  for (graph::ValueNode* node : nodes) delete node;
}

void PlanKey::bytes(const void* data, size_t size) {
  word(size);
  const size_t first = words_.size();
  words_.resize(first + (size + sizeof(uint64_t) - 1) / sizeof(uint64_t), 0);
  if (size > 0) std::memcpy(words_.data() + first, data, size);
}

void PlanKey::shape(const Shape& shape) {
  word(static_cast<uint64_t>(static_cast<int64_t>(shape.rank())));
  for (int64_t dim : shape.dims()) word(static_cast<uint64_t>(dim));
}

void PlanKey::value(const Array& array) {
  word(static_cast<uint64_t>(array.dtype()));
  shape(array.shape());
  if (array.dtype() != DType::kString) {
    bytes(array.raw_data(), array.size_bytes());
    return;
  }
  for (const std::string& text : array.span<std::string>()) bytes(text.data(), text.size());
}

namespace {

/// One attribute's value as words.
struct AttrWriter {
  PlanKey& key;

  void operator()(bool value) const { key.word(value ? 1 : 0); }
  void operator()(int64_t value) const { key.word(static_cast<uint64_t>(value)); }
  void operator()(float value) const { key.bytes(&value, sizeof value); }
  void operator()(const std::string& value) const { key.bytes(value.data(), value.size()); }
  void operator()(DType value) const { key.word(static_cast<uint64_t>(value)); }
  void operator()(const Shape& value) const { key.shape(value); }
  void operator()(const Array& value) const { key.value(value); }
  void operator()(const graph::OpaqueAttr& value) const { (*this)(value.message); }
  template <class T>
  void operator()(const std::vector<T>& values) const {
    key.word(values.size());
    for (size_t i = 0; i < values.size(); ++i) (*this)(static_cast<T>(values[i]));
  }
};

}  // namespace

void PlanKey::attrs(const graph::Attrs& attrs) {
  for (const auto& [name, value] : attrs.items()) {
    bytes(name.data(), name.size());
    word(value.alternatives().index());
    std::visit(AttrWriter{*this}, value.alternatives());
  }
}

uint64_t PlanKey::hash() const {
  uint64_t hash = 1469598103934665603ULL;
  for (uint64_t word : words_) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

const PlanCache::Entry* PlanCache::find(const PlanKey& key) const {
  const auto found = entries_.find(key.hash());
  if (found == entries_.end() || !std::ranges::equal(found->second.key, key.words())) return nullptr;
  return &found->second;
}

/// A new entry for the key, in place of that of the same hash, if any.
PlanCache::Entry& PlanCache::entry_for(const PlanKey& key) {
  if (entries_.size() >= kMostEntries) clear();
  Entry& entry = entries_[key.hash()];
  if (entry.plan != nullptr) entry.plan->close();
  entry = {{key.words().begin(), key.words().end()}, 0, nullptr};
  return entry;
}

void PlanCache::insert(const PlanKey& key, std::shared_ptr<OpPlan> plan) {
  entry_for(key).plan = std::move(plan);
}

void PlanCache::set_values_read(const PlanKey& key, uint64_t values_read) {
  entry_for(key).values_read = values_read;
}

void PlanCache::clear() noexcept {
  for (auto& [hash, entry] : entries_) {
    if (entry.plan != nullptr) entry.plan->close();
  }
  entries_.clear();
}

}  // namespace flowray::tf::eagerly
