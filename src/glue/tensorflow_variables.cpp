#include <flowray/glue.h>
#include <flowray/tf/array.h>

#include "core/convert.h"
#include "core/mutex.h"
#include "glue/difference.h"
#include "graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

namespace flowray::ray::experimental {
namespace {

/// All nodes that `ends` depend on, by data or by control, themselves included.
std::unordered_set<const graph::Node*> nodes_behind(const std::vector<tf::Operation>& ends) {
  std::unordered_set<const graph::Node*> found;
  std::vector<const graph::Node*> waiting;
  const auto reach = [&](const graph::Node* node) {
    if (node != nullptr && found.insert(node).second) waiting.push_back(node);
  };
  for (const tf::Operation& end : ends) reach(end.node());
  while (!waiting.empty()) {
    const graph::Node* node = waiting.back();
    waiting.pop_back();
    for (const graph::Endpoint& input : node->inputs()) reach(input.node);
    for (const graph::Node* control : node->control_inputs()) reach(control);
  }
  return found;
}

/// The graph of the first output that has one, else of the variables.
std::optional<tf::Graph> graph_of(const std::vector<tf::Operation>& ends,
                                  const std::vector<tf::Variable>& variables) {
  const auto end =
      std::find_if(ends.begin(), ends.end(), [](const tf::Operation& item) { return item.has_value(); });
  if (end != ends.end()) return end->graph();
  if (!variables.empty()) return variables.front().graph();
  return std::nullopt;
}

void check_shape(const tf::Variable& variable) {
  if (!variable.shape().has_rank()) {
    throw ValueError(
        fmt::format("as_list() is not defined on an unknown TensorShape.\nVariable '{}' has no rank: weights "
                    "need variables of known shape.",
                    variable.op().name()));
  }
}

/// Elements of a variable. Throws ValueError where that is not known.
int64_t size_of(const InOrder<tf::Variable>::Item& item) {
  const int64_t size = item.second.shape().num_elements();
  if (size < 0) {
    throw ValueError(fmt::format("Variable '{}' has shape {}: flat weights need variables of known shape",
                                 item.first, item.second.shape().to_tuple_string()));
  }
  return size;
}

/// NumPy's promotion of two numeric dtypes.
DType promoted(DType a, DType b) {
  if (a == b) return a;
  const auto either = [&](auto test) { return test(a) || test(b); };
  const auto widest = [&](auto test) {
    return std::max(test(a) ? dtype_size(a) : size_t{0}, test(b) ? dtype_size(b) : size_t{0});
  };
  const auto is_unsigned = [](DType dtype) {
    return dtype == DType::kUint8 || dtype == DType::kUint16 || dtype == DType::kUint32 ||
           dtype == DType::kUint64;
  };
  if (either(is_floating) || either(is_complex)) {
    const size_t whole = widest(is_integer);  // 8-bit integers fit float16, 16-bit ones float32
    const size_t part = std::max(widest(is_floating), widest(is_complex) / 2);
    const size_t bytes = std::max(part, std::min(whole * 2, size_t{8}));
    const bool two_kinds = std::min(a, b) == DType::kBfloat16 && std::max(a, b) == DType::kFloat16;
    if (either(is_complex)) return bytes > 4 ? DType::kComplex128 : DType::kComplex64;
    if (bytes > 4) return DType::kFloat64;
    if (bytes > 2 || two_kinds) return DType::kFloat32;
    return is_floating(a) ? a : b;
  }
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (is_unsigned(a) == is_unsigned(b)) return dtype_size(a) > dtype_size(b) ? a : b;
  const DType whole = is_unsigned(a) ? b : a;  // the signed one
  const size_t unsigned_bytes = dtype_size(is_unsigned(a) ? a : b);
  if (dtype_size(whole) > unsigned_bytes) return whole;
  if (unsigned_bytes == 8) return DType::kFloat64;
  return unsigned_bytes == 4 ? DType::kInt64 : unsigned_bytes == 2 ? DType::kInt32 : DType::kInt16;
}

/// The flattened arrays one after the other, as np.concatenate gives them.
Array concatenated(const std::vector<Array>& arrays) {
  if (arrays.empty())
    throw ValueError("need at least one array to concatenate\nThe network has no variables.");
  DType dtype = arrays.front().dtype();
  int64_t size = 0;
  for (const Array& array : arrays) {
    if (array.dtype() != dtype && !(can_convert(array.dtype(), dtype))) {
      throw TypeError(fmt::format("Variables of {} and {} have no flat array in common", dtype_name(dtype),
                                  dtype_name(array.dtype())));
    }
    dtype = promoted(dtype, array.dtype());
    size += array.size();
  }
  Array flat = Array::uninitialized(dtype, {size});
  int64_t begin = 0;
  for (const Array& array : arrays) {
    if (!is_trivial(dtype)) {
      std::copy_n(array.data<std::string>(), array.size(), flat.mutable_data<std::string>() + begin);
    } else if (array.size() > 0) {
      auto* out =
          static_cast<std::byte*>(flat.mutable_raw_data()) + static_cast<size_t>(begin) * dtype_size(dtype);
      if (array.dtype() == dtype) {
        std::memcpy(out, array.raw_data(), array.size_bytes());
      } else {
        convert_elements(array.dtype(), array.raw_data(), dtype, out, array.size());
      }
    }
    begin += array.size();
  }
  return flat;
}

template <class Items>
std::string some_names(const Items& items) {
  constexpr size_t kSome = 8;
  std::vector<std::string> names;
  for (const auto& item : items) {
    if (names.size() == kSome) break;
    names.push_back("'" + item.first + "'");
  }
  if (names.empty()) return "none";
  return fmt::format("{}{}", fmt::join(names, ", "), items.size() > kSome ? ", ..." : "");
}

}  // namespace

NetworkOutputs::NetworkOutputs(const std::vector<tf::Tensor>& outputs) {
  for (const tf::Tensor& output : outputs)
    ends_.push_back(output.has_value() ? output.op() : tf::Operation());
}

NetworkOutputs::NetworkOutputs(std::initializer_list<NetworkOutputs> outputs) {
  for (const NetworkOutputs& output : outputs)
    ends_.insert(ends_.end(), output.ends_.begin(), output.ends_.end());
}

// What a session was asked to make ready for these variables, so that setting and getting look nothing up.
struct TensorFlowVariables::Steps {
  tf::Session* session;
  tf::CallableOfMany get_all;
  tf::CallableOfMany set_all;

  // The last subset of names that was set: programs set the same one again and again.
  struct Subset {
    std::vector<size_t> indices;
    tf::CallableOfMany set;
  };
  Mutex mutex;
  Subset last_subset FLOWRAY_GUARDED_BY(mutex);

  // What get_weights_if_newer gave the last time, and since which version each has been so.
  struct Known {
    Array value;
    int64_t since = 0;
  };
  Mutex known_mutex;
  int64_t version FLOWRAY_GUARDED_BY(known_mutex) = 0;
  std::vector<Known> known FLOWRAY_GUARDED_BY(known_mutex);
};

TensorFlowVariables::TensorFlowVariables() = default;
TensorFlowVariables::TensorFlowVariables(TensorFlowVariables&&) noexcept = default;
TensorFlowVariables& TensorFlowVariables::operator=(TensorFlowVariables&&) noexcept = default;
TensorFlowVariables::~TensorFlowVariables() = default;

TensorFlowVariables::TensorFlowVariables(const NetworkOutputs& output, tf::Session* session,
                                         const std::vector<tf::Variable>& input_variables,
                                         tf::Input::Where where) {
  const std::optional<tf::Graph> graph = graph_of(output.ends(), input_variables);
  if (graph.has_value()) {
    const auto scope = graph->as_default();
    const auto reached = nodes_behind(output.ends());
    std::vector<tf::Variable> found;
    for (const tf::Variable& variable : tf::global_variables()) {
      if (reached.contains(variable.ref().node())) found.push_back(variable);
    }
    found.insert(found.end(), input_variables.begin(), input_variables.end());
    add_nodes(found, where);
  }
  set_session(session);
}

void TensorFlowVariables::add_nodes(const std::vector<tf::Variable>& found, tf::Input::Where where) {
  if (!found.empty() && tf::get_default_graph().finalized()) {
    throw RuntimeError(
        "Graph is finalized and cannot be modified.\nTensorFlowVariables adds a placeholder and an "
        "assignment for each "
        "variable: make it before the graph is finalized (a MonitoredTrainingSession finalizes it).");
  }
  for (const tf::Variable& variable : found) {
    check_shape(variable);
    const std::string name = variable.op().name();
    if (!variables.contains(name)) variables.items_.emplace_back(name, variable);
  }
  for (const auto& [name, variable] : variables) {
    const auto placeholder =
        tf::placeholder(variable.value().dtype(), variable.shape(), {.name = "Placeholder_" + name}, where);
    placeholders.items_.emplace_back(name, placeholder);
    assignment_nodes.items_.emplace_back(name, variable.assign(tf::Input(placeholder, where)));
  }
}

void TensorFlowVariables::set_session(tf::Session* session) {
  if (session == nullptr) {
    steps_.reset();
    return;
  }
  auto made = std::make_unique<Steps>();
  made->session = session;
  if (!variables.empty()) {
    std::vector<tf::Fetch> values;
    std::vector<tf::Fetch> assignments;
    std::vector<tf::FeedKey> feeds;
    for (const auto& [name, variable] : variables) values.emplace_back(variable);
    for (const auto& [name, assignment] : assignment_nodes) assignments.emplace_back(assignment.op());
    for (const auto& [name, placeholder] : placeholders) feeds.emplace_back(placeholder);
    made->get_all = session->make_callable(values);
    made->set_all = session->make_callable(assignments, feeds);
  }
  steps_ = std::move(made);
}

TensorFlowVariables::Steps& TensorFlowVariables::steps() const {
  if (steps_ == nullptr) {
    throw AssertionError(
        "The session is not set. Set the session either by passing it into the TensorFlowVariables "
        "constructor or by "
        "calling set_session(sess).");
  }
  return *steps_;
}

int64_t TensorFlowVariables::get_flat_size() const {
  int64_t size = 0;
  for (const auto& item : variables) size += size_of(item);
  return size;
}

Array TensorFlowVariables::get_flat() const {
  const Steps& made = steps();
  return concatenated(variables.empty() ? std::vector<Array>() : made.get_all());
}

void TensorFlowVariables::set_flat(const Array& new_weights) {
  const Steps& made = steps();
  const int64_t size = get_flat_size();
  if (new_weights.rank() != 1 || new_weights.size() != size) {
    throw AssertionError(
        fmt::format("Passed weight does not have the correct shape.\nThe shape is {}, but the variables "
                    "hold {} elements together: pass an array of shape ({},).",
                    new_weights.has_value() ? new_weights.shape().to_tuple_string() : "none", size, size));
  }
  if (variables.empty()) return;
  std::vector<Array> parts;
  std::vector<const Array*> feeds;
  parts.reserve(variables.size());
  int64_t begin = 0;
  for (const auto& item : variables) {
    const int64_t end = begin + size_of(item);
    parts.push_back(new_weights.rows(begin, end).reshape(item.second.shape()));
    feeds.push_back(&parts.back());
    begin = end;
  }
  made.set_all(feeds);
}

Weights TensorFlowVariables::get_weights() const {
  const Steps& made = steps();
  Weights weights;
  if (variables.empty()) return weights;
  std::vector<Array> values = made.get_all();
  size_t next = 0;
  for (const auto& [name, variable] : variables)
    weights.emplace_hint(weights.end(), name, std::move(values[next++]));
  return weights;
}

namespace {

/// Whether both are the same bits.
bool is_same(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!is_trivial(a.dtype())) return a == b;
  return a.raw_data() == b.raw_data() || std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
}

}  // namespace

std::optional<VersionedWeights> TensorFlowVariables::get_weights_if_newer(int64_t version) const {
  return newer(version, false);
}

std::optional<VersionedWeights> TensorFlowVariables::get_changed_weights(int64_t version) const {
  return newer(version, true);
}

std::optional<VersionedWeights> TensorFlowVariables::newer(int64_t version, bool changed_alone) const {
  Steps& made = steps();
  if (variables.empty()) return std::nullopt;
  const MutexLock lock(made.known_mutex);
  std::vector<Array> values = made.get_all();
  made.known.resize(values.size());
  bool has_changed = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (made.known[i].value.has_value() && is_same(made.known[i].value, values[i])) continue;
    made.known[i] = {std::move(values[i]), made.version + 1};
    has_changed = true;
  }
  if (has_changed) ++made.version;
  if (version == made.version) return std::nullopt;
  const bool is_ours = version > 0 && version < made.version;
  VersionedWeights found{made.version, {}};
  for (size_t i = 0; i < made.known.size(); ++i) {
    if (changed_alone && is_ours && made.known[i].since <= version) continue;
    found.weights.emplace(variables.items_[i].first, made.known[i].value);
  }
  return found;
}

std::string TensorFlowVariables::difference(const Weights& weights) const {
  KindsOfWeights network;
  for (const auto& [name, variable] : variables)
    network.emplace(name, KindOfWeight{base_dtype(variable.value().dtype()), variable.shape()});
  return difference_of(network, kinds_of(weights), "the network", "the weights");
}

void TensorFlowVariables::set_weights(const Weights& new_weights) {
  Steps& made = steps();
  std::vector<size_t> indices;
  std::vector<const Array*> values;
  indices.reserve(variables.size());
  values.reserve(variables.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto found = new_weights.find(variables.items_[i].first);
    if (found == new_weights.end()) continue;
    indices.push_back(i);
    values.push_back(&found->second);
  }
  if (indices.empty()) {
    throw AssertionError(
        fmt::format("No variables in the input matched those in the network. Possible cause: Two networks "
                    "were defined in the same "
                    "TensorFlow graph. To fix this, place each network definition in its own tf.Graph.\nThe "
                    "input has {}; the network "
                    "has {}.",
                    some_names(new_weights), some_names(variables)));
  }
  if (indices.size() == variables.size()) {
    made.set_all(values);
    return;
  }
  tf::CallableOfMany set;
  {
    const MutexLock lock(made.mutex);
    if (made.last_subset.indices != indices) {
      std::vector<tf::Fetch> assignments;
      std::vector<tf::FeedKey> feeds;
      for (const size_t i : indices) {
        assignments.emplace_back(assignment_nodes.items_[i].second.op());
        feeds.emplace_back(placeholders.items_[i].second);
      }
      made.last_subset = {indices, made.session->make_callable(assignments, feeds)};
    }
    set = made.last_subset.set;
  }
  set(values);
}

}  // namespace flowray::ray::experimental
