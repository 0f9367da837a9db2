// Examples (wire/example.h), one or a batch of them, into arrays: dense ones, sparse ones, and rows of any
// length in a row.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/register.h"
#include "wire/example.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace flowray::ops {
namespace {

using graph::Attrs;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;
using wire::Feature;

/// Where the op's inputs and outputs of each kind begin, and what is asked for.
struct Plan {
  std::vector<std::string> sparse_keys;
  std::vector<std::string> dense_keys;
  std::vector<std::string> ragged_keys;
  std::vector<DType> sparse_types;
  std::vector<DType> dense_types;
  std::vector<DType> ragged_types;
  std::vector<DType> split_types;
  std::vector<Shape> dense_shapes;
  int first_default = 0;  // input

  int first_dense() const { return 3 * static_cast<int>(sparse_keys.size()); }
  int first_ragged() const { return first_dense() + static_cast<int>(dense_keys.size()); }
};

std::vector<std::string> keys_of(const Array& keys, std::string_view what) {
  if (keys.rank() != 1)
    invalid_argument(
        fmt::format("Expected {} to be a vector, got shape: {}", what, keys.shape().to_string()));
  const auto span = keys.span<std::string>();
  return {span.begin(), span.end()};
}

/// ParseExampleV2's keys are vectors, ParseExample's are lists of scalars.
Plan plan_of(const DynamicCall& call) {
  const Attrs& attrs = call.attrs();
  Plan plan;
  plan.sparse_types = attrs.get<std::vector<DType>>("sparse_types");
  plan.dense_types = attrs.get<std::vector<DType>>("Tdense");
  plan.dense_shapes = attrs.get<std::vector<Shape>>("dense_shapes");
  if (attrs.contains("num_sparse")) {
    plan.ragged_types = attrs.get<std::vector<DType>>("ragged_value_types");
    plan.split_types = attrs.get<std::vector<DType>>("ragged_split_types");
    plan.sparse_keys = keys_of(call.in(2), "sparse_keys");
    plan.dense_keys = keys_of(call.in(3), "dense_keys");
    plan.ragged_keys = keys_of(call.in(4), "ragged_keys");
    plan.first_default = 5;
  } else {
    int at = 2;
    const auto take = [&](std::vector<std::string>& keys, size_t count) {
      for (size_t i = 0; i < count; ++i) keys.push_back(call.in(at++).item<std::string>());
    };
    take(plan.sparse_keys, plan.sparse_types.size());
    take(plan.dense_keys, plan.dense_types.size());
    plan.first_default = at;
  }
  const auto check = [](size_t keys, size_t types, std::string_view what) {
    if (keys != types)
      invalid_argument(
          fmt::format("Expected len({0}_keys) == len({0}_types) but got: {1} vs. {2}", what, keys, types));
  };
  check(plan.sparse_keys.size(), plan.sparse_types.size(), "sparse");
  check(plan.dense_keys.size(), plan.dense_types.size(), "dense");
  check(plan.ragged_keys.size(), plan.ragged_types.size(), "ragged");
  check(plan.dense_shapes.size(), plan.dense_types.size(), "dense");
  return plan;
}

bool has_variable_length(const Shape& shape) {
  return shape.has_rank() && shape.rank() > 0 && shape.dim(0) < 0;
}

/// Elements of one step along a first dimension that is not known. Throws errors::InvalidArgumentError where
/// they do not fit.
int64_t stride_of(const Shape& shape) {
  CheckedSize product(1);
  for (int i = 1; i < shape.rank(); ++i) product *= shape.dim(i);
  return product;
}

/// TensorFlow lets the first dimension alone be unknown.
void check_dense_shapes(const std::vector<Shape>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::span<const int64_t> dims = shapes[i].dims();
    const bool is_known =
        shapes[i].has_rank() && (dims.empty() || std::ranges::count(dims.subspan(1), -1) == 0);
    if (is_known) continue;
    invalid_argument(fmt::format("dense_shapes[{}] has unknown rank or unknown inner dimensions: {}", i,
                                 shapes[i].to_string()));
  }
}

void check_default(const Array& value, const Shape& shape, size_t i) {
  if (has_variable_length(shape)) {
    if (value.size() == 1) return;
    invalid_argument(fmt::format(
        "dense_shape[{0}] is a variable length shape: {1}, therefore def_value[{0}] must contain a single "
        "element (the padding element).  But its shape is: {2}",
        i, shape.to_string(), value.shape().to_string()));
  }
  if (value.size() > 0 && !shape.is_compatible_with(value.shape())) {
    invalid_argument(
        fmt::format("def_value[{0}].shape() == {1} is not compatible with dense_shapes_[{0}] == {2}", i,
                    value.shape().to_string(), shape.to_string()));
  }
}

DType dtype_of(Feature::Kind kind) {
  return kind == Feature::Kind::kBytes    ? DType::kString
         : kind == Feature::Kind::kFloats ? DType::kFloat32
                                          : DType::kInt64;
}

/// The values of all examples for one key.
class Column {
 public:
  explicit Column(DType dtype) : dtype_(dtype) {}

  void add(const Feature& feature) {
    switch (feature.kind) {
      case Feature::Kind::kBytes:
        for (const std::string_view bytes : feature.bytes()) texts_.emplace_back(bytes);
        break;
      case Feature::Kind::kFloats:
        append(floats_, feature.floats());
        break;
      case Feature::Kind::kIntegers:
        append(integers_, feature.integers());
        break;
      case Feature::Kind::kNone:
        break;
    }
  }

  void add(const Array& values) {
    if (dtype_ == DType::kString) append(texts_, values.span<std::string>());
    if (dtype_ == DType::kFloat32) append(floats_, values.span<float>());
    if (dtype_ == DType::kInt64) append(integers_, values.span<int64_t>());
  }

  int64_t size() const {
    return dtype_ == DType::kString    ? std::ssize(texts_)
           : dtype_ == DType::kFloat32 ? std::ssize(floats_)
                                       : std::ssize(integers_);
  }

  Array array(const Shape& shape) const {
    if (dtype_ == DType::kString) return Array(texts_).reshape(shape);
    if (dtype_ == DType::kFloat32) return Array(floats_).reshape(shape);
    return Array(integers_).reshape(shape);
  }

 private:
  template <class T, class Values>
  static void append(std::vector<T>& to, const Values& values) {
    to.insert(to.end(), values.begin(), values.end());
  }

  const DType dtype_;
  std::vector<std::string> texts_;
  std::vector<float> floats_;
  std::vector<int64_t> integers_;
};

class ExampleParser {
 public:
  ExampleParser(DynamicCall& call, Plan plan)
      : call_(call),
        plan_(std::move(plan)),
        is_batch_(call.in(0).rank() == 1),
        texts_(call.in(0).span<std::string>()) {}

  void parse() {
    check_inputs();
    // Errors of examples before a damaged one are reported first.
    const std::string* damaged = nullptr;
    for (const std::string& text : texts_) {
      try {
        examples_.push_back(wire::read_example(text));
      } catch (const errors::DataLossError&) {
        damaged = &text;
        break;
      }
    }
    const auto fail_damaged = [&] {
      invalid_argument(fmt::format("Could not parse example input, value: '{}'", *damaged));
    };
    if (damaged != nullptr && !is_batch_) fail_damaged();
    for (size_t i = 0; i < plan_.sparse_keys.size(); ++i) put_sparse(i);
    for (size_t i = 0; i < plan_.dense_keys.size(); ++i) {
      has_variable_length(plan_.dense_shapes[i]) ? put_padded(i) : put_dense(i);
    }
    for (size_t i = 0; i < plan_.ragged_keys.size(); ++i) put_ragged(i);
    if (damaged != nullptr) fail_damaged();
  }

 private:
  void check_inputs() {
    const Array& names = call_.in(1);
    if (names.size() > 0 && !(names.shape() == call_.in(0).shape())) {
      invalid_argument(
          fmt::format("Expected names have the same shape as serialized: name.shape={}, serialized.shape={}",
                      names.shape().to_string(), call_.in(0).shape().to_string()));
    }
    for (size_t i = 0; i < plan_.dense_shapes.size(); ++i)
      check_default(default_of(i), plan_.dense_shapes[i], i);
    // TensorFlow finds nothing under a key that it is asked for twice.
    for (const auto* keys : {&plan_.sparse_keys, &plan_.dense_keys, &plan_.ragged_keys}) {
      for (const std::string& key : *keys) {
        if (!keys_.insert(key).second) ambiguous_.insert(key);
      }
    }
  }

  const Array& default_of(size_t i) const { return call_.in(plan_.first_default + static_cast<int>(i)); }

  /// Null where the example has none.
  const Feature* find(size_t row, const std::string& key) const {
    if (ambiguous_.contains(key)) return nullptr;
    const auto found = examples_[row].find(key);
    return found == examples_[row].end() || found->second.kind == Feature::Kind::kNone ? nullptr
                                                                                       : &found->second;
  }

  /// "Name: n, " before what is said of an example in a batch.
  std::string name_of(size_t row) const {
    if (!is_batch_) return {};
    const Array& names = call_.in(1);
    return fmt::format("Name: {}, ", names.size() > 0 ? names.data<std::string>()[row] : "<unknown>");
  }
  std::string place_of(size_t row, const std::string& key) const {
    return is_batch_ ? fmt::format("{}Key: {}, Index: {}.  ", name_of(row), key, row)
                     : fmt::format("Key: {}.  ", key);
  }

  void add(Column& column, size_t row, const std::string& key, const Feature& feature) const {
    try {
      column.add(feature);
    } catch (const errors::DataLossError&) {
      invalid_argument(place_of(row, key) + "Can't parse serialized Example.");
    }
  }

  /// The number of values of each example; the values in `column`.
  std::vector<int64_t> lengths(const std::string& key, DType dtype, Column& column) const {
    std::vector<int64_t> lengths;
    for (size_t row = 0; row < examples_.size(); ++row) {
      const int64_t before = column.size();
      if (const Feature* feature = find(row, key)) {
        if (dtype_of(feature->kind) != dtype) {
          invalid_argument(fmt::format("{}Data types don't match. Expected type: {}, Actual type: {}",
                                       place_of(row, key), dtype_kernel_name(dtype),
                                       dtype_kernel_name(dtype_of(feature->kind))));
        }
        add(column, row, key, *feature);
      }
      lengths.push_back(column.size() - before);
    }
    return lengths;
  }

  void put_sparse(size_t i) {
    Column column(plan_.sparse_types[i]);
    const std::vector<int64_t> rows = lengths(plan_.sparse_keys[i], plan_.sparse_types[i], column);
    std::vector<int64_t> indices;
    int64_t longest = 0;
    for (size_t row = 0; row < rows.size(); ++row) {
      longest = std::max(longest, rows[row]);
      for (int64_t k = 0; k < rows[row]; ++k) {
        if (is_batch_) indices.push_back(static_cast<int64_t>(row));
        indices.push_back(k);
      }
    }
    const auto number = static_cast<int>(i);
    const auto count = static_cast<int>(plan_.sparse_keys.size());
    call_.set_out(number, Array(indices).reshape(Shape{column.size(), is_batch_ ? 2 : 1}));
    call_.set_out(count + number, column.array(Shape{column.size()}));
    std::vector<int64_t> shape = {longest};
    if (is_batch_) shape.insert(shape.begin(), std::ssize(examples_));
    call_.set_out(2 * count + number, Array(shape));
  }

  void put_ragged(size_t i) {
    Column column(plan_.ragged_types[i]);
    const std::vector<int64_t> rows = lengths(plan_.ragged_keys[i], plan_.ragged_types[i], column);
    std::vector<int64_t> splits;
    if (is_batch_) splits.push_back(0);
    for (size_t row = 0; is_batch_ && row < rows.size(); ++row) splits.push_back(splits.back() + rows[row]);
    const int number = plan_.first_ragged() + static_cast<int>(i);
    call_.set_out(number, column.array(Shape{column.size()}));
    call_.set_out(number + static_cast<int>(plan_.ragged_keys.size()),
                  Array(splits).astype(plan_.split_types[i]));
  }

  /// The feature of an example, of the right dtype; null where there is none.
  const Feature* find_dense(size_t row, size_t i) const {
    const Feature* feature = find(row, plan_.dense_keys[i]);
    if (feature == nullptr || dtype_of(feature->kind) == plan_.dense_types[i]) return feature;
    invalid_argument(fmt::format(
        "{}Data types don't match. Data type: {} but expected type: {}", place_of(row, plan_.dense_keys[i]),
        dtype_kernel_name(dtype_of(feature->kind)), dtype_kernel_name(plan_.dense_types[i])));
  }

  Shape batched(Shape shape) const {
    return is_batch_ ? Shape{std::ssize(examples_)}.concatenate(shape) : shape;
  }

  void put_dense(size_t i) {
    const DType dtype = plan_.dense_types[i];
    const Shape& shape = plan_.dense_shapes[i];
    Column column(dtype);
    for (size_t row = 0; row < examples_.size(); ++row) {
      const int64_t before = column.size();
      const Feature* feature = find_dense(row, i);
      if (feature == nullptr) {
        if (default_of(i).size() == 0 && shape.num_elements() > 0) {
          invalid_argument(fmt::format("{}Feature: {} (data type: {}) is required but could not be found.",
                                       name_of(row), plan_.dense_keys[i], dtype_kernel_name(dtype)));
        }
        column.add(default_of(i));
        continue;
      }
      add(column, row, plan_.dense_keys[i], *feature);
      const int64_t count = column.size() - before;
      if (count != shape.num_elements()) fail_count(row, i, count);
    }
    call_.set_out(plan_.first_dense() + static_cast<int>(i), column.array(batched(shape)));
  }

  [[noreturn]] void fail_count(size_t row, size_t i, int64_t count) const {
    const std::string place = place_of(row, plan_.dense_keys[i]);
    const DType dtype = plan_.dense_types[i];
    if (!is_batch_) {
      const std::string list = dtype == DType::kString ? "bytes" : dtype_kernel_name(dtype);
      invalid_argument(
          fmt::format("{}Can't parse serialized Example: Some {}_list slice was not parsed.", place, list));
    }
    invalid_argument(fmt::format("{}Number of {} values != expected.  Values size: {} but output shape: {}",
                                 place, dtype == DType::kString ? "bytes" : dtype_kernel_name(dtype), count,
                                 plan_.dense_shapes[i].to_string()));
  }

  /// Filled up with the default to the longest of the batch.
  void put_padded(size_t i) {
    const Shape& shape = plan_.dense_shapes[i];
    const int64_t stride = stride_of(shape);
    std::vector<Column> rows;
    int64_t longest = 0;
    for (size_t row = 0; row < examples_.size(); ++row) {
      Column& column = rows.emplace_back(plan_.dense_types[i]);
      if (const Feature* feature = find_dense(row, i)) add(column, row, plan_.dense_keys[i], *feature);
      if (stride == 0 ? column.size() != 0 : column.size() % stride != 0) fail_stride(row, i, column.size());
      longest = std::max(longest, column.size());
    }
    Column all(plan_.dense_types[i]);
    for (const Column& row : rows) {
      all.add(row.array(Shape{row.size()}));
      for (int64_t k = row.size(); k < longest; ++k) all.add(default_of(i));
    }
    Shape full = shape;
    full.set_dim(0, stride == 0 ? 0 : longest / stride);
    call_.set_out(plan_.first_dense() + static_cast<int>(i), all.array(batched(full)));
  }

  [[noreturn]] void fail_stride(size_t row, size_t i, int64_t count) const {
    if (!is_batch_) {
      invalid_argument(fmt::format(
          "Error while parsing feature with key {}: number of elements should be divisible by {}, found {} "
          "instead",
          plan_.dense_keys[i], stride_of(plan_.dense_shapes[i]), count));
    }
    const DType dtype = plan_.dense_types[i];
    invalid_argument(fmt::format(
        "{}Number of {} values is not a multiple of stride length. Saw {} values but output shape is: {}",
        place_of(row, plan_.dense_keys[i]), dtype == DType::kString ? "bytes" : dtype_kernel_name(dtype),
        count, plan_.dense_shapes[i].to_string()));
  }

  DynamicCall& call_;
  const Plan plan_;
  const bool is_batch_;
  const std::span<const std::string> texts_;
  std::vector<wire::Features> examples_;
  std::set<std::string> keys_;
  std::set<std::string> ambiguous_;
};

void parse_example_v2(DynamicCall& call) {
  if (call.in(0).rank() > 1) {
    invalid_argument(fmt::format("Expected serialized to be a scalar or vector, got shape: {}",
                                 call.in(0).shape().to_string()));
  }
  ExampleParser(call, plan_of(call)).parse();
}

void parse_example(DynamicCall& call) {
  if (call.in(0).rank() != 1) {
    invalid_argument(
        fmt::format("Expected serialized to be a vector, got shape: {}", call.in(0).shape().to_string()));
  }
  ExampleParser(call, plan_of(call)).parse();
}

// ---- shapes

/// That the lists of a node are as long as they must be to belong together. `num_sparse` and `num_dense`
/// keys; those of ragged ones are known in a step only.
void check_lists(const Attrs& attrs, int64_t num_sparse, int64_t num_dense) {
  const auto check = [](int64_t keys, size_t others, std::string_view which) {
    if (keys == static_cast<int64_t>(others)) return;
    const std::string_view kind = which.substr(0, which.find('_'));
    invalid_argument(fmt::format("len({}_keys) != len({})\nThere are {} keys and {} of these.", kind, which,
                                 keys, others));
  };
  check(num_sparse, attrs.get<std::vector<DType>>("sparse_types").size(), "sparse_types");
  check(num_dense, attrs.get<std::vector<DType>>("Tdense").size(), "dense_types");
  check(num_dense, attrs.get<std::vector<Shape>>("dense_shapes").size(), "dense_shapes");
  check_dense_shapes(attrs.get<std::vector<Shape>>("dense_shapes"));
  if (!attrs.contains("ragged_value_types")) return;
  check(std::ssize(attrs.get<std::vector<DType>>("ragged_value_types")),
        attrs.get<std::vector<DType>>("ragged_split_types").size(), "ragged_split_types");
}

/// Sets the shapes of both ops' outputs; `ragged` is what ParseExampleV2 has beyond the first.
void set_shapes(ShapeContext& context, const Shape& batch, int num_sparse, int num_ragged) {
  constexpr int64_t kUnknown = Shape::kUnknownDim;
  const auto& shapes = context.attrs().get<std::vector<Shape>>("dense_shapes");
  const int sparse_rank = batch.has_rank() ? batch.rank() + 1 : -1;
  int out = 0;
  for (int i = 0; i < num_sparse; ++i) context.set_output(out++, Shape{kUnknown, sparse_rank});
  for (int i = 0; i < num_sparse; ++i) context.set_output(out++, Shape{kUnknown});
  for (int i = 0; i < num_sparse; ++i) context.set_output(out++, Shape{sparse_rank});
  for (const Shape& shape : shapes) context.set_output(out++, batch.concatenate(shape));
  for (int i = 0; i < num_ragged; ++i) context.set_output(out++, Shape{kUnknown});
  const bool is_known = batch.has_rank() && batch.rank() == 1 && batch.dim(0) >= 0;
  for (int i = 0; i < num_ragged; ++i)
    context.set_output(out++, Shape{is_known ? int64_t{checked(batch.dim(0)) + 1} : kUnknown});
}

void parse_example_v2_shape(ShapeContext& context) {
  const Shape& batch = context.input(0);
  if (batch.rank() > 1)
    ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", batch.rank()));
  const Attrs& attrs = context.attrs();
  check_lists(attrs, attrs.get<int64_t>("num_sparse"), std::ssize(attrs.get<std::vector<DType>>("Tdense")));
  set_shapes(context, batch, checked_int32("Attr num_sparse", attrs.get<int64_t>("num_sparse")),
             static_cast<int>(attrs.get<std::vector<DType>>("ragged_value_types").size()));
}

void parse_example_shape(ShapeContext& context) {
  check_lists(context.attrs(), context.attrs().get<int64_t>("Nsparse"),
              context.attrs().get<int64_t>("Ndense"));
  set_shapes(context, context.with_rank(0, 1),
             checked_int32("Attr Nsparse", context.attrs().get<int64_t>("Nsparse")), 0);
}

constexpr graph::OpRow kParseExampleOps[] = {
    {.name = "ParseExampleV2",
     .inputs = "serialized:string, names:string, sparse_keys:string, dense_keys:string, ragged_keys:string, "
               "dense_defaults:[Tdense]",
     .outputs =
         "sparse_indices:num_sparse*int64, sparse_values:[sparse_types], sparse_shapes:num_sparse*int64, "
         "dense_values:[Tdense], ragged_values:[ragged_value_types], "
         "ragged_row_splits:[ragged_split_types]",
     .attrs = "Tdense:list(type){feature_values}; num_sparse:int>=0; "
              "sparse_types:list(type){feature_values}; ragged_value_types:list(type){feature_values}; "
              "ragged_split_types:list(type){indices}; dense_shapes:list(shape)",
     .shape = parse_example_v2_shape,
     .not_differentiable = true,
     .compute = parse_example_v2},
    {.name = "ParseExample",
     .inputs = "serialized:string, names:string, sparse_keys:Nsparse*string, dense_keys:Ndense*string, "
               "dense_defaults:[Tdense]",
     .outputs = "sparse_indices:Nsparse*int64, sparse_values:[sparse_types], sparse_shapes:Nsparse*int64, "
                "dense_values:[Tdense]",
     .attrs = "Nsparse:int>=0; Ndense:int>=0; sparse_types:list(type){feature_values}; "
              "Tdense:list(type){feature_values}; dense_shapes:list(shape)",
     .shape = parse_example_shape,
     .not_differentiable = true,
     .compute = parse_example},
};

}  // namespace

void register_parse_example_ops(OpTable& table) {
  for (const graph::OpRow& row : kParseExampleOps) table.add(row);
}

}  // namespace flowray::ops
