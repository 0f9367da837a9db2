#pragma once
/// tf.saved_model: a graph, its variables and what it computes for others in one folder, as TensorFlow and
/// TensorFlow Serving read and write it: saved_model.pb, variables/ (a checkpoint) and assets/.
///
/// Source: TensorFlow's tf.compat.v1.saved_model; the messages are those
/// of saved_model.proto and meta_graph.proto.

#include <flowray/tf/saver.h>
#include <flowray/tf/sparse_tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::saved_model {

/// Tags by which a graph of a saved model is asked for.
inline constexpr const char* kServing = "serve";
inline constexpr const char* kTraining = "train";
/// The name of the signature that is served where none is named.
inline constexpr const char* kDefaultServingSignature = "serving_default";
/// What a signature says that it does.
inline constexpr const char* kPredict = "tensorflow/serving/predict";
inline constexpr const char* kClassify = "tensorflow/serving/classify";
inline constexpr const char* kRegress = "tensorflow/serving/regress";

/// A tensor of a graph, by name.
struct TensorInfo {
  /// "x:0"; empty for a sparse tensor.
  std::string name;
  /// The dtype of its elements.
  DType dtype = DType::kInvalid;
  /// As far as it is known.
  TensorShape shape = TensorShape::unknown_rank();
  /// The names of a sparse tensor's three: values, indices, dense_shape; empty for others.
  std::vector<std::string> sparse_names = {};
};
/// Tensors by the names that those who use the graph know.
using TensorInfos = std::map<std::string, TensorInfo>;

/// What a graph computes: inputs and outputs.
struct SignatureDef {
  /// What is fed.
  TensorInfos inputs;
  /// What is fetched.
  TensorInfos outputs;
  /// kPredict, kClassify, kRegress, or a name of one's own.
  std::string method_name;

  /// Reads a tensorflow.SignatureDef message. Throws errors::DataLossError for other bytes.
  static SignatureDef from_string(std::string_view bytes);
  /// The message.
  std::string serialize_to_string() const;
};
/// Signatures by name.
using SignatureDefs = std::map<std::string, SignatureDef>;

/// How a tensor is found again. Throws RuntimeError for one of eager execution, ValueError
/// for an unset one.
TensorInfo build_tensor_info(const Tensor& tensor, Input::Where where = Input::Where::current());
/// The same of a sparse one.
TensorInfo build_tensor_info(const SparseTensor& tensor, Input::Where where = Input::Where::current());
/// A signature of any tensors. Throws ValueError "Prediction `inputs` cannot be None or empty.".
SignatureDef predict_signature_def(const std::map<std::string, Tensor>& inputs,
                                   const std::map<std::string, Tensor>& outputs,
                                   Input::Where where = Input::Where::current());

struct MetaGraphOptions {
  /// What the graph computes, by name. Each tensor needs its name and dtype (AssertionError).
  SignatureDefs signature_def_map = {};
  /// Constant scalar strings, each a file that is copied into assets/; when the graph is loaded `main_op`
  /// sees the copies' paths in place of them. Throws TypeError for other tensors.
  std::vector<Tensor> assets = {};
  /// Nodes forget the devices that they were placed on; true for a model that is to run on other machines
  /// than it was trained on.
  bool clear_devices = false;
  /// Run when the graph has been loaded and its variables are restored: tables are initialized there.
  Operation main_op = {};
  /// What saves and restores the variables; null: a saver of all global variables.
  train::Saver* saver = nullptr;
  /// Collections that the program keeps itself, by the names of their nodes and tensors.
  std::map<std::string, std::vector<std::string>> node_lists = {};
  /// Collections of messages that the program keeps itself, encoded.
  std::map<std::string, std::vector<std::string>> bytes_lists = {};
};

/// tf.saved_model.Builder: writes a folder. add_meta_graph_and_variables() first, add_meta_graph() for
/// further graphs of the same variables, save() at the end.
class Builder {
 public:
  /// Makes the folder. Throws AssertionError "Export directory ... already exists, and isn't empty. ...".
  explicit Builder(const std::filesystem::path& export_dir, Input::Where where = Input::Where::current());
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Adds the default graph and saves its variables as `session` has them. Throws AssertionError the second
  /// time, ValueError where the graph has a main op already.
  void add_meta_graph_and_variables(Session& session, const std::vector<std::string>& tags,
                                    const MetaGraphOptions& options = {},
                                    Input::Where where = Input::Where::current());
  /// Adds the default graph, whose variables are those that were saved. Throws AssertionError before.
  void add_meta_graph(const std::vector<std::string>& tags, const MetaGraphOptions& options = {},
                      Input::Where where = Input::Where::current());
  /// Writes saved_model.pb, whole or not at all, and returns its path.
  std::string save(Input::Where where = Input::Where::current());

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

/// A model for serving, in a call: the graph of `session`, tagged kServing, with kDefaultServingSignature.
void simple_save(Session& session, const std::filesystem::path& export_dir,
                 const std::map<std::string, Tensor>& inputs, const std::map<std::string, Tensor>& outputs,
                 const Operation& main_op = {}, Input::Where where = Input::Where::current());

/// Whether the folder has a saved_model.pb or saved_model.pbtxt.
bool contains_saved_model(const std::filesystem::path& export_dir);

struct LoadOptions {
  /// The name scope of the new nodes. Signatures name tensors without it.
  std::string import_scope = {};
  /// Nodes forget the devices that they were placed on; true for a model of a machine with other devices.
  bool clear_devices = false;
};
/// What was loaded.
struct LoadedMetaGraph {
  /// What the graph computes, by name.
  SignatureDefs signature_def;
  /// Collections that are not the language's.
  std::map<std::string, std::vector<std::string>> node_lists;
  /// The message, a tensorflow.MetaGraphDef.
  std::string meta_graph_def;
};
/// Adds the graph with exactly these tags to the session's graph, restores its variables and runs its main
/// op. Throws errors::NotFoundError "SavedModel file does not exist at: ...", RuntimeError where no graph has
/// these tags, errors::DataLossError for a file that is not a SavedModel.
LoadedMetaGraph load(Session& session, const std::vector<std::string>& tags,
                     const std::filesystem::path& export_dir, const LoadOptions& options = {},
                     Input::Where where = Input::Where::current());

}  // namespace flowray::tf::saved_model

#pragma GCC visibility pop
