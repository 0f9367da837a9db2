#include "graph/resource/variant_value.h"

#include "core/buffer.h"

namespace flowray::graph {

Array variant_array(std::shared_ptr<const VariantValue> value) {
  const VariantValue* const address = value.get();
  using Owner = std::shared_ptr<const VariantValue>;
  auto owner = std::make_unique<Owner>(std::move(value));
  BufferRef buffer =
      Buffer::adopt(nullptr, 0, [](void* held) { delete static_cast<Owner*>(held); }, owner.get(), false);
  (void)owner.release();
  return Array::wrap(buffer.leave(), const_cast<VariantValue*>(address), DType::kVariant, Shape());
}

Array empty_variant() { return Array::wrap(nullptr, nullptr, DType::kVariant, Shape()); }

std::string variant_description(const Array& array) {
  if (array.raw_data() == nullptr) return "<nothing>";
  return static_cast<const VariantValue*>(array.raw_data())->description();
}

}  // namespace flowray::graph
