#pragma once
/// An op made ready to run at once on inputs of given dtypes and shapes: made the first time, found by a
/// look-up after that.

#include "graph/kernel/kernel.h"
#include "graph/value_node.h"

#include <flowray/array.h>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace flowray::tf::eagerly {

/// A number for each thread that no other one ever has.
uint64_t thread_number();

/// What an op does with its inputs.
enum class PlanKind : uint8_t {
  kConstant,  // output 0 is given
  kView,      // output 0 has input 0's elements
  kKernel,    // a prepared kernel
  kCompute,   // shapes are known only when it has run
  kOther,     // whatever graph::evaluate does
};

class OpPlan final : public graph::ValueNodeHome, public std::enable_shared_from_this<OpPlan> {
 public:
  explicit OpPlan(graph::ValueNode::Facts facts_of_nodes);
  ~OpPlan() override;

  graph::ValueNode::Facts facts;
  PlanKind kind = PlanKind::kOther;
  std::unique_ptr<graph::Kernel> kernel;
  /// Bit i: input i is taken as a reference or handle.
  uint64_t reference_inputs = 0;
  /// Whether a gradient may flow through it.
  bool is_differentiable = true;
  /// Whether nodes keep their inputs even where no tape records them.
  bool keeps_inputs = false;

  /// A node with one reference. The calling thread is the one that the plan was made in.
  graph::ValueNode* take(graph::Graph& graph);
  void take_back(graph::ValueNode* node) noexcept override;
  /// Nodes that come back from now on are dropped.
  void close() noexcept;

 private:
  static constexpr size_t kMostFree = 32;
  const uint64_t thread_ = thread_number();
  bool is_closed_ = false;
  std::vector<graph::ValueNode*> free_;
};

/// What a plan is found by: words that say an op, its attributes and what is known of its inputs.
class PlanKey {
 public:
  void clear() { words_.clear(); }
  void truncate(size_t num_words) { words_.resize(num_words); }
  void word(uint64_t word) { words_.push_back(word); }
  void pointer(const void* pointer) { word(reinterpret_cast<uintptr_t>(pointer)); }
  void bytes(const void* data, size_t size);
  void shape(const Shape& shape);
  void value(const Array& array);
  void attrs(const graph::Attrs& attrs);

  std::span<const uint64_t> words() const { return words_; }
  uint64_t hash() const;

 private:
  std::vector<uint64_t> words_;
};

/// The plans of one thread. So that an endless variety of shapes cannot fill the memory, it begins anew when
/// there are many.
class PlanCache {
 public:
  struct Entry {
    std::vector<uint64_t> key;
    /// Bit i: the plan is good for one value of input i only; then `plan` is null, and the values are added
    /// to the key.
    uint64_t values_read = 0;
    std::shared_ptr<OpPlan> plan;
  };

  PlanCache() = default;
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;
  ~PlanCache() { clear(); }

  /// Null if there is none.
  const Entry* find(const PlanKey& key) const;
  void insert(const PlanKey& key, std::shared_ptr<OpPlan> plan);
  void set_values_read(const PlanKey& key, uint64_t values_read);
  size_t size() const { return entries_.size(); }

 private:
  static constexpr size_t kMostEntries = 8192;
  void clear() noexcept;
  Entry& entry_for(const PlanKey& key);

  std::unordered_map<uint64_t, Entry> entries_;
};

}  // namespace flowray::tf::eagerly
