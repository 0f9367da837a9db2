// The programs of embeddings in tests/oracle/programs/sparse_tensor.py in C++, and values.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/embedding.h>
#include <flowray/tf/variable.h>

namespace flowray {
namespace {

namespace nn = tf::nn;

tf::SparseTensor matrix(const char* name, const tf::TensorShape& shape, DType dtype = tf::float32) {
  return tf::sparse_placeholder(dtype, shape, {.name = name});
}

std::vector<tf::Variable> tables(const std::vector<tf::TensorShape>& shapes) {
  std::vector<tf::Variable> made;
  for (const tf::TensorShape& shape : shapes)
    made.push_back(tf::Variable(tf::ones(shape), {.name = "table_" + std::to_string(made.size())}));
  return made;
}

GOLDEN_PROGRAM(embeddings_of_parts) {
  auto ids = tf::placeholder(tf::int32, {2, 3}, {.name = "ids"});
  auto parts = tables({{3, 2}, {3, 2}, {2, 2}});
  nn::embedding_lookup_of_parts(parts, ids);
  nn::embedding_lookup_of_parts(parts, ids, {.partition_strategy = "div", .name = "named"});
  nn::embedding_lookup_of_parts({parts[0]}, ids, {.max_norm = 1.0});
  auto longs = tf::placeholder(DType::kInt64, {tf::None}, {.name = "long"});
  nn::embedding_lookup_of_parts(parts, longs, {.max_norm = 2.0});
}

GOLDEN_PROGRAM(embeddings_of_parts_of_unknown_size) {
  auto ids = tf::placeholder(tf::int32, {tf::None}, {.name = "ids"});
  auto a = tf::placeholder(tf::float32, {tf::None, 4}, {.name = "a"});
  auto b = tf::placeholder(tf::float32, {tf::None, 4}, {.name = "b"});
  nn::embedding_lookup_of_parts({a, b}, ids, {.partition_strategy = "div"});
}

GOLDEN_PROGRAM(embeddings_of_sparse_ids) {
  auto ids = matrix("ids", {tf::None, tf::None}, DType::kInt64);
  auto weights = matrix("weights", {tf::None, tf::None});
  auto table = tables({{6, 2}})[0];
  nn::embedding_lookup_sparse({table}, ids, {});
  nn::embedding_lookup_sparse({table}, ids, {}, {.combiner = "sqrtn", .max_norm = 1.0});
  nn::embedding_lookup_sparse({table}, ids, weights, {.name = "named", .combiner = "sum"});
  nn::embedding_lookup_sparse({table}, ids, weights, {.combiner = "mean"});
  nn::embedding_lookup_sparse({table, table}, ids, weights,
                              {.partition_strategy = "div", .combiner = "sqrtn"});
}

TEST(EmbeddingLookup, FindsRowsInTheirParts) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Input even = {{0.0}, {2.0}, {4.0}};
  const tf::Input odd = {{1.0}, {3.0}};
  tf::Session session;
  const Array wanted = Array::from(std::vector<float>{3, 0, 4}, {3, 1});
  EXPECT_EQ(session.run(nn::embedding_lookup_of_parts({even, odd}, {3, 0, 4})), wanted);
  const tf::Input first = {{0.0}, {1.0}, {2.0}};
  const tf::Input second = {{3.0}, {4.0}};
  EXPECT_EQ(
      session.run(nn::embedding_lookup_of_parts({first, second}, {3, 0, 4}, {.partition_strategy = "div"})),
      wanted);
  EXPECT_THROW(nn::embedding_lookup_of_parts({first, second}, {0}, {.partition_strategy = "odd"}),
               tf::ValueError);
}

TEST(SafeEmbeddingLookupSparse, LeavesInvalidIdsOut) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Input table = {{1.0, 2.0}, {3.0, 4.0}};
  const tf::SparseTensor ids({{0, 0}, {0, 1}, {2, 0}}, Array(std::vector<int64_t>{0, 1, -1}), {3, 2});
  tf::Session session;
  EXPECT_EQ(session.run(nn::safe_embedding_lookup_sparse({table}, ids)),
            Array::from(std::vector<float>{2, 3, 0, 0, 0, 0}, {3, 2}));
  EXPECT_EQ(session.run(nn::safe_embedding_lookup_sparse({table}, ids, {.combiner = "sum", .default_id = 1})),
            Array::from(std::vector<float>{4, 6, 3, 4, 3, 4}, {3, 2}));
}

}  // namespace
}  // namespace flowray
