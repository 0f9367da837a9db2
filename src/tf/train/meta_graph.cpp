#include "tf/train/meta_graph.h"

#include <flowray/tf/graph_def.h>

#include "files/file_contents.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <set>

namespace flowray::tf::train {
namespace {

using internal::VariableState;

constexpr int32_t kVersion2 = 2;

std::string tensor_name(graph::Endpoint tensor) {
  return fmt::format("{}:{}", tensor.node->name(), tensor.index);
}

wire::VariableDef message_of(const VariableState& state) {
  wire::VariableDef message;
  message.variable_name = state.node->name() + ":0";
  message.initializer_name = state.initializer->name();
  message.snapshot_name = tensor_name(state.cached ? state.cached : state.snapshot);
  message.is_resource = state.is_resource;
  message.initial_value_name = tensor_name(state.initial_value);
  message.trainable = state.trainable;
  message.synchronization = state.synchronization;
  message.aggregation = state.aggregation;
  if (state.slice.has_value()) {
    wire::SaveSliceInfoDef& slice = message.save_slice_info_def.emplace();
    slice.full_name = state.slice->full_name;
    slice.full_shape = state.slice->full_shape;
    slice.var_offset = state.slice->offset;
    slice.var_shape = state.slice->shape;
  }
  return message;
}

void add_names(wire::MetaGraphDef& message, const std::string& key, std::vector<std::string> names) {
  wire::CollectionDef list;
  auto& list_of_names = list.node_list.emplace().value;
  for (std::string& name : names) list_of_names.push_back(wire::Text(std::move(name)));
  message.collection_def.add(key, std::move(list));
}

void add_collections(wire::MetaGraphDef& message, graph::Graph& graph, const CollectionLists& node_lists,
                     const CollectionLists& bytes_lists) {
  const internal::Collections::Lists collections = internal::collections_of(graph).all();
  std::map<std::string, std::vector<std::string>> names = node_lists;
  for (const auto& [key, items] : collections) {
    if (key == SaveableObject::kCollection) continue;  // TensorFlow's items are objects, not tensors
    std::vector<std::string> own;
    wire::CollectionDef variables;
    for (const internal::Collected& item : items) {
      if (const auto* state = std::get_if<std::shared_ptr<VariableState>>(&item)) {
        if (!variables.bytes_list) variables.bytes_list.emplace();
        variables.bytes_list->value.emplace_back(wire::encode(message_of(**state)));
      } else if (const auto* tensor = std::get_if<graph::Endpoint>(&item)) {
        own.push_back(tensor->name());
      } else {
        own.push_back(std::get<graph::Node*>(item)->name());
      }
    }
    std::vector<std::string>& all = names[key];
    all.insert(all.begin(), own.begin(), own.end());
    if (variables.bytes_list) message.collection_def.add(key, std::move(variables));
  }
  for (auto& [key, list] : names) {
    if (!list.empty() && message.collection_def.find(std::string_view(key)) == nullptr)
      add_names(message, key, std::move(list));
  }
  for (const auto& [key, list] : bytes_lists) {
    if (list.empty() || message.collection_def.find(std::string_view(key)) != nullptr) continue;
    wire::CollectionDef messages;
    auto& all = messages.bytes_list.emplace().value;
    for (const std::string& bytes : list) all.emplace_back(bytes);
    message.collection_def.add(key, std::move(messages));
  }
  message.collection_def.sort();
}

/// Finds what the file calls by name among the new nodes.
class NewNodes {
 public:
  NewNodes(graph::Graph& graph, std::string_view scope)
      : graph_(graph), prefix_(scope.empty() ? "" : std::string(scope) + "/") {}

  std::string name(std::string_view in_file) const { return prefix_ + std::string(in_file); }
  graph::Node* node(std::string_view in_file) const {
    return Graph(&graph_).get_operation_by_name(name(in_file.substr(0, in_file.find(':')))).node();
  }
  graph::Endpoint tensor(std::string_view in_file) const {
    const Tensor tensor = Graph(&graph_).get_tensor_by_name(name(in_file));
    return {tensor.node(), tensor.value_index()};
  }

 private:
  graph::Graph& graph_;
  std::string prefix_;
};

/// Fills in what the handle of a resource variable tells.
/// With a caching device the file names what that reads.
void be_resource(VariableState& state) {
  if (state.node->op() != "VarHandleOp") {
    throw ValueError(fmt::format("'{}' is said to be a resource variable, and is made by {}.",
                                 state.node->name(), state.node->op()));
  }
  state.is_resource = true;
  state.dtype = state.node->attrs().get<DType>("dtype");
  state.shape = state.node->attrs().get<Shape>("shape");
  if (state.snapshot.node->op() == "ReadVariableOp" || state.snapshot.node->num_inputs() == 0) return;
  state.cached = state.snapshot;
  state.snapshot = state.snapshot.node->input(0);
}

std::shared_ptr<VariableState> variable_of(const wire::VariableDef& message, const NewNodes& nodes) {
  auto state = std::make_shared<VariableState>();
  state->node = nodes.node(message.variable_name);
  state->initializer = nodes.node(message.initializer_name);
  state->snapshot = nodes.tensor(message.snapshot_name);
  if (!message.initial_value_name.view().empty())
    state->initial_value = nodes.tensor(message.initial_value_name);
  state->trainable = message.trainable;
  state->synchronization = message.synchronization;
  state->aggregation = message.aggregation;
  if (const auto& slice = message.save_slice_info_def; slice.has_value()) {
    const size_t rank = slice->full_shape.size();
    if (slice->var_offset.size() != rank || slice->var_shape.size() != rank) {
      throw ValueError(fmt::format("'{}' is said to be a part of '{}', with another rank.",
                                   state->node->name(), slice->full_name.view()));
    }
    state->slice = {.full_name = std::string(slice->full_name.view()),
                    .full_shape = slice->full_shape,
                    .offset = slice->var_offset,
                    .shape = slice->var_shape};
  }
  if (message.is_resource) be_resource(*state);
  return state;
}

/// Whether the language keeps the collection: its nodes then stand there, and else by name with the program.
bool is_of_language(std::string_view key) {
  static const std::set<std::string_view> keys = {internal::kTrainOp, internal::kSummaries, internal::kLosses,
                                                  internal::kRegularizationLosses, internal::kUpdateOps};
  return keys.contains(key);
}

/// Variables that several collections name are one.
class Collector {
 public:
  Collector(graph::Graph& graph, const NewNodes& nodes)
      : collections_(internal::collections_of(graph)), nodes_(nodes) {}

  void add(const std::string& key, const wire::CollectionDef& list, ImportedMetaGraph& result) {
    if (list.bytes_list) add_variables(key, *list.bytes_list);
    if (!list.node_list) return;
    for (const wire::Text& name : list.node_list->value) {
      const bool is_tensor = name.view().find(':') != std::string_view::npos;
      if (is_of_language(key) && is_tensor != internal::holds_operations(key)) {
        collections_.add(key, nodes_.node(name));
      } else {
        result.node_lists[key].push_back(nodes_.name(name.view()));
      }
    }
  }

 private:
  static bool holds_variables(std::string_view key) {
    return key == internal::kGlobalVariables || key.ends_with("variables") || key == "global_step";
  }

  void add_variables(const std::string& key, const wire::CollectionDef::BytesList& list) {
    if (!holds_variables(key)) return;  // contexts of control flow, queue runners, ...
    for (const wire::Bytes& bytes : list.value) {
      const auto message = wire::decode<wire::VariableDef>(bytes.view());
      std::shared_ptr<VariableState>& state = known_[std::string(message.variable_name.view())];
      if (state == nullptr) state = variable_of(message, nodes_);
      collections_.add(key, state);
    }
  }

  internal::Collections& collections_;
  const NewNodes& nodes_;
  std::map<std::string, std::shared_ptr<VariableState>> known_;
};

void check_there_is_a_graph(const graph::Graph& graph) {
  if (!graph.is_eager()) return;
  throw RuntimeError(
      "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists "
      "when eager execution is enabled.\nMake one the default graph: auto scope = graph.as_default();");
}

}  // namespace

std::string without_devices(std::string_view graph_def) {
  auto message = wire::decode<wire::GraphDef>(graph_def);
  for (wire::NodeDef& node : message.node) node.device = wire::Text();
  return wire::encode(message);
}

wire::MetaGraphDef meta_graph_of(const Saver* saver, const CollectionLists& node_lists,
                                 const CollectionLists& bytes_lists) {
  if (saver == nullptr) check_there_is_a_graph(default_graph());
  graph::Graph& graph = saver != nullptr ? *saver->graph().get() : default_graph();
  check_there_is_a_graph(graph);
  wire::MetaGraphDef message;
  message.graph_def = wire::Bytes(Graph(&graph).as_graph_def().serialize_to_string());
  if (saver != nullptr) {
    wire::SaverDef& def = message.saver_def.emplace();
    const SaverNames names = saver->names();
    def.filename_tensor_name = names.filename;
    def.save_tensor_name = names.save;
    def.restore_op_name = names.restore;
    def.max_to_keep = saver->max_to_keep();
    def.keep_checkpoint_every_n_hours = 10000;  // that is: no checkpoint for good
    def.version = kVersion2;
  }
  add_collections(message, graph, node_lists, bytes_lists);
  return message;
}

std::string export_meta_graph(const Saver* saver, const CollectionLists& node_lists,
                              const CollectionLists& bytes_lists, Input::Where where) {
  const ErrorLine errors(where);
  return wire::encode(meta_graph_of(saver, node_lists, bytes_lists));
}

ImportedMetaGraph import_meta_graph(const std::filesystem::path& file, const ImportMetaGraphOptions& options,
                                    Input::Where where) {
  const ErrorLine errors(where);
  check_there_is_a_graph(default_graph());
  if (!std::filesystem::exists(file))
    throw errors::NotFoundError(fmt::format("File {} does not exist.", file.string()));
  const std::string contents = files::read_file(file.string(), files::FileAccess::all());
  return import_message(wire::decode<wire::MetaGraphDef>(contents), options, where).graph;
}

ImportedMessage import_message(const wire::MetaGraphDef& message, const ImportMetaGraphOptions& options,
                               Input::Where where) {
  const std::string bytes = options.clear_devices ? without_devices(message.graph_def.view())
                                                  : std::string(message.graph_def.view());
  graph::Graph& graph = default_graph();
  ImportedMessage imported;
  if (!options.import_scope.empty())
    imported.scope = Graph(&graph).unique_name(options.import_scope, {.mark_as_used = false});
  import_graph_def(GraphDef::from_string(bytes), {.name = options.import_scope}, where);
  const NewNodes nodes(graph, imported.scope);
  ImportedMetaGraph& result = imported.graph;
  Collector collector(graph, nodes);
  for (const auto& [key, list] : message.collection_def) collector.add(std::string(key.view()), list, result);
  if (message.saver_def) {
    const wire::SaverDef& def = *message.saver_def;
    result.saver =
        Saver::of_nodes({nodes.name(def.filename_tensor_name.view()), nodes.name(def.save_tensor_name.view()),
                         nodes.name(def.restore_op_name.view())},
                        def.max_to_keep);
  } else if (!internal::collections_of(graph).variables(internal::kGlobalVariables).empty()) {
    result.saver = std::make_unique<Saver>(SaverOptions(), where);
  }
  return imported;
}

}  // namespace flowray::tf::train
