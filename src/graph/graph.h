#pragma once
/// The dataflow graph: nodes, their names, and the scopes in which nodes are made.

#include "core/mutex.h"
#include "core/source_line.h"
#include "graph/attributes.h"
#include "graph/checked_index.h"
#include "graph/name_table.h"
#include "graph/op_schema.h"

#include <atomic>
#include <deque>
#include <list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace flowray::graph {

using ::flowray::SourceLine;

class Graph;
class Node;
class NodeBatch;
class ValueNode;
struct NodeRequest;

/// Output `index` of a node; a null node stands for "none".
struct Endpoint {
  Node* node = nullptr;
  int index = 0;

  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Endpoint&) const = default;

  /// "name:index", TensorFlow's tensor name.
  std::string name() const;
  DType dtype() const;  // may be a reference type
  const Shape& shape() const;
};

/// One operation in a graph. Owned by its Graph and as old as it; immutable once made, but for what shape
/// functions learn later, and for control inputs and the back edges of loops, which are
/// added while the graph is being built.
class Node {
 public:
  const std::string& name() const { return name_; }
  const OpSchema& schema() const { return *schema_; }
  const std::string& op() const { return schema_->name; }
  Graph& graph() const { return *graph_; }
  /// Whether it is a ValueNode: made by an op that ran at once.
  bool is_value() const { return is_value_; }
  /// Position in creation order; for graphs without loops a topological order too.
  int id() const { return id_; }
  std::span<const Endpoint> inputs() const { return inputs_; }
  // Numbers of inputs and outputs are checked: InvalidArgumentError where there is none of it.

  const Endpoint& input(int i) const { return inputs_[checked_index("input", i, inputs_.size())]; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  std::span<Node* const> control_inputs() const { return control_inputs_; }
  const Attrs& attrs() const { return attrs_; }
  const std::string& device() const { return device_; }
  /// The line of the user's program that made it.
  SourceLine line() const { return line_; }

  int num_outputs() const { return static_cast<int>(output_dtypes_.size()); }
  Endpoint output(int i) { return {this, i}; }
  DType output_dtype(int i) const {
    return output_dtypes_[checked_index("output", i, output_dtypes_.size())];
  }
  const Shape& output_shape(int i) const {
    return output_shapes_[checked_index("output", i, output_shapes_.size())];
  }
  /// Narrows what is known (Tensor.set_shape). Throws ValueError if the two cannot both hold.
  void merge_output_shape(int i, const Shape& shape);
  void add_control_input(Node* node);
  /// Closes a loop: input `i` of a Merge, which stood for it until now, becomes a NextIteration made later.
  /// Throws ValueError where the dtypes differ.
  void close_loop(int i, Endpoint from);

 private:
  friend class Graph;
  friend class NodeBatch;
  friend class ValueNode;
  std::string name_;
  const OpSchema* schema_ = nullptr;
  Graph* graph_ = nullptr;
  int id_ = 0;
  bool is_value_ = false;
  std::vector<Endpoint> inputs_;
  std::vector<Node*> control_inputs_;
  Attrs attrs_;
  std::string device_;
  SourceLine line_;
  std::vector<DType> output_dtypes_;
  std::vector<Shape> output_shapes_;
};

/// What is asked for when a node is made.
struct NodeRequest {
  std::string_view op;
  /// Made unique inside the current name scope; empty: the op's name; ending in '/': a full name, taken as
  /// it is.
  std::string_view name;
  /// All inputs in a row, lists included.
  std::vector<Endpoint> inputs = {};
  /// Type and number attributes follow from the inputs where they can; defaults are filled in.
  Attrs attrs = {};
  std::vector<Node*> control_inputs = {};
  SourceLine line = {};
};

/// Where nodes are made just now: name scope, control dependencies, device, colocation. One for each graph
/// and thread, as in TensorFlow; guards of the tf room push and pop.
struct Scopes {
  std::string name;  // "a/b", no trailing slash; empty at the root
  /// Each frame adds nodes to wait for; a frame that `clears` hides those outside of it.
  struct ControlFrame {
    std::vector<Node*> nodes;
    bool clears = false;
    std::vector<const Node*>
        made_inside;  // by rising id; what takes them as input waits through them already
  };
  std::vector<ControlFrame> control;
  std::vector<std::string> devices;
  /// Groups to stand with ("loc:@name"), a frame for each guard: together they become `_class`.
  std::vector<std::vector<std::string>> colocation;
  SourceLine line;  // the user's line for nodes made by functions further down
};

/// Runs what is asked for at once, in place of adding it to a graph.
class EagerRunner {
 public:
  virtual ~EagerRunner() = default;
  /// The node's values are there when it returns. Throws errors::OpError, and what Graph::add throws.
  virtual Node* run(const NodeRequest& request) = 0;
  /// The node that a Const of this value would be.
  virtual Node* constant(const Array& value) = 0;
};

/// A dataflow graph. Making nodes and looking them up is safe from many threads; a Node pointer stays good
/// as long as the graph. Lives by an intrusive count, because sessions, tensors and scopes of a program all
/// hold it.
class Graph {
 public:
  explicit Graph(const OpTable& ops);
  /// One that keeps no nodes: each is run when it is asked for (value_node.h). `eager` outlives it.
  Graph(const OpTable& ops, EagerRunner& eager);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Makes one node: checks the signature, fills in attributes, infers shapes. Throws what TensorFlow's
  /// Python does: TypeError for dtypes, ValueError for shapes and names, RuntimeError on a finalized graph.
  Node* add(const NodeRequest& request);

  /// `name` in the current scope, with _1, _2, ... if it is taken (compared without case, as
  /// TensorFlow does).
  std::string unique_name(std::string_view name, bool mark_as_used = true);
  /// Null if there is none.
  Node* find(std::string_view name) const;
  /// In creation order; a snapshot of the pointers.
  std::vector<Node*> nodes() const;
  int num_nodes() const { return num_nodes_.load(std::memory_order_acquire); }

  Scopes& scopes();

  /// A Const node of the array's dtype and shape.
  Node* add_constant(const Array& value, std::string_view name);

  /// Whether what is added is run at once. Names, control inputs and devices mean nothing there.
  bool is_eager() const { return eager_ != nullptr; }

  void finalize() { finalized_ = true; }
  bool finalized() const { return finalized_; }
  void check_not_finalized() const;

  /// The graph-level random seed; < 0: not set.
  int64_t seed() const { return seed_; }
  void set_seed(int64_t seed) { seed_ = seed; }
  /// The seed of the next op that is given none while the graph's is set: 0, 1, 2, ...
  int64_t next_op_seed() { return num_op_seeds_.fetch_add(1, std::memory_order_relaxed); }

  const OpTable& ops() const { return ops_; }

  /// Things that other rooms attach to the graph by name (collections, variable stores), so that they live
  /// as long.
  template <class T>
  T& attachment(const std::string& key) {
    const MutexLock lock(attachments_mutex_);
    std::shared_ptr<void>& slot = attachments_[key];
    if (slot == nullptr) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::string node_name(const NodeRequest& request);
  void apply_control_scopes(const NodeRequest& request, Node& node);
  void apply_device_scopes(Node& node);
  Node* insert(Node node);
  friend class NodeBatch;
  void insert_batch(std::deque<Node> nodes);
  void enter_names_of_batches() FLOWRAY_REQUIRES(mutex_);

  const OpTable& ops_;
  EagerRunner* const eager_ = nullptr;
  mutable SharedMutex mutex_;
  std::deque<Node> single_nodes_ FLOWRAY_GUARDED_BY(mutex_);
  std::list<std::deque<Node>> node_batches_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<Node*> nodes_ FLOWRAY_GUARDED_BY(mutex_);  // of both, in creation order
  struct NameOfNode {
    std::string_view operator()(const Node* node) const { return node->name(); }
  };
  NameTable<Node*, NameOfNode> by_name_ FLOWRAY_GUARDED_BY(mutex_);
  std::unordered_map<std::string, int> names_in_use_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<const std::deque<Node>*> batches_without_names_in_use_ FLOWRAY_GUARDED_BY(mutex_);
  Mutex scopes_mutex_;
  std::unordered_map<std::thread::id, std::unique_ptr<Scopes>> scopes_ FLOWRAY_GUARDED_BY(scopes_mutex_);
  Mutex attachments_mutex_;
  std::unordered_map<std::string, std::shared_ptr<void>> attachments_ FLOWRAY_GUARDED_BY(attachments_mutex_);
  std::atomic<int> num_nodes_{0};
  std::atomic<bool> finalized_{false};
  std::atomic<int64_t> seed_{-1};
  std::atomic<int64_t> num_op_seeds_{0};
  std::atomic<int> references_{1};
  const uint64_t number_;  // of this process' graphs
};

/// Nodes that join a graph together or not at all, because a graph that is read from elsewhere may turn out
/// wrong at its last node. Scopes do not apply. The nodes exist from add() on, but are not found in the
/// graph before commit().
class NodeBatch {
 public:
  explicit NodeBatch(Graph& graph) : graph_(graph) {}

  /// A node as it stands: the full name, all attributes, inputs of the graph or of this batch.
  struct Request {
    std::string name;
    const OpSchema* schema = nullptr;
    std::vector<Endpoint> inputs;
    std::vector<Node*> control_inputs;
    Attrs attrs;
    std::string device;
    SourceLine line;
  };
  /// Infers the output shapes. Throws ValueError where they do not fit.
  Node* add(Request request);
  /// The nodes are part of the graph. Throws ValueError for a name that the graph has already; then none of
  /// them is.
  void commit() { graph_.insert_batch(std::move(nodes_)); }

 private:
  Graph& graph_;
  std::deque<Node> nodes_;
};

/// "NAME = Op(input, input:1, ^control) attr=value -> dtype[shape]", the form that
/// tests/golden/README.md describes.
std::string to_text(const Node& node);
/// "\nThe node was made at FILE:LINE.", for the end of an error; empty for a node that no line made.
std::string made_at(const Node& node);
/// Whether TensorFlow takes it for the name of a node.
bool is_valid_node_name(std::string_view name);
/// An attribute as TensorFlow's error texts show it: DT_FLOAT, [1, 2].
std::string summarize(const AttrValue& value);
/// One such line for each node, in creation order.
std::string to_text(const Graph& graph);

}  // namespace flowray::graph
