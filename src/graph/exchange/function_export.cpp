#include "graph/exchange/function_export.h"

#include "graph/exchange/function_library.h"
#include "graph/exchange/graph_export.h"
#include "graph/exchange/node_links.h"
#include "graph/signature.h"

#include <farmhash.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace flowray::graph {
namespace {

class FunctionExporter {
 public:
  explicit FunctionExporter(const FunctionPart& part) : part_(part) {
    for (size_t i = 0; i < part.args.size(); ++i) {
      const Endpoint value = part.args[i].value;
      if (value) args_.try_emplace({value.node->id(), value.index}, i);
    }
    name_args();
  }

  wire::FunctionDef make() {
    for (const Endpoint& result : part_.results) need_value(result);
    for (Node* const node : part_.effects) need_control(node);
    for (Node* const node : part_.control_outputs) need_control(node);
    collect();
    name_nodes();
    wire::FunctionDef function;
    for (const Node* node : nodes_) function.node_def.push_back(node_def(*node));
    sign(function);
    return function;
  }

 private:
  Endpoint source(Endpoint value) const { return part_.source ? part_.source(value) : value; }
  /// What is waited for in place of a node; null: nothing. An argument is there before the function begins.
  Node* control(Node* node) const {
    Node* const there = part_.control ? part_.control(node) : node;
    return there != nullptr && arg_of({there, 0}) >= 0 ? nullptr : there;
  }
  /// The number of the argument that a value is; none: -1.
  int arg_of(Endpoint value) const {
    const auto found = args_.find({value.node->id(), value.index});
    return found == args_.end() ? -1 : static_cast<int>(found->second);
  }

  // ---- which nodes

  void need(Node* node) {
    if (seen_.insert(node).second) open_.push_back(node);
  }
  void need_value(Endpoint value) {
    if (arg_of(value) >= 0) return;
    value = source(value);
    if (arg_of(value) < 0) need(value.node);
  }
  void need_control(Node* node) {
    if (Node* const there = control(node)) need(there);
  }

  void collect() {
    while (!open_.empty()) {
      Node* const node = open_.back();
      open_.pop_back();
      nodes_.push_back(node);
      for (const Endpoint& input : node->inputs()) need_value(input);
      for (Node* const before : node->control_inputs()) need_control(before);
    }
    std::ranges::sort(nodes_, {}, [](const Node* node) { return node->id(); });
  }

  // ---- names

  /// The name itself, or with a number where it is taken.
  std::string unused_name(const std::string& base) {
    std::string name = base;
    for (int i = 1; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

  /// The program's names first, so that those of what was captured give way.
  void name_args() {
    for (size_t i = 0; i < part_.args.size(); ++i) {
      const bool is_given = i < part_.arg_names.size();
      arg_names_.push_back(unused_name(is_given ? part_.arg_names[i] : fmt::format("arg{}", i)));
    }
  }

  void name_nodes() {
    for (const Node* node : nodes_) {
      std::string name = node->name();
      if (name.starts_with(part_.prefix)) name.erase(0, part_.prefix.size());
      names_[node] = unused_name(name);
    }
  }

  // ---- texts

  std::string result_name(size_t i) const {
    return i < part_.result_names.size() ? part_.result_names[i] : fmt::format("result{}", i);
  }

  /// "arg0", or "node:out:1" for the second tensor of output `out`.
  std::string text_of(Endpoint value) const {
    if (const int arg = arg_of(value); arg >= 0) return arg_names_[static_cast<size_t>(arg)];
    value = source(value);
    if (const int arg = arg_of(value); arg >= 0) return arg_names_[static_cast<size_t>(arg)];
    int64_t index = value.index;
    for (const ArgSchema& out : value.node->schema().outputs) {
      const bool is_list = !out.number_attr.empty() || !out.type_list_attr.empty();
      const int64_t count = is_list ? arg_count(out, value.node->attrs()) : 1;
      if (index < count) return fmt::format("{}:{}:{}", names_.at(value.node), out.name, index);
      index -= count;
    }
    throw errors::InternalError(fmt::format("{} has no output {}", value.node->name(), value.index));
  }

  wire::NodeDef node_def(const Node& node) const {
    wire::NodeDef message = to_node_def(node);
    message.name = names_.at(&node);
    message.input.clear();
    for (const Endpoint& input : node.inputs()) message.input.emplace_back(text_of(input));
    std::set<std::string> waits_for;
    for (Node* const before : node.control_inputs()) {
      if (const Node* const there = control(before)) waits_for.insert("^" + names_.at(there));
    }
    for (const std::string& name : waits_for) message.input.emplace_back(name);
    // Nodes that are named may have stayed outside.
    std::erase_if(message.attr.items,
                  [](const auto& item) { return item.first == kColocation || item.first == kExtendedCalls; });
    return message;
  }

  void sign(wire::FunctionDef& function) const {
    wire::OpDef& signature = function.signature;
    signature.name = part_.name;
    for (size_t i = 0; i < part_.args.size(); ++i) {
      wire::OpDef::ArgDef& arg = signature.input_arg.emplace_back();
      arg.name = arg_names_[i];
      arg.type = part_.args[i].dtype;
    }
    for (size_t i = 0; i < part_.results.size(); ++i) {
      wire::OpDef::ArgDef& arg = signature.output_arg.emplace_back();
      arg.name = result_name(i);
      arg.type = base_dtype(part_.results[i].dtype());
      function.ret.add(result_name(i), text_of(part_.results[i]));
    }
    function.ret.sort();
    std::set<std::string> controls;
    for (Node* const node : part_.control_outputs) {
      if (const Node* const there = control(node)) controls.insert(names_.at(there));
    }
    for (const std::string& name : controls) {
      signature.control_output.emplace_back(name);
      function.control_ret.add(name, name);
    }
    signature.is_stateful =
        std::ranges::any_of(nodes_, [](const Node* node) { return node->schema().row.stateful; });
  }

  const FunctionPart& part_;
  std::map<std::pair<int, int>, size_t> args_;  // by node and output
  std::set<std::string> used_;                  // of arguments and nodes
  std::vector<std::string> arg_names_;
  std::set<const Node*> seen_;
  std::vector<Node*> open_;
  std::vector<Node*> nodes_;
  std::map<const Node*, std::string> names_;
};

}  // namespace

wire::FunctionDef to_function_def(const FunctionPart& part) { return FunctionExporter(part).make(); }

std::string add_function(FunctionLibrary& library, const FunctionPart& part,
                         const std::function<bool(const std::string&)>& taken) {
  wire::FunctionDefLibrary added;
  wire::FunctionDef& function = added.function.emplace_back(to_function_def(part));
  const std::string content = content_of(function);
  const std::string base =
      fmt::format("{}_{:016x}", part.name, util::Fingerprint64(content.data(), content.size()));
  std::string name = base;
  for (int i = 1; taken != nullptr && taken(name); ++i) name = fmt::format("{}_{}", base, i);
  function.signature.name = name;
  library.add(added);
  return name;
}

void add_named_function(FunctionLibrary& library, const FunctionPart& part) {
  wire::FunctionDefLibrary added;
  added.function.push_back(to_function_def(part));
  library.add(added);
}

}  // namespace flowray::graph
