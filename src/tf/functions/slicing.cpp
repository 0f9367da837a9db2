#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/variable.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/functions/sliced.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {
namespace {

using graph::Endpoint;

constexpr const char* kValidIndices =
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
    "are valid "
    "indices";

/// An integer tensor, or an integer written in the program.
struct Bound {
  Endpoint tensor = {};
  int64_t number = 0;

  DType dtype() const { return tensor ? base_dtype(tensor.dtype()) : DType::kInvalid; }
};

Bound read_bound(const Input& input) {
  if (const Tensor* tensor = input.tensor()) {
    const DType dtype = base_dtype(tensor->dtype());
    const bool integral = dtype == DType::kInt16 || dtype == DType::kInt32 || dtype == DType::kInt64;
    if (!integral || tensor->shape().rank() == 1) {
      throw TypeError(fmt::format("{}, got {}", kValidIndices, tensor->name()));
    }
    return {.tensor = endpoint_of(*tensor)};
  }
  if (input.literal() == nullptr && input.array() == nullptr) {
    throw TypeError(fmt::format("{}, got a list", kValidIndices));
  }
  const Array value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  if (value.rank() != 0 || !is_integer(value.dtype())) {
    throw TypeError(fmt::format("{}, got {}", kValidIndices, value.to_string()));
  }
  return {.number = value.astype(DType::kInt64).item<int64_t>()};
}

/// Collects begin, end, strides and masks of a StridedSlice in Python's order.
class SliceBuilder {
 public:
  explicit SliceBuilder(graph::Graph& graph) : builder_(graph) {}

  void add(const Index& index) {
    const int64_t bit = int64_t{1} << begin_.size();
    if (const auto* slice = std::get_if<Slice>(&index.item())) {
      add_slice(*slice, bit);
    } else if (std::holds_alternative<Ellipsis>(index.item())) {
      ellipsis_mask_ |= bit;
      push({}, {}, {.number = 1});
    } else if (std::holds_alternative<NewAxis>(index.item())) {
      new_axis_mask_ |= bit;
      push({}, {}, {.number = 1});
    } else {
      add_number(std::get<Input>(index.item()));
      shrink_axis_mask_ |= bit;
    }
  }

  Tensor build(Endpoint x) {
    const graph::NameScope scope(builder_.graph(), "strided_slice");
    Endpoint begin = stack(begin_);
    Endpoint end = stack(end_);
    Endpoint strides = stack(strides_);
    const bool wide =
        begin.dtype() == DType::kInt64 || end.dtype() == DType::kInt64 || strides.dtype() == DType::kInt64;
    for (Endpoint* bounds : {&begin, &end, &strides}) {
      if (wide && bounds->dtype() != DType::kInt64) {
        *bounds = builder_.op("Cast", {*bounds}, {{"DstT", DType::kInt64}});
      }
    }
    return tensor_of(builder_.op("StridedSlice", {x, begin, end, strides},
                                 {{"begin_mask", begin_mask_},
                                  {"end_mask", end_mask_},
                                  {"ellipsis_mask", ellipsis_mask_},
                                  {"new_axis_mask", new_axis_mask_},
                                  {"shrink_axis_mask", shrink_axis_mask_}},
                                 scope.path()));
  }

 private:
  void add_slice(const Slice& slice, int64_t bit) {
    Bound bounds[3];
    DType dtype = DType::kInvalid;  // of the tensors among them
    const OptionalInput* inputs[] = {&slice.start, &slice.stop, &slice.step};
    for (int i = 0; i < 3; ++i) {
      if (!inputs[i]->has_value()) continue;
      bounds[i] = read_bound(**inputs[i]);
      const DType own = bounds[i].dtype();
      if (own == DType::kInt64 || (own == DType::kInt32 && dtype != DType::kInt64) ||
          dtype == DType::kInvalid)
        dtype = own;
    }
    // Next to a tensor, what is left out becomes a constant of its own.
    for (int i = 0; i < 3; ++i) {
      if (inputs[i]->has_value()) continue;
      const int64_t value = i == 2 ? 1 : 0;
      bounds[i] = dtype == DType::kInvalid ? Bound{.number = value}
                                           : Bound{.tensor = constant(value, dtype, "Const")};
    }
    if (!slice.start.has_value()) begin_mask_ |= bit;
    if (!slice.stop.has_value()) end_mask_ |= bit;
    push(bounds[0], bounds[1], bounds[2]);
  }

  void add_number(const Input& input) {
    const Bound number = read_bound(input);
    if (!number.tensor) {
      push(number, {.number = number.number + 1}, {.number = 1});
      return;
    }
    const Tensor next = tensor_of(number.tensor) + 1;
    const bool typed_stride = number.dtype() == DType::kInt64 || number.dtype() == DType::kInt16;
    push(number, {.tensor = endpoint_of(next)},
         typed_stride ? Bound{.tensor = constant(1, number.dtype(), "Const")} : Bound{.number = 1});
  }

  void push(const Bound& begin, const Bound& end, const Bound& stride) {
    begin_.push_back(begin);
    end_.push_back(end);
    strides_.push_back(stride);
  }

  Endpoint constant(int64_t value, DType dtype, std::string_view name) {
    return builder_.constant(Array(value).astype(dtype), name);
  }

  /// array_ops.stack(bounds).
  Endpoint stack(const std::vector<Bound>& bounds) {
    DType dtype = DType::kInvalid;
    for (const Bound& bound : bounds) {
      if (dtype == DType::kInvalid) dtype = bound.dtype();
    }
    if (dtype == DType::kInvalid) {
      std::vector<int64_t> numbers;
      for (const Bound& bound : bounds) numbers.push_back(bound.number);
      const bool wide = std::any_of(numbers.begin(), numbers.end(),
                                    [](int64_t n) { return n > INT32_MAX || n < INT32_MIN; });
      return builder_.constant(Array(numbers).astype(wide ? DType::kInt64 : DType::kInt32), "stack");
    }
    const graph::NameScope scope(builder_.graph(), "stack");
    std::vector<Endpoint> items;
    for (size_t i = 0; i < bounds.size(); ++i) {
      items.push_back(bounds[i].tensor ? bounds[i].tensor
                                       : constant(bounds[i].number, dtype, std::to_string(i)));
    }
    return builder_.op("Pack", std::move(items), {}, scope.path());
  }

  graph::Builder builder_;
  std::vector<Bound> begin_;
  std::vector<Bound> end_;
  std::vector<Bound> strides_;
  int64_t begin_mask_ = 0;
  int64_t end_mask_ = 0;
  int64_t ellipsis_mask_ = 0;
  int64_t new_axis_mask_ = 0;
  int64_t shrink_axis_mask_ = 0;
};

}  // namespace

namespace {

/// Throws for one that stands for none: 'index', 'index.stop', 'indices[1]'.
void check_index(const Index& index, const std::string& name) {
  if (const auto* number = std::get_if<Input>(&index.item())) check_set(*number, name);
  const auto* slice = std::get_if<Slice>(&index.item());
  if (slice == nullptr) return;
  check_set(slice->start, name + ".start");
  check_set(slice->stop, name + ".stop");
  check_set(slice->step, name + ".step");
}

Input::Where place_of(std::span<const Index> indices) {
  return indices.empty() ? Input::Where() : indices.front().where();
}

Tensor at(const Tensor& x, const Index& index) {
  const ErrorLine errors(index.where());
  check_index(index, "index");
  return sliced(x, {&index, 1});
}

}  // namespace

Tensor sliced(const Tensor& x, std::span<const Index> indices) {
  const Input::Where where = place_of(indices);
  const ErrorLine errors(where);
  for (size_t i = 0; i < indices.size(); ++i) check_index(indices[i], element_name("indices", i));
  graph::Graph& graph = x.node()->graph();
  const UserLine line(graph, where);
  SliceBuilder slice(graph);
  for (const Index& index : indices) slice.add(index);
  return slice.build(endpoint_of(x));
}

Tensor Tensor::operator[](const Index& index) const {
  if (!has_value()) throw_unset_method("tf::Tensor", "operator[]", index.where());
  return at(*this, index);
}
Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  if (!has_value())
    throw_unset_method("tf::Tensor", "operator[]", place_of({indices.begin(), indices.size()}));
  return sliced(*this, {indices.begin(), indices.size()});
}
Tensor Variable::operator[](const Index& index) const {
  if (!has_value()) throw_unset_method("tf::Variable", "operator[]", index.where());
  return at(value(index.where()), index);
}
Tensor Variable::operator[](std::initializer_list<Index> indices) const {
  if (!has_value())
    throw_unset_method("tf::Variable", "operator[]", place_of({indices.begin(), indices.size()}));
  return sliced(value(place_of({indices.begin(), indices.size()})), {indices.begin(), indices.size()});
}

}  // namespace flowray::tf
