#pragma once
/// Branches and loops under construction: which of them each node belongs to, and what a node that is made in
/// one of them has to go through. What they do is the tf room's; here is what Graph::add has to know.

#include "core/mutex.h"
#include "graph/graph.h"

#include <memory>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace flowray::graph {

/// One branch of a conditional, or one loop.
class FlowContext {
 public:
  explicit FlowContext(FlowContext* outer) : outer_(outer) {}
  FlowContext(const FlowContext&) = delete;
  FlowContext& operator=(const FlowContext&) = delete;
  virtual ~FlowContext() = default;

  /// The one that it was made in; null at the top.
  FlowContext* outer() const { return outer_; }
  virtual bool is_loop() const = 0;
  /// For the loop of a gradient the loop that it is the gradient of; else null.
  virtual FlowContext* forward() const { return nullptr; }

  /// The context that a node made in this one belongs to: nearly always this one.
  virtual FlowContext* home_of(const NodeRequest& request);
  /// Takes out of `controls` what a node inside must not wait for because it is outside of the loop;
  /// returns it.
  virtual std::vector<Node*> take_outside_controls(std::vector<Node*>& controls);
  /// A node was made inside: its inputs from outside become what brings them in.
  virtual void node_made(Node& node, const std::vector<Node*>& outside_controls) = 0;

 private:
  FlowContext* outer_;
};

/// This context or the nearest one around it that is a loop; null where there is none.
FlowContext* loop_around(FlowContext* context);
/// Whether `inner` is `outer` or inside of it. Null, the top, contains all.
bool is_inside(const FlowContext* inner, const FlowContext* outer);

/// The contexts of a graph, and for each thread those that it is building. Safe from many threads.
class FlowContexts {
 public:
  static FlowContexts& of(Graph& graph) { return graph.attachment<FlowContexts>("flow_contexts"); }

  /// Whether the graph has any: most have none.
  bool any() const { return any_.load(std::memory_order_acquire); }
  /// Keeps it as long as the graph.
  template <class T>
  T& keep(std::unique_ptr<T> context) {
    T& kept = *context;
    const MutexLock lock(mutex_);
    contexts_.push_back(std::move(context));
    any_.store(true, std::memory_order_release);
    return kept;
  }

  /// What nodes are made in now. A scope that forgets control dependencies forgets the context around
  /// it, too.
  FlowContext* current(const Scopes& scopes) const;
  void enter(FlowContext* context, const Scopes& scopes);
  /// Ends what was entered last.
  void leave();
  struct Entered {
    FlowContext* context;
    size_t control_frames;  // how many there were
  };
  /// Sets aside where `context` was entered last, and what was entered after it, and returns that. Throws
  /// InternalError where it is not entered.
  std::vector<Entered> set_aside(const FlowContext* context);
  /// What was set aside is entered again.
  void enter_again(const std::vector<Entered>& aside);

  /// The context of a node; null at the top.
  FlowContext* of_node(const Node& node) const;
  void set(const Node& node, FlowContext* context);
  /// The context in which its outputs are: those of an Exit are outside of its loop.
  FlowContext* of_outputs(const Node& node) const;

  /// The nodes in contexts that take what a Switch gives.
  std::vector<const Node*> readers_of_switch(const Node& node) const;
  /// An input of a node in a context has become another.
  void input_changed(const Node& node, int i);

  /// No session may fetch the node: outside of its branch or loop it has no one value.
  void forbid_fetching(const Node& node);
  /// Nor feed its outputs.
  void forbid_feeding(const Node& node);
  bool is_fetchable(const Node& node) const;
  bool is_feedable(const Node& node) const;

 private:
  void note_reader(const Node& node, Endpoint input) FLOWRAY_REQUIRES(mutex_);

  std::atomic<bool> any_{false};
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<FlowContext>> contexts_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<std::thread::id, std::vector<Entered>> entered_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<const Node*, FlowContext*> of_node_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<const Node*, std::vector<const Node*>> readers_of_switch_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_set<const Node*> not_fetchable_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_set<const Node*> not_feedable_ FLOWRAY_GUARDED_BY(mutex_);
};

/// What the open control_dependencies scopes ask a node with these inputs to wait for. A frame one of whose
/// own nodes is an input is left out: waiting for that input is waiting for the frame already.
std::vector<Node*> asked_controls(const Scopes& scopes, std::span<const Endpoint> inputs);

/// Throws ValueError where a node of one loop takes what another loop keeps to itself.
void check_inputs_from_context(const FlowContexts& contexts, const Node& node, FlowContext* context);

}  // namespace flowray::graph
