// tf.map_fn, tf.foldl, tf.foldr and tf.scan: loops that take rows out of TensorArrays and put them in.
#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/tensor_array.h>

#include "core/counted_text.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

/// The tensors whose rows a loop takes, and how many there are.
struct Rows {
  Rows(Composite& call, const std::vector<Input>& elems) {
    if (elems.empty()) throw ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.");
    for (const Input& elem : elems) tensors.push_back(call.convert(elem, "elem"));
    for (const Tensor& tensor : tensors) {
      const TensorShape& shape = tensor.shape();
      if (!shape.has_rank()) continue;
      if (shape.rank() == 0)
        throw ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars");
      if (shape.dim(0) >= 0) known = shape.dim(0);
    }
    count = known >= 0 ? Input(static_cast<int32_t>(known)) : Input(tf::shape(tensors[0])[0]);
  }

  /// map_fn makes all arrays before it fills them, a fold fills each at once.
  void put_into_arrays_at_once() {
    for (const Tensor& tensor : tensors) {
      const TensorArray array(base_dtype(tensor.dtype()), TensorArrayOptions{.size = count});
      arrays.push_back(array.unstack(tensor));
    }
  }
  void put_into_arrays() {
    for (const Tensor& tensor : tensors)
      arrays.emplace_back(base_dtype(tensor.dtype()), TensorArrayOptions{.size = count});
    for (size_t i = 0; i < tensors.size(); ++i) arrays[i] = arrays[i].unstack(tensors[i]);
  }

  std::vector<Tensor> read(const Input& index) const {
    std::vector<Tensor> row;
    for (const TensorArray& array : arrays) row.push_back(array.read(index));
    return row;
  }

  std::vector<Tensor> tensors;
  std::vector<TensorArray> arrays;
  int64_t known = -1;
  Input count = 0;
};

/// Results of all iterations, of which a loop has the flows as its variables.
struct Results {
  void write(const Input& index, const std::vector<Input>& values, const std::vector<Tensor>& flows,
             std::vector<Input>& next) const {
    for (size_t i = 0; i < arrays.size(); ++i)
      next.emplace_back(arrays[i].with_flow(flows[i]).write(index, values[i]).flow());
  }

  std::vector<Tensor> stack(const std::vector<Tensor>& flows, const Rows& rows) const {
    std::vector<Tensor> stacked;
    for (size_t i = 0; i < arrays.size(); ++i) stacked.push_back(arrays[i].with_flow(flows[i]).stack());
    for (Tensor& tensor : stacked) {
      const TensorShape& shape = tensor.shape();
      if (!shape.has_rank() || rows.known < 0) continue;
      tensor.set_shape(TensorShape{rows.known}.concatenate(TensorShape(shape.dims().subspan(1))));
    }
    return stacked;
  }

  std::vector<TensorArray> arrays;
};

std::vector<Tensor> part(const std::vector<Tensor>& values, size_t begin, size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class Options>
WhileLoopOptions loop_options(const Options& options, const Input& most) {
  return {.parallel_iterations = options.parallel_iterations,
          .back_prop = options.back_prop,
          .swap_memory = options.swap_memory,
          .maximum_iterations = most};
}

/// What the program's function returned.
void check_made(const std::vector<Input>& made, size_t wanted) {
  check_returned(made, "fn");
  if (made.size() == wanted) return;
  const ErrorLine line{Input::Where()};  // that of the call around
  throw ValueError(
      fmt::format("The two structures don't have the same number of elements: fn gives {}, not {}.",
                  counted_text(made.size(), "value"), wanted));
}

Tensor counter(Composite& call, int32_t value) { return tensor_of(call.builder().constant(Array(value))); }

}  // namespace

std::vector<Tensor> internal::map_rows(const RowFunction& fn, const std::vector<Input>& elems,
                                       const MapFnOptions& options, Input::Where where) {
  Composite call({{"elems", elems}}, options.name, "map", where);
  Rows rows(call, elems);
  rows.put_into_arrays();
  const Tensor first = counter(call, 0);
  std::vector<DType> dtypes = options.dtypes;
  if (dtypes.empty())
    for (const Tensor& tensor : rows.tensors) dtypes.push_back(base_dtype(tensor.dtype()));
  Results results;
  for (const DType dtype : dtypes) {
    results.arrays.emplace_back(dtype,
                                TensorArrayOptions{.size = rows.count, .infer_shape = options.infer_shape});
  }
  std::vector<Input> variables = {first};
  for (const TensorArray& array : results.arrays) variables.emplace_back(array.flow());
  const LoopCondition goes_on = [&](const std::vector<Tensor>& values) { return values[0] < rows.count; };
  const LoopBody body = [&](const std::vector<Tensor>& values) {
    const std::vector<Input> made = fn(rows.read(values[0]));
    check_made(made, results.arrays.size());
    std::vector<Input> next = {Input(0)};
    results.write(values[0], made, part(values, 1, values.size()), next);
    next[0] = values[0] + 1;
    return next;
  };
  const std::vector<Tensor> last = while_loop(goes_on, body, variables, loop_options(options, rows.count));
  return results.stack(part(last, 1, last.size()), rows);
}

namespace {

/// The number of the row that is read first, and that of the first call.
struct Order {
  Order(const Rows& rows, bool reverse, bool has_initializer) : reverse(reverse) {
    if (!reverse) {
      first_call = has_initializer ? 0 : 1;
    } else if (rows.known >= 0) {
      first_row = static_cast<int32_t>(rows.known - 1);
      first_call = static_cast<int32_t>(rows.known - 1 - (has_initializer ? 0 : 1));
    } else {
      first_row = rows.count - 1;
      first_call = has_initializer ? Input(rows.count - 1) : Input(*first_row.tensor() - 1);
    }
  }
  bool reverse;
  Input first_row = 0;
  Input first_call = 0;
};

std::vector<Tensor> fold(const FoldFunction& fn, const std::vector<Input>& elems, const FoldOptions& options,
                         bool reverse, Input::Where where) {
  Composite call({{"elems", elems}, {"initializer", options.initializer}}, options.name,
                 reverse ? "foldr" : "foldl", where);
  Rows rows(call, elems);
  rows.put_into_arrays_at_once();
  const bool has_first = !options.initializer.empty();
  std::vector<Tensor> before;
  std::vector<Input> variables;
  if (!reverse) {
    if (!has_first) before = rows.read(0);
    variables.emplace_back(counter(call, has_first ? 0 : 1));
  } else if (rows.known >= 0) {
    const auto last = static_cast<int32_t>(rows.known);
    if (!has_first) before = rows.read(last - 1);
    variables.emplace_back(has_first ? last : last - 1);
  } else {
    Input index = rows.count;
    if (!has_first) {
      index = rows.count - 1;
      before = rows.read(index);
    }
    variables.push_back(index);
  }
  for (const Tensor& value : before) variables.emplace_back(value);
  for (const Input& value : options.initializer) variables.push_back(value);
  const size_t number = variables.size() - 1;
  const LoopCondition goes_on = [&](const std::vector<Tensor>& values) {
    return reverse ? values[0] > 0 : values[0] < rows.count;
  };
  const LoopBody body = [&](const std::vector<Tensor>& values) {
    const Tensor index = reverse ? values[0] - 1 : values[0];
    const std::vector<Tensor> row = rows.read(index);
    const std::vector<Input> made = fn(part(values, 1, values.size()), row);
    check_made(made, number);
    std::vector<Input> next = {reverse ? index : values[0] + 1};
    next.insert(next.end(), made.begin(), made.end());
    return next;
  };
  const std::vector<Tensor> last = while_loop(goes_on, body, variables, loop_options(options, rows.count));
  return part(last, 1, last.size());
}

}  // namespace

void internal::check_initializer(size_t given, size_t taken) {
  if (given == taken) return;
  const ErrorLine line{Input::Where()};
  throw ValueError(
      fmt::format("The function takes {} from call to call, and the initializer has {}.\nGive the "
                  "initializer behind the tensors: tf::scan(fn, {{x}}, {{a, b}}).",
                  counted_text(taken, "value"), given));
}

std::vector<Tensor> internal::foldl_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                                         const FoldOptions& options, Input::Where where) {
  return fold(fn, elems, options, /*reverse=*/false, where);
}

std::vector<Tensor> internal::foldr_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                                         const FoldOptions& options, Input::Where where) {
  return fold(fn, elems, options, /*reverse=*/true, where);
}

std::vector<Tensor> internal::scan_rows(const FoldFunction& fn, const std::vector<Input>& elems,
                                        const ScanOptions& options, Input::Where where) {
  Composite call({{"elems", elems}, {"initializer", options.initializer}}, options.name, "scan", where);
  Rows rows(call, elems);
  for (const Tensor& tensor : rows.tensors) {
    const TensorShape& shape = tensor.shape();
    rows.arrays.emplace_back(
        base_dtype(tensor.dtype()),
        TensorArrayOptions{.size = rows.count,
                           .element_shape = shape.has_rank() ? TensorShape(shape.dims().subspan(1))
                                                             : TensorShape::unknown_rank()});
  }
  for (size_t i = 0; i < rows.arrays.size(); ++i) rows.arrays[i] = rows.arrays[i].unstack(rows.tensors[i]);
  const bool has_first = !options.initializer.empty();
  std::vector<Tensor> before;
  const Order order(rows, options.reverse, has_first);
  if (has_first) {
    for (const Input& value : options.initializer) before.push_back(call.convert(value, "Const"));
  } else {
    before = rows.read(order.first_row);
  }
  Results results;
  for (const Tensor& value : before) {
    results.arrays.emplace_back(
        base_dtype(value.dtype()),
        TensorArrayOptions{
            .size = rows.count, .infer_shape = options.infer_shape, .element_shape = value.shape()});
  }
  if (!has_first) {
    for (size_t i = 0; i < before.size(); ++i)
      results.arrays[i] = results.arrays[i].write(order.first_row, before[i]);
  }
  const size_t number = before.size();
  std::vector<Input> variables = {order.first_call};
  for (const Tensor& value : before) variables.emplace_back(value);
  for (const TensorArray& array : results.arrays) variables.emplace_back(array.flow());
  const LoopCondition goes_on = [&](const std::vector<Tensor>& values) {
    return options.reverse ? values[0] >= 0 : values[0] < rows.count;
  };
  const LoopBody body = [&](const std::vector<Tensor>& values) {
    const std::vector<Tensor> row = rows.read(values[0]);
    const std::vector<Input> made = fn(part(values, 1, 1 + number), row);
    check_made(made, number);
    std::vector<Input> next = {Input(0)};
    next.insert(next.end(), made.begin(), made.end());
    results.write(values[0], made, part(values, 1 + number, values.size()), next);
    next[0] = options.reverse ? values[0] - 1 : values[0] + 1;
    return next;
  };
  const std::vector<Tensor> last = while_loop(goes_on, body, variables, loop_options(options, rows.count));
  return results.stack(part(last, 1 + number, last.size()), rows);
}

}  // namespace flowray::tf
