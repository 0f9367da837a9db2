// Datasets whose elements are several of another one's: batches, windows.

#include "core/invalid_argument.h"
#include "ops/data/dataset.h"
#include "ops/data/dataset_row.h"
#include "ops/data/elements_dataset.h"
#include "ops/data/register.h"
#include "ops/data/transformations.h"
#include "ops/data/walk_state.h"
#include "ops/elements/variant_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

namespace flowray::ops {
namespace {

using graph::BlockingCall;
using graph::OpTable;
using GiveUp = std::function<void()>;

void copy_bytes(Array& to, int64_t at, const Array& from) {
  if (from.dtype() != to.dtype()) {
    invalid_argument(fmt::format("An element or a padding value of dtype {} is put into a batch of dtype {}",
                                 dtype_name(from.dtype()), dtype_name(to.dtype())));
  }
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>(), from.size(), to.mutable_data<std::string>() + at);
  } else if (from.size() > 0) {
    auto* const out = static_cast<char*>(to.mutable_raw_data());
    std::memcpy(out + static_cast<size_t>(at) * dtype_size(from.dtype()), from.raw_data(), from.size_bytes());
  }
}

/// Elements of one pipeline have one dtype; those of a damaged state may have others.
void check_dtype(const Array& component, const Array& first) {
  if (component.dtype() == first.dtype()) return;
  invalid_argument(fmt::format("Components of a batch are {} and {}", dtype_kernel_name(first.dtype()),
                               dtype_kernel_name(component.dtype())));
}

/// The same of variants that are tensors.
Array stacked_tensors(const std::vector<Element>& rows, size_t i) {
  std::vector<Array> components;
  for (const Element& row : rows) {
    check_dtype(row[i], rows[0][i]);
    if (!(row[i].shape() == rows[0][i].shape())) {
      invalid_argument(
          fmt::format("Cannot batch tensors with different shapes in component {}. First element had shape "
                      "{} and another "
                      "one had shape {}.",
                      i, rows[0][i].shape().to_string(), row[i].shape().to_string()));
    }
    components.push_back(row[i]);
  }
  return stacked_variants(components);
}

/// One array of [rows.size(), ...] for component `i`.
Array stacked(const std::vector<Element>& rows, size_t i) {
  const Array& first = rows[0][i];
  const bool is_of_tensors = graph::variant_as<VariantElements>(first) != nullptr;
  if ((first.dtype() == DType::kVariant && !is_of_tensors) || first.dtype() == DType::kResource) {
    throw errors::UnimplementedError("Batches of datasets or handles are not made here");
  }
  if (first.shape().rank() == Shape::kMaxRank) {
    invalid_argument(fmt::format(
        "Elements of {} dimensions cannot be batched: a tensor has no more than that", Shape::kMaxRank));
  }
  if (is_of_tensors) return stacked_tensors(rows, i);
  Array batch(first.dtype(), Shape{std::ssize(rows)}.concatenate(first.shape()));
  for (size_t k = 0; k < rows.size(); ++k) {
    check_dtype(rows[k][i], first);
    if (rows[k][i].size() != first.size()) {
      invalid_argument(fmt::format(
          "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: {}, "
          "[batch]: {}",
          rows[k][i].shape().to_string(), first.shape().to_string()));
    }
    copy_bytes(batch, static_cast<int64_t>(k) * first.size(), rows[k][i]);
  }
  return batch;
}

/// Takes up to `size` elements; fewer at the end.
std::vector<Element> take_rows(DatasetIterator& walk, int64_t size) {
  std::vector<Element> rows;
  Element element;
  while (std::ssize(rows) < size && walk.next(element)) {
    if (!rows.empty() && element.size() != rows[0].size()) {
      invalid_argument(
          fmt::format("Elements of a batch have {} and {} components", rows[0].size(), element.size()));
    }
    rows.push_back(std::move(element));
  }
  return rows;
}

int64_t batch_size_of(const BlockingCall& call) {
  const auto size = scalar_argument<int64_t>(call, 1, "batch_size");
  if (size <= 0) invalid_argument("Batch size must be greater than zero.");
  return size;
}

struct BatchWalk {
  static constexpr std::string_view kKind = "Batch";
  int64_t size = 1;
  bool drops_remainder = false;
  std::unique_ptr<DatasetIterator> input;

  bool next(Element& element) {
    const std::vector<Element> rows = take_rows(*input, size);
    if (rows.empty() || (drops_remainder && std::ssize(rows) < size)) return false;
    Element batch;
    for (size_t i = 0; i < rows[0].size(); ++i) batch.push_back(stacked(rows, i));
    element = std::move(batch);
    return true;
  }
  void keep(WalkState& state) { state.walk("input", *input); }
};

}  // namespace

Array batched(const DatasetInput& input, int64_t size, bool drops_remainder) {
  const int64_t cardinality = cardinality_of_batches(input->cardinality(), size, drops_remainder);
  const DatasetParts parts = {.inputs = {input.value()}, .others = {}, .cardinality = cardinality};
  return dataset_value(parts, [=](const IterationContext& context) {
    return make_iterator(BatchWalk{size, drops_remainder, input->iterate(context)});
  });
}

namespace {

GiveUp start_batch(BlockingCall& call) {
  const int64_t size = batch_size_of(call);
  const bool drops = call.num_inputs() > 2 && scalar_argument<bool>(call, 2, "drop_remainder");
  call.done({batched(DatasetInput(call.in(0)), size, drops)});
  return {};
}

/// `value` in the first corner of an array of `shape` full of `padding`.
Array padded(const Array& value, const Shape& shape, const Array& padding) {
  Array result(value.dtype(), shape);
  for (int64_t k = 0; k < result.size(); ++k) copy_bytes(result, k, padding.reshape(Shape()));
  const int64_t row = value.rank() == 0 ? 1 : value.dim(-1);
  for (int64_t begin = 0; begin < value.size(); begin += std::max<int64_t>(row, 1)) {
    int64_t to = 0;
    int64_t stride = 1;
    int64_t rest = begin;
    for (int i = value.rank() - 1; i >= 0; --i) {
      to += rest % value.dim(i) * stride;
      rest /= value.dim(i);
      stride *= shape.dim(i);
    }
    copy_bytes(result, to, value.reshape(Shape{value.size()}).rows(begin, begin + row));
  }
  return result;
}

struct Padding {
  std::vector<Shape> shapes;  // -1: as long as the longest
  std::vector<Array> values;
};

Array padded_batch(const std::vector<Element>& rows, size_t i, const Padding& padding) {
  const DType dtype = rows[0][i].dtype();
  if (dtype == DType::kVariant || dtype == DType::kResource)
    throw errors::UnimplementedError("Batches of datasets or handles are not made here");
  if (i >= padding.shapes.size() || i >= padding.values.size()) {
    invalid_argument(
        fmt::format("Elements have {} components, but {} padded shapes and {} padding values are given",
                    rows[0].size(), padding.shapes.size(), padding.values.size()));
  }
  check_dtype(padding.values[i], rows[0][i]);
  Shape shape = padding.shapes[i];
  for (const Element& row : rows) {
    check_dtype(row[i], rows[0][i]);
    const Shape& has = row[i].shape();
    if (has.rank() != shape.rank()) {
      invalid_argument(fmt::format(
          "All elements in a batch must have the same rank as the padded shape for component{}: expected "
          "rank {} but got element with rank {}",
          i, shape.rank(), has.rank()));
    }
    for (int d = 0; d < shape.rank(); ++d) {
      if (padding.shapes[i].dim(d) < 0) {
        shape.set_dim(d, std::max(shape.dim(d), has.dim(d)));
      } else if (has.dim(d) > shape.dim(d)) {
        throw errors::DataLossError("Attempted to pad to a smaller size than the input element.");
      }
    }
  }
  for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, std::max<int64_t>(shape.dim(d), 0));
  Array batch(rows[0][i].dtype(), Shape{std::ssize(rows)}.concatenate(shape));
  for (size_t k = 0; k < rows.size(); ++k) {
    copy_bytes(batch, static_cast<int64_t>(k) * shape.num_elements(),
               padded(rows[k][i], shape, padding.values[i]));
  }
  return batch;
}

struct PaddedBatchWalk {
  static constexpr std::string_view kKind = "PaddedBatch";
  int64_t size = 1;
  bool drops_remainder = false;
  Padding padding;
  std::unique_ptr<DatasetIterator> input;

  bool next(Element& element) {
    const std::vector<Element> rows = take_rows(*input, size);
    if (rows.empty() || (drops_remainder && std::ssize(rows) < size)) return false;
    Element batch;
    for (size_t i = 0; i < rows[0].size(); ++i) batch.push_back(padded_batch(rows, i, padding));
    element = std::move(batch);
    return true;
  }
  void keep(WalkState& state) { state.walk("input", *input); }
};

GiveUp start_padded_batch(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const int64_t size = batch_size_of(call);
  const auto count = static_cast<int>(call.attrs().get<int64_t>("N"));  // size: as many inputs
  Padding padding;
  for (int i = 0; i < count; ++i) {
    const auto dims = call.in(2 + i).span<int64_t>();
    padding.shapes.emplace_back(std::vector<int64_t>(dims.begin(), dims.end()));
    const Array& value = padding.values.emplace_back(call.in(2 + count + i));
    if (value.rank() != 0) invalid_argument("All padding values must be scalars");
  }
  const int last = 2 + 2 * count;
  const bool drops = call.num_inputs() > last && scalar_argument<bool>(call, last, "drop_remainder");
  const int64_t cardinality = cardinality_of_batches(input->cardinality(), size, drops);
  call.done({dataset_value(parts_of(call, cardinality), [=](const IterationContext& context) {
    return make_iterator(PaddedBatchWalk{size, drops, padding, input->iterate(context)});
  })});
  return {};
}

/// A dataset of the rows' component `i`.
Array dataset_of(const std::vector<Element>& rows, size_t i) {
  std::vector<Element> values;
  for (const Element& row : rows) {
    if (row.size() != rows[0].size()) {  // of a damaged state
      invalid_argument(
          fmt::format("Elements of a window have {} and {} components", rows[0].size(), row.size()));
    }
    values.push_back({row[i]});
  }
  return ElementsDataset::value(std::move(values));
}

struct Windows {
  int64_t size = 1;
  int64_t shift = 1;
  int64_t stride = 1;
  bool drops_remainder = false;
};

struct WindowWalk {
  static constexpr std::string_view kKind = "Window";
  Windows windows;
  std::unique_ptr<DatasetIterator> input;  // null at its end
  std::deque<Element> rows = {};

  bool next(Element& element) {
    const auto [size, shift, stride, drops] = windows;
    // What does not fit is more than there will ever be.
    int64_t wanted = 0;
    if (__builtin_mul_overflow(size - 1, stride, &wanted) || __builtin_add_overflow(wanted, 1, &wanted))
      wanted = std::numeric_limits<int64_t>::max();
    while (input != nullptr && std::ssize(rows) < wanted) take_row();
    if (rows.empty() || (drops && std::ssize(rows) < wanted)) return false;
    std::vector<Element> window;
    for (size_t i = 0; i < rows.size() && std::ssize(window) < size; i += static_cast<size_t>(stride)) {
      window.push_back(rows[i]);
    }
    const int64_t leaves = std::min(shift, std::ssize(rows));
    rows.erase(rows.begin(), rows.begin() + leaves);
    Element passed;
    for (int64_t i = leaves; i < shift && input != nullptr; ++i) {
      if (!input->next(passed)) input = nullptr;
    }
    element.clear();
    for (size_t i = 0; i < window[0].size(); ++i) element.push_back(dataset_of(window, i));
    return true;
  }
  void take_row() {
    Element row;
    if (input->next(row)) {
      rows.push_back(std::move(row));
    } else {
      input = nullptr;
    }
  }
  void keep(WalkState& state) {
    state.elements_of("rows", rows);
    state.walk_or_end("input", input);
  }
};

GiveUp start_window(BlockingCall& call) {
  const DatasetInput input(call.in(0));
  const Windows windows = {.size = scalar_argument<int64_t>(call, 1, "size"),
                           .shift = scalar_argument<int64_t>(call, 2, "shift"),
                           .stride = scalar_argument<int64_t>(call, 3, "stride"),
                           .drops_remainder = scalar_argument<bool>(call, 4, "drop_remainder")};
  if (windows.size <= 0) invalid_argument("Window size must be greater than zero.");
  if (windows.shift <= 0) invalid_argument("Window shift must be greater than zero.");
  if (windows.stride <= 0) invalid_argument("Window stride must be greater than zero.");
  const int64_t cardinality = cardinality_of_windows(input->cardinality(), windows.size, windows.shift,
                                                     windows.stride, windows.drops_remainder);
  call.done({dataset_value(parts_of(call, cardinality), [=](const IterationContext& context) {
    return make_iterator(WindowWalk{windows, input->iterate(context)});
  })});
  return {};
}

constexpr graph::OpRow kBatchRows[] = {
    dataset("BatchDataset", "input_dataset:variant, batch_size:int64",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_batch),
    dataset("BatchDatasetV2", "input_dataset:variant, batch_size:int64, drop_remainder:bool",
            "parallel_copy:bool=false; output_types:list(type)>=1; output_shapes:list(shape)>=1; "
            "metadata:string=\"\"",
            start_batch),
    dataset("PaddedBatchDataset",
            "input_dataset:variant, batch_size:int64, padded_shapes:N*int64, padding_values:[Toutput_types]",
            "Toutput_types:list(type)>=1; output_shapes:list(shape)>=1; N:int>=1; metadata:string=\"\"",
            start_padded_batch),
    dataset("PaddedBatchDatasetV2",
            "input_dataset:variant, batch_size:int64, padded_shapes:N*int64, padding_values:[Toutput_types], "
            "drop_remainder:bool",
            "parallel_copy:bool=false; Toutput_types:list(type)>=1; output_shapes:list(shape)>=1; N:int>=1; "
            "metadata:string=\"\"",
            start_padded_batch),
    dataset("WindowDataset",
            "input_dataset:variant, size:int64, shift:int64, stride:int64, drop_remainder:bool",
            "output_types:list(type)>=1; output_shapes:list(shape)>=1; metadata:string=\"\"", start_window),
};

}  // namespace

void register_dataset_batch_ops(OpTable& table) {
  for (const graph::OpRow& row : kBatchRows) table.add(row);
}

}  // namespace flowray::ops
