#pragma once
/// tf.Graph, the default graph, and the scopes in which operations are made.

#include <flowray/tf/list.h>
#include <flowray/tf/tensor.h>

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

class Collection;  // flowray/tf/collections.h
class CollectionItem;
class CollectionRef;
class GraphDef;  // flowray/tf/graph_def.h
class Variable;

/// Makes a graph the default one of this thread for as long as it lives. Guards end in the reverse order of
/// their making; one that does not ends the program with a message, because names would go wrong silently.
class [[nodiscard]] GraphScope {
 public:
  /// For Flowray itself: Graph::as_default opens one.
  explicit GraphScope(graph::Graph* graph);
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;
  ~GraphScope();

 private:
  graph::Graph* graph_;
};

struct UniqueNameOptions {
  /// Whether the name is taken from now on; false where one only asks what it would be.
  bool mark_as_used = true;
};
struct AsGraphElementOptions {
  /// Whether it may be a tensor; false where the caller needs an operation: a tensor is an error.
  bool allow_tensor = true;
  /// Whether it may be an operation; false where the caller needs a tensor: an operation is an error.
  bool allow_operation = true;
};
/// What a name stands for in a graph: a tensor, or with value_index -1 an operation.
struct GraphElement {
  /// The operation, or the one that makes the tensor.
  Operation operation;
  /// Which output of the operation; -1: the operation itself.
  int value_index = -1;

  /// Throws TypeError for an operation.
  Tensor tensor() const;
};
struct AsGraphDefOptions {
  /// Whether the output shapes that are known go with the nodes, as the attribute `_output_shapes`; true for
  /// readers that do not infer shapes, such as TensorBoard.
  bool add_shapes = false;
};

/// tf.Graph: a handle; copies stand for the same graph. Nodes may be added from many threads, each with
/// scopes of its own.
class Graph {
 public:
  /// An empty graph.
  Graph();
  Graph(const Graph& other) noexcept;
  Graph& operator=(const Graph& other) noexcept;
  ~Graph();
  /// Whether both stand for one graph.
  bool operator==(const Graph& other) const noexcept { return graph_ == other.graph_; }

  /// `auto scope = graph.as_default();`: the default graph of this thread as long as the scope lives.
  GraphScope as_default() const { return GraphScope(graph_); }

  /// In the order in which they were made.
  std::vector<Operation> get_operations() const;
  /// Throws KeyError "The name 'x' refers to an Operation not in the graph."
  Operation get_operation_by_name(std::string_view name,
                                  std::source_location where = std::source_location::current()) const;
  /// `name` is "op:0". Throws KeyError, ValueError for a name without an output number.
  Tensor get_tensor_by_name(std::string_view name,
                            std::source_location where = std::source_location::current()) const;
  /// What `name` stands for: a tensor where it has an output's number ("op:0"), else an operation. Throws as
  /// the two above. Without `allow_tensor`, or without `allow_operation`, it is one of the other kind, or an
  /// error; ValueError "allow_tensor and allow_operation can't both be False."
  GraphElement as_graph_element(std::string_view name, const AsGraphElementOptions& options = {},
                                std::source_location where = std::source_location::current()) const;
  /// `tensor`, which is this graph's. Throws ValueError "Tensor(...) is not an element of this graph."
  Tensor as_graph_element(const Tensor& tensor,
                          std::source_location where = std::source_location::current()) const;
  /// `operation`, which is this graph's. Throws as of a tensor.
  Operation as_graph_element(const Operation& operation,
                             std::source_location where = std::source_location::current()) const;
  /// The tensor that a variable of this graph is fed and fetched by. Throws as of a tensor.
  Tensor as_graph_element(const Variable& variable,
                          std::source_location where = std::source_location::current()) const;
  /// `name` in the current name scope, made unique.
  std::string unique_name(std::string_view name, const UniqueNameOptions& options = {}) const;

  /// From now on nothing can be added: RuntimeError "Graph is finalized and cannot be modified."
  void finalize() const;
  /// Whether finalize() was called.
  bool finalized() const;
  /// Seed of operations that are given none; see tf::set_random_seed.
  void set_random_seed(int64_t seed) const;

  /// Collections, as tf::get_collection and its siblings (flowray/tf/collections.h) of the default graph.
  Collection get_collection(const std::string& key, const std::string& scope = {},
                            std::source_location where = std::source_location::current()) const;
  /// The list of that name, to be changed; see tf::get_collection_ref.
  CollectionRef get_collection_ref(const std::string& key) const;
  /// Adds one thing to a collection, again if it is there already. Throws ValueError for what is unset or of
  /// another graph.
  void add_to_collection(const std::string& name, const CollectionItem& value) const;
  /// Adds one thing to several collections.
  void add_to_collections(const std::vector<std::string>& names, const CollectionItem& value) const;
  /// Takes everything out of a collection; does nothing for a name that nothing was added under.
  void clear_collection(const std::string& key) const;
  /// The names of collections that are not empty.
  std::vector<std::string> get_all_collection_keys() const;

  /// The graph as TensorFlow's message, to be written to a file or imported
  /// elsewhere (flowray/tf/graph_def.h).
  GraphDef as_graph_def(const AsGraphDefOptions& options = {}) const;

  /// One line a node: NAME = Op(inputs) attr=value -> dtype[shape].
  std::string to_string() const;

  /// For Flowray itself; takes a further reference.
  explicit Graph(graph::Graph* graph) noexcept;
  /// For Flowray itself.
  graph::Graph* get() const noexcept { return graph_; }

 private:
  graph::Graph* graph_;
};

/// The graph to which functions of this thread add nodes.
Graph get_default_graph();
/// Starts this thread's bottom-most default graph anew. Throws AssertionError's counterpart RuntimeError
/// inside a Graph::as_default scope.
void reset_default_graph();
/// Graph-level seed: random operations without a seed of their own then repeat from run to run of
/// the program.
void set_random_seed(int64_t seed);

/// `auto scope = tf::name_scope("layer1");`: names made meanwhile start with "layer1/".
class [[nodiscard]] NameScopeGuard {
 public:
  /// For Flowray itself: tf::name_scope opens one.
  NameScopeGuard(graph::Graph* graph, std::string_view name);
  NameScopeGuard(const NameScopeGuard&) = delete;
  NameScopeGuard& operator=(const NameScopeGuard&) = delete;
  ~NameScopeGuard();
  /// The scope's full name with a trailing '/', which as a name enters it again.
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
/// Opens a scope in the default graph; its name is made unique. What path() gives enters a scope again.
NameScopeGuard name_scope(std::string_view name,
                          std::source_location where = std::source_location::current());

/// `auto scope = tf::control_dependencies({op, tensor});`: operations made meanwhile run after these.
class [[nodiscard]] ControlDependenciesGuard {
 public:
  /// For Flowray itself: tf::control_dependencies opens one.
  ControlDependenciesGuard(graph::Graph* graph, std::vector<graph::Node*> nodes, bool clears);
  ControlDependenciesGuard(const ControlDependenciesGuard&) = delete;
  ControlDependenciesGuard& operator=(const ControlDependenciesGuard&) = delete;
  ~ControlDependenciesGuard();

 private:
  graph::Graph* graph_;
};

/// Something that can be waited for.
class Dependency {
 public:
  /// All of the operation that makes the tensor is waited for.
  Dependency(const Tensor& tensor)
      : node_(tensor.node()), index_(tensor.value_index()) {}          // NOLINT: implicit
  Dependency(const Operation& operation) : node_(operation.node()) {}  // NOLINT: implicit
  /// A variable's node, which its reference comes from.
  Dependency(const Variable& variable);  // NOLINT: implicit
  /// The node that is waited for.
  graph::Node* node() const { return node_; }
  /// Which output; -1 for an operation as a whole.
  int value_index() const { return index_; }

 private:
  graph::Node* node_;
  int index_ = -1;
};

/// In the default graph. Throws ValueError for what is in another one, or unset.
ControlDependenciesGuard control_dependencies(const List<Dependency>& dependencies);
/// tf.control_dependencies(None): forgets the scopes around it.
ControlDependenciesGuard no_control_dependencies();

/// `auto scope = tf::device("/job:ps/task:0");` What an inner scope leaves open the outer ones decide, as
/// with tf.device:
/// "/cpu:0" inside of it is "/job:ps/task:0/device:CPU:0". Throws ValueError for a malformed device name.
class [[nodiscard]] DeviceGuard {
 public:
  /// For Flowray itself: tf::device opens one.
  DeviceGuard(graph::Graph* graph, std::string_view device);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  graph::Graph* graph_;
};
/// Opens a scope of the default graph.
DeviceGuard device(std::string_view name, std::source_location where = std::source_location::current());

/// tf.Graph.colocate_with: operations made meanwhile are placed with `op`.
class [[nodiscard]] ColocationGuard {
 public:
  /// For Flowray itself: tf::colocate_with opens one.
  ColocationGuard(graph::Graph* graph, std::vector<std::string> groups);
  ColocationGuard(const ColocationGuard&) = delete;
  ColocationGuard& operator=(const ColocationGuard&) = delete;
  ~ColocationGuard();

 private:
  graph::Graph* graph_;
};
/// Opens a scope of the operation's graph.
ColocationGuard colocate_with(const Operation& op,
                              std::source_location where = std::source_location::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
