#include <flowray/tf/input.h>

#include <flowray/tf/variable.h>

#include "graph/graph.h"
#include "tf/build/eager_variable.h"
#include "tf/build/resource_variable.h"
#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::tf {

Array internal::stacked(const std::vector<Array>& rows, DType dtype) {
  std::vector<int64_t> dims = {static_cast<int64_t>(rows.size())};
  if (!rows.empty()) dims.insert(dims.end(), rows[0].shape().begin(), rows[0].shape().end());
  Array whole = Array::uninitialized(dtype, TensorShape(dims));
  for (size_t i = 0; i < rows.size(); ++i) {
    const Array& row = rows[i];
    if (row.shape() != rows[0].shape()) {
      throw ValueError(fmt::format(
          "setting an array element with a sequence. The vectors in a vector have unequal lengths: "
          "number 0 has the shape {}, number {} has {}",
          rows[0].shape().to_tuple_string(), i, row.shape().to_tuple_string()));
    }
    if (dtype == DType::kString) {
      std::ranges::copy(row.span<std::string>(),
                        whole.mutable_data<std::string>() + row.size() * static_cast<int64_t>(i));
    } else if (row.size_bytes() > 0) {
      std::memcpy(static_cast<std::byte*>(whole.mutable_raw_data()) + row.size_bytes() * i, row.raw_data(),
                  row.size_bytes());
    }
  }
  return whole;
}

/// An unset variable is an unset tensor: the function that the input goes to names its argument.
Input::Input(const Variable& variable, Where where) : where_(where) {
  if (variable.has_value() && !variable.state()->parts.empty()) {  // there is no reference to all of them
    reads_later_ = true;
    resource_ = variable.state();
    return;
  }
  reference_ = variable.ref();
  if (reference_.has_value() && reference_.node()->is_value()) {
    reads_later_ = true;
  } else if (variable.has_value() && variable.state()->is_resource) {
    reads_later_ = true;
    resource_ = variable.state();
  } else if (variable.has_value()) {
    value_ = variable.value();
  }
}

void Input::read_variable() const {
  reads_later_ = false;
  if (resource_ == nullptr) {
    value_ = read_eager_variable(reference_);
    return;
  }
  const UserLine line(resource_->node->graph(), where_);
  value_ = resource_->parts.empty() ? value_of_resource(*resource_) : value_of_parts(*resource_);
}

Input::Input(std::initializer_list<Input> items, Where where)
    : Input(std::span<const Input>(items.begin(), items.size()), where) {}

Input Input::list(const std::vector<Input>& items, Where where) {
  return {std::span<const Input>(items), where};
}

Input::Input(std::span<const Input> items, Where where) : where_(where) {
  const bool plain =
      std::all_of(items.begin(), items.end(), [](const Input& item) { return item.literal() != nullptr; });
  if (!plain) {
    value_ = std::make_shared<const std::vector<Input>>(items.begin(), items.end());
    return;
  }
  std::vector<Literal> literals;
  literals.reserve(items.size());
  for (const Input& item : items) literals.push_back(*item.literal());
  value_ = Literal::list(std::move(literals));
}

Input::Input(const TensorShape& shape, Where where) : where_(where) {
  if (!shape.is_fully_defined()) {
    throw ValueError(
        fmt::format("Cannot convert a partially known TensorShape {} to a Tensor.", shape.to_tuple_string()));
  }
  const bool large = std::any_of(shape.begin(), shape.end(), [](int64_t dim) { return dim > INT32_MAX; });
  const std::vector<int64_t> dims(shape.begin(), shape.end());
  value_ = Array(dims).astype(large ? DType::kInt64 : DType::kInt32);
}

}  // namespace flowray::tf
