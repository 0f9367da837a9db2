// SparseCross, SparseCrossV2, SparseCrossHashed: of several features of each row all combinations of one
// value each, as text or as a hash.

#include "core/checked_size.h"
#include "core/murmur_hash.h"
#include "core/sip_hash.h"
#include "core/wrapping.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"

#include <farmhash.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

void cross_shape(ShapeContext& context) {
  context.set_output(0, Shape{kUnknown, 2});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{2});
}

/// One feature: of each row of the batch its values, which stand one after the other in `values`.
struct CrossedColumn {
  const Array* values;
  bool is_dense;
  std::vector<int64_t> begins;  // of each row, and the end of the last

  int64_t count(int64_t row) const {
    return begins[static_cast<size_t>(row) + 1] - begins[static_cast<size_t>(row)];
  }
  int64_t place(int64_t row, int64_t k) const { return begins[static_cast<size_t>(row)] + k; }
};

std::string text_at(const Array& values, int64_t i) {
  if (values.dtype() == DType::kString) return values.data<std::string>()[i];
  return std::to_string(values.data<int64_t>()[i]);
}
uint64_t fingerprint_of(std::string_view bytes) { return util::Fingerprint64(bytes.data(), bytes.size()); }
uint64_t hash_at(const Array& values, int64_t i) {
  if (values.dtype() != DType::kString) return static_cast<uint64_t>(values.data<int64_t>()[i]);
  return fingerprint_of(values.data<std::string>()[i]);
}

/// What SparseCrossHashed hashes a value by.
struct ValueHash {
  bool is_strong;
  uint64_t salt[2];

  /// Of a number TensorFlow looks at the first four bytes, and of a dense one at none without a salt.
  uint64_t of(const CrossedColumn& column, int64_t i) const {
    const Array& values = *column.values;
    if (values.dtype() == DType::kString) return of(values.data<std::string>()[i]);
    if (column.is_dense && !is_strong) return hash_at(values, i);
    const auto low = static_cast<uint32_t>(values.data<int64_t>()[i]);
    char bytes[4];
    for (int k = 0; k < 4; ++k) bytes[k] = static_cast<char>(low >> (8 * k) & 0xff);
    return of({bytes, 4});
  }

 private:
  uint64_t of(std::string_view bytes) const {
    return is_strong ? SipHash(salt[0], salt[1]).of(bytes) : fingerprint_of(bytes);
  }
};

/// The parts of the inputs: N indices, N values, N shapes, dense ones.
struct CrossInputs {
  int num_sparse;
  int num_dense;

  /// `num_others`: inputs behind these.
  explicit CrossInputs(const DynamicCall& call, int num_others = 0)
      : num_sparse(checked_int32("N", call.attrs().get<int64_t>("N"))),
        num_dense(call.num_inputs() - num_others - 3 * num_sparse) {}
};

/// That there are texts only, where all are to be texts; of numbers texts are made, or hashes of texts. The
/// types are told by TensorFlow's numbers.
void check_internal_type(const DynamicCall& call, const CrossInputs& inputs) {
  if (call.attrs().get<DType>("internal_type") != DType::kString) return;
  const int n = inputs.num_sparse;
  for (int i = 0; i < n + inputs.num_dense; ++i) {
    const DType dtype = call.in(i < n ? n + i : 2 * n + i).dtype();
    if (dtype == DType::kString) continue;
    invalid_argument(fmt::format("{} should be of internal type {} but received {}",
                                 i < n ? "Input values" : "Dense inputs", static_cast<int>(DType::kString),
                                 static_cast<int>(dtype)));
  }
}

void check_cross(const DynamicCall& call, const CrossInputs& inputs) {
  const auto& types = call.attrs().get<std::vector<DType>>("sparse_types");
  if (std::ssize(types) != inputs.num_sparse) {
    invalid_argument(fmt::format("Expected {} input values, got {}", inputs.num_sparse, types.size()));
  }
  const int n = inputs.num_sparse;
  for (int i = 0; i < n; ++i) {
    const Array& indices = call.in(i);
    if (indices.rank() != 2) {
      invalid_argument(fmt::format("Input indices should be a matrix but received shape {} at position {}",
                                   indices.shape().to_string(), i));
    }
    if (indices.dim(1) != 2)
      invalid_argument(fmt::format("Expected D2 of index to be 2 got {} at position {}", indices.dim(1), i));
    if (call.in(n + i).rank() != 1) {
      invalid_argument(fmt::format("Input values should be a vector but received shape {} at position {}",
                                   call.in(n + i).shape().to_string(), i));
    }
    if (indices.dim(0) != call.in(n + i).dim(0)) {
      invalid_argument(fmt::format("Expected size of values to be {} got {} at position {}", indices.dim(0),
                                   call.in(n + i).dim(0), i));
    }
    if (call.in(2 * n + i).rank() != 1) {
      invalid_argument(fmt::format("Input shapes should be a vector but received shape {} at position {}",
                                   call.in(2 * n + i).shape().to_string(), i));
    }
    if (call.in(2 * n + i).size() != 2)
      invalid_argument(fmt::format("shape should imply a 2D tensor, but got {} at position {}",
                                   call.in(2 * n + i).shape().to_string(), i));
  }
  for (int i = 0; i < inputs.num_dense; ++i) {
    const Array& dense = call.in(3 * n + i);
    if (dense.rank() != 2)
      invalid_argument(fmt::format("Dense inputs should be a matrix but received shape {} at position {}",
                                   dense.shape().to_string(), i));
  }
}

int64_t batch_size(const DynamicCall& call, const CrossInputs& inputs) {
  const int n = inputs.num_sparse;
  if (n + inputs.num_dense == 0) invalid_argument("SparseCross needs at least one input");
  const auto size = [&](int i) {
    return i < n ? graph::to_integers(call.in(2 * n + i)).front() : call.in(2 * n + i).dim(0);
  };
  const int64_t first = size(0);
  for (int i = 1; i < n + inputs.num_dense; ++i) {
    if (size(i) != first)
      invalid_argument(fmt::format("Expected batch size {} got {} at position {}", first, size(i), i));
  }
  if (first < 0) invalid_argument(fmt::format("Dimension {} must be >= 0", first));
  return checked_count("rows of a batch", first);
}

std::vector<CrossedColumn> columns_of(const DynamicCall& call, const CrossInputs& inputs, int64_t batch) {
  std::vector<CrossedColumn> columns;
  const int n = inputs.num_sparse;
  for (int i = 0; i < n; ++i) {
    CrossedColumn column{&call.in(n + i), false, std::vector<int64_t>(static_cast<size_t>(batch) + 1, 0)};
    const Coordinates coordinates(call.in(i));
    int64_t before = 0;
    for (int64_t k = 0; k < coordinates.count(); ++k) {
      const int64_t row = coordinates[k][0];
      if (row < before || row >= batch)
        invalid_argument(fmt::format(
            "Got invalid feature index {} at position {}: there are {} rows, in order", row, i, batch));
      ++column.begins[static_cast<size_t>(row) + 1];
      before = row;
    }
    for (size_t row = 1; row < column.begins.size(); ++row)
      column.begins[row] += column.begins[row - 1];  // size: at most the values
    columns.push_back(std::move(column));
  }
  for (int i = 0; i < inputs.num_dense; ++i) {
    const Array& dense = call.in(3 * n + i);
    CrossedColumn column{&dense, true, {}};
    for (int64_t row = 0; row <= batch; ++row) column.begins.push_back(checked(row) * dense.dim(1));
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Goes to the next combination of one value each; false after the last. The last feature changes first.
bool advance(std::vector<int64_t>& chosen, const std::vector<CrossedColumn>& columns, int64_t row) {
  for (size_t c = columns.size(); c-- > 0;) {
    if (++chosen[c] < columns[c].count(row)) return true;
    chosen[c] = 0;
  }
  return false;
}

struct Crosser {
  bool is_hashed;
  uint64_t num_buckets;
  uint64_t hash_key;
  std::string separator = "_X_";
  std::optional<ValueHash> value_hash = {};  // without it `hash_key` stands before the values' hashes

  int64_t hash(const std::vector<CrossedColumn>& columns, int64_t row,
               const std::vector<int64_t>& chosen) const {
    uint64_t joined = hash_key;
    for (size_t c = 0; c < columns.size(); ++c) {
      const int64_t place = columns[c].place(row, chosen[c]);
      const uint64_t own =
          value_hash.has_value() ? value_hash->of(columns[c], place) : hash_at(*columns[c].values, place);
      joined = value_hash.has_value() && c == 0 ? own : joined_hash(joined, own);
    }
    const uint64_t most =
        num_buckets > 0 ? num_buckets : static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return static_cast<int64_t>(joined % most);
  }
  std::string text(const std::vector<CrossedColumn>& columns, int64_t row,
                   const std::vector<int64_t>& chosen) const {
    std::string joined;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) joined += separator;
      joined += text_at(*columns[c].values, columns[c].place(row, chosen[c]));
    }
    return joined;
  }
};

void cross_by(DynamicCall& call, const CrossInputs& inputs, const Crosser& crosser, DType out_type) {
  const int64_t batch = batch_size(call, inputs);
  const std::vector<CrossedColumn> columns = columns_of(call, inputs, batch);
  CheckedSize total = checked(0);
  int64_t longest = 0;
  for (int64_t row = 0; row < batch; ++row) {
    CheckedSize count = checked(1);
    for (const CrossedColumn& column : columns) count *= column.count(row);
    total += count;
    longest = std::max<int64_t>(longest, count);
  }
  Array indices(DType::kInt64, Shape{total, 2});
  Array values(out_type, Shape{total});
  auto* at = indices.mutable_data<int64_t>();
  int64_t i = 0;
  for (int64_t row = 0; row < batch; ++row) {
    const auto has_values = [&](const CrossedColumn& column) { return column.count(row) > 0; };
    if (!std::ranges::all_of(columns, has_values)) continue;
    std::vector<int64_t> chosen(columns.size(), 0);
    int64_t k = 0;
    do {
      *at++ = row;
      *at++ = k++;
      if (crosser.is_hashed) {
        values.mutable_data<int64_t>()[i++] = crosser.hash(columns, row, chosen);
      } else {
        values.mutable_data<std::string>()[i++] = crosser.text(columns, row, chosen);
      }
    } while (advance(chosen, columns, row));
  }
  call.set_out(0, std::move(indices));
  call.set_out(1, std::move(values));
  call.set_out(2, Array(std::vector<int64_t>{batch, longest}));
}

void cross(DynamicCall& call) {
  const CrossInputs inputs(call);
  check_cross(call, inputs);
  check_internal_type(call, inputs);
  const Crosser crosser{call.attrs().get<bool>("hashed_output"),
                        static_cast<uint64_t>(call.attrs().get<int64_t>("num_buckets")),
                        static_cast<uint64_t>(call.attrs().get<int64_t>("hash_key"))};
  const DType out_type = call.attrs().get<DType>("out_type");
  if ((out_type == DType::kInt64) != crosser.is_hashed)
    throw errors::UnimplementedError(
        "SparseCross gives int64 where its output is hashed, and strings where it is not.");
  cross_by(call, inputs, crosser, out_type);
}

void cross_to_text(DynamicCall& call) {
  const CrossInputs inputs(call, 1);
  check_cross(call, inputs);
  const Array& separator = call.in(call.num_inputs() - 1);
  if (separator.rank() != 0) {
    const auto texts =
        separator.span<std::string>().first(static_cast<size_t>(std::min<int64_t>(separator.size(), 3)));
    invalid_argument(
        fmt::format("Input separator should be a scalar. Received: Tensor<type: string shape: {} values: {}>",
                    separator.shape().to_string(), fmt::join(texts, " ")));
  }
  cross_by(call, inputs, {false, 0, 0, *separator.data<std::string>()}, DType::kString);
}

/// The number or truth that an input holds.
template <class T>
T only_element(const Array& array, std::string_view what) {
  if (array.size() != 1) {
    invalid_argument(
        fmt::format("Input {} should be a scalar but received shape {}", what, array.shape().to_string()));
  }
  return array.data<T>()[0];
}

void cross_to_hashes(DynamicCall& call) {
  const CrossInputs inputs(call, 3);
  check_cross(call, inputs);
  const int first = call.num_inputs() - 3;
  const auto num_buckets = only_element<int64_t>(call.in(first), "num_buckets");
  const bool is_strong = only_element<bool>(call.in(first + 1), "strong_hash");
  const Array& salt = call.in(first + 2);
  if (salt.size() != 2)
    invalid_argument(fmt::format("Input \"salt\" must have length 2 but has length {}", salt.size()));
  const auto key = [&](int i) { return static_cast<uint64_t>(salt.data<int64_t>()[i]); };
  Crosser crosser{true, static_cast<uint64_t>(std::max<int64_t>(num_buckets, 0)), 0};
  crosser.value_hash = ValueHash{is_strong, {key(0), key(1)}};
  cross_by(call, inputs, crosser, DType::kInt64);
}

constexpr graph::OpRow kSparseCrossOps[] = {
    {.name = "SparseCross",
     .inputs = "indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types]",
     .outputs = "output_indices:int64, output_values:out_type, output_shape:int64",
     .attrs = "N:int>=0; hashed_output:bool; num_buckets:int>=0; hash_key:int; "
              "sparse_types:list(type){[int64,string]}; dense_types:list(type){[int64,string]}; "
              "out_type:type{[int64,string]}; internal_type:type{[int64,string]}",
     .shape = cross_shape,
     .compute = cross},
    {.name = "SparseCrossV2",
     .inputs =
         "indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types], sep:string",
     .outputs = "output_indices:int64, output_values:string, output_shape:int64",
     .attrs = "N:int>=0; sparse_types:list(type){[int64,string]}; dense_types:list(type){[int64,string]}",
     .shape = cross_shape,
     .compute = cross_to_text},
    {.name = "SparseCrossHashed",
     .inputs = "indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types], "
               "num_buckets:int64, strong_hash:bool, salt:int64",
     .outputs = "output_indices:int64, output_values:int64, output_shape:int64",
     .attrs = "N:int>=0; sparse_types:list(type){[int64,string]}; dense_types:list(type){[int64,string]}",
     .shape = cross_shape,
     .compute = cross_to_hashes},
};

}  // namespace

void register_sparse_cross_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseCrossOps) table.add(row);
}

}  // namespace flowray::ops
