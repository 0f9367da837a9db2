#pragma once
/// Where the two languages meet: the weights of a network taken out of its session and put back, to be sent
/// between actors.

#if __cplusplus < 202002L
#error "Flowray needs C++20: compile with -std=c++20"
#endif

#include <flowray/ray/codec.h>
#include <flowray/tf/examples.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>
#include <flowray/weights.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray::experimental {

/// What a network is found from: a tensor, an operation or a variable, or a list of them. Tensors that are
/// None are passed over, so the list may hold what tf::gradients returned.
class NetworkOutputs {
 public:
  NetworkOutputs(const tf::Tensor& output)
      : NetworkOutputs(std::vector{output}) {}                        // NOLINT: implicit, all of these
  NetworkOutputs(const tf::Operation& output) : ends_{output} {}      // NOLINT
  NetworkOutputs(const tf::Variable& output) : ends_{output.op()} {}  // NOLINT
  NetworkOutputs(const std::vector<tf::Tensor>& outputs);             // NOLINT
  NetworkOutputs(const std::vector<tf::Operation>& outputs) : ends_(outputs) {}  // NOLINT
  NetworkOutputs(std::initializer_list<NetworkOutputs> outputs);
  /// The operations that the network is found from.
  const std::vector<tf::Operation>& ends() const { return ends_; }

 private:
  std::vector<tf::Operation> ends_;  // some may be None
};

/// A dictionary that keeps the order in which its items were added; users only read it. Looking up is linear:
/// there is one item for each variable, and steps do not look up.
template <class T>
class InOrder {
 public:
  /// A name and what stands under it.
  using Item = std::pair<std::string, T>;
  /// The first item, and the end, for a loop.
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// The number of items.
  size_t size() const { return items_.size(); }
  /// Whether there are no items.
  bool empty() const { return items_.empty(); }
  /// Whether there is an item of this name.
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Null if there is none.
  const T* find(std::string_view name) const {
    for (const Item& item : items_) {
      if (item.first == name) return &item.second;
    }
    return nullptr;
  }
  /// Throws KeyError.
  const T& at(std::string_view name) const {
    const T* found = find(name);
    if (found == nullptr) throw KeyError("'" + std::string(name) + "'");
    return *found;
  }
  /// As at().
  const T& operator[](std::string_view name) const { return at(name); }

 private:
  friend class TensorFlowVariables;
  std::vector<Item> items_;
};

/// Weights, and which version of them they are.
struct VersionedWeights {
  /// Counts from 1 and grows; 0: none yet.
  int64_t version = 0;
  /// The weights of that version.
  Weights weights;
  FLOWRAY_FIELDS(version, weights);
};

/// Gets and sets the weights of a network: Ray's ray.experimental.TensorFlowVariables (later tf_utils). The
/// variables are those among the graph's global variables from which an output can be reached, in that order,
/// then `input_variables`.
///
/// Weights go by the variables' names. Two networks in one graph have different ones (Variable, Variable_2):
/// give each network its own graph, or use get_flat and set_flat.
///
/// The constructor adds a node "Placeholder_<variable>" and an "Assign" for each variable to the outputs'
/// graph, which must not be finalized (RuntimeError); nothing is added later. The session must outlive this
/// object. Calls may come from several threads once the session is set; each is one step.
///
/// The errors of a set or a get: AssertionError in Ray's words; FailedPreconditionError for a variable
/// without value; those of tf::Session::run for a value that does not fit. Nothing is set where a value does
/// not fit.
class TensorFlowVariables {
 public:
  /// Variables of no network, to be assigned to.
  TensorFlowVariables();
  /// The variables that `output` depends on, and `input_variables`; without a session it is to be set before
  /// the first get or set.
  explicit TensorFlowVariables(const NetworkOutputs& output, tf::Session* session = nullptr,
                               const std::vector<tf::Variable>& input_variables = {},
                               tf::Input::Where where = tf::Input::Where::current());
  /// The same with a session.
  TensorFlowVariables(const NetworkOutputs& output, tf::Session& session,
                      const std::vector<tf::Variable>& input_variables = {},
                      tf::Input::Where where = tf::Input::Where::current())
      : TensorFlowVariables(output, &session, input_variables, where) {}
  TensorFlowVariables(TensorFlowVariables&&) noexcept;
  TensorFlowVariables& operator=(TensorFlowVariables&&) noexcept;
  ~TensorFlowVariables();

  /// By the variable's name, in the order of get_flat.
  InOrder<tf::Variable> variables;
  /// What is fed to set a variable, by the variable's name.
  InOrder<tf::Tensor> placeholders;
  /// What is run to set a variable, by the variable's name.
  InOrder<tf::Tensor> assignment_nodes;

  /// The session used from now on, of the variables' graph (ValueError).
  void set_session(tf::Session& session) { set_session(&session); }
  /// The same; null: none from now on.
  void set_session(tf::Session* session);

  /// Number of elements of all variables together.
  int64_t get_flat_size() const;
  /// All elements one after the other; a mixture of dtypes becomes what np.concatenate makes of it.
  Array get_flat() const;
  /// Sets all variables from `new_weights`, one dimension of get_flat_size() elements of any numeric dtype.
  /// Nothing is copied on the way into the step.
  void set_flat(const Array& new_weights);

  /// Values by name. They never change afterwards, whatever later steps do.
  Weights get_weights() const;
  /// All weights if any has another value than it had as `version`, which is what was got the last time (0:
  /// nothing); else nothing. A version is that of this object: one that it did not give counts as old. What
  /// was got is held until the next call, so that the next step writes into other memory.
  std::optional<VersionedWeights> get_weights_if_newer(int64_t version) const;
  /// The same with those weights alone that have changed since; set_weights takes them.
  std::optional<VersionedWeights> get_changed_weights(int64_t version) const;
  /// As flowray::difference of the network, from the shapes of its variables, and these weights.
  std::string difference(const Weights& weights) const;
  /// Sets those variables that `new_weights` names, at least one; other names are ignored.
  void set_weights(const Weights& new_weights);

 private:
  struct Steps;
  Steps& steps() const;
  std::optional<VersionedWeights> newer(int64_t version, bool changed_alone) const;
  void add_nodes(const std::vector<tf::Variable>& found, tf::Input::Where where);
  std::unique_ptr<Steps> steps_;  // null without session
};

/// The values of a session's variables, by their names.
struct SavedSession {
  /// Each as tf::Variable::op().name() names it.
  Weights variables;
  FLOWRAY_FIELDS(variables);
};

/// Where SessionState leaves checkpoints in the format of tf::train::Saver, beside what it keeps.
struct SessionFiles {
  /// The beginning of their names, in a folder that is there, and that no other saver writes to:
  /// "folder/model" for folder/model.index and so on, or folder/model-7.index after step 7 where the graph
  /// has a global step. Empty: there are no files.
  std::filesystem::path save_path = {};
  /// At least so many seconds lie between two of them; 0: one is written whenever the state is kept.
  double save_secs = 0;
  /// How many of the newest stay; 0: all.
  int max_to_keep = 5;
};

/// Lets an actor that holds a session come back with its state when its process dies: derive from it, and
/// call hold() in the constructor. Then the values of all variables that a tf::train::Saver would save - the
/// optimizers' slots and the global step among them - are kept after each call of a method that is not const,
/// and are those of the next process's session. A class with state of its own beside them has this as a
/// member, and sends its checkpoint() with the rest.
class SessionState {
 public:
  /// Of no session yet.
  SessionState();
  /// What is not copied: each actor has a session of its own.
  SessionState(SessionState&&) noexcept;
  SessionState& operator=(SessionState&&) noexcept;
  ~SessionState();

  /// All global variables that the session's graph has now. Adds nodes for them to the graph, as
  /// TensorFlowVariables does, so it comes before the graph is finalized (RuntimeError). The session must
  /// outlive this object. With `files` what is kept is written to files, too, which outlive the driver and
  /// which TensorFlow reads; then a tf::train::Saver's nodes are added as well. Throws ValueError for
  /// negative numbers there.
  void hold(tf::Session& session, const SessionFiles& files = {},
            tf::Input::Where where = tf::Input::Where::current());

  /// One step; nothing is copied. Before hold() there is nothing to keep. Throws FailedPreconditionError for
  /// a variable without value: the constructor runs the initializers. Where a file is due it is written
  /// first; errors are those of tf::train::Saver::save().
  SavedSession checkpoint() const;
  /// Sets the variables to the newest checkpoint beside SessionFiles::save_path, as after the end of the
  /// program that wrote it; false: there is none. Errors are those of tf::train::Saver::restore().
  bool restore_newest_file();
  /// Sets the variables. Throws ValueError, and sets none, where `saved` has others than the session, or of
  /// other shapes.
  void restore(const SavedSession& saved);

 private:
  struct Files;
  void save() const;

  std::unique_ptr<TensorFlowVariables> variables_;
  std::unique_ptr<Files> files_;
};

/// The same under its later name.
namespace tf_utils = ::flowray::ray::experimental;

}  // namespace flowray::ray::experimental

namespace flowray::ray {

/// A data set travels with its place in the epoch: the copy gives the batches that it would have given. Its
/// images are read where they lie in the store.
template <>
struct Codec<tf::examples::DataSet> {
  /// Writes the images, the labels and the place in them.
  static void encode(Encoder& out, const tf::examples::DataSet& set);
  /// Reads one, which goes on where the other was.
  static tf::examples::DataSet decode(Decoder& in);
};

template <>
struct Codec<tf::examples::DataSets> {
  /// Writes the three of them.
  static void encode(Encoder& out, const tf::examples::DataSets& sets);
  /// Reads the three of them.
  static tf::examples::DataSets decode(Decoder& in);
};

}  // namespace flowray::ray

#pragma GCC visibility pop
