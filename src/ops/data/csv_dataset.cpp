// Records of comma-separated values in files, by RFC 4180, as elements.

#include "core/dtype_dispatch.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/dataset.h"
#include "ops/data/file_walk.h"
#include "ops/data/register.h"
#include "ops/data/walk_state.h"
#include "ops/elements/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::BlockingCall;
using graph::OpTable;
using graph::ShapeContext;
using GiveUp = std::function<void()>;
using CsvTypes = TypeList<float, double, int32_t, int64_t, std::string>;

/// How records are written, and what of them is wanted.
struct CsvFormat {
  bool has_header = false;
  char delimiter = ',';
  bool has_quotes = true;
  std::string missing;
  std::vector<int64_t> selected;  // columns in rising order; empty: all
  std::vector<int64_t> excluded;  // the same; empty: none
  std::vector<DType> dtypes;      // of the columns that are wanted
  std::vector<Array> defaults;    // of one element, or of none where there must be a value

  bool is_wanted(int64_t column) const {
    if (std::ranges::binary_search(excluded, column)) return false;
    return selected.empty() || std::ranges::binary_search(selected, column);
  }
};

template <class T>
Array csv_value(std::string_view field, size_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    return Array(std::string(field));
  } else {
    const std::optional<T> value = number_from_text<T>(field);
    if (value) return Array(*value);
    throw InvalidArgumentError(fmt::format("Field {} in record is not a valid {}: {}", number,
                                           dtype_kernel_name(kDTypeOf<T>), field));
  }
}

/// The text of a file, taken apart.
class CsvRecords {
 public:
  CsvRecords(const CsvFormat& format, std::string_view text, const IterationContext& context)
      : format_(format), text_(text), context_(context) {}

  /// The values of the next record; false at the end. Throws InvalidArgumentError for the first fault of a
  /// record, behind which it goes on.
  bool next(Element& element) {
    return take_record([&](int64_t column, std::string_view field) {
      if (format_.is_wanted(column)) put(element, field);
    });
  }
  /// Passes one.
  bool skip() {
    return take_record([](int64_t, std::string_view) {});
  }
  /// What is behind the records that it has given.
  std::string_view left() const { return text_.substr(at_); }

 private:
  template <class Use>
  bool take_record(const Use& use) {
    if (at_ == text_.size()) return false;
    std::exception_ptr fault;  // the first
    bool is_last = false;
    for (int64_t column = 0; !is_last; ++column) {
      if (column % kColumnsOfALook == kColumnsOfALook - 1) context_.limits.check();
      try {
        const std::string_view field = take_field(is_last);
        if (fault == nullptr) use(column, field);
      } catch (const InvalidArgumentError&) {
        if (fault == nullptr) fault = std::current_exception();
      }
    }
    if (fault != nullptr) std::rethrow_exception(fault);
    return true;
  }

  std::string_view take_field(bool& is_last) {
    if (format_.has_quotes && at_ < text_.size() && text_[at_] == '"') return take_quoted(is_last);
    const size_t begin = at_;
    bool has_quote = false;
    while (at_ < text_.size() && !is_end(text_[at_])) has_quote |= text_[at_++] == '"';
    const std::string_view field = text_.substr(begin, at_ - begin);
    pass_end(is_last);
    if (has_quote && format_.has_quotes)
      throw InvalidArgumentError("Unquoted fields cannot have quotes inside");
    return field;
  }

  std::string_view take_quoted(bool& is_last) {
    unquoted_.clear();
    bool is_wrong = false;
    ++at_;
    while (true) {
      const size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        at_ = text_.size();
        is_last = true;
        throw InvalidArgumentError("Reached end of file without closing quoted field in record");
      }
      unquoted_ += text_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_ == text_.size() || is_end(text_[at_])) break;
      is_wrong |= text_[at_] != '"';
      unquoted_ += text_[at_++];
    }
    pass_end(is_last);
    if (is_wrong) throw InvalidArgumentError("Quote inside a string has to be escaped by another quote");
    return unquoted_;
  }

  bool is_end(char c) const { return c == format_.delimiter || c == '\n' || c == '\r'; }

  /// What ends a field: nothing where the text does.
  void pass_end(bool& is_last) {
    if (at_ == text_.size()) {
      is_last = true;
      return;
    }
    const char end = text_[at_++];
    if (end == format_.delimiter) return;
    is_last = true;
    if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
  }

  void put(Element& element, std::string_view field) const {
    const size_t number = element.size();
    if (number == format_.dtypes.size()) {
      throw InvalidArgumentError(
          fmt::format("Expect {} fields but have more in record", format_.dtypes.size()));
    }
    const bool is_missing = field.empty() || field == format_.missing;
    const Array& otherwise = format_.defaults[number];
    element.emplace_back();  // also where its value is wrong: the next field is the next column's
    if (is_missing && otherwise.size() == 0) {
      throw InvalidArgumentError(fmt::format("Field {} is required but missing in record!", number));
    }
    (void)dispatch<CsvTypes>(format_.dtypes[number], [&]<class T>() {
      element.back() = is_missing ? Array(otherwise.data<T>()[0]) : csv_value<T>(field, number);
    });
  }

  static constexpr int64_t kColumnsOfALook = 4096;  // at whether the step is to end

  const CsvFormat& format_;
  const std::string_view text_;
  const IterationContext& context_;
  size_t at_ = 0;
  std::string unquoted_;
};

class CsvWalk final : public DatasetIterator {
 public:
  CsvWalk(std::shared_ptr<const CsvFormat> format, FileWalk files, const IterationContext& context)
      : format_(std::move(format)), files_(std::move(files)), context_(context) {}

 private:
  bool advance(Element& element) override {
    while (true) {
      element.clear();
      if (records_.has_value() && records_->next(element)) break;
      records_.reset();
      if (!files_.open()) return false;
      records_.emplace(*format_, files_.bytes(), context_);
      if (format_->has_header) pass_header();
    }
    if (element.size() == format_->dtypes.size()) return true;
    throw InvalidArgumentError(
        fmt::format("Expect {} fields but have {} in record", format_->dtypes.size(), element.size()));
  }

  void pass_header() {
    bool is_there = false;
    try {
      is_there = records_->skip();
    } catch (const InvalidArgumentError&) {
      is_there = false;
    }
    if (!is_there) throw InvalidArgumentError("Can't read header of file");
  }

  std::string_view kind() const override { return "CSV"; }
  void keep(WalkState& state) override {
    std::string_view left;
    if (records_.has_value()) left = records_->left();
    files_.keep(state, left);
    if (!state.is_read()) return;
    records_.reset();
    if (!left.empty()) records_.emplace(*format_, left, context_);
  }

  const std::shared_ptr<const CsvFormat> format_;
  FileWalk files_;
  const IterationContext& context_;
  std::optional<CsvRecords> records_;
};

// ---- the ops

/// The inputs of CSVDataset; CSVDatasetV2 has the columns that are left out behind its defaults.
enum CsvInput {
  kFilenames,
  kCompression,
  kBufferSize,
  kHeader,
  kDelimiter,
  kQuotes,
  kMissing,
  kSelected,
  kDefaults
};

int num_csv_columns(const graph::Attrs& attrs) {
  return static_cast<int>(attrs.get<std::vector<DType>>("output_types").size());
}

void check_rank_at_most_one(const ShapeContext& context, int i) {
  const Shape& shape = context.input(i);
  if (shape.has_rank() && shape.rank() > 1)
    ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", shape.rank()));
}

void csv_dataset_shape(ShapeContext& context) {
  check_rank_at_most_one(context, kFilenames);
  for (int i = kCompression; i <= kMissing; ++i) context.with_rank(i, 0);
  context.with_rank(kSelected, 1);
  const int end = kDefaults + num_csv_columns(context.attrs());
  for (int i = kDefaults; i < end; ++i) {
    check_rank_at_most_one(context, i);
    const Shape& shape = context.input(i);
    if (shape.has_rank() && shape.rank() == 1 && shape.dim(0) > 1)
      ShapeContext::fail("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
  }
  if (context.num_inputs() > end) context.with_rank(end, 1);
  context.set_output(0, Shape());
}

std::vector<int64_t> csv_columns(const Array& given, std::string_view name) {
  const auto span = given.span<int64_t>();
  std::vector<int64_t> columns(span.begin(), span.end());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0) throw InvalidArgumentError(fmt::format("{} should be non-negative indices", name));
    if (i > 0 && columns[i] <= columns[i - 1])
      throw InvalidArgumentError(fmt::format("{} should be strictly increasing indices", name));
  }
  return columns;
}

void take_csv_columns(CsvFormat& format, const Array& selected, const Array& excluded) {
  if (selected.rank() != 1) throw InvalidArgumentError("`select_cols` must be a vector.");
  if (selected.size() > 0 && selected.size() != std::ssize(format.dtypes))
    throw InvalidArgumentError("select_cols should match output size");
  format.selected = csv_columns(selected, "select_cols");
  if (excluded.rank() != 1) throw InvalidArgumentError("`exclude_cols` must be a vector");
  if (selected.size() > 0 && excluded.size() > 0)
    throw InvalidArgumentError("Either select_cols or exclude_cols should be empty");
  format.excluded = csv_columns(excluded, "exclude_cols");
}

std::vector<Array> csv_defaults(const BlockingCall& call) {
  std::vector<Array> defaults;
  for (int i = 0; i < num_csv_columns(call.attrs()); ++i) {
    const Array& given = defaults.emplace_back(call.in(kDefaults + i));
    if (given.rank() > 1) throw InvalidArgumentError("Each record default should be at most rank 1");
    if (given.size() > 1) {
      throw InvalidArgumentError(
          fmt::format("There should only be 1 default per field but field {} has {}", i, given.size()));
    }
  }
  return defaults;
}

CsvFormat csv_format(const BlockingCall& call) {
  CsvFormat format;
  format.dtypes = call.attrs().get<std::vector<DType>>("output_types");
  format.defaults = csv_defaults(call);
  if (scalar_argument<int64_t>(call, kBufferSize, "buffer_size") <= 0)
    throw InvalidArgumentError("buffer_size should be positive");
  format.has_header = scalar_argument<bool>(call, kHeader, "header");
  const auto delimiter = scalar_argument<std::string>(call, kDelimiter, "field_delim");
  if (delimiter.size() != 1) throw InvalidArgumentError("field_delim should be only 1 char");
  format.delimiter = delimiter[0];
  format.has_quotes = scalar_argument<bool>(call, kQuotes, "use_quote_delim");
  format.missing = scalar_argument<std::string>(call, kMissing, "na_value");
  const auto compression = scalar_argument<std::string>(call, kCompression, "compression_type");
  if (!compression.empty() && compression != "ZLIB" && compression != "GZIP")
    throw InvalidArgumentError(fmt::format("Unsupported compression_type: {}.", compression));
  const int end = kDefaults + num_csv_columns(call.attrs());
  const Array none(DType::kInt64, {0});
  take_csv_columns(format, call.in(kSelected), call.num_inputs() > end ? call.in(end) : none);
  return format;
}

GiveUp start_csv(BlockingCall& call) {
  if (call.in(kFilenames).rank() > 1) throw InvalidArgumentError("`filenames` must be a scalar or a vector.");
  const auto format = std::make_shared<const CsvFormat>(csv_format(call));
  const NamedFiles files(call, kCompression);
  call.done({dataset_value(parts_of(call), [files, format](const IterationContext& context) {
    return std::unique_ptr<DatasetIterator>(new CsvWalk(format, files.begin(), context));
  })});
  return {};
}

constexpr graph::OpRow csv_row(std::string_view name, std::string_view inputs) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "handle:variant",
          .attrs =
              "output_types:list(type)>=1{[float32,float64,int32,int64,string]}; "
              "output_shapes:list(shape)>=1",
          .stateful = true,
          .shape = csv_dataset_shape,
          .start = start_csv};
}

constexpr graph::OpRow kCsvDatasetOps[] = {
    csv_row("CSVDataset",
            "filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string, "
            "use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:[output_types]"),
    csv_row("CSVDatasetV2",
            "filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string, "
            "use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:[output_types], "
            "exclude_cols:int64"),
};

}  // namespace

void register_csv_dataset_ops(OpTable& table) {
  for (const graph::OpRow& row : kCsvDatasetOps) table.add(row);
}

}  // namespace flowray::ops
