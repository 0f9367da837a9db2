// Datasets that take no function: sources and transformations.
#include <flowray/tf/array.h>
#include <flowray/tf/data.h>

#include "core/counted_text.h"
#include "tf/build/random_seed.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace flowray::tf::data {
namespace {

using graph::NameScope;

/// Numbers and texts that are written in the call are one vector: as components they would have no rows.
List<Input> with_vector(const List<Input>& tensors) {
  const auto is_written_scalar = [](const Input& input) {
    return input.literal() != nullptr && input.literal()->to_array().rank() == 0;
  };
  if (tensors.empty() || !std::ranges::all_of(tensors, is_written_scalar)) return tensors;
  return List<Input>(std::vector<Input>{Input::list(tensors.items(), tensors.where())}, tensors.where());
}

TensorShape without_first(const TensorShape& shape) {
  return shape.has_rank() ? TensorShape(shape.dims().subspan(1)) : shape;
}

Input or_else(const OptionalInput& input, const Input& otherwise) {
  return input.has_value() ? *input : otherwise;
}

}  // namespace

std::vector<TensorSpec> batched(const std::vector<TensorSpec>& spec, const std::vector<TensorShape>& shapes,
                                const Input& size, const OptionalInput& drop_remainder) {
  std::vector<TensorSpec> result;
  const int64_t known = is_known_true(drop_remainder) ? known_size(size) : -1;
  for (size_t i = 0; i < spec.size(); ++i)
    result.push_back({spec[i].dtype, TensorShape{known < 0 ? -1 : known}.concatenate(shapes[i])});
  return result;
}

void take_seeds(DatasetCall& call, std::optional<int64_t> asked) {
  graph::Graph& graph = call.graph();
  const bool random = !asked.has_value() && graph.seed() < 0;
  if (random) {
    call.take(0, "seed").take(0, "seed2");
    return;
  }
  constexpr int64_t kDefaultGraphSeed = 87654321;
  const Tensor seed =
      to_tensor(graph, graph.seed() >= 0 ? graph.seed() : kDefaultGraphSeed, "seed", DType::kInt64);
  const int64_t own = asked.has_value() ? *asked : graph.next_op_seed();
  const NameScope scope(graph, "seed2");
  graph::Builder builder(graph);
  const auto constant = [&](int64_t value, std::string_view name) {
    return builder.constant(Array(value), name);
  };
  const auto is_zero = [&](graph::Endpoint value, std::string_view name) {
    const NameScope inner(graph, name);
    return builder.op("Equal", {value, constant(0, "y")}, {}, inner.path());
  };
  const graph::Endpoint seed2 = constant(own, "Const");
  const graph::Endpoint first = is_zero(endpoint_of(seed), "Equal");
  const graph::Endpoint second = is_zero(seed2, "Equal");
  const graph::Endpoint both = builder.op("LogicalAnd", {first, second});
  const graph::Endpoint other = constant(std::numeric_limits<int32_t>::max(), "Const");
  call.take(seed).take(tensor_of(builder.op("SelectV2", {both, other, seed2}, {}, scope.path())));
}

void internal::throw_no_function(std::string_view argument, Input::Where where) {
  const ErrorLine line(where);
  throw ValueError(fmt::format(
      "Argument `func` must be a callable.\n'{}' is a std::function without a function in it, or a null "
      "pointer.",
      argument));
}

void internal::throw_number_of_components(size_t takes, size_t components) {
  const ErrorLine line{Input::Where()};  // that of the call around
  throw TypeError(fmt::format(
      "the function takes {} but an element has {}\nWrite a function of {}, or of a std::vector<tf::Tensor>.",
      counted_text(takes, "argument"), counted_text(components, "component"),
      counted_text(components, "tensor")));
}

Dataset::Dataset(Tensor variant_tensor, std::vector<TensorSpec> element_spec)
    : variant_(std::move(variant_tensor)), spec_(std::move(element_spec)) {
  const graph::Node& node = node_of(variant_, "variant_tensor");
  if (base_dtype(node.output_dtype(variant_.value_index())) != DType::kVariant) {
    throw TypeError(
        fmt::format("A dataset is a scalar of dtype variant, but {} was given.", tensor_text(variant_)));
  }
}

std::vector<DType> Dataset::output_types() const { return types_of(spec_); }
std::vector<TensorShape> Dataset::output_shapes() const { return shapes_of(spec_); }

// ---- sources

Dataset Dataset::from_tensors(const List<Input>& tensors, const NameOption& options) {
  DatasetCall call(graph_of({{"tensors", tensors}}), options.name, place_in_program(tensors));
  const std::vector<Tensor> components = components_of(call, tensors);
  std::vector<TensorSpec> spec;
  for (const Tensor& tensor : components) spec.push_back(spec_of(tensor));
  return call.take_list(components).make("TensorDataset", std::move(spec));
}

Dataset Dataset::from_tensor_slices(const List<Input>& tensors, const NameOption& options) {
  return slices_of(with_vector(tensors), options);
}

Dataset Dataset::slices_of(const List<Input>& tensors, const NameOption& options) {
  DatasetCall call(graph_of({{"tensors", tensors}}), options.name, place_in_program(tensors));
  const std::vector<Tensor> components = components_of(call, tensors);
  std::vector<TensorSpec> spec;
  int64_t rows = -1;
  for (const Tensor& tensor : components) {
    const TensorShape& shape = tensor.shape();
    if (shape.has_rank() && shape.rank() == 0)
      throw ValueError("Unbatching a tensor is only supported for rank >= 1");
    const int64_t own = shape.has_rank() ? shape.dim(0) : -1;
    if (rows >= 0 && own >= 0 && rows != own)
      throw ValueError(fmt::format("Dimensions {} and {} are not compatible", rows, own));
    rows = std::max(rows, own);
    spec.push_back({base_dtype(tensor.dtype()), without_first(shape)});
  }
  return call.take_list(components).make("TensorSliceDataset", std::move(spec));
}

Dataset Dataset::range(const Input& stop, const NameOption& options) { return range(0, stop, 1, options); }

Dataset Dataset::range(const Input& start, const Input& stop, const Input& step, const NameOption& options) {
  const Input::Where where = place_in_program(std::vector<Input>{stop, start, step});
  DatasetCall call(graph_of({{"start", start}, {"stop", stop}, {"step", step}}), options.name, where);
  return call.take(start, "start")
      .take(stop, "stop")
      .take(step, "step")
      .make("RangeDataset", {{DType::kInt64, TensorShape()}});
}

Dataset Dataset::zip(const List<Dataset>& datasets, const NameOption& options) {
  const ErrorLine errors(datasets.where());
  std::vector<Tensor> inputs;
  std::vector<TensorSpec> spec;
  for (size_t i = 0; i < datasets.size(); ++i) {
    if (!datasets[i].has_value()) throw_unset_argument("tf::data::Dataset", element_name("datasets", i));
    inputs.push_back(datasets[i].variant_tensor());
    const std::vector<TensorSpec>& own = datasets[i].element_spec();
    spec.insert(spec.end(), own.begin(), own.end());
  }
  if (inputs.empty()) throw ValueError("Invalid input to `zip`. At least one dataset is needed.");
  const std::vector<Input> all(inputs.begin(), inputs.end());
  DatasetCall call(graph_of({{"datasets", all}}), options.name, datasets.where());
  return call.take_list(inputs).make("ZipDataset", std::move(spec));
}

// ---- transformations

Dataset Dataset::batch(const Input& batch_size, const BatchOptions& options) const {
  DatasetCall call({*this, "batch()"}, options.name, batch_size.where());
  call.take(batch_size, "batch_size")
      .take(or_else(options.drop_remainder, false), "drop_remainder", DType::kBool);
  return call.make("BatchDatasetV2", batched(spec_, shapes_of(spec_), batch_size, options.drop_remainder));
}

namespace {

void check_padded_shape(const TensorShape& padded, const TensorShape& shape) {
  bool fits = !shape.has_rank() || !padded.has_rank() || padded.rank() == shape.rank();
  for (int i = 0; fits && shape.has_rank() && padded.has_rank() && i < shape.rank(); ++i)
    fits = padded.dim(i) < 0 || shape.dim(i) < 0 || padded.dim(i) >= shape.dim(i);
  if (fits) return;
  throw ValueError(fmt::format(
      "The padded shape {} is not compatible with the shape {} of the corresponding input component.",
      padded.to_tuple_string(), shape.to_tuple_string()));
}

Tensor padding_of(DatasetCall& call, const TensorSpec& spec, const Input* given) {
  if (given == nullptr) {
    const Array zero = spec.dtype == DType::kString ? Array("") : Array(int32_t{0}).astype(spec.dtype);
    return to_tensor(call.graph(), zero, "padding_value");
  }
  const Tensor value = tensor_of(convert_with_hint(call.graph(), *given, spec.dtype, "padding_value"));
  if (base_dtype(value.dtype()) == spec.dtype) return value;
  throw TypeError(fmt::format(
      "Invalid `padding_values`. `padding_values` values type <dtype: '{}'> does not match type <dtype: "
      "'{}'> of the corresponding input component.",
      dtype_name(base_dtype(value.dtype())), dtype_name(spec.dtype)));
}

void check_one_for_each(const char* what, size_t given, size_t components) {
  if (given == 0 || given == components) return;
  throw ValueError(
      fmt::format("The two structures don't have the same sequence length. Input structure has length {}, "
                  "while shallow structure has length {}.\n{} has one for each component.",
                  given, components, what));
}

}  // namespace

Dataset Dataset::padded_batch(const Input& batch_size, const PaddedBatchOptions& options) const {
  DatasetCall call({*this, "padded_batch()"}, options.name, batch_size.where());
  check_one_for_each("padded_shapes", options.padded_shapes.size(), spec_.size());
  check_one_for_each("padding_values", options.padding_values.size(), spec_.size());
  check_all_set(options.padding_values, "padding_values");
  const std::vector<TensorShape> shapes =
      options.padded_shapes.empty() ? shapes_of(spec_) : options.padded_shapes;
  call.take(batch_size, "batch_size");
  std::vector<Tensor> sizes;
  std::vector<Tensor> values;
  for (size_t i = 0; i < spec_.size(); ++i) {
    check_padded_shape(shapes[i], spec_[i].shape);
    if (!shapes[i].has_rank()) {
      throw ValueError(
          "Unable to convert unknown-rank padded_shapes to tensors\nSay the rank: an unknown dimension "
          "is -1.");
    }
    sizes.push_back(constant(Array(std::vector<int64_t>(shapes[i].dims().begin(), shapes[i].dims().end()))));
  }
  for (size_t i = 0; i < spec_.size(); ++i)
    values.push_back(
        padding_of(call, spec_[i], options.padding_values.empty() ? nullptr : &options.padding_values[i]));
  call.set("N", static_cast<int64_t>(spec_.size())).set("Toutput_types", types_of(spec_));
  call.take_list(sizes).take_list(values).take(or_else(options.drop_remainder, false), "drop_remainder",
                                               DType::kBool);
  return call.make("PaddedBatchDatasetV2", batched(spec_, shapes, batch_size, options.drop_remainder));
}

namespace {

/// Throws where elements of this kind cannot be taken apart into rows.
void check_rows(const std::vector<TensorSpec>& spec) {
  for (const TensorSpec& component : spec) {
    if (component.shape.has_rank() && component.shape.rank() == 0)
      throw ValueError("Cannot unbatch an input with scalar components.");
  }
  int64_t rows = -1;
  for (const TensorSpec& component : spec) {
    const int64_t own = component.shape.has_rank() ? component.shape.dim(0) : -1;
    if (rows >= 0 && own >= 0 && own != rows) {
      throw ValueError(fmt::format(
          "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
          "dimension. Encountered both {} and {}.",
          rows, own));
    }
    rows = std::max(rows, own);
  }
}

}  // namespace

Dataset Dataset::unbatch(const NameOption& options, Input::Where where) const {
  const ErrorLine errors(where);
  (void)graph_of_dataset({*this, "unbatch()"}, where);
  check_rows(spec_);
  std::vector<TensorSpec> spec;
  for (const TensorSpec& component : spec_) spec.push_back({component.dtype, without_first(component.shape)});
  const Dataset same = map([](const std::vector<Tensor>& components) { return components; }, {}, where);
  return DatasetCall({same, "unbatch()"}, options.name, where).make("UnbatchDataset", std::move(spec));
}

Dataset Dataset::window(const Input& size, const WindowOptions& options) const {
  DatasetCall call({*this, "window()"}, options.name, size.where());
  call.take(size, "size").take(or_else(options.shift, size), "shift");
  call.take(or_else(options.stride, 1), "stride")
      .take(or_else(options.drop_remainder, false), "drop_remainder", DType::kBool);
  std::vector<TensorSpec> windows;
  for (const TensorSpec& component : spec_)
    windows.push_back({.dtype = DType::kVariant, .shape = TensorShape(), .dataset = {component}});
  return call.make("WindowDataset", std::move(windows));
}

Dataset Dataset::shuffle(const Input& buffer_size, const ShuffleOptions& options) const {
  DatasetCall call({*this, "shuffle()"}, options.name, buffer_size.where());
  call.take(buffer_size, "buffer_size");
  take_seeds(call, options.seed);
  return call.set("reshuffle_each_iteration", options.reshuffle_each_iteration).make("ShuffleDataset", spec_);
}

Dataset Dataset::repeat(const Input& count, const NameOption& options) const {
  return DatasetCall({*this, "repeat()"}, options.name, count.where())
      .take(count, "count")
      .make("RepeatDataset", spec_);
}
Dataset Dataset::take(const Input& count, const NameOption& options) const {
  return DatasetCall({*this, "take()"}, options.name, count.where())
      .take(count, "count")
      .make("TakeDataset", spec_);
}
Dataset Dataset::skip(const Input& count, const NameOption& options) const {
  return DatasetCall({*this, "skip()"}, options.name, count.where())
      .take(count, "count")
      .make("SkipDataset", spec_);
}

Dataset Dataset::shard(const Input& num_shards, const Input& index, const NameOption& options) const {
  DatasetCall call({*this, "shard()"}, options.name, num_shards.where());
  return call.take(num_shards, "num_shards").take(index, "index").make("ShardDataset", spec_);
}

Dataset Dataset::cache(const Input& filename, const NameOption& options) const {
  DatasetCall call({*this, "cache()"}, options.name, filename.where());
  return call.take(filename, "filename", DType::kString).make("CacheDataset", spec_);
}

Dataset Dataset::ignore_errors(bool log_warning, const NameOption& options, Input::Where where) const {
  DatasetCall call({*this, "ignore_errors()"}, options.name, where);
  return call.set("log_warning", log_warning).make("IgnoreErrorsDataset", spec_);
}

Dataset Dataset::prefetch(const Input& buffer_size, const NameOption& options) const {
  DatasetCall call({*this, "prefetch()"}, options.name, buffer_size.where());
  call.take(buffer_size, "buffer_size").set("legacy_autotune", false);
  const ColocationGuard beside = colocate_with(variant_.op());
  return call.make("PrefetchDataset", spec_);
}

Dataset Dataset::concatenate(const Dataset& dataset, const NameOption& options, Input::Where where) const {
  DatasetCall call({*this, "concatenate()"}, options.name, where);
  if (!dataset.has_value()) throw_unset_argument("tf::data::Dataset", "dataset");
  const std::vector<TensorSpec>& other = dataset.element_spec();
  if (types_of(spec_) != types_of(other)) {
    throw TypeError(
        fmt::format("Incompatible dataset elements:\n  {} vs.   {}", spec_text(spec_), spec_text(other)));
  }
  std::vector<TensorSpec> spec = spec_;
  for (size_t i = 0; i < spec.size(); ++i) spec[i].shape = common_shape(spec[i].shape, other[i].shape);
  return call.take(dataset.variant_tensor()).make("ConcatenateDataset", std::move(spec));
}

Dataset Dataset::enumerate(const Input& start, const NameOption& options) const {
  DatasetCall call({*this, "enumerate()"}, options.name, start.where());
  const Dataset numbers = range(start, std::numeric_limits<int64_t>::max());
  DatasetCall rewrite({numbers, "enumerate()"}, {}, start.where());
  rewrite.take_inside("replicate_on_split");
  return zip({rewrite.make("RewriteDataset", numbers.element_spec()), *this}, options);
}

}  // namespace flowray::tf::data
