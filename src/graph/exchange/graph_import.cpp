#include "graph/exchange/graph_import.h"

#include "graph/device_functions.h"
#include "graph/exchange/attr_message.h"
#include "graph/exchange/function_library.h"
#include "graph/exchange/graph_export.h"
#include "graph/exchange/import_order.h"
#include "graph/exchange/import_surroundings.h"
#include "graph/exchange/node_links.h"
#include "graph/gradient_overrides.h"
#include "graph/signature.h"
#include "graph/unknown_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace flowray::graph {
namespace {

using errors::InvalidArgumentError;

constexpr int64_t kMaxListLength = 1'000'000;  // of inputs or outputs: what is more is damage
constexpr std::string_view kColocationPrefix = "loc:@";

void check_versions(const wire::GraphDef& message) {
  if (!message.versions.has_value()) return;
  const wire::VersionDef& versions = *message.versions;
  if (versions.producer < 0) {
    throw InvalidArgumentError(
        fmt::format("GraphDef producer version {} below min producer 0 supported by TensorFlow 2.21.0.",
                    versions.producer));
  }
  if (versions.min_consumer > kGraphDefProducer) {
    throw InvalidArgumentError(
        fmt::format("GraphDef min consumer version {} above current version {} for TensorFlow 2.21.0.",
                    versions.min_consumer, kGraphDefProducer));
  }
  for (const int32_t bad : versions.bad_consumers) {
    if (bad == kGraphDefProducer) {
      throw InvalidArgumentError(fmt::format("GraphDef disallows consumer version {}.", kGraphDefProducer));
    }
  }
}

std::string arg_text(const ArgSchema& arg) {
  std::string type = arg.type_list_attr;
  if (type.empty()) type = arg.type_attr.empty() ? dtype_kernel_name(arg.type) : arg.type_attr;
  if (arg.is_ref) type = fmt::format("Ref({})", type);
  return arg.number_attr.empty() ? fmt::format("{}:{}", arg.name, type)
                                 : fmt::format("{}:{}*{}", arg.name, arg.number_attr, type);
}

/// "; NodeDef: {{node n}}; Op<name=Neg; signature=x:T -> y:T>"
std::string node_and_op(std::string_view node_name, const OpSchema& schema) {
  std::string inputs;
  std::string outputs;
  for (const ArgSchema& arg : schema.inputs) inputs += (inputs.empty() ? "" : ", ") + arg_text(arg);
  for (const ArgSchema& arg : schema.outputs) outputs += (outputs.empty() ? "" : ", ") + arg_text(arg);
  return fmt::format("; NodeDef: {{{{node {}}}}}; Op<name={}; signature={} -> {}>", node_name, schema.name,
                     inputs, outputs);
}

/// The dtypes that the inputs of a node must have, references included.
std::vector<DType> input_dtypes(const OpSchema& schema, const Attrs& attrs) {
  std::vector<DType> dtypes;
  for (const ArgSchema& arg : schema.inputs) add_arg_dtypes(arg, attrs, dtypes);
  return dtypes;
}

class Importer {
 public:
  Importer(const wire::GraphDef& message, Graph& graph, const ImportOptions& options)
      : message_(message),
        graph_(graph),
        options_(options),
        prefix_(options.prefix.empty() ? "" : options.prefix + "/"),
        names_(message),
        batch_(graph),
        made_(message.node.size(), nullptr),
        surroundings_(graph) {
    if (message.library.has_value()) new_functions_ = FunctionLibrary::Addition(*message.library);
  }

  std::vector<Node*> import() {
    const std::vector<uint32_t> order = add_to_graph();
    std::vector<Node*> as_they_were_made;
    as_they_were_made.reserve(order.size());
    for (const uint32_t place : order) as_they_were_made.push_back(made_[place]);
    surroundings_.take_in(as_they_were_made);
    return std::move(made_);
  }

 private:
  /// Functions and nodes, or none of them. Gives the places of the nodes as they were made.
  std::vector<uint32_t> add_to_graph() {
    FunctionLibrary::Joining joining(FunctionLibrary::of(graph_), new_functions_);
    // What can be said of the whole comes first: a graph with an op that is not there is refused for that.
    find_schemas();
    for (const wire::NodeDef& node : message_.node) check_names(node);
    const auto order =
        names_.inputs_first([this](uint32_t place, uint32_t input) { return is_back_edge(place, input); });
    for (const uint32_t place : order) made_[place] = make(place);
    close_loops();
    commit();
    joining.finish();
    return order;
  }

  void find_schemas() {
    std::unordered_map<std::string_view, const OpSchema*> schemas;
    schemas_.reserve(message_.node.size());
    for (const wire::NodeDef& node : message_.node) {
      const OpSchema*& schema = schemas[node.op.view()];
      if (schema == nullptr) schema = find_schema(node.op);
      if (schema == nullptr) throw_unknown_op(node, message_.node, graph_.ops());
      schemas_.push_back(schema);
    }
  }

  /// The schema of an op, or of a function that is called by its name.
  const OpSchema* find_schema(std::string_view op) {
    if (const OpSchema* schema = graph_.ops().find(op)) return schema;
    const FunctionLibrary& library =
        options_.functions != nullptr ? *options_.functions : FunctionLibrary::of(graph_);
    const LibraryFunction* function = library.find(op);
    if (function == nullptr) function = new_functions_.find(op);
    return function == nullptr ? nullptr : &function->schema;
  }

  void check_names(const wire::NodeDef& node) const {
    const bool is_internal = options_.is_part && node.name.view().starts_with('_');
    if (!is_valid_node_name(is_internal ? node.name.view().substr(1) : node.name.view())) {
      throw InvalidArgumentError(
          fmt::format("Node '{}': Node name contains invalid characters", node.name.view()));
    }
    bool control_seen = false;
    for (const wire::Text& input : node.input) {
      const bool is_control = input.view().starts_with('^');
      if (control_seen && !is_control) {
        throw InvalidArgumentError(fmt::format(
            "Node '{}': Control dependencies must come after regular dependencies", node.name.view()));
      }
      control_seen = is_control;
    }
  }

  /// The Merge at the head of a loop gets a value from the NextIteration at its end, which cannot be made
  /// before it.
  bool is_back_edge(uint32_t place, uint32_t input) const {
    return schemas_[input]->row.flow == FlowRole::kNextIteration &&
           schemas_[place]->row.flow == FlowRole::kMerge;
  }

  void close_loops() {
    for (const BackEdge& edge : back_edges_) {
      const auto check = [&] {
        if (edge.from.index < made_[edge.from.place]->num_outputs()) return;
        throw ValueError(fmt::format("Connecting to invalid output {} of source node {}", edge.from.index,
                                     made_[edge.from.place]->name()));
      };
      try {
        check();
        made_[edge.merge]->close_loop(edge.input, {made_[edge.from.place], edge.from.index});
      } catch (const ValueError& error) {
        throw InvalidArgumentError(error.message(), made_[edge.merge]->name());
      }
    }
  }

  Node* make(uint32_t place) {
    const wire::NodeDef& node = message_.node[place];
    NodeBatch::Request request;
    request.name = prefix_ + node.name.str();
    request.schema = schemas_[place];
    request.device = device_of(node);
    request.line = options_.line;
    read_inputs(place, request);
    read_attrs(node, request);
    check_inputs(node, request);
    std::vector<Node*> outside_controls = surroundings_.add_controls(request.control_inputs);
    Node* made = nullptr;
    try {
      made = batch_.add(std::move(request));
    } catch (const ValueError& error) {
      throw InvalidArgumentError(error.message(), node.name.str());
    } catch (const TypeError& error) {
      throw InvalidArgumentError(error.message(), node.name.str());
    }
    surroundings_.expect(*made, std::move(outside_controls));
    return made;
  }

  void read_inputs(uint32_t place, NodeBatch::Request& request) {
    const wire::NodeDef& node = message_.node[place];
    const std::span<const MessageNodes::Input> inputs = names_.inputs(place);
    request.inputs.reserve(inputs.size());
    const size_t first_back_edge = back_edges_.size();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].place != MessageNodes::kNone && inputs[i].index != InputName::kControl &&
          is_back_edge(place, inputs[i].place)) {
        back_edges_.push_back({place, static_cast<int>(i), inputs[i]});
        request.inputs.emplace_back();
        continue;
      }
      const Endpoint input = find_input(inputs[i], node.input[i]);
      if (!input) {
        throw InvalidArgumentError(
            fmt::format("Node '{}': Unknown input node '{}'", node.name.view(), node.input[i].view()));
      }
      if (inputs[i].index == InputName::kControl) {
        request.control_inputs.push_back(input.node);
        continue;
      }
      if (input.index >= input.node->num_outputs()) {
        throw InvalidArgumentError(
            fmt::format("Node '{}': Connecting to invalid output {} of source node {} which has {} outputs.",
                        node.name.view(), input.index, input.node->name(), input.node->num_outputs()));
      }
      request.inputs.push_back(input);
    }
    if (back_edges_.size() > first_back_edge) stand_in_for_back_edges(node, request);
  }

  /// The value with which the loop begins stands where the later ones come from.
  static void stand_in_for_back_edges(const wire::NodeDef& node, NodeBatch::Request& request) {
    const auto first =
        std::ranges::find_if(request.inputs, [](const Endpoint& input) { return bool{input}; });
    if (first == request.inputs.end()) {
      throw InvalidArgumentError(fmt::format(
          "Node '{}': a loop must begin with a value, but all inputs come from its end", node.name.view()));
    }
    const Endpoint stand_in = *first;
    std::ranges::replace_if(request.inputs, [](const Endpoint& input) { return !input; }, stand_in);
  }

  Endpoint find_input(const MessageNodes::Input& input, std::string_view text) const {
    const int index = std::max(input.index, 0);
    const bool is_known = input.place != MessageNodes::kNone;
    if (is_known && options_.input_map.empty()) return {made_[input.place], index};
    const std::string_view name = parse_input_name(text).node;
    const auto mapped = options_.input_map.find(
        input.index == InputName::kControl ? fmt::format("^{}", name) : fmt::format("{}:{}", name, index));
    if (mapped != options_.input_map.end()) return mapped->second;
    if (is_known) return {made_[input.place], index};
    return {options_.may_use_nodes_of_graph ? graph_.find(name) : nullptr, index};
  }

  /// Sorted by name as they come, so that each is added at the end.
  void read_attrs(const wire::NodeDef& node, NodeBatch::Request& request) const {
    const OpSchema& schema = *request.schema;
    request.attrs.reserve(std::max(node.attr.size(), schema.attrs.size()));
    try {
      for (const auto& [name, value] : node.attr) {
        const AttrSchema* attr = schema.find_attr(name);
        request.attrs.set(name, attr != nullptr ? attr_from_message(value, *attr) : attr_from_message(value));
      }
    } catch (const InvalidArgumentError& error) {
      throw InvalidArgumentError(error.message() + "\n\t" + node_and_op(node.name, schema), node.name.str());
    }
    for (const AttrSchema& attr : schema.attrs) {
      if (request.attrs.contains(attr.name)) continue;
      if (!attr.default_value.has_value()) {
        throw InvalidArgumentError(fmt::format("NodeDef missing attr '{}' from Op<name={}>{}", attr.name,
                                               schema.name, node_and_op(node.name, schema)));
      }
      request.attrs.set(attr.name, *attr.default_value);
    }
    check_values(node, request);
    override_gradient(graph_, schema.name, request.attrs);
    read_colocation(node, request.attrs);
    read_extended_calls(request.attrs);
  }

  /// What a schema does not say and later rooms rely on.
  static void check_values(const wire::NodeDef& node, const NodeBatch::Request& request) {
    const OpSchema& schema = *request.schema;
    for (const auto* args : {&schema.inputs, &schema.outputs}) {
      for (const ArgSchema& arg : *args) {
        if (arg.number_attr.empty()) continue;
        const int64_t count = arg_count(arg, request.attrs);
        if (count <= kMaxListLength) continue;
        throw InvalidArgumentError(fmt::format("Value for attr '{}' of {} must be at most {}\n\t{}",
                                               arg.number_attr, count, kMaxListLength,
                                               node_and_op(node.name, schema)));
      }
    }
    if (!schema.row.is_constant) return;
    const DType has = request.attrs.get<Array>("value").dtype();
    const DType wanted = request.attrs.get<DType>("dtype");
    if (has == wanted) return;
    throw InvalidArgumentError(fmt::format("Node '{}': the attribute value is a {} tensor, but dtype is {}",
                                           node.name.view(), dtype_kernel_name(has),
                                           dtype_kernel_name(wanted)));
  }

  std::string device_of(const wire::NodeDef& node) const {
    if (!options_.colocation.empty() || node.device.empty()) return options_.device_around;
    return options_.device_around.empty() ? node.device.str()
                                          : filled_in_device(node.device.str(), options_.device_around);
  }

  void read_colocation(const wire::NodeDef& node, Attrs& attrs) const {
    if (!options_.colocation.empty()) {
      attrs.set(kColocation, options_.colocation);
      return;
    }
    if (options_.is_part) return;
    const AttrValue* value = attrs.find(kColocation);
    const auto* old_groups = value == nullptr ? nullptr : value->get_if<std::vector<std::string>>();
    if (old_groups == nullptr) return;
    std::vector<std::string> groups = *old_groups;
    for (std::string& group : groups) {
      if (!group.starts_with(kColocationPrefix)) continue;
      const std::string target = group.substr(kColocationPrefix.size());
      const bool is_in_message = names_.find(target) != MessageNodes::kNone;
      if (!is_in_message && !(options_.may_use_nodes_of_graph && graph_.find(target) != nullptr)) {
        throw InvalidArgumentError(fmt::format("Node '{}' expects to be colocated with unknown node '{}'",
                                               node.name.view(), target));
      }
      if (is_in_message) group = fmt::format("{}{}{}", kColocationPrefix, prefix_, target);
    }
    attrs.set(kColocation, std::move(groups));
  }

  /// A call that did not come along is not extended: another node may have its name.
  void read_extended_calls(Attrs& attrs) const {
    const AttrValue* const value = attrs.find(kExtendedCalls);
    const auto* const calls = value == nullptr ? nullptr : value->get_if<std::vector<std::string>>();
    if (calls == nullptr) return;
    std::vector<std::string> here;
    for (const std::string& call : *calls) {
      if (names_.find(call) != MessageNodes::kNone) {
        here.push_back(prefix_ + call);
      } else if (options_.may_use_nodes_of_graph && graph_.find(call) != nullptr) {
        here.push_back(call);
      }
    }
    attrs.set(kExtendedCalls, std::move(here));
  }

  static void check_inputs(const wire::NodeDef& node, const NodeBatch::Request& request) {
    const OpSchema& schema = *request.schema;
    for (const ArgSchema& arg : schema.inputs) {  // before input_dtypes lists them
      if (!arg.number_attr.empty() &&
          arg_count(arg, request.attrs) > static_cast<int64_t>(node.input.size())) {
        throw InvalidArgumentError(fmt::format(
            "NodeDef expected inputs '{}*{}' do not match {} inputs specified{}",
            arg_count(arg, request.attrs), arg.name, request.inputs.size(), node_and_op(node.name, schema)));
      }
    }
    const std::vector<DType> expected = input_dtypes(schema, request.attrs);
    if (expected.size() != request.inputs.size()) {
      std::string dtypes;
      for (const DType dtype : expected) dtypes += (dtypes.empty() ? "" : ", ") + dtype_kernel_name(dtype);
      throw InvalidArgumentError(
          fmt::format("NodeDef expected inputs '{}' do not match {} inputs specified{}", dtypes,
                      request.inputs.size(), node_and_op(node.name, schema)));
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const DType has = request.inputs[i].dtype();
      if (has == expected[i] || (is_ref(has) && base_dtype(has) == expected[i])) continue;
      throw InvalidArgumentError(fmt::format(
          "Input {} of node {} was passed {} from {} incompatible with expected {}.", i, request.name,
          dtype_kernel_name(has), request.inputs[i].name(), dtype_kernel_name(expected[i])));
    }
  }

  void commit() {
    try {
      batch_.commit();
    } catch (const ValueError& error) {
      throw InvalidArgumentError(error.message());
    }
  }

  const wire::GraphDef& message_;
  Graph& graph_;
  const ImportOptions& options_;
  const std::string prefix_;
  const MessageNodes names_;
  NodeBatch batch_;
  std::vector<Node*> made_;  // by place in the message
  struct BackEdge {
    uint32_t merge;  // its place
    int input;
    MessageNodes::Input from;
  };
  std::vector<BackEdge> back_edges_;
  std::vector<const OpSchema*> schemas_;  // by place in the message
  FunctionLibrary::Addition new_functions_;
  ImportSurroundings surroundings_;
};

}  // namespace

std::vector<Node*> import_graph_def(const wire::GraphDef& message, Graph& graph,
                                    const ImportOptions& options) {
  check_versions(message);
  graph.check_not_finalized();
  return Importer(message, graph, options).import();
}

}  // namespace flowray::graph
