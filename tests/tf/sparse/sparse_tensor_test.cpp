// tests/oracle/programs/sparse_tensor.py in C++, and values fed and fetched.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/sparse.h>

#include <sstream>

namespace flowray {
namespace {

namespace sparse = tf::sparse;

tf::SparseTensor matrix(const char* name = "sp", const tf::TensorShape& shape = {3, 4},
                        DType dtype = tf::float32) {
  return tf::sparse_placeholder(dtype, shape, {.name = name});
}

tf::SparseTensor constant_matrix() { return {{{0, 1}, {2, 3}}, {1.0, 2.0}, {3, 4}}; }

GOLDEN_PROGRAM(sparse_tensors_made) {
  constant_matrix();
  auto values = tf::placeholder(DType::kInt64, {tf::None, 2});
  auto words = tf::placeholder(DType::kString, {tf::None});
  tf::SparseTensor(values, words, {2, 2});
  tf::sparse_placeholder(tf::float32);
  tf::sparse_placeholder(DType::kInt64, {tf::None, 5});
  tf::sparse_placeholder(tf::float32, tf::TensorShape::unknown_rank(), {.name = "of_any_shape"});
  tf::sparse_placeholder(DType::kString, {2, tf::None}, {.name = "words"});
}

GOLDEN_PROGRAM(sparse_to_dense_and_back) {
  auto sp = matrix();
  sparse::to_dense(sp);
  sparse::to_dense(sp, {.default_value = -1.0, .validate_indices = false, .name = "named"});
  sparse::from_dense(tf::placeholder(tf::float32, {2, 3}, {.name = "dense"}));
  sparse::from_dense(tf::placeholder(tf::float32, {tf::None, 3}, {.name = "other"}), {.name = "back"});
  sparse::eye(3);
  sparse::eye(3, {.num_columns = 4, .dtype = tf::int32, .name = "wide"});
}

GOLDEN_PROGRAM(sparse_indicators) {
  auto ids = matrix("ids", {2, tf::None}, DType::kInt64);
  sparse::to_indicator(ids, 10);
  sparse::to_indicator(matrix("small", {2, tf::None}, tf::int32), 10, {.name = "named"});
  sparse::merge(ids, matrix("weights", {2, tf::None}), 10);
  sparse::merge(ids, matrix("other", {2, tf::None}), 10, {.name = "merged", .already_sorted = true});
}

GOLDEN_PROGRAM(sparse_order_and_shape) {
  auto sp = matrix();
  sparse::reorder(sp);
  sparse::reorder(tf::sparse_placeholder(tf::float32, tf::TensorShape::unknown_rank(), {.name = "any"}),
                  {.name = "named"});
  sparse::reshape(sp, {2, -1});
  sparse::reshape(constant_matrix(), {12}, {.name = "flat"});
  sparse::reset_shape(sp);
  sparse::reset_shape(constant_matrix(), {4, 5});
  sparse::reset_shape(matrix("open", {tf::None, 4}), {4, 5});
}

GOLDEN_PROGRAM(sparse_transposed) {
  sparse::transpose(matrix());
  sparse::transpose(constant_matrix(), {.perm = {1, 0}, .name = "named"});
  sparse::transpose(tf::sparse_placeholder(tf::float32, tf::TensorShape::unknown_rank(), {.name = "any"}));
  sparse::expand_dims(matrix("other"));
  sparse::expand_dims(matrix("third"), {.axis = 0, .name = "rows"});
}

GOLDEN_PROGRAM(sparse_joined_and_cut) {
  auto a = matrix("a");
  auto b = matrix("b", {3, 2});
  sparse::concat(1, {a, b});
  auto first = constant_matrix();
  auto second = constant_matrix();
  sparse::concat(1, {first, second}, {.name = "named"});
  sparse::concat(0, {a, b}, {.expand_nonconcat_dim = true});
  sparse::concat(-1, {a, matrix("c")}, {.expand_nonconcat_dim = true});
  sparse::split(a, 2, 1);
  sparse::split(a, 2, 0, {.name = "halves"});
  sparse::slice(a, {0, 1}, {2, 2});
  sparse::slice(a, {0, 0}, {1, 1}, {.name = "corner"});
}

GOLDEN_PROGRAM(sparse_rows_kept_and_filled) {
  auto sp = matrix();
  sparse::retain(sp, tf::placeholder(DType::kBool, {tf::None}, {.name = "keep"}));
  sparse::retain(constant_matrix(), {true, false});
  sparse::fill_empty_rows(sp, 7.0);
  sparse::fill_empty_rows(matrix("words", {2, tf::None}, DType::kString), "none", {.name = "named"});
}

GOLDEN_PROGRAM(sparse_sums) {
  auto a = matrix("a");
  auto b = matrix("b");
  sparse::add(a, b);
  auto first = constant_matrix();
  auto second = constant_matrix();
  sparse::add(first, second, 0.5);
  sparse::add(a, tf::placeholder(tf::float32, {3, 4}, {.name = "dense"}));
  sparse::add(a, tf::ones({3, 4}));
  sparse::maximum(a, b);
  sparse::minimum(a, b, {.name = "least"});
}

GOLDEN_PROGRAM(sparse_products) {
  auto sp = matrix();
  auto dense = tf::placeholder(tf::float32, {4, 2}, {.name = "dense"});
  sparse::sparse_dense_matmul(sp, dense);
  auto other = tf::placeholder(tf::float32, {2, 4}, {.name = "other"});
  sparse::sparse_dense_matmul(sp, other, {.adjoint_b = true, .name = "named"});
  auto left = tf::placeholder(tf::float32, {2, 3}, {.name = "left"});
  tf::transpose(sparse::sparse_dense_matmul(sp, left, {.adjoint_a = true, .adjoint_b = true}));
  (void)(sp * tf::placeholder(tf::float32, {4}, {.name = "row"}));
  (void)(sp / 2.0);
  auto numbers = matrix("numbers", {3, 4}, tf::int32);
  (void)(numbers / tf::placeholder(tf::int32, {4}, {.name = "divisors"}));
}

GOLDEN_PROGRAM(sparse_reductions) {
  auto sp = matrix();
  sparse::reduce_sum(sp);
  sparse::reduce_sum(sp, {.axis = 1});
  sparse::reduce_sum(sp, {.axis = tf::OptionalInput({0}), .keepdims = true});
  sparse::reduce_max(sp, {.axis = tf::OptionalInput({0, 1})});
  sparse::reduce_max(tf::sparse_placeholder(tf::float32, tf::TensorShape::unknown_rank(), {.name = "any"}));
  sparse::reduce_sum_sparse(sp, {.axis = 0});
  sparse::reduce_max_sparse(sp, {.axis = 1, .keepdims = true});
  sparse::softmax(sp);
  sparse::softmax(sp, {.name = "named"});
}

GOLDEN_PROGRAM(sparse_gradients_of_products) {
  auto v = tf::placeholder(tf::float32, {2}, {.name = "v"});
  auto w = tf::placeholder(tf::float32, {4, 2}, {.name = "w"});
  const tf::SparseTensor sp({{0, 1}, {2, 3}}, v, {3, 4});
  auto y = sparse::sparse_dense_matmul(sp, w);
  tf::gradients(y, {v, w});
}

GOLDEN_PROGRAM(sparse_gradients_of_order) {
  auto v = tf::placeholder(tf::float32, {2}, {.name = "v"});
  const tf::SparseTensor sp({{2, 1}, {0, 3}}, v, {3, 4});
  tf::gradients(sparse::reorder(sp).values(), {v});
  tf::gradients(sparse::slice(sp, {0, 0}, {2, 4}).values(), {v}, {.name = "of_slice"});
  auto filled = sparse::fill_empty_rows(sp, 0.0).sp_ordered_output;
  tf::gradients(filled.values(), {v}, {.name = "of_filled"});
}

GOLDEN_PROGRAM(sparse_gradients_of_reordered_placeholder) {
  auto v = tf::placeholder(tf::float32, {tf::None}, {.name = "v"});
  auto i = tf::placeholder(DType::kInt64, {tf::None, 2}, {.name = "i"});
  auto s = tf::placeholder(DType::kInt64, {2}, {.name = "s"});
  tf::gradients(sparse::reorder(tf::SparseTensor(i, v, s)).values(), {v});
}

GOLDEN_PROGRAM(sparse_gradients_of_sums) {
  auto v = tf::placeholder(tf::float32, {2}, {.name = "v"});
  auto dense = tf::placeholder(tf::float32, {3, 4}, {.name = "dense"});
  const tf::SparseTensor sp({{0, 1}, {2, 3}}, v, {3, 4});
  tf::gradients(sparse::add(sp, constant_matrix()).values(), {v}, {.name = "of_two"});
  tf::gradients(sparse::add(sp, dense), {v, dense}, {.name = "of_dense"});
  tf::gradients(sparse::to_dense(sp), {v}, {.name = "of_all"});
}

GOLDEN_PROGRAM(sparse_gradients_of_rows) {
  auto v = tf::placeholder(tf::float32, {2}, {.name = "v"});
  const tf::SparseTensor sp({{0, 1}, {2, 3}}, v, {3, 4});
  tf::gradients(sparse::softmax(sp).values(), {v}, {.name = "of_softmax"});
  tf::gradients(sparse::reduce_sum(sp, {.axis = 1}), {v}, {.name = "of_sum"});
}

GOLDEN_PROGRAM(sparse_gradients_of_elements) {
  auto v = tf::placeholder(tf::float32, {2}, {.name = "v"});
  auto dense = tf::placeholder(tf::float32, {4}, {.name = "dense"});
  const tf::SparseTensor sp({{0, 1}, {2, 3}}, v, {3, 4});
  tf::gradients((sp * dense).values(), {v, dense}, {.name = "of_product"});
  tf::gradients((sp / dense).values(), {v, dense}, {.name = "of_quotient"});
}

GOLDEN_PROGRAM(sets_of_rows) {
  auto a = tf::placeholder(tf::int32, {2, 3}, {.name = "a"});
  auto b = tf::placeholder(tf::int32, {2, 4}, {.name = "b"});
  auto sp = matrix("sp", {2, tf::None}, tf::int32);
  tf::sets::intersection(a, b);
  tf::sets::intersection(a, sp);
  tf::sets::difference(a, b);
  tf::sets::difference(a, b, {.aminusb = false});
  tf::sets::difference(a, sp, {.aminusb = false, .validate_indices = false});
  tf::sets::union_(a, {{1}, {2}});
  tf::sets::union_(sp, sp);
  tf::sets::size(sp);
}

// ---- values

TEST(SparseTensor, IsFedAndFetchedAsAWhole) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto sp = matrix("sp", {2, 3});
  auto doubled = sp * 2.0;
  tf::Session session;
  const tf::SparseTensorValue value{{{0, 2}, {1, 0}}, {1.5, 2.5}, {2, 3}};
  const tf::SparseTensorValue got = doubled.eval(sp.fed(value), &session);
  EXPECT_EQ(got.indices, Array::from(std::vector<int64_t>{0, 2, 1, 0}, {2, 2}));
  EXPECT_EQ(got.values, Array(std::vector<float>{3, 5}));
  EXPECT_EQ(got.dense_shape, Array(std::vector<int64_t>{2, 3}));
  EXPECT_EQ(session.run(sparse::to_dense(sp), sp.fed(value)),
            Array::from(std::vector<float>{0, 0, 1.5, 2.5, 0, 0}, {2, 3}));
}

TEST(SparseTensor, IsFedAmongOthersAndFetchedAlone) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto sp = matrix("sp", {2, 3});
  auto x = tf::placeholder(tf::float32, tf::TensorShape{}, {.name = "x"});
  const auto scaled = sp * x;
  tf::Session session;
  const tf::SparseTensorValue value{{{0, 2}, {1, 0}}, {1.5, 2.5}, {2, 3}};
  EXPECT_EQ(session.run(scaled, {{sp, value}, {x, 2.0}}).values, Array(std::vector<float>{3, 5}));
  tf::FeedDict feeds{{x, 3.0}};
  feeds.add(sp, value);
  EXPECT_EQ(feeds.feeds().size(), 4u);
  EXPECT_EQ(session.run(scaled, feeds).values, Array(std::vector<float>{4.5, 7.5}));
  EXPECT_THROW(session.run(tf::SparseTensor()), tf::ValueError);
  EXPECT_THROW((tf::FeedDict{{tf::SparseTensor(), value}}), tf::ValueError);
}

TEST(SparseTensor, RefusesPartsThatDoNotFit) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto made = [](const tf::Input& indices, const tf::Input& values) {
    tf::SparseTensor(indices, values, {3, 4});
  };
  EXPECT_THROW(made({0, 1}, {1.0}), tf::ValueError);
  EXPECT_THROW(made({{0, 1}}, {1.0, 2.0}), tf::ValueError);
  EXPECT_THROW(made({{0, 1, 2}}, {1.0}), tf::ValueError);
  EXPECT_THROW(made({{0, 1}}, 1.0), tf::ValueError);
}

TEST(SparseTensor, SaysWhatItIs) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  std::ostringstream text;
  text << constant_matrix();
  EXPECT_EQ(text.str(),
            "SparseTensor(indices=Tensor(\"SparseTensor/indices:0\", shape=(2, 2), dtype=int64), "
            "values=Tensor(\"SparseTensor/values:0\", shape=(2,), dtype=float32), "
            "dense_shape=Tensor(\"SparseTensor/dense_shape:0\", shape=(2,), dtype=int64))");
  EXPECT_FALSE(tf::SparseTensor().has_value());
  EXPECT_THROW(sparse::reorder(tf::SparseTensor()), tf::ValueError);
}

TEST(SparseTensor, MapsAFunctionOverItsValues) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto sp = sparse::map_values([](const tf::Tensor& x) { return x + 1; }, constant_matrix());
  tf::Session session;
  EXPECT_EQ(sp.eval({}, &session).values, Array(std::vector<float>{2, 3}));
}

}  // namespace
}  // namespace flowray
