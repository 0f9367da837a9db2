#pragma once
/// What the passes that put functions in the place of their calls share: the walk over a step's nodes, the
/// bodies that are open, and a call that its body takes the place of.

#include "engine/step/function_bodies.h"
#include "engine/step/step_graph.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::engine {

CallRole role_of(const StepNode& item);

/// Flat as far as control flow is made of nodes.
struct Expanded {
  StepGraph graph;
  std::vector<bool> is_root;         // by node: whether it runs even if its results are not read
  std::vector<std::string> devices;  // by node: the one that it asks for, if the pass looks at devices
};

/// Whether anything in the graph reads each of its values.
std::vector<bool> read_values(const StepGraph& graph);

/// What runs of a body whose results are not read. TensorFlow makes Switch and Merge of an If or While
/// that is marked so, and forgets what nothing waits for; where it calls the function, all that is
/// stateful runs.
const std::vector<graph::Node*>& effects_of(const graph::Node& caller, const graph::FunctionBody& body);

/// The number of the argument that `result` only passes on; -1 for a value of its own.
int passed_on(const graph::FunctionBody& body, graph::Endpoint result);

/// Whatever is done to a step goes into its branches and loops by calling itself.
constexpr size_t kMostNestedBodies = 500;

/// Throws errors::ResourceExhaustedError for too many branches and loops within each other.
void check_nesting(size_t nesting, const graph::Node& caller);

/// How far the calls of a step go: a few small functions that call each other are a very large graph once
/// each stands where it is called.
class CallDepth {
 public:
  /// Each open function takes some of the stack.
  static constexpr size_t kMostOpen = 200;
  static constexpr size_t kMostNodes = 200'000;

  /// A function of so many nodes takes the place of a call inside of those that are open. Throws
  /// errors::ResourceExhaustedError for too many of either.
  void open(std::string name, size_t num_nodes);
  void close() { open_.pop_back(); }
  bool is_open(const std::string& name) const;

 private:
  std::vector<std::string> open_;  // those that the graph is the body of, from the outermost inwards
  size_t num_nodes_ = 0;
};

/// One graph of a step, of which the calls are replaced. What becomes of If, While and Case is the pass's.
class CallExpander {
 public:
  CallExpander(const CallExpander&) = delete;
  CallExpander& operator=(const CallExpander&) = delete;
  virtual ~CallExpander() = default;

  /// `targets` run in any case.
  Expanded expand(const StepGraph& flat, std::span<graph::Node* const> targets);

 protected:
  using Ids = std::vector<ValueId>;
  using Places = std::vector<uint32_t>;

  CallExpander(FunctionBodies& bodies, CallDepth& depth) : bodies_(bodies), depth_(depth) {}

  virtual void replace_if(const StepNode& item, bool is_root) = 0;
  virtual void replace_while(const StepNode& item, bool is_root) = 0;
  /// Of two branches at least.
  virtual void replace_case(const StepNode& item, bool is_root) = 0;
  /// A body's graph, its own calls replaced.
  virtual Expanded expand_body(const StepGraph& flat, std::span<graph::Node* const> effects) = 0;
  /// Whether the call that the walk is at is replaced.
  virtual bool is_replaced(const StepNode& /*call*/) const { return true; }
  /// What the node that the walk is at asks for.
  virtual std::string device_here() const { return {}; }
  /// Those outputs of a call are the values `results` of `out_`.
  virtual void give_outputs(const StepNode& item, const std::vector<size_t>& which, const Ids& results);

  // ---- the graph that is made

  /// Takes a node whose inputs are of `flat_` or new, and whose controls are still places in `flat_`.
  uint32_t append(StepNode item, bool is_root);
  /// Takes one whose controls are places in `out_`.
  uint32_t append_placed(StepNode item, bool is_root, std::string device);
  /// What stands in `out_` for nodes of `flat_`.
  Places new_places(const Places& old) const;
  ValueId add_value(StepValue value);
  /// What a call, or what takes its place, waits for: its controls, and on demand what makes its arguments.
  Places starts_of(const StepNode& call, bool with_inputs) const;
  ValueId& alias_of(ValueId id);
  /// The numbers of the outputs of `item` that are read.
  std::vector<size_t> read_outputs(const StepNode& item) const;
  static std::vector<graph::Endpoint> chosen(const std::vector<graph::Endpoint>& all,
                                             const std::vector<size_t>& which);

  // ---- bodies

  const graph::FunctionBody& open_body(const StepNode& item, size_t number, std::string_view role,
                                       int first_arg);
  void close_body() { depth_.close(); }
  Expanded flat_body(const graph::Node& caller, const graph::FunctionBody& body,
                     const std::vector<graph::Endpoint>& args, const std::vector<graph::Endpoint>& results);
  /// The values of `out_` that a body's are, its arguments being `args`.
  Ids numbers_here(StepGraph& body, const Ids& args);
  /// Its body takes the place of a call.
  void inline_call(const StepNode& item, size_t number, int first_arg);
  /// Puts a body's nodes into `out_`, its values being those of `number_here` there. Those that wait for
  /// nothing wait for `starts`, and those that take no value either for `starts_of_sources`, so that they
  /// belong to the branch or loop of the call. Returns the nodes that a control edge from the body stands
  /// for: those that give its results, and what runs in any case.
  Places append_body(Expanded& inner, const Ids& number_here, const Places& starts,
                     const Places& starts_of_sources);

  FunctionBodies& bodies_;
  CallDepth& depth_;
  const StepGraph* flat_ = nullptr;
  size_t place_ = 0;  // in `flat_`, that the walk is at
  StepGraph out_;
  std::vector<bool> is_root_;         // by node of out_
  std::vector<std::string> devices_;  // likewise
  std::vector<bool> is_read_;         // by value of flat_
  std::vector<Places> after_;         // by node of flat_: what waits for it waits for these of out_

 private:
  void visit(const StepNode& item, bool is_root);
  ValueId resolve(ValueId id) const;
  void finish();

  Ids alias_;  // by value of out_: the one that it is another name of, or kNoValue
};

}  // namespace flowray::engine
