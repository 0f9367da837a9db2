#include <flowray/tf/array.h>
#include <flowray/tf/sparse_tensor.h>

#include "graph/constant_value.h"
#include "tf/build/composite.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <ostream>

namespace flowray::tf {
namespace {

/// The dimensions of a tensor that must have this rank.
TensorShape with_rank(const Tensor& tensor, int rank) {
  const TensorShape& shape = tensor.shape();
  if (!shape.has_rank()) return TensorShape::of_rank(rank);
  if (shape.rank() != rank)
    throw ValueError(fmt::format("Shape {} must have rank {}", shape.to_tuple_string(), rank));
  return shape;
}

void check_dims(int64_t a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b)
    throw ValueError(fmt::format("Dimensions {} and {} are not compatible", a, b));
}

}  // namespace

SparseTensor::SparseTensor(const Input& indices, const Input& values, const Input& dense_shape) {
  Composite scope({{"indices", indices}, {"values", values}, {"dense_shape", dense_shape}}, {},
                  "SparseTensor", indices.where());
  const auto int64_part = [&](const Input& part, std::string_view name) {
    const Output converted = scope.convert(part, name, DType::kInt64);
    if (base_dtype(converted.dtype()) != DType::kInt64) {
      throw ValueError(fmt::format("Tensor conversion requested dtype int64 for Tensor with dtype {}: {}",
                                   dtype_name(converted.dtype()), tensor_text(Tensor(converted))));
    }
    return Tensor(converted);
  };
  indices_ = int64_part(indices, "indices");
  values_ = scope.convert(values, "values");
  dense_shape_ = int64_part(dense_shape, "dense_shape");
  shape_ = graph::constant_value_as_shape(endpoint_of(dense_shape_));
  const TensorShape rows = with_rank(indices_, 2);
  const TensorShape numbers = with_rank(values_, 1);
  const TensorShape dims = with_rank(dense_shape_, 1);
  check_dims(rows.dim(0), numbers.dim(0));
  check_dims(rows.dim(1), dims.dim(0));
  if (!shape_.has_rank() && dims.dim(0) >= 0) shape_ = TensorShape::of_rank(dims.dim(0));
}

SparseTensor SparseTensor::from_value(const SparseTensorValue& value, Where where) {
  return {Input(value.indices, where), Input(value.values, where), Input(value.dense_shape, where)};
}

SparseTensor SparseTensor::with_values(const Input& values) const {
  check_sparse_set(*this, "with_values()");
  return {indices_, values, dense_shape_};
}

SparseTensorValue SparseTensor::eval(const FeedDict& feeds, Session* session, Where where) const {
  check_sparse_set(*this, "eval()");
  if (session == nullptr) session = get_default_session();
  if (session == nullptr) {
    const ErrorLine line(where);
    throw ValueError(
        "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
        "sess.as_default()` or pass an explicit session to `eval(session=sess)`");
  }
  const Fetch parts[] = {{indices_, where}, {values_, where}, {dense_shape_, where}};
  auto [indices, values, dense_shape] = session->run(parts, feeds);
  return {std::move(indices), std::move(values), std::move(dense_shape)};
}

Feed Feed::of_sparse(const SparseTensor& tensor, const SparseTensorValue& tensor_value) {
  check_sparse_set(tensor, "feed");
  Feed first(tensor.indices(), tensor_value.indices);
  first.others_ = std::make_shared<const std::vector<Feed>>(std::vector<Feed>{
      {tensor.values(), tensor_value.values}, {tensor.dense_shape(), tensor_value.dense_shape}});
  return first;
}

void FeedDict::add(const SparseTensor& tensor, const SparseTensorValue& value) { tensor.feed(*this, value); }

SparseTensorValue Session::run_sparse(const SparseTensor& fetch, const FeedDict& feeds,
                                      const RunOptions& options, RunMetadata* run_metadata) {
  check_sparse_set(fetch, "fetch");
  const Fetch parts[] = {fetch.indices(), fetch.values(), fetch.dense_shape()};
  auto [indices, values, dense_shape] = run(parts, feeds, options, run_metadata);
  return {std::move(indices), std::move(values), std::move(dense_shape)};
}

FeedDict SparseTensor::fed(const SparseTensorValue& value) const {
  FeedDict feeds;
  feed(feeds, value);
  return feeds;
}

void SparseTensor::feed(FeedDict& feeds, const SparseTensorValue& value) const {
  check_sparse_set(*this, "feed()");
  feeds.add(indices_, value.indices);
  feeds.add(values_, value.values);
  feeds.add(dense_shape_, value.dense_shape);
}

std::ostream& operator<<(std::ostream& out, const SparseTensor& tensor) {
  if (!tensor.has_value()) return out << "None";
  return out << "SparseTensor(indices=" << tensor.indices() << ", values=" << tensor.values()
             << ", dense_shape=" << tensor.dense_shape() << ")";
}

void check_sparse_set(const SparseTensor& tensor, std::string_view argument) {
  if (!tensor.has_value()) throw_unset_argument("tf::SparseTensor", argument);
}

SparseTensor sparse_placeholder(DType dtype, const TensorShape& shape, const NameOption& options,
                                Input::Where where) {
  graph::Graph& graph = default_graph();
  const CallScope call(graph, where);
  const auto part = [&](const char* name) {
    return NameOption{options.name.empty() ? std::string() : options.name + name};
  };
  Tensor dims;
  if (shape.has_rank()) {
    const std::vector<int64_t> sizes(shape.begin(), shape.end());
    const NameOption name = part("/shape_default");
    const Tensor known = constant(Array(sizes), {.name = name.name.empty() ? "Const" : name.name});
    dims = placeholder_with_default(known, known.shape(), part("/shape"));
  } else {
    dims = placeholder(DType::kInt64, TensorShape{None}, part("/shape"));
  }
  const int64_t rank = shape.has_rank() ? shape.rank() : TensorShape::kUnknownDim;
  const Tensor values = placeholder(dtype, TensorShape{None}, part("/values"));
  const Tensor indices = placeholder(DType::kInt64, TensorShape{None, rank}, part("/indices"));
  SparseTensor result(indices, values, dims);
  if (shape.has_rank()) result.set_shape(shape);
  return result;
}

namespace {

/// What true division of integers is done in; kInvalid for numbers that divide as they are.
DType dtype_of_quotient(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
    case DType::kInt8:
    case DType::kUint16:
    case DType::kInt16:
      return DType::kFloat32;
    case DType::kUint32:
    case DType::kInt32:
    case DType::kUint64:
    case DType::kInt64:
      return DType::kFloat64;
    default:
      return DType::kInvalid;
  }
}

}  // namespace

SparseTensor operator*(const SparseTensor& x, const Input& y) {
  check_sparse_set(x, "x");
  Composite scope({{"y", y}}, {}, "mul", y.where());
  const Output other = scope.convert(y, "y", base_dtype(x.dtype()));
  return x.with_values(
      scope.result("SparseDenseCwiseMul", {x.indices(), x.values(), x.dense_shape(), other}));
}

SparseTensor operator/(const SparseTensor& x, const Input& y) {
  check_sparse_set(x, "x");
  Composite scope({{"y", y}}, {}, "truediv", y.where());
  Output other = scope.convert(y, "y", base_dtype(x.dtype()));
  Output values = x.values();
  if (const DType dtype = dtype_of_quotient(base_dtype(x.dtype())); dtype != DType::kInvalid) {
    values = scope.op("Cast", {values}, {{"DstT", dtype}});
    other = scope.op("Cast", {other}, {{"DstT", dtype}});
  }
  return x.with_values(scope.result("SparseDenseCwiseDiv", {x.indices(), values, x.dense_shape(), other}));
}

}  // namespace flowray::tf
