// Datasets that are made of no others: of arrays, numbers and files.

#include "core/convert.h"
#include "files/record.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/dataset.h"
#include "ops/data/file_walk.h"
#include "ops/data/register.h"
#include "ops/data/walk_state.h"
#include "ops/elements/variant_elements.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

// ---- arrays and numbers

struct TensorWalk {
  static constexpr std::string_view kKind = "Tensor";
  Element components;
  bool is_over = false;

  bool next(Element& element) {
    if (is_over) return false;
    is_over = true;
    element = components;
    return true;
  }
  void keep(WalkState& state) { state.flag("is_over", is_over); }
};

GiveUp start_tensor(BlockingCall& call) {
  Element components;
  for (int i = 0; i < call.num_inputs(); ++i) components.push_back(call.value(i));
  call.done({dataset_value(parts_of(call, 1), [components](const IterationContext&) {
    return make_iterator(TensorWalk{components});
  })});
  return {};
}

struct TensorSliceWalk {
  static constexpr std::string_view kKind = "TensorSlice";
  const IterationContext& context;
  Element components;
  int64_t at = 0;

  int64_t count() const { return components.empty() ? 0 : components[0].dim(0); }
  bool next(Element& element) {
    context.limits.check();  // as for RangeDataset: of rows without elements there may be 2^59
    if (at >= count()) return false;
    element.clear();
    for (const Array& component : components) element.push_back(row_of(component, at));
    ++at;
    return true;
  }
  void keep(WalkState& state) { state.number("at", at, 0, count()); }
};

GiveUp start_tensor_slice(BlockingCall& call) {
  Element components;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const Array& component = components.emplace_back(call.value(i));
    if (component.rank() < 1) throw InvalidArgumentError("All components must be at least 1-dimensional");
    if (component.dim(0) == components[0].dim(0)) continue;
    throw InvalidArgumentError("All components must have the same size in the 0th dimension");
  }
  const int64_t cardinality = components.empty() ? 0 : components[0].dim(0);
  call.done({dataset_value(parts_of(call, cardinality), [components](const IterationContext& context) {
    return make_iterator(TensorSliceWalk{context, components});
  })});
  return {};
}

struct RangeWalk {
  static constexpr std::string_view kKind = "Range";
  const IterationContext& context;
  int64_t stop = 0;
  int64_t step = 1;
  DType dtype = DType::kInt64;
  int64_t now = 0;
  bool is_over = false;

  bool next(Element& element) {
    context.limits.check();  // an endless range that is skipped or buffered must stay cancellable
    if (is_over || (step > 0 ? now >= stop : now <= stop)) return false;
    element = {Array(now).astype(dtype)};
    is_over = __builtin_add_overflow(now, step, &now);
    return true;
  }
  void keep(WalkState& state) {
    state.number("now", now, std::numeric_limits<int64_t>::min());
    state.flag("is_over", is_over);
  }
};

GiveUp start_range(BlockingCall& call) {
  const auto start = scalar_argument<int64_t>(call, 0, "start");
  const auto stop = scalar_argument<int64_t>(call, 1, "stop");
  const auto step = scalar_argument<int64_t>(call, 2, "step");
  if (step == 0) throw InvalidArgumentError("step must be a non-zero integer.");
  const DType dtype = call.attrs().get<std::vector<DType>>("output_types").at(0);
  if (!can_convert(DType::kInt64, dtype)) {
    throw InvalidArgumentError(fmt::format("Unsupported data type: {}", dtype_name(dtype)));
  }
  const int64_t cardinality = cardinality_of_range(start, stop, step);
  call.done({dataset_value(parts_of(call, cardinality), [=](const IterationContext& context) {
    return make_iterator(RangeWalk{context, stop, step, dtype, start});
  })});
  return {};
}

// ---- files

/// Lines without their ends.
struct TextLineWalk {
  static constexpr std::string_view kKind = "TextLine";
  FileWalk files;
  std::string_view left = {};

  bool next(Element& element) {
    while (left.empty()) {
      if (!files.open()) return false;
      left = files.bytes();
    }
    const size_t end = std::min(left.find('\n'), left.size());
    std::string line(left.substr(0, end));
    std::erase(line, '\r');
    left.remove_prefix(std::min(end + 1, left.size()));
    element = {Array(std::move(line))};
    return true;
  }
  void keep(WalkState& state) { files.keep(state, left); }
};

GiveUp start_text_line(BlockingCall& call) {
  call.done({dataset_value(parts_of(call), [files = NamedFiles(call, 1)](const IterationContext&) {
    return make_iterator(TextLineWalk{files.begin()});
  })});
  return {};
}

/// `offsets`: where reading begins, for each file; where there is none, at its begin.
class RecordWalk final : public DatasetIterator {
 public:
  RecordWalk(FileWalk walk, std::vector<int64_t> offsets)
      : walk_(std::move(walk)), offsets_(std::move(offsets)) {}

 private:
  bool advance(Element& element) override {
    while (true) {
      if (reader_ == nullptr && !open()) return false;
      try {
        if (const auto record = reader_->next()) {
          element = {Array(std::string(*record))};
          return true;
        }
      } catch (...) {
        reader_ = nullptr;  // what comes behind the damage is not to be trusted
        throw;
      }
      reader_ = nullptr;
    }
  }

  bool open() {
    try {
      if (!walk_.open()) return false;
    } catch (const errors::DataLossError&) {
      walk_.pass_over();  // as one that is damaged later on
      throw;
    }
    const int64_t begin = walk_.number() < offsets_.size() ? offsets_[walk_.number()] : 0;
    if (begin < 0) throw InvalidArgumentError("Can't skip a negative number of bytes");
    reader_ = std::make_unique<files::RecordReader>(walk_.bytes(), static_cast<size_t>(begin));
    return true;
  }

  std::string_view kind() const override { return "TFRecord"; }
  void keep(WalkState& state) override {
    std::string_view left;
    if (reader_ != nullptr) left = walk_.bytes().substr(reader_->position());
    walk_.keep(state, left);
    if (!state.is_read()) return;
    reader_ = nullptr;
    if (!left.empty())
      reader_ = std::make_unique<files::RecordReader>(walk_.bytes(), walk_.bytes().size() - left.size());
  }

  FileWalk walk_;
  const std::vector<int64_t> offsets_;
  std::unique_ptr<files::RecordReader> reader_;
};

GiveUp start_records(BlockingCall& call) {
  std::vector<int64_t> offsets;
  if (call.num_inputs() > 3) {
    const Array& given = call.in(3);
    if (given.rank() > 1) throw InvalidArgumentError("`byte_offsets` must be a scalar or a vector.");
    if (given.rank() != call.in(0).rank())
      throw InvalidArgumentError("`byte_offsets` must be of same size as `filenames`");
    const auto span = given.span<int64_t>();
    offsets.assign(span.begin(), span.end());
  }
  call.done({dataset_value(parts_of(call), [files = NamedFiles(call, 1), offsets](const IterationContext&) {
    return std::unique_ptr<DatasetIterator>(new RecordWalk(files.begin(), offsets));
  })});
  return {};
}

/// How long the parts of a file of records are, in bytes.
struct FixedLengths {
  int64_t header = 0;
  int64_t record = 1;
  int64_t footer = 0;
};

struct FixedLengthWalk {
  static constexpr std::string_view kKind = "FixedLengthRecord";
  FixedLengths lengths;
  FileWalk files;
  std::string_view left = {};
  std::string refused = {};

  bool next(Element& element) {
    if (!refused.empty())
      throw InvalidArgumentError(refused);  // there is no way past a file that does not fit
    while (left.empty()) {
      if (!files.open()) return false;
      left = body_of_file();
    }
    const auto record = static_cast<size_t>(lengths.record);
    element = {Array(std::string(left.substr(0, record)))};
    left.remove_prefix(record);
    return true;
  }
  void keep(WalkState& state) {
    // The walk through files has it to the end of the file, behind the footer.
    std::string_view rest;
    if (!left.empty()) rest = files.bytes().substr(static_cast<size_t>(left.data() - files.bytes().data()));
    files.keep(state, rest);
    state.text("refused", refused);
    if (!state.is_read()) return;
    left = {};
    if (rest.empty()) return;
    const auto body = std::ssize(body_of_file());
    const int64_t size = std::ssize(rest) - lengths.footer;
    if (size < 0 || size > body || size % lengths.record != 0)
      state.damaged("position", "is not where a record begins");
    left = rest.substr(0, static_cast<size_t>(size));
  }

  std::string_view body_of_file() {
    const auto [header, record, footer] = lengths;
    const std::string_view file = files.bytes();
    const bool has_body = header <= std::ssize(file) && footer <= std::ssize(file) - header;
    const int64_t body = has_body ? std::ssize(file) - header - footer : -1;
    if (body < 0 || body % record != 0) {
      refused = fmt::format(
          "Excluding the header ({} bytes) and footer ({} bytes), input file \"{}\" has body length {} "
          "bytes, which is not an exact multiple of the record length ({} bytes).",
          header, footer, files.name(), body, record);
      throw InvalidArgumentError(refused);
    }
    return file.substr(static_cast<size_t>(header), static_cast<size_t>(body));
  }
};

GiveUp start_fixed_length(BlockingCall& call) {
  const FixedLengths lengths = {.header = scalar_argument<int64_t>(call, 1, "header_bytes"),
                                .record = scalar_argument<int64_t>(call, 2, "record_bytes"),
                                .footer = scalar_argument<int64_t>(call, 3, "footer_bytes")};
  if (lengths.header < 0) throw InvalidArgumentError("`header_bytes` must be >= 0");
  if (lengths.record <= 0) throw InvalidArgumentError("`record_bytes` must be > 0");
  if (lengths.footer < 0) throw InvalidArgumentError("`footer_bytes` must be >= 0");
  const NamedFiles files(call, call.num_inputs() > 5 ? 5 : -1);
  call.done({dataset_value(parts_of(call), [=](const IterationContext&) {
    return make_iterator(FixedLengthWalk{lengths, files.begin()});
  })});
  return {};
}

constexpr graph::OpRow source_row(std::string_view name, std::string_view inputs, std::string_view attrs,
                                  graph::StartFunction start) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "handle:variant",
          .attrs = attrs,
          .stateful = true,
          .shape = graph::scalar_shape,
          .start = start};
}

constexpr graph::OpRow kSources[] = {
    source_row("TensorDataset", "components:[Toutput_types]",
               "Toutput_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"",
               start_tensor),
    source_row("TensorSliceDataset", "components:[Toutput_types]",
               "Toutput_types:list(type)>=1; output_shapes:list(shape)>=1; is_files:bool=false; "
               "metadata:string=\"\"; "
               "replicate_on_split:bool=false",
               start_tensor_slice),
    source_row("RangeDataset", "start:int64, stop:int64, step:int64",
               "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"; "
               "replicate_on_split:bool=false",
               start_range),
    source_row("TextLineDataset", "filenames:string, compression_type:string, buffer_size:int64",
               "metadata:string=\"\"", start_text_line),
    source_row("TFRecordDataset", "filenames:string, compression_type:string, buffer_size:int64",
               "metadata:string=\"\"", start_records),
    source_row("TFRecordDatasetV2",
               "filenames:string, compression_type:string, buffer_size:int64, byte_offsets:int64",
               "metadata:string=\"\"", start_records),
    source_row(
        "FixedLengthRecordDataset",
        "filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, buffer_size:int64",
        "metadata:string=\"\"", start_fixed_length),
    source_row(
        "FixedLengthRecordDatasetV2",
        "filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, buffer_size:int64, "
        "compression_type:string",
        "metadata:string=\"\"", start_fixed_length),
};

}  // namespace

void register_dataset_source_ops(OpTable& table) {
  for (const graph::OpRow& row : kSources) table.add(row);
}

}  // namespace flowray::ops
