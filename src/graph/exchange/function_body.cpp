#include "graph/exchange/function_body.h"

#include "graph/exchange/attr_message.h"
#include "graph/exchange/graph_import.h"
#include "graph/exchange/import_order.h"
#include "graph/name_prefix.h"
#include "graph/unknown_op.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <unordered_map>

namespace flowray::graph {
namespace {

using Attr = wire::AttrValue;
using AttrMap = wire::Map<wire::Text, wire::AttrValue>;

[[noreturn]] void fail(std::string_view function, const std::string& reason) {
  throw errors::InvalidArgumentError(fmt::format("Function '{}': {}", function, reason));
}

Attr type_attr(DType dtype) {
  Attr attr;
  attr.value.emplace<Attr::kType_>(dtype);
  return attr;
}

Attr int_attr(int64_t number) {
  Attr attr;
  attr.value.emplace<Attr::kI>(number);
  return attr;
}

Attr shape_attr(const Shape& shape) {
  Attr attr;
  attr.value.emplace<Attr::kShape>(wire::to_shape_proto(shape));
  return attr;
}

/// The GraphDef of a call's body, for the importer.
class BodyMaker {
 public:
  BodyMaker(const FunctionCall& call, const FunctionLibrary& library, const OpTable& ops,
            const std::string& prefix)
      : call_(call), definition_(call.function->definition), library_(library), ops_(ops), prefix_(prefix) {}

  wire::GraphDef make(std::span<const ArgFacts> facts) {
    add_args(facts);
    for (const wire::NodeDef& node : definition_.node_def) places_[node.name.view()] = &node;
    for (const wire::NodeDef& node : definition_.node_def) add_node(node);
    return std::move(message_);
  }

  size_t num_args() const { return num_args_; }

  /// "node", or "node:1", for each value that is returned.
  std::vector<std::string> results() {
    std::vector<std::string> names;
    for (const ArgSchema& arg : call_.function->schema.outputs) {
      const wire::Text* from = definition_.ret.find(arg.name);
      if (from == nullptr) fail(name(), fmt::format("nothing is returned as '{}'", arg.name));
      const auto [node, first] = source(from->view());
      const size_t count = dtypes_of(arg, call_.attrs, call_.function->schema).size();
      for (size_t i = 0; i < count; ++i) names.push_back(output_name(node, first + i));
    }
    return names;
  }

 private:
  /// An output of a node of the body, or argument `output` of the function where there is no node.
  struct Source {
    std::string_view node;
    size_t output = 0;
  };

  std::string_view name() const { return definition_.signature.name.view(); }
  wire::Text keep(std::string text) { return wire::Text::borrow(texts_.emplace_back(std::move(text))); }

  const OpSchema& schema_of(const wire::NodeDef& node) const {
    if (const OpSchema* schema = ops_.find(node.op)) return *schema;
    const LibraryFunction* function = library_.find(node.op);
    if (function == nullptr) throw_unknown_op(node, definition_.node_def, ops_);
    return function->schema;
  }

  // ---- attributes

  Attr substituted(const Attr& attr) const {
    if (attr.value.index() == Attr::kPlaceholder) {
      const Attr* value = call_.attrs.find(std::get<Attr::kPlaceholder>(attr.value).view());
      if (value != nullptr) return *value;
      fail(name(), fmt::format("it is called without a value for its attribute '{}'",
                               std::get<Attr::kPlaceholder>(attr.value).view()));
    }
    Attr copy = attr;
    if (copy.value.index() == Attr::kFunc) substitute(*std::get<Attr::kFunc>(copy.value));
    if (copy.value.index() == Attr::kList && std::get<Attr::kList>(copy.value)) {
      for (wire::NameAttrList& function : std::get<Attr::kList>(copy.value)->func) substitute(function);
    }
    return copy;
  }

  void substitute(wire::NameAttrList& function) const {
    for (auto& [key, value] : function.attr.items) value = substituted(value);
  }

  /// The attribute that a signature's arguments are counted or typed by.
  static Attr find_attr(const std::string& key, const AttrMap& attrs, const OpSchema& schema) {
    if (const Attr* attr = attrs.find(key)) return *attr;
    const AttrSchema* declared = schema.find_attr(key);
    if (declared != nullptr && declared->default_value.has_value())
      return attr_to_message(*declared->default_value);
    throw errors::InvalidArgumentError(
        fmt::format("NodeDef missing attr '{}' from Op<name={}>", key, schema.name));
  }

  static std::vector<DType> dtypes_of(const ArgSchema& arg, const AttrMap& attrs, const OpSchema& schema) {
    if (!arg.type_list_attr.empty()) {
      const Attr list = find_attr(arg.type_list_attr, attrs, schema);
      if (list.value.index() != Attr::kList || !std::get<Attr::kList>(list.value)) return {};
      return std::get<Attr::kList>(list.value)->type;
    }
    DType dtype = arg.type;
    if (!arg.type_attr.empty()) {
      const Attr type = find_attr(arg.type_attr, attrs, schema);
      if (const DType* value = std::get_if<Attr::kType_>(&type.value)) dtype = *value;
    }
    if (arg.number_attr.empty()) return {dtype};
    const Attr number = find_attr(arg.number_attr, attrs, schema);
    const int64_t* count = std::get_if<Attr::kI>(&number.value);
    if (count == nullptr || *count < 0 || *count > kMaxListLength) {
      throw errors::InvalidArgumentError(
          fmt::format("Attribute '{}' of {} is not a number of arguments", arg.number_attr, schema.name));
    }
    return std::vector<DType>(static_cast<size_t>(*count), dtype);
  }

  static bool is_list(const ArgSchema& arg) {
    return !arg.number_attr.empty() || !arg.type_list_attr.empty();
  }

  // ---- arguments and nodes

  void add_args(std::span<const ArgFacts> facts) {
    for (const ArgSchema& arg : call_.function->schema.inputs) {
      first_of_arg_[arg.name] = num_args_;
      const std::vector<DType> dtypes = dtypes_of(arg, call_.attrs, call_.function->schema);
      for (size_t i = 0; i < dtypes.size(); ++i) {
        wire::NodeDef& node = message_.node.emplace_back();
        node.name = keep(is_list(arg) ? fmt::format("{}_{}", arg.name, i) : arg.name);
        arg_names_.push_back(node.name.view());
        node.op = wire::Text::borrow("_Arg");
        node.attr.add("T", type_attr(dtypes[i]));
        node.attr.add("index", int_attr(static_cast<int64_t>(num_args_)));
        if (num_args_ < facts.size()) add_facts(node, facts[num_args_]);
        ++num_args_;
      }
    }
  }

  /// In the form in which shape functions find them: the shape of the value, and the attributes of the node
  /// that made the handle.
  void add_facts(wire::NodeDef& node, const ArgFacts& facts) {
    if (facts.handle == nullptr) {
      node.attr.add("_shape", shape_attr(facts.shape));
      node.attr.sort();
      return;
    }
    for (const auto& [key, value] : facts.handle->items()) {
      if (key == "T" || key == "index" || key.starts_with('_')) continue;
      const std::string& bytes = texts_.emplace_back(wire::encode(attr_to_message(value)));
      node.attr.add(keep(key), wire::decode<Attr>(bytes));
    }
    node.attr.sort();
  }

  void add_node(const wire::NodeDef& from) {
    wire::NodeDef node;
    node.name = from.name;
    node.op = from.op;
    node.device = from.device;
    for (const auto& [key, value] : from.attr) {
      // Groups to stand with are nodes of another graph, or of none.
      if (key == "_class") continue;
      node.attr.add(key, key == "frame_name" ? own_frame(value) : substituted(value));
    }
    for (const wire::Text& input : from.input) {
      if (input.view().starts_with('^')) {
        const bool is_arg = first_of_arg_.contains(input.view().substr(1));  // there before the body begins
        if (!is_arg) node.input.push_back(input);
        continue;
      }
      const auto [source_node, output] = source(input.view());
      node.input.push_back(keep(output_name(source_node, output)));
    }
    message_.node.push_back(std::move(node));
  }

  /// Two calls of a function with a loop of version 1 in it are two loops.
  Attr own_frame(const Attr& name) {
    if (name.value.index() != Attr::kS) return name;
    Attr own;
    own.value.emplace<Attr::kS>(keep(fmt::format("{}/{}", prefix_, std::get<Attr::kS>(name.value).view())));
    return own;
  }

  std::string output_name(std::string_view node, size_t output) const {
    if (!node.empty()) return fmt::format("{}:{}", node, output);
    if (output >= num_args_) fail(name(), fmt::format("it has no argument number {}", output));
    return std::string(arg_names_[output]);
  }

  static size_t number(std::string_view text) {
    size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  /// "arg", "arg:1" for an argument that is a list; "node:out" or "node:out:1" for a value in the body.
  Source source(std::string_view text) const {
    const size_t colon = text.find(':');
    const std::string_view base = text.substr(0, colon);
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (const auto arg = first_of_arg_.find(base); arg != first_of_arg_.end()) {
      return {{}, arg->second + number(rest)};
    }
    const auto place = places_.find(base);
    if (place == places_.end()) fail(name(), fmt::format("there is no '{}' in it", text));
    const size_t second = rest.find(':');
    const std::string_view out = rest.substr(0, second);
    const size_t index = second == std::string_view::npos ? 0 : number(rest.substr(second + 1));
    return {base, first_output(*place->second, out) + index};
  }

  size_t first_output(const wire::NodeDef& node, std::string_view out) const {
    const OpSchema& schema = schema_of(node);
    AttrMap attrs;
    for (const auto& [key, value] : node.attr) attrs.add(key, substituted(value));
    size_t first = 0;
    for (const ArgSchema& arg : schema.outputs) {
      if (arg.name == out) return first;
      first += dtypes_of(arg, attrs, schema).size();
    }
    fail(name(), fmt::format("node '{}' has no output '{}'", node.name.view(), out));
  }

  static constexpr int64_t kMaxListLength = 1'000'000;

  const FunctionCall& call_;
  const wire::FunctionDef& definition_;
  const FunctionLibrary& library_;
  const OpTable& ops_;
  const std::string& prefix_;
  wire::GraphDef message_;
  size_t num_args_ = 0;
  std::vector<std::string_view> arg_names_;
  std::deque<std::string> texts_;  // what message_ borrows
  std::unordered_map<std::string_view, size_t> first_of_arg_;
  std::unordered_map<std::string_view, const wire::NodeDef*> places_;
};

Endpoint endpoint_of(const Graph& graph, const std::string& prefix, std::string_view text) {
  const InputName input = parse_input_name(text);
  return {graph.find(fmt::format("{}/{}", prefix, input.node)), input.index};
}

}  // namespace

FunctionBody make_function_body(const FunctionCall& call, const FunctionLibrary& library, const OpTable& ops,
                                const std::string& prefix, std::span<const ArgFacts> args) {
  BodyMaker maker(call, library, ops, prefix);
  const wire::GraphDef message = maker.make(args);
  FunctionBody body;
  body.graph.reset(new Graph(ops));
  set_prefix_length(*body.graph, prefix.size() + 1);
  const std::vector<Node*> nodes =
      import_graph_def(message, *body.graph, {.prefix = prefix, .functions = &library});
  for (size_t i = 0; i < maker.num_args(); ++i) body.args.push_back(nodes[i]->output(0));
  for (const std::string& name : maker.results()) {
    const Endpoint result = endpoint_of(*body.graph, prefix, name);
    if (!result || result.index >= result.node->num_outputs()) {
      fail(call.function->schema.name, fmt::format("it returns '{}', which is not there", name));
    }
    body.results.push_back(result);
  }
  for (size_t i = maker.num_args(); i < nodes.size(); ++i) {
    if (nodes[i]->schema().row.stateful) body.effects.push_back(nodes[i]);
  }
  for (const auto& [key, name] : call.function->definition.control_ret) {
    Node* const node = endpoint_of(*body.graph, prefix, name.view()).node;
    if (node == nullptr) continue;
    body.control_outputs.push_back(node);
    if (!node->schema().row.stateful) body.effects.push_back(node);
  }
  return body;
}

}  // namespace flowray::graph
