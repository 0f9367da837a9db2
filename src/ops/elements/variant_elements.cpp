#include "ops/elements/variant_elements.h"

#include "core/invalid_argument.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace flowray::ops {
namespace {

/// Null where it is of other variants.
const VariantElements* elements_in(const Array& variants) {
  return graph::variant_as<VariantElements>(variants);
}

[[noreturn]] void no_rows(const Array& variants) {
  throw errors::UnimplementedError(
      fmt::format("Rows of variants are put together and taken apart where these are tensors, and not of {}",
                  graph::variant_description(variants)));
}

}  // namespace

VariantElements::VariantElements(std::vector<Array> tensors) : tensors_(std::move(tensors)) {
  for (const Array& tensor : tensors_) hold(tensor);
}

std::string VariantElements::description() const {
  return fmt::format("Variant<type: tensorflow::Tensor value: {} tensors>", tensors_.size());
}

Array variants_of(std::vector<Array> tensors, const Shape& shape) {
  if (std::ssize(tensors) != shape.num_elements()) {
    throw errors::InternalError(
        fmt::format("{} tensors as variants of shape {}", tensors.size(), shape.to_string()));
  }
  return graph::variant_array(std::make_shared<VariantElements>(std::move(tensors)), shape);
}

const std::vector<Array>& tensors_of(const Array& variants) {
  const VariantElements* const elements = elements_in(variants);
  if (elements == nullptr) {
    invalid_argument(fmt::format("Variants that are tensors are expected, and there is {}",
                                 graph::variant_description(variants)));
  }
  return elements->tensors();
}

Array rows_of(const Array& from, int64_t begin, int64_t end) {
  if (from.dtype() != DType::kVariant) return from.rows(begin, end);
  const VariantElements* const elements = elements_in(from);
  if (elements == nullptr) no_rows(from);
  const auto& all = elements->tensors();
  const Shape row(from.shape().dims().subspan(1));
  const int64_t width = row.num_elements();
  return variants_of({all.begin() + begin * width, all.begin() + end * width},
                     Shape{end - begin}.concatenate(row));
}

Array row_of(const Array& from, int64_t i) {
  return rows_of(from, i, i + 1).reshape(Shape(from.shape().dims().subspan(1)));
}

Array stacked_variants(std::span<const Array> rows) {
  std::vector<Array> all;
  for (const Array& row : rows) {
    const VariantElements* const elements = elements_in(row);
    if (elements == nullptr) no_rows(row);
    all.insert(all.end(), elements->tensors().begin(), elements->tensors().end());
  }
  return variants_of(std::move(all), Shape{std::ssize(rows)}.concatenate(rows.front().shape()));
}

}  // namespace flowray::ops
