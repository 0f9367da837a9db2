#include <flowray/tf/saved_model.h>

#include <flowray/tf/array.h>
#include <flowray/tf/session.h>

#include "files/file_contents.h"
#include "tf/build/apply_op.h"
#include "tf/build/unset.h"
#include "tf/train/meta_graph.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace flowray::tf::saved_model {
namespace {

namespace fs = std::filesystem;
using train::Saver;
using train::SaverOptions;

constexpr const char* kFile = "saved_model.pb";
constexpr const char* kTextFile = "saved_model.pbtxt";
constexpr int64_t kSchemaVersion = 1;
constexpr const char* kAssetsKey = "saved_model_assets";
constexpr const char* kAssetType = "type.googleapis.com/tensorflow.AssetFileDef";
constexpr const char* kMainOpKey = "saved_model_main_op";
constexpr const char* kLegacyInitOpKey = "legacy_init_op";
constexpr const char* kInitOpSignature = "__saved_model_init_op";
constexpr const char* kTrainOpSignature = "__saved_model_train_op";

fs::path variables_path(const fs::path& export_dir) { return export_dir / "variables" / "variables"; }

// ---- signatures

wire::TensorInfo message_of(const TensorInfo& info) {
  wire::TensorInfo message;
  message.dtype = info.dtype;
  message.tensor_shape = wire::to_shape_proto(info.shape);
  if (info.sparse_names.empty()) {
    message.name = wire::Text(info.name);
  } else {
    auto& names = message.coo_sparse.emplace();
    names.values_tensor_name = wire::Text(info.sparse_names[0]);
    names.indices_tensor_name = wire::Text(info.sparse_names[1]);
    names.dense_shape_tensor_name = wire::Text(info.sparse_names[2]);
  }
  return message;
}

TensorInfo info_of(const wire::TensorInfo& message) {
  TensorInfo info;
  info.name = message.name.str();
  info.dtype = message.dtype;
  if (message.tensor_shape.has_value()) info.shape = wire::to_shape(*message.tensor_shape);
  if (message.coo_sparse.has_value()) {
    info.sparse_names = {message.coo_sparse->values_tensor_name.str(),
                         message.coo_sparse->indices_tensor_name.str(),
                         message.coo_sparse->dense_shape_tensor_name.str()};
  }
  return info;
}

wire::SignatureDef message_of(const SignatureDef& signature) {
  wire::SignatureDef message;
  for (const auto& [name, info] : signature.inputs) message.inputs.add(wire::Text(name), message_of(info));
  for (const auto& [name, info] : signature.outputs) message.outputs.add(wire::Text(name), message_of(info));
  message.method_name = wire::Text(signature.method_name);
  return message;
}

SignatureDef signature_of(const wire::SignatureDef& message) {
  SignatureDef signature;
  for (const auto& [name, info] : message.inputs) signature.inputs[name.str()] = info_of(info);
  for (const auto& [name, info] : message.outputs) signature.outputs[name.str()] = info_of(info);
  signature.method_name = message.method_name.str();
  return signature;
}

void check_info(const std::string& key, const TensorInfo& info) {
  if (info.name.empty() && info.sparse_names.size() != 3) {
    throw AssertionError(fmt::format(
        "Invalid `tensor_info`: {}. All TensorInfo protos used in the SignatureDefs must have one of the "
        "'encoding' fields (e.g., name or coo_sparse) set.",
        key));
  }
  if (info.dtype == DType::kInvalid) {
    throw AssertionError(
        fmt::format("Invalid `tensor_info`: {}. All TensorInfo protos used in the SignatureDefs must have "
                    "the dtype field "
                    "set.",
                    key));
  }
}

void check_signatures(const SignatureDefs& signatures) {
  for (const auto& [name, signature] : signatures) {
    for (const auto& [key, info] : signature.inputs) check_info(key, info);
    for (const auto& [key, info] : signature.outputs) check_info(key, info);
  }
  if (signatures.contains(kInitOpSignature)) {
    throw KeyError(
        fmt::format("SignatureDef map key \"{}\" is reserved for initialization. Please use a different key.",
                    kInitOpSignature));
  }
  if (signatures.contains(kTrainOpSignature)) {
    throw KeyError(
        fmt::format("SignatureDef map key \"{}\" is reserved for the train op. Please use a different key.",
                    kTrainOpSignature));
  }
}

TensorInfos infos_of(const std::map<std::string, Tensor>& tensors, Input::Where where) {
  TensorInfos infos;
  for (const auto& [name, tensor] : tensors) infos[name] = build_tensor_info(tensor, where);
  return infos;
}

// ---- files beside the graph

std::string path_of(const Tensor& asset) {
  const std::string name = asset.name();
  if (asset.op().type() != "Const") {
    throw TypeError(fmt::format("Asset path tensor {} must be of type constant.Has type {} instead.", name,
                                asset.op().type()));
  }
  if (asset.dtype() != DType::kString) {
    throw TypeError(fmt::format("Asset path tensor {}` must be of dtype string.Has type {} instead.", name,
                                dtype_name(asset.dtype())));
  }
  const auto value = get_static_value(asset);
  if (!value.has_value() || value->size() != 1)
    throw TypeError(fmt::format("Asset path tensor {} must be a scalar.", name));
  return value->reshape({}).item<std::string>();
}

/// The files that were copied, by their names in assets/.
using Copied = std::map<std::string, std::string>;

bool have_equal_contents(const std::string& a, const std::string& b) {
  return files::read_file(a, files::FileAccess::all()) == files::read_file(b, files::FileAccess::all());
}

/// What a file is called in assets/: another file of that name gets a number.
std::string name_in_assets(const std::string& path, const Copied& copied) {
  const std::string plain = fs::path(path).filename().string();
  std::string name = plain;
  for (int number = 1;; ++number) {
    const auto found = copied.find(name);
    if (found == copied.end() || found->second == path || have_equal_contents(found->second, path))
      return name;
    name = fmt::format("{}_{}", plain, number);
  }
}

void add_assets(wire::MetaGraphDef& message, const std::vector<Tensor>& assets, const fs::path& export_dir,
                Copied& copied) {
  if (assets.empty()) return;
  wire::CollectionDef list;
  for (const Tensor& asset : assets) {
    const std::string path = path_of(asset);
    const std::string name = name_in_assets(path, copied);
    if (copied.emplace(name, path).second) {
      const fs::path folder = export_dir / "assets";
      fs::create_directories(folder);
      if (fs::exists(path)) {  // else whoever loads the model puts it there, as in TensorFlow
        files::write_file((folder / name).string(), files::read_file(path, files::FileAccess::all()),
                          files::FileAccess::all());
      }
    }
    wire::AssetFileDef file;
    file.filename = wire::Text(name);
    file.tensor_info.emplace().name = wire::Text(asset.name());
    if (!list.any_list.has_value()) list.any_list.emplace();
    list.any_list->value.push_back({wire::Text(kAssetType), wire::Bytes(wire::encode(file)), {}});
  }
  message.collection_def.add(wire::Text(kAssetsKey), std::move(list));
  message.collection_def.sort();
}

/// What is fed while the main op runs: the paths of the files.
FeedDict fed_assets(const wire::MetaGraphDef& message, const fs::path& export_dir, const Graph& graph,
                    const std::string& prefix) {
  std::vector<wire::AssetFileDef> files = message.asset_file_def;
  const wire::CollectionDef* const list = message.collection_def.find(std::string_view(kAssetsKey));
  if (files.empty() && list != nullptr && list->any_list.has_value()) {
    for (const auto& any : list->any_list->value)
      files.push_back(wire::decode<wire::AssetFileDef>(any.value.view()));
  }
  FeedDict feeds;
  std::set<std::string> fed;  // a collection may hold a tensor twice
  for (const wire::AssetFileDef& file : files) {
    if (!file.tensor_info.has_value() || !fed.insert(file.tensor_info->name.str()).second) continue;
    const std::string name = file.filename.str();
    if (fs::path(name).has_parent_path())
      throw errors::InvalidArgumentError(
          fmt::format("An asset of the SavedModel is named '{}'.\nA name in its assets/ is expected.", name));
    feeds.add(graph.get_tensor_by_name(prefix + file.tensor_info->name.str()),
              Array((export_dir / "assets" / name).string()));
  }
  return feeds;
}

// ---- reading

std::string quoted(const std::vector<std::string>& tags) {
  std::vector<std::string> all;
  for (const std::string& tag : tags) all.push_back("'" + tag + "'");
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<std::string> tags_of(const wire::MetaGraphDef& message) {
  std::vector<std::string> tags;
  if (message.meta_info_def.has_value()) {
    for (const wire::Text& tag : message.meta_info_def->tags) tags.push_back(tag.str());
  }
  return tags;
}

const wire::MetaGraphDef& graph_with(const wire::SavedModel& model, const std::vector<std::string>& tags) {
  const std::set<std::string> wanted(tags.begin(), tags.end());
  std::vector<std::string> there;
  for (const wire::MetaGraphDef& graph : model.meta_graphs) {
    const std::vector<std::string> own = tags_of(graph);
    if (std::set<std::string>(own.begin(), own.end()) == wanted) return graph;
    there.push_back(fmt::format("{{{}}}", quoted(own)));
  }
  throw RuntimeError(fmt::format(
      "MetaGraphDef associated with tags {} could not be found in SavedModel, with available tags "
      "'[{}]'.",
      quoted(tags), fmt::join(there, ", ")));
}

std::string contents_of(const fs::path& export_dir) {
  const fs::path file = export_dir / kFile;
  if (fs::exists(file)) return files::read_file(file.string(), files::FileAccess::all());
  if (fs::exists(export_dir / kTextFile)) {
    throw errors::UnimplementedError(
        fmt::format("{} is a SavedModel in text form, which is not read here.\nSave it with as_text=False.",
                    (export_dir / kTextFile).string()));
  }
  throw errors::NotFoundError(
      fmt::format("SavedModel file does not exist at: {}/{{{}|{}}}", export_dir.string(), kTextFile, kFile));
}

/// The name of the operation to run at the end; empty where there is none.
std::string main_op_of(const wire::MetaGraphDef& message) {
  if (const auto* signature = message.signature_def.find(std::string_view(kInitOpSignature));
      signature != nullptr && signature->outputs.size() == 1)
    return signature->outputs.begin()->second.name.str();
  for (const char* const key : {kMainOpKey, kLegacyInitOpKey}) {
    const wire::CollectionDef* const list = message.collection_def.find(std::string_view(key));
    if (list == nullptr || !list->node_list.has_value()) continue;
    const auto& names = list->node_list->value;
    if (names.size() != 1)
      throw RuntimeError(fmt::format("Expected exactly one SavedModel init op. Found {}.", names.size()));
    return names[0].str();
  }
  return {};
}

}  // namespace

SignatureDef SignatureDef::from_string(std::string_view bytes) {
  return signature_of(wire::decode<wire::SignatureDef>(bytes));
}

std::string SignatureDef::serialize_to_string() const { return wire::encode(message_of(*this)); }

TensorInfo build_tensor_info(const Tensor& tensor, Input::Where where) {
  const ErrorLine errors(where);
  if (node_of(tensor, "tensor").graph().is_eager())
    throw RuntimeError("`build_tensor_info` is not supported in eager execution.");
  return {.name = tensor.name(), .dtype = tensor.dtype(), .shape = tensor.shape()};
}

TensorInfo build_tensor_info(const SparseTensor& tensor, Input::Where where) {
  const ErrorLine errors(where);
  return {.dtype = tensor.dtype(),
          .shape = tensor.shape(),
          .sparse_names = {build_tensor_info(tensor.values()).name, build_tensor_info(tensor.indices()).name,
                           build_tensor_info(tensor.dense_shape()).name}};
}

SignatureDef predict_signature_def(const std::map<std::string, Tensor>& inputs,
                                   const std::map<std::string, Tensor>& outputs, Input::Where where) {
  const ErrorLine errors(where);
  if (inputs.empty()) throw ValueError("Prediction `inputs` cannot be None or empty.");
  if (outputs.empty()) throw ValueError("Prediction `outputs` cannot be None or empty.");
  return {infos_of(inputs, where), infos_of(outputs, where), kPredict};
}

// ---- Builder

struct Builder::State {
  fs::path export_dir;
  wire::SavedModel model;
  std::vector<std::string> kept;  // what the messages borrow
  Copied copied;
  bool has_variables = false;

  void check_free_of_main_op(const MetaGraphOptions& options) const {
    for (const char* const key : {kMainOpKey, kLegacyInitOpKey}) {
      const auto list = options.node_lists.find(key);
      if (list == options.node_lists.end() || list->second.empty()) continue;
      throw ValueError(
          fmt::format("Graph already contains one or more main ops under the collection {}.", key));
    }
  }

  /// Before anything is written.
  void check(const MetaGraphOptions& options) const {
    check_signatures(options.signature_def_map);
    for (const Tensor& asset : options.assets) (void)path_of(asset);
    if (options.main_op.has_value()) check_free_of_main_op(options);
  }

  void add(const Saver* saver, const std::vector<std::string>& tags, const MetaGraphOptions& options) {
    train::CollectionLists node_lists = options.node_lists;
    if (options.main_op.has_value()) node_lists[kMainOpKey] = {options.main_op.name()};
    wire::MetaGraphDef message = train::meta_graph_of(saver, node_lists, options.bytes_lists);
    if (options.clear_devices)
      message.graph_def = wire::Bytes(train::without_devices(message.graph_def.view()));
    add_assets(message, options.assets, export_dir, copied);
    auto& info = message.meta_info_def.emplace();
    for (const std::string& tag : tags) info.tags.emplace_back(tag);
    for (const auto& [name, signature] : options.signature_def_map)
      message.signature_def.add(wire::Text(name), message_of(signature));
    model.meta_graphs.push_back(std::move(message));
  }
};

Builder::Builder(const fs::path& export_dir, Input::Where where) : state_(std::make_unique<State>()) {
  const ErrorLine errors(where);
  if (fs::exists(export_dir) && !(fs::is_directory(export_dir) && fs::is_empty(export_dir))) {
    throw AssertionError(fmt::format(
        "Export directory {} already exists, and isn't empty. Please choose a different export directory, or "
        "delete all the contents of the specified directory.",
        export_dir.string()));
  }
  fs::create_directories(export_dir);
  state_->export_dir = export_dir;
  state_->model.saved_model_schema_version = kSchemaVersion;
}

Builder::~Builder() = default;

namespace {

/// The saver that is given, or one of all variables, or none where there are no variables.
class SaverOf {
 public:
  explicit SaverOf(Saver* given) : saver_(given) {
    if (given != nullptr || global_variables().empty()) return;
    own_ = std::make_unique<Saver>(SaverOptions{.sharded = true});
    saver_ = own_.get();
  }
  Saver* get() const { return saver_; }

 private:
  std::unique_ptr<Saver> own_;
  Saver* saver_;
};

}  // namespace

void Builder::add_meta_graph_and_variables(Session& session, const std::vector<std::string>& tags,
                                           const MetaGraphOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (state_->has_variables) {
    throw AssertionError(
        "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
        "instead.");
  }
  state_->check(options);
  const SaverOf saver(options.saver);
  if (saver.get() != nullptr) {
    const fs::path path = variables_path(state_->export_dir);
    fs::create_directories(path.parent_path());
    saver.get()->save(session, path, {.write_meta_graph = false, .write_state = false});
  }
  state_->add(saver.get(), tags, options);
  state_->has_variables = true;
}

void Builder::add_meta_graph(const std::vector<std::string>& tags, const MetaGraphOptions& options,
                             Input::Where where) {
  const ErrorLine errors(where);
  if (!state_->has_variables) {
    throw AssertionError(
        "Graph state including variables and assets has not been saved yet. Please invoke "
        "`add_meta_graph_and_variables()` first.");
  }
  state_->check(options);
  state_->add(SaverOf(options.saver).get(), tags, options);
}

std::string Builder::save(Input::Where where) {
  const ErrorLine errors(where);
  fs::create_directories(state_->export_dir);
  const std::string path = (state_->export_dir / kFile).string();
  files::write_file(path, wire::encode(state_->model), files::FileAccess::all());
  return path;
}

void simple_save(Session& session, const fs::path& export_dir, const std::map<std::string, Tensor>& inputs,
                 const std::map<std::string, Tensor>& outputs, const Operation& main_op, Input::Where where) {
  const ErrorLine errors(where);
  const SignatureDef signature = predict_signature_def(inputs, outputs, where);
  Builder builder(export_dir, where);
  builder.add_meta_graph_and_variables(session, {kServing},
                                       {.signature_def_map = {{kDefaultServingSignature, signature}},
                                        .clear_devices = true,
                                        .main_op = main_op},
                                       where);
  builder.save(where);
}

bool contains_saved_model(const fs::path& export_dir) {
  return fs::exists(export_dir / kFile) || fs::exists(export_dir / kTextFile);
}

LoadedMetaGraph load(Session& session, const std::vector<std::string>& tags, const fs::path& export_dir,
                     const LoadOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  const std::string contents = contents_of(export_dir);
  const auto model = wire::decode<wire::SavedModel>(contents);
  const wire::MetaGraphDef& message = graph_with(model, tags);
  const Graph graph = session.graph();
  const auto scope = graph.as_default();
  auto [imported, import_scope] = train::import_message(
      message, {.import_scope = options.import_scope, .clear_devices = options.clear_devices}, where);
  if (imported.saver != nullptr) imported.saver->restore(session, variables_path(export_dir), where);
  const std::string prefix = import_scope.empty() ? "" : import_scope + "/";
  if (const std::string main_op = main_op_of(message); !main_op.empty()) {
    session.run(graph.get_operation_by_name(prefix + main_op),
                fed_assets(message, export_dir, graph, prefix));
  }
  LoadedMetaGraph loaded{.node_lists = std::move(imported.node_lists),
                         .meta_graph_def = wire::encode(message)};
  for (const auto& [name, signature] : message.signature_def)
    loaded.signature_def[name.str()] = signature_of(signature);
  return loaded;
}

}  // namespace flowray::tf::saved_model
