#pragma once
/// Features of tf.train.Examples, the records of data sets, as tensors.
///
///     auto parsed = tf::parse_single_example(record, {{"image", tf::FixedLenFeature{{28, 28}, tf::float32}},
///                                                     {"words", tf::VarLenFeature{tf::string}}});
///     parsed.dense.at("image"), parsed.sparse.at("words")

#include <flowray/tf/input.h>
#include <flowray/tf/sparse_tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// As many values in each example as the shape has elements: a tensor of this shape
/// behind the batch's dimension.
struct FixedLenFeature {
  /// All dimensions known.
  TensorShape shape;
  /// int64, float32 or string.
  DType dtype;
  /// The value of examples that lack it; left out: they are errors of the step.
  OptionalInput default_value = {};
};

/// Any number of values: a sparse tensor, the values of an example in a row.
struct VarLenFeature {
  /// int64, float32 or string.
  DType dtype;
};

/// Any number of blocks of this shape: a tensor of as many as the longest example has.
struct FixedLenSequenceFeature {
  /// The shape of one block; all dimensions known.
  TensorShape shape;
  /// int64, float32 or string.
  DType dtype;
  /// Whether examples may lack it. It must be true: only sequences of examples could do without.
  bool allow_missing = false;
  /// A scalar that fills up the shorter ones; left out: 0, or the empty string.
  OptionalInput default_value = {};
};

/// Values and where they stand, two lists of each example: a sparse tensor [batch, size].
struct SparseFeature {
  /// Which feature says where the values stand.
  std::string index_key;
  /// Which feature has the values.
  std::string value_key;
  /// int64, float32 or string.
  DType dtype;
  /// How long a row is.
  int64_t size;
  /// Whether each example has its values in the order of their places, so that they need no sorting; true
  /// where the writer is known to sort them.
  bool already_sorted = false;
};

/// How a feature is read.
using ParsedFeature = std::variant<FixedLenFeature, VarLenFeature, FixedLenSequenceFeature, SparseFeature>;
/// How features are read, by their keys.
using ParsedFeatures = std::map<std::string, ParsedFeature>;

/// What was read, by the keys that it was asked for.
struct ParsedExample {
  /// The values of a FixedLenFeature and a FixedLenSequenceFeature.
  std::map<std::string, Tensor> dense;
  /// The values of a VarLenFeature and a SparseFeature.
  std::map<std::string, SparseTensor> sparse;
};

struct ParseExampleOptions {
  /// The name of the scope of its nodes, and of its op; empty: the function's own.
  std::string name = {};
  /// What examples are called in errors; left out: nothing.
  OptionalInput example_names = {};
};
/// The features of a vector of serialized Examples (tf::train::Example). Throws ValueError for no features,
/// and such as cannot be read.
ParsedExample parse_example(const Input& serialized, const ParsedFeatures& features,
                            const ParseExampleOptions& options = {});
/// The features of one serialized Example, a scalar, without a batch's dimension.
ParsedExample parse_single_example(const Input& serialized, const ParsedFeatures& features,
                                   const ParseExampleOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
