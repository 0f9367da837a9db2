#pragma once
/// Nodes of ops that ran at once (eager execution): they hold what the op gave. No graph keeps them.

#include "graph/graph.h"

#include <flowray/array.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowray::graph {

class Resource;
class ValueNode;

/// Where value nodes go when their last reference is gone: their maker recycles them.
class ValueNodeHome {
 public:
  ValueNodeHome();
  ValueNodeHome(const ValueNodeHome&) = delete;
  ValueNodeHome& operator=(const ValueNodeHome&) = delete;
  virtual ~ValueNodeHome() = default;
  virtual void take_back(ValueNode* node) noexcept = 0;

  /// A number that no other node has as long as the process runs.
  uint64_t id() const { return id_; }

 private:
  const uint64_t id_;
};

/// A node with the values of its outputs. It lives by a count of its own: each tf::Tensor that stands for one
/// of its outputs holds it. A bare pointer or Endpoint of one is good until the call of the language ends
/// that it was made in (ValuePool).
class ValueNode final : public Node {
 public:
  /// What all nodes of one home have in common.
  struct Facts {
    const OpSchema* schema = nullptr;
    std::string name;
    Attrs attrs;
    std::vector<DType> dtypes;
    std::vector<Shape> shapes;
  };

  ValueNode(Graph& graph, const Facts& facts) {
    graph_ = &graph;
    schema_ = facts.schema;
    is_value_ = true;
    name_ = facts.name;
    attrs_ = facts.attrs;
    output_dtypes_ = facts.dtypes;
    output_shapes_ = facts.shapes;
    if (output_dtypes_.size() > 1) more_.resize(output_dtypes_.size() - 1);
  }

  /// Output `i`; no value for a reference or a handle, which stand for resource().
  const Array& value(int i) const { return i == 0 ? first_ : more_[static_cast<size_t>(i - 1)]; }
  void set_value(int i, Array value) {
    (i == 0 ? first_ : more_[static_cast<size_t>(i - 1)]) = std::move(value);
  }
  void rename(std::string name) { name_ = std::move(name); }
  void set_attr(std::string_view name, AttrValue value) { attrs_.set(name, std::move(value)); }
  void set_shape(int i, const Shape& shape) { output_shapes_[static_cast<size_t>(i)] = shape; }

  const std::shared_ptr<Resource>& resource() const { return resource_; }
  void set_resource(std::shared_ptr<Resource> resource) { resource_ = std::move(resource); }

  // ---- what is recorded for gradients

  /// A bit for each tape that what this node gives depends on something watched by.
  uint64_t tapes() const { return tapes_; }
  void set_tapes(uint64_t tapes) { tapes_ = tapes; }
  /// Nodes that were recorded later have greater numbers.
  uint64_t time() const { return time_; }
  void set_time(uint64_t time) { time_ = time; }
  /// Whether it is a variable that tapes watch of themselves.
  bool is_trainable() const { return is_trainable_; }
  void set_trainable(bool trainable) { is_trainable_ = trainable; }

  /// Takes a reference of each.
  void keep_inputs(std::span<const Endpoint> inputs) {
    if (!inputs_.empty()) return;
    inputs_.assign(inputs.begin(), inputs.end());
    for (const Endpoint& input : inputs_) static_cast<ValueNode*>(input.node)->retain();
  }
  void drop_inputs() noexcept {
    // What goes with the last reference may refer to others: one after the other.
    std::vector<Endpoint> inputs = std::exchange(inputs_, {});
    for (const Endpoint& input : inputs) static_cast<ValueNode*>(input.node)->release();
  }

  /// Whether the inputs stay when the tapes that recorded the node are gone.
  bool keeps_inputs() const { return keeps_inputs_; }
  void set_keeps_inputs(bool keeps) { keeps_inputs_ = keeps; }

  /// What goes with the node: an op that is not in the table (tf.custom_gradient) has it.
  const std::shared_ptr<void>& extra() const { return extra_; }
  void set_extra(std::shared_ptr<void> extra) { extra_ = std::move(extra); }
  /// What others keep beside the outputs for as long as the node lives (Keras: which times of them count).
  const std::shared_ptr<void>& beside() const { return beside_; }
  void set_beside(std::shared_ptr<void> beside) { beside_ = std::move(beside); }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    // As Buffer's: the last holder needs no read-modify-write.
    if (references_.load(std::memory_order_acquire) != 1 &&
        references_.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    end();
  }

  /// Where it goes at the end; null: nowhere. Kept alive by the node.
  void set_home(std::shared_ptr<ValueNodeHome> home) { home_ = std::move(home); }
  ValueNodeHome* home() const { return home_.get(); }
  /// As new, but for what all nodes of its home have.
  void begin_again() noexcept { references_.store(1, std::memory_order_relaxed); }

 private:
  void end() noexcept {
    first_ = Array();
    for (Array& value : more_) value = Array();
    resource_.reset();
    extra_.reset();
    beside_.reset();
    tapes_ = 0;
    is_trainable_ = false;
    keeps_inputs_ = false;
    if (!inputs_.empty()) drop_inputs();
    if (home_ != nullptr) {
      home_->take_back(this);
    } else {
      delete this;
    }
  }

  std::atomic<uint32_t> references_{1};
  bool is_trainable_ = false;
  bool keeps_inputs_ = false;
  uint64_t tapes_ = 0;
  uint64_t time_ = 0;
  Array first_;
  std::vector<Array> more_;
  std::shared_ptr<Resource> resource_;
  std::shared_ptr<void> extra_;
  std::shared_ptr<void> beside_;
  std::shared_ptr<ValueNodeHome> home_;
};

/// The ValueNode of an endpoint whose node is one.
inline ValueNode& value_node(const Endpoint& endpoint) { return static_cast<ValueNode&>(*endpoint.node); }

/// The value nodes that a thread has made and that calls in progress may name by bare pointers. Each has a
/// reference here until the next call of the language begins.
class ValuePool {
 public:
  /// One call of a function of the language; calls inside of it let nothing go.
  class Call {
   public:
    Call() {
      if (depth_++ == 0) drain();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { --depth_; }
  };

  /// A part of a call: what was made since it began ends with it. What is to stay has a reference elsewhere.
  class Frame {
   public:
    Frame() : first_(size()) {}
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() { drain(first_); }

   private:
    size_t first_;
  };

  /// Takes over the caller's reference.
  static void add(ValueNode* node);
  /// Lets go of all but the first ones.
  static void drain(size_t kept = 0) noexcept;
  static size_t size();

 private:
  static inline constinit thread_local int depth_ = 0;
};

}  // namespace flowray::graph
