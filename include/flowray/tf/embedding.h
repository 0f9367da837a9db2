#pragma once
/// Rows of tables by number: of several tables, and sums of those that a sparse tensor names.

#include <flowray/tf/nn.h>
#include <flowray/tf/sparse_tensor.h>

#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace flowray::tf::nn {

struct EmbeddingLookupOptions {
  /// How rows are spread over several tables: "mod", one after the other in turn, or "div", evenly one table
  /// after the other.
  std::string partition_strategy = "mod";
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// Rows that are longer are made as long as this.
  OptionalInput max_norm = {};
};
/// Rows by number of one table, or of several that are parts of one. Throws ValueError for no table and for a
/// strategy that there is not.
Tensor embedding_lookup_of_parts(const List<Input>& params, const Input& ids,
                                 const EmbeddingLookupOptions& options = {});

struct EmbeddingLookupSparseOptions {
  /// As in EmbeddingLookupOptions.
  std::string partition_strategy = "mod";
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// "mean", "sqrtn" (divided by the root of the sum of squares) or "sum".
  std::string combiner = "mean";
  /// Rows that are longer are made as long as this, before they are combined.
  OptionalInput max_norm = {};
  /// For one table without max_norm: whether rows are combined without looking up each of them once first;
  /// true where nothing is trained: in training it may make the gradient one of the whole table, which takes
  /// memory.
  bool allow_fast_lookup = false;
};
/// For each row of a sparse matrix of ids the rows of the tables that it names, combined; `sp_weights`, where
/// it is set, has a weight for each id, in the same places. Each row of ids must have one.
Tensor embedding_lookup_sparse(const List<Input>& params, const SparseInput& sp_ids,
                               const SparseTensor& sp_weights,
                               const EmbeddingLookupSparseOptions& options = {});

struct SafeEmbeddingLookupSparseOptions {
  /// A weight for each id, in the same places; ids whose weight is not above 0 are left out, unless combiner
  /// is "sum". Unset: 1.
  SparseTensor sparse_weights = {};
  /// How the rows of one element become one: "mean", "sqrtn" or "sum".
  std::string combiner = "mean";
  /// What rows without ids are; left out: zero.
  std::optional<int64_t> default_id = std::nullopt;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// As in EmbeddingLookupOptions.
  std::string partition_strategy = "div";
  /// Rows that are longer are made as long as this, before they are combined.
  OptionalInput max_norm = {};
  /// As in EmbeddingLookupSparseOptions.
  bool allow_fast_lookup = false;
};
/// The same where ids may be below 0, which are left out, and rows may have none; of ids of any rank, along
/// the last dimension.
Tensor safe_embedding_lookup_sparse(const List<Input>& embedding_weights, const SparseInput& sparse_ids,
                                    const SafeEmbeddingLookupSparseOptions& options = {});

}  // namespace flowray::tf::nn

#pragma GCC visibility pop
