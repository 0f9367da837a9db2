// Lines of comma-separated values, by RFC 4180, into columns.

#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/register.h"
#include "ops/elements/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::Attrs;
using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

void decode_csv_shape(ShapeContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    const Shape& shape = context.input(i);
    if (!shape.has_rank()) continue;
    if (shape.rank() > 1) {
      ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", shape.rank()));
    }
    if (shape.rank() == 1 && shape.dim(0) > 1) {
      ShapeContext::fail("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
    }
  }
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, context.input(0));
}

/// How lines are written.
struct Format {
  char delimiter;
  bool has_quotes;
  const std::string& missing;
  std::vector<int64_t> columns;  // those that are wanted, in rising order; empty: all

  explicit Format(const Attrs& attrs)
      : delimiter(one_char(attrs.get<std::string>("field_delim"))),
        has_quotes(attrs.get<bool>("use_quote_delim")),
        missing(attrs.get<std::string>("na_value")),
        columns(attrs.get<std::vector<int64_t>>("select_cols")) {
    const size_t num_outputs = attrs.get<std::vector<DType>>("OUT_TYPE").size();
    if (!columns.empty() && columns.size() != num_outputs) {
      throw InvalidArgumentError("select_cols should match output size");
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] < 0) throw InvalidArgumentError("select_cols should be non-negative indices");
      if (i > 0 && columns[i] <= columns[i - 1]) {
        throw InvalidArgumentError("select_cols should be strictly increasing indices");
      }
    }
  }

  static char one_char(const std::string& text) {
    if (text.size() != 1) throw InvalidArgumentError("field_delim should be only 1 char");
    return text[0];
  }
  bool is_wanted(int64_t column) const {
    return columns.empty() || std::ranges::binary_search(columns, column);
  }
};

/// Takes a line apart.
class Fields {
 public:
  Fields(const Format& format, std::string_view line) : format_(format), line_(line) {}

  std::vector<std::string> all() {
    std::vector<std::string> fields;
    if (line_.empty()) return fields;
    for (int64_t column = 0;; ++column) {
      std::string field = format_.has_quotes && at_ < line_.size() && line_[at_] == '"' ? quoted() : plain();
      if (format_.is_wanted(column)) fields.push_back(std::move(field));
      if (at_ >= line_.size()) return fields;
      ++at_;  // the delimiter
    }
  }

 private:
  std::string plain() {
    const size_t end = std::min(line_.find(format_.delimiter, at_), line_.size());
    const std::string_view field = line_.substr(at_, end - at_);
    if (field.find_first_of(format_.has_quotes ? "\"\n\r" : "\n\r") != std::string_view::npos) {
      throw InvalidArgumentError("Unquoted fields cannot have quotes/CRLFs inside");
    }
    at_ = end;
    return std::string(field);
  }

  std::string quoted() {
    std::string field;
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] != '"') {
        field += line_[at_];
        continue;
      }
      const bool is_last = at_ + 1 == line_.size();
      if (is_last || line_[at_ + 1] == format_.delimiter) {
        ++at_;
        return field;
      }
      if (line_[at_ + 1] != '"') {
        throw InvalidArgumentError("Quote inside a string has to be escaped by another quote");
      }
      field += line_[++at_];
    }
    throw InvalidArgumentError("Quoted field has to end with quote followed by delim or end");
  }

  const Format& format_;
  const std::string_view line_;
  size_t at_ = 0;
};

template <class T>
void put_number(Array& column, int64_t row, const std::string& field, size_t number) {
  const std::optional<T> value = number_from_text<T>(field);
  if (!value) {
    throw InvalidArgumentError(fmt::format("Field {} in record {} is not a valid {}: {}", number, row,
                                           dtype_kernel_name(column.dtype()), field));
  }
  column.mutable_data<T>()[row] = *value;
}

void put_default(Array& column, int64_t row, const Array& value, size_t number) {
  if (value.size() == 0) {
    throw InvalidArgumentError(fmt::format("Field {} is required but missing in record {}!", number, row));
  }
  (void)dispatch<TypeList<float, double, int32_t, int64_t, std::string>>(
      column.dtype(), [&]<class T>() { column.mutable_data<T>()[row] = value.data<T>()[0]; });
}

void put_field(Array& column, int64_t row, std::string field, size_t number) {
  if (column.dtype() == DType::kString) {
    column.mutable_data<std::string>()[row] = std::move(field);
    return;
  }
  (void)dispatch<NumberTypes>(column.dtype(), [&]<class T>() { put_number<T>(column, row, field, number); });
}

void decode_csv(DynamicCall& call) {
  const Format format(call.attrs());
  const auto num_columns = static_cast<size_t>(call.num_inputs() - 1);
  for (size_t i = 0; i < num_columns; ++i) {
    if (call.in(static_cast<int>(i) + 1).rank() > 1)
      throw InvalidArgumentError("Each record default should be at most rank 1");
    if (call.in(static_cast<int>(i) + 1).size() > 1) {
      throw InvalidArgumentError(fmt::format("There should only be 1 default per field but field {} has {}",
                                             i, call.in(static_cast<int>(i) + 1).size()));
    }
  }
  std::vector<Array> columns;
  for (const DType dtype : call.attrs().get<std::vector<DType>>("OUT_TYPE")) {
    columns.emplace_back(dtype, call.in(0).shape());
  }
  const auto lines = call.in(0).span<std::string>();
  for (size_t row = 0; row < lines.size(); ++row) {
    std::vector<std::string> fields = Fields(format, lines[row]).all();
    if (fields.size() != num_columns) {
      throw InvalidArgumentError(
          fmt::format("Expect {} fields but have {} in record {}", num_columns, fields.size(), row));
    }
    for (size_t i = 0; i < num_columns; ++i) {
      const auto at = static_cast<int64_t>(row);
      if (fields[i].empty() || fields[i] == format.missing) {
        put_default(columns[i], at, call.in(static_cast<int>(i) + 1), i);
      } else {
        put_field(columns[i], at, std::move(fields[i]), i);
      }
    }
  }
  for (size_t i = 0; i < num_columns; ++i) call.set_out(static_cast<int>(i), std::move(columns[i]));
}

constexpr graph::OpRow kDecodeCsvOps[] = {
    {.name = "DecodeCSV",
     .inputs = "records:string, record_defaults:[OUT_TYPE]",
     .outputs = "output:[OUT_TYPE]",
     .attrs = "OUT_TYPE:list(type)>=1{[float32,float64,int32,int64,string]}; field_delim:string=\",\"; "
              "use_quote_delim:bool=true; na_value:string=\"\"; select_cols:list(int)=[]",
     .shape = decode_csv_shape,
     .not_differentiable = true,
     .compute = decode_csv},
};

}  // namespace

void register_decode_csv_ops(OpTable& table) {
  for (const graph::OpRow& row : kDecodeCsvOps) table.add(row);
}

}  // namespace flowray::ops
