// Datasets that are made of no others: of arrays, numbers and files.

#include "core/convert.h"
#include "files/record.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/data/dataset.h"
#include "ops/data/file_walk.h"
#include "ops/data/register.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

// ---- arrays and numbers

GiveUp start_tensor(BlockingCall& call) {
  Element components;
  for (int i = 0; i < call.num_inputs(); ++i) components.push_back(call.value(i));
  call.done({dataset_value(parts_of(call, 1), [components](const IterationContext&) {
    return make_iterator([components, is_over = false](Element& element) mutable {
      if (is_over) return false;
      is_over = true;
      element = components;
      return true;
    });
  })});
  return {};
}

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
    return make_iterator([&context, components, at = int64_t{0}](Element& element) mutable {
      context.limits.check();  // as for RangeDataset: of rows without elements there may be 2^59
      if (components.empty() || at >= components[0].dim(0)) return false;
      element.clear();
      for (const Array& component : components) {
        const auto dims = component.shape().dims().subspan(1);
        element.push_back(component.rows(at, at + 1).reshape(Shape(dims)));
      }
      ++at;
      return true;
    });
  })});
  return {};
}

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
    return make_iterator([=, &context, now = start, is_over = false](Element& element) mutable {
      context.limits.check();  // an endless range that is skipped or buffered must stay cancellable
      if (is_over || (step > 0 ? now >= stop : now <= stop)) return false;
      element = {Array(now).astype(dtype)};
      is_over = __builtin_add_overflow(now, step, &now);
      return true;
    });
  })});
  return {};
}

// ---- files

/// Lines without their ends.
GiveUp start_text_line(BlockingCall& call) {
  call.done({dataset_value(parts_of(call), [files = NamedFiles(call, 1)](const IterationContext&) {
    return make_iterator([walk = files.begin(), left = std::string_view()](Element& element) mutable {
      while (left.empty()) {
        if (!walk.open()) return false;
        left = walk.bytes();
      }
      const size_t end = std::min(left.find('\n'), left.size());
      std::string line(left.substr(0, end));
      std::erase(line, '\r');
      left.remove_prefix(std::min(end + 1, left.size()));
      element = {Array(std::move(line))};
      return true;
    });
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

GiveUp start_fixed_length(BlockingCall& call) {
  const auto header = scalar_argument<int64_t>(call, 1, "header_bytes");
  const auto record = scalar_argument<int64_t>(call, 2, "record_bytes");
  const auto footer = scalar_argument<int64_t>(call, 3, "footer_bytes");
  if (header < 0) throw InvalidArgumentError("`header_bytes` must be >= 0");
  if (record <= 0) throw InvalidArgumentError("`record_bytes` must be > 0");
  if (footer < 0) throw InvalidArgumentError("`footer_bytes` must be >= 0");
  const NamedFiles files(call, call.num_inputs() > 5 ? 5 : -1);
  call.done({dataset_value(parts_of(call), [=](const IterationContext&) {
    return make_iterator([header, record, footer, walk = files.begin(), left = std::string_view(),
                          refused = std::string()](Element& element) mutable {
      if (!refused.empty())
        throw InvalidArgumentError(refused);  // there is no way past a file that does not fit
      while (left.empty()) {
        if (!walk.open()) return false;
        const std::string_view file = walk.bytes();
        const bool has_body = header <= std::ssize(file) && footer <= std::ssize(file) - header;
        const int64_t body = has_body ? std::ssize(file) - header - footer : -1;
        if (body < 0 || body % record != 0) {
          refused = fmt::format(
              "Excluding the header ({} bytes) and footer ({} bytes), input file \"{}\" has body length {} "
              "bytes, which is not an exact multiple of the record length ({} bytes).",
              header, footer, walk.name(), body, record);
          throw InvalidArgumentError(refused);
        }
        left = file.substr(static_cast<size_t>(header), static_cast<size_t>(body));
      }
      element = {Array(std::string(left.substr(0, static_cast<size_t>(record))))};
      left.remove_prefix(static_cast<size_t>(record));
      return true;
    });
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
