#include <flowray/tf/input.h>

#include <flowray/tf/variable.h>

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {

Input::Input(const Variable& variable, Where where)
    : value_(variable.value()), reference_(variable.ref()), where_(where) {}

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
