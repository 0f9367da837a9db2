#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/parsing.h>
#include <flowray/tf/sparse.h>

#include "tf/build/composite.h"
#include "tf/build/with_dependencies.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf {
namespace {

/// A feature as a part of a node's name.
std::string node_name(std::string_view prefix, std::string_view key) {
  std::string name(prefix);
  for (const char c : key) {
    const bool is_fit = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                        std::string_view("_.-/").find(c) != std::string_view::npos;
    name += is_fit ? c : '_';
  }
  return name;
}

/// What the op is told, in the order of the keys.
struct Parts {
  std::vector<std::string> sparse_keys;
  std::vector<DType> sparse_types;
  std::vector<std::string> dense_keys;
  std::vector<TensorShape> dense_shapes;
  std::vector<DType> dense_types;
  std::vector<OptionalInput> dense_defaults;

  void add_sparse(const std::string& key, DType dtype) {
    const auto known = std::ranges::find(sparse_keys, key);
    if (known == sparse_keys.end()) {
      sparse_keys.push_back(key);
      sparse_types.push_back(dtype);
      return;
    }
    const DType before = sparse_types[static_cast<size_t>(known - sparse_keys.begin())];
    if (before != dtype) {
      throw ValueError(fmt::format("Conflicting type {} vs {} for feature {}.", dtype_name(before),
                                   dtype_name(dtype), key));
    }
  }

  void add_dense(const std::string& key, TensorShape shape, DType dtype, const OptionalInput& default_value) {
    dense_keys.push_back(key);
    dense_shapes.push_back(std::move(shape));
    dense_types.push_back(dtype);
    dense_defaults.push_back(default_value);
  }
};

void check_dtype(const std::string& key, DType dtype) {
  if (dtype == DType::kInvalid) throw ValueError(fmt::format("Missing type for feature {}.", key));
}

void add(Parts& parts, const std::string& key, const VarLenFeature& feature) {
  check_dtype(key, feature.dtype);
  parts.add_sparse(key, feature.dtype);
}

void add(Parts& parts, const std::string& key, const SparseFeature& feature) {
  if (feature.index_key.empty())
    throw ValueError(fmt::format("Missing index_key for SparseFeature {}.", key));
  if (feature.value_key.empty())
    throw ValueError(fmt::format("Missing value_key for SparseFeature {}.", key));
  check_dtype(key, feature.dtype);
  parts.add_sparse(feature.index_key, DType::kInt64);
  parts.add_sparse(feature.value_key, feature.dtype);
}

void add(Parts& parts, const std::string& key, const FixedLenFeature& feature) {
  check_dtype(key, feature.dtype);
  if (!feature.shape.has_rank()) throw ValueError(fmt::format("Missing shape for feature {}.", key));
  if (feature.shape.rank() > 0 && feature.shape.dim(0) < 0) {
    throw ValueError(fmt::format(
        "First dimension of shape for feature {} unknown. Consider using FixedLenSequenceFeature.", key));
  }
  if (!feature.shape.is_fully_defined()) {
    throw ValueError(fmt::format("All dimensions of shape for feature {} need to be known but received {}.",
                                 key, feature.shape.to_tuple_string()));
  }
  parts.add_dense(key, feature.shape, feature.dtype, feature.default_value);
}

void add(Parts& parts, const std::string& key, const FixedLenSequenceFeature& feature) {
  check_dtype(key, feature.dtype);
  if (!feature.shape.has_rank()) throw ValueError(fmt::format("Missing shape for feature {}.", key));
  if (!feature.allow_missing) {
    throw ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.");
  }
  parts.add_dense(key, TensorShape{None}.concatenate(feature.shape), feature.dtype, feature.default_value);
}

Parts parts_of(const ParsedFeatures& features) {
  Parts parts;
  for (const auto& [key, feature] : features)
    std::visit([&, &name = key](const auto& one) { add(parts, name, one); }, feature);
  std::vector<std::string> both;
  for (const std::string& key : parts.dense_keys)
    if (std::ranges::find(parts.sparse_keys, key) != parts.sparse_keys.end()) both.push_back(key);
  if (!both.empty()) {
    throw ValueError(fmt::format(
        "Dense and sparse keys must not intersect; dense_keys: ['{}'], sparse_keys: ['{}'], intersection: "
        "{{'{}'}}",
        fmt::join(parts.dense_keys, "', '"), fmt::join(parts.sparse_keys, "', '"), fmt::join(both, "', '")));
  }
  return parts;
}

/// An empty vector says that there is none; of a sequence it is what fills up the shorter ones.
Input default_of(Composite& scope, const Parts& parts, size_t i) {
  const DType dtype = parts.dense_types[i];
  const TensorShape& shape = parts.dense_shapes[i];
  const OptionalInput& given = parts.dense_defaults[i];
  const bool is_sequence = shape.rank() > 0 && shape.dim(0) < 0;
  if (!given.has_value()) {
    if (!is_sequence) return constant(Array(dtype, {0}));
    return Tensor(scope.convert(dtype == DType::kString ? Input("") : Input(0), "Const", dtype));
  }
  if (!is_sequence && given->tensor() != nullptr) return *given;
  const Tensor value =
      scope.convert(*given, node_name(is_sequence ? "padding_" : "key_", parts.dense_keys[i]), dtype);
  if (is_sequence) return reshape(value, std::initializer_list<Input>{});
  return reshape(value, std::vector<int32_t>(shape.begin(), shape.end()));
}

/// What was asked for, of what was parsed.
void compose(const ParsedFeatures& features, ParsedExample& found) {
  std::map<std::string, SparseTensor> sparse;
  for (const auto& [key, feature] : features) {
    if (const auto* both = std::get_if<SparseFeature>(&feature)) {
      sparse[key] = sparse::merge(found.sparse.at(both->index_key), found.sparse.at(both->value_key),
                                  static_cast<int>(both->size), {.already_sorted = both->already_sorted});
    } else if (std::holds_alternative<VarLenFeature>(feature)) {
      sparse[key] = found.sparse.at(key);
    }
  }
  found.sparse = std::move(sparse);
}

ParsedExample parsed(const Input& serialized, const ParsedFeatures& features,
                     const OptionalInput& example_names, const std::string& name) {
  const CallScope call({{"serialized", serialized}, {"example_names", example_names}});
  const Parts parts = parts_of(features);
  ParsedExample found;
  {
    Composite scope({{"serialized", serialized}, {"example_names", example_names}}, name, "ParseExample",
                    serialized.where());
    const Tensor examples = scope.convert(serialized, "serialized");
    std::vector<Input> defaults;
    for (size_t i = 0; i < parts.dense_keys.size(); ++i) defaults.push_back(default_of(scope, parts, i));
    const Input names =
        example_names.has_value() ? *example_names : Input(Array(DType::kString, {0}), serialized.where());
    const auto keys = [](const std::vector<std::string>& all) {
      return all.empty() ? Input(Array(DType::kString, {0})) : Input(all);
    };
    const std::vector<Tensor> outputs = outputs_of(
        {.op = "ParseExampleV2",
         .name = name,
         .args = {examples, names, keys(parts.sparse_keys), keys(parts.dense_keys), keys({}), defaults},
         .attrs = {{"num_sparse", std::ssize(parts.sparse_keys)},
                   {"sparse_types", parts.sparse_types},
                   {"ragged_value_types", std::vector<DType>()},
                   {"ragged_split_types", std::vector<DType>()},
                   {"dense_shapes", parts.dense_shapes}}});
    const size_t count = parts.sparse_keys.size();
    for (size_t i = 0; i < count; ++i) {
      found.sparse[parts.sparse_keys[i]] =
          SparseTensor(outputs[i], outputs[count + i], outputs[2 * count + i]);
    }
    for (size_t i = 0; i < parts.dense_keys.size(); ++i)
      found.dense[parts.dense_keys[i]] = outputs[3 * count + i];
  }
  compose(features, found);
  return found;
}

/// The tensor, which must be a scalar.
Tensor checked_scalar(const Tensor& value) {
  if (value.shape().has_rank() && value.shape().rank() == 0) return value;
  if (value.shape().has_rank()) throw ValueError("Input serialized must be a scalar");
  const Tensor is_scalar = equal(rank(value), 0);
  const Operation check = Assert(is_scalar, {"Input serialized must be a scalar"}, 3, {"SerializedIsScalar"});
  Tensor result = with_dependencies({check}, value, "serializedDependencies");
  result.set_shape({});
  return result;
}

}  // namespace

ParsedExample parse_example(const Input& serialized, const ParsedFeatures& features,
                            const ParseExampleOptions& options) {
  const ErrorLine errors(serialized.where());
  if (features.empty()) throw ValueError("Argument `features` cannot be None or falsy. Got {}");
  return parsed(serialized, features, options.example_names, options.name);
}

ParsedExample parse_single_example(const Input& serialized, const ParsedFeatures& features,
                                   const ParseExampleOptions& options) {
  const ErrorLine errors(serialized.where());
  if (features.empty()) throw ValueError("Invalid argument: features cannot be empty.");
  Composite scope({{"serialized", serialized}, {"example_names", options.example_names}}, options.name,
                  "ParseSingleExample", serialized.where());
  const Tensor one = checked_scalar(scope.convert(serialized, "serialized"));
  return parsed(one, features, options.example_names, options.name);
}

}  // namespace flowray::tf
