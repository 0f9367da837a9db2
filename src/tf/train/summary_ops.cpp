#include <flowray/tf/summary.h>

#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "wire/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf::summary {
namespace {

/// A name that a node can have: TensorFlow's rule.
std::string clean_tag(std::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    const bool allowed =
        std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '/' || c == '_' || c == '.';
    if (!allowed) c = '_';
  }
  return clean.substr(std::min(clean.find_first_not_of('/'), clean.size()));
}

/// The scope of one summary, and its tag.
class SummaryScope {
 public:
  SummaryScope(std::string_view name, const Argument& value, const SummaryOptions& options)
      : options_(options),
        name_(scope_name(name, options)),
        scope_({value}, name_, "summary", value.input().where()) {
    if (scope_.graph().is_eager() && !options.collections.empty()) internal::throw_no_eager_collections();
  }

  Composite& operator*() { return scope_; }
  graph::Endpoint tag(std::string_view node_name) {
    const std::string path = this->path();
    const std::string tag = options_.family.empty() ? path : clean_tag(options_.family) + "/" + path;
    return scope_.builder().constant(Array(tag), node_name);
  }
  Tensor result(std::string_view op, std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {}) {
    const Tensor made = scope_.result(op, std::move(inputs), std::move(attrs));
    if (scope_.graph().is_eager()) return made;  // its caller holds it
    internal::Collections& collections = internal::collections_of(scope_.graph());
    std::vector<std::string> names = options_.collections;
    if (names.empty()) names.emplace_back(internal::kSummaries);
    for (const std::string& name : names) collections.add(name, made.node());
    return made;
  }

 private:
  static std::string scope_name(std::string_view name, const SummaryOptions& options) {
    const std::string clean = clean_tag(name);
    return options.family.empty() ? clean : clean_tag(options.family) + "/" + clean;
  }
  /// The scope's name from the root. One of eager execution has no node, and so no path.
  std::string path() {
    if (scope_.graph().is_eager()) {
      const std::string& open = scope_.graph().scopes().name;
      return open.empty() ? name_ : open + "/" + name_;
    }
    const std::string& with_slash = scope_.result_name();
    return with_slash.substr(0, with_slash.size() - 1);
  }

  const SummaryOptions& options_;
  const std::string name_;
  Composite scope_;
};

[[noreturn]] void throw_no_merging() {
  throw RuntimeError(
      "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead.\nIn "
      "C++: hand each summary to tf::summary::FileWriter::add_summary.");
}

}  // namespace

Tensor scalar(std::string_view name, const Input& tensor, const SummaryOptions& options) {
  SummaryScope scope(name, {"tensor", tensor}, options);
  const graph::Endpoint tags = scope.tag("tags");
  return scope.result("ScalarSummary", {tags, (*scope).convert(tensor, "values")});
}

Tensor histogram(std::string_view name, const Input& values, const SummaryOptions& options) {
  SummaryScope scope(name, {"values", values}, options);
  const graph::Endpoint tag = scope.tag("tag");
  return scope.result("HistogramSummary", {tag, (*scope).convert(values, "values")});
}

Tensor image(std::string_view name, const Input& tensor, int64_t max_outputs, const SummaryOptions& options) {
  SummaryScope scope(name, {"tensor", tensor}, options);
  const graph::Endpoint tag = scope.tag("tag");
  return scope.result("ImageSummary", {tag, (*scope).convert(tensor, "tensor")},
                      {{"max_images", max_outputs}});
}

Tensor audio(std::string_view name, const Input& tensor, const Input& sample_rate, int64_t max_outputs,
             const SummaryOptions& options) {
  SummaryScope scope(name, {"tensor", tensor}, options);
  const graph::Endpoint rate = (*scope).convert(sample_rate, "sample_rate", DType::kFloat32);
  const graph::Endpoint tag = scope.tag("tag");
  const graph::Endpoint values = (*scope).convert(tensor, "tensor");
  return scope.result("AudioSummaryV2", {tag, values, rate}, {{"max_outputs", max_outputs}});
}

Tensor image(std::string_view name, const Input& tensor, const MediaOptions& options) {
  return image(name, tensor, options.max_outputs,
               {.collections = options.collections, .family = options.family});
}

Tensor audio(std::string_view name, const Input& tensor, const Input& sample_rate,
             const MediaOptions& options) {
  return audio(name, tensor, sample_rate, options.max_outputs,
               {.collections = options.collections, .family = options.family});
}

Tensor tensor_summary(std::string_view name, const Input& tensor, const TensorSummaryOptions& options) {
  const SummaryOptions common = {.collections = options.collections, .family = options.family};
  SummaryScope scope(name, {"tensor", tensor}, common);
  wire::SummaryMetadata words;
  words.display_name = options.display_name;
  words.summary_description = options.summary_description;
  const std::string metadata = options.summary_metadata + wire::encode(words);
  const graph::Endpoint tag = scope.tag("tag");
  const graph::Endpoint values = (*scope).convert(tensor, "tensor");
  const graph::Endpoint message = (*scope).builder().constant(Array(metadata), "serialized_summary_metadata");
  return scope.result("TensorSummaryV2", {tag, values, message});
}

Tensor text(std::string_view name, const Input& tensor, const TextOptions& options) {
  graph::Graph& graph = graph_of({{"tensor", tensor}});
  const UserLine line(graph, tensor.where());
  const Tensor values = to_tensor(graph, tensor, "Const");
  if (base_dtype(values.dtype()) != DType::kString) {
    throw ValueError(fmt::format("Expected tensor {} to have dtype string, got <dtype: '{}'>", values.name(),
                                 dtype_name(base_dtype(values.dtype()))));
  }
  wire::SummaryMetadata metadata;
  metadata.plugin_data.emplace().plugin_name = "text";
  return tensor_summary(name, values,
                        {.collections = options.collections, .summary_metadata = wire::encode(metadata)});
}

Tensor merge(const List<Input>& inputs, const NameOption& options) {
  Composite scope({{"inputs", inputs}}, options.name, "Merge", place_in_program(inputs));
  if (scope.graph().is_eager()) throw_no_merging();
  std::vector<graph::Endpoint> endpoints;
  for (size_t i = 0; i < inputs.size(); ++i)
    endpoints.push_back(scope.convert(inputs[i], "inputs", DType::kString));
  return scope.op("MergeSummary", std::move(endpoints), {}, options.name);
}

Tensor merge_all(const std::string& key, const NameOption& options, Input::Where where) {
  const ErrorLine errors(where);
  if (default_graph().is_eager()) throw_no_merging();
  std::vector<Input> inputs;
  for (graph::Node* node : internal::collections_of(default_graph()).operations(key)) {
    inputs.emplace_back(Tensor(node, 0));
  }
  return inputs.empty() ? Tensor() : merge({inputs, where}, options);
}

}  // namespace flowray::tf::summary
