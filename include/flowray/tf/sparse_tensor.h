#pragma once
/// tf.SparseTensor: a tensor most of whose elements are zero, as the coordinates and values of the others.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/session.h>
#include <flowray/tf/tensor.h>

#include <concepts>
#include <iosfwd>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.SparseTensorValue: what a session gives for a SparseTensor, and what is fed for one.
struct SparseTensorValue {
  /// int64 [n, rank]: where the values stand, row by row.
  Array indices;
  /// [n].
  Array values;
  /// int64 [rank].
  Array dense_shape;
};

template <std::same_as<SparseTensor> T>
SparseTensorValue Session::run(const T& fetch, const FeedDict& feeds, const RunOptions& options,
                               RunMetadata* run_metadata) {
  return run_sparse(fetch, feeds, options, run_metadata);
}

/// Three tensors: int64 indices [n, rank], values [n], int64 dense_shape [rank]. Most functions want the
/// indices in the order in which a dense tensor has its elements (tf::sparse::reorder). Its value is fed and
/// fetched as a whole: session.run(sparse, {{placeholder, value}}), beside others by tf::run_nested.
class SparseTensor {
 public:
  using Where = Input::Where;

  /// None, as a default-made Tensor is.
  SparseTensor() = default;
  /// Throws ValueError where the ranks or the numbers of values cannot be.
  SparseTensor(const Input& indices, const Input& values, const Input& dense_shape);
  /// What the value holds, as constants.
  static SparseTensor from_value(const SparseTensorValue& value, Where where = Where::current());

  /// Whether it is not None.
  bool has_value() const noexcept { return values_.has_value(); }
  /// Where the values stand.
  const Tensor& indices() const { return indices_; }
  /// The values.
  const Tensor& values() const { return values_; }
  /// The shape of the dense tensor, as a tensor.
  const Tensor& dense_shape() const { return dense_shape_; }
  /// The dtype of its values.
  DType dtype(Where where = Where::current()) const { return values_.dtype(where); }
  /// The shape of the dense tensor, as far as it is known.
  const TensorShape& shape() const { return shape_; }
  /// shape() by TensorFlow's name.
  const TensorShape& get_shape() const { return shape_; }
  /// Adds what the program knows about the shape. Throws ValueError if it contradicts what is known.
  void set_shape(const TensorShape& shape) { shape_ = shape_.merge_with(shape); }
  /// The operation that makes its values.
  Operation op(Where where = Where::current()) const { return values_.op(where); }
  /// The graph that it belongs to.
  Graph graph(Where where = Where::current()) const { return values_.graph(where); }
  /// Other values in the same places.
  SparseTensor with_values(const Input& values) const;

  /// What feeds it with a value, alone.
  FeedDict fed(const SparseTensorValue& value) const;
  /// Adds that to what is fed otherwise.
  void feed(FeedDict& feeds, const SparseTensorValue& value) const;
  /// Its value in a step of the default session, or of `session`.
  SparseTensorValue eval(const FeedDict& feeds = {}, Session* session = nullptr,
                         Where where = Where::current()) const;

 private:
  Tensor indices_;
  Tensor values_;
  Tensor dense_shape_;
  TensorShape shape_ = TensorShape::unknown_rank();
};

/// An argument that is a sparse tensor. It remembers the line where it was made, so that the nodes it goes
/// into know the user's line; it lives only as long as the call.
class SparseInput : public SparseTensor {
 public:
  SparseInput(const SparseTensor& tensor, Where where = Where::current())  // NOLINT: implicit
      : SparseTensor(tensor), where_(where) {}
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  Where where_;
};

/// SparseTensor(indices=Tensor(..), values=Tensor(..), dense_shape=Tensor(..))
std::ostream& operator<<(std::ostream& out, const SparseTensor& tensor);

/// A sparse tensor that has to be fed. Of a shape whose dimensions are not all known, -1 stands for those.
SparseTensor sparse_placeholder(DType dtype, const TensorShape& shape = TensorShape::unknown_rank(),
                                const NameOption& options = {}, Input::Where where = Input::Where::current());

/// The values divided by what they meet of a dense tensor, which is broadcast to the sparse shape.
SparseTensor operator/(const SparseTensor& x, const Input& y);
/// The values times what they meet of a dense tensor.
SparseTensor operator*(const SparseTensor& x, const Input& y);

}  // namespace flowray::tf

#pragma GCC visibility pop
