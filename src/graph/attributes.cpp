#include "graph/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace flowray::graph {

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue& other) = default;
AttrValue::AttrValue(AttrValue&& other) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& other) = default;
AttrValue& AttrValue::operator=(AttrValue&& other) noexcept = default;
AttrValue::~AttrValue() = default;

template <AttrAlternative T>
AttrValue::AttrValue(T value) : value_(std::in_place_type<T>, std::move(value)) {}

template AttrValue::AttrValue(bool value);
template AttrValue::AttrValue(int64_t value);
template AttrValue::AttrValue(float value);
template AttrValue::AttrValue(std::string value);
template AttrValue::AttrValue(DType value);
template AttrValue::AttrValue(Shape value);
template AttrValue::AttrValue(Array value);
template AttrValue::AttrValue(std::vector<bool> value);
template AttrValue::AttrValue(std::vector<int64_t> value);
template AttrValue::AttrValue(std::vector<float> value);
template AttrValue::AttrValue(std::vector<std::string> value);
template AttrValue::AttrValue(std::vector<DType> value);
template AttrValue::AttrValue(std::vector<Shape> value);
template AttrValue::AttrValue(OpaqueAttr value);

bool same_attr(const AttrValue& a, const AttrValue& b) {
  return std::visit(
      [&](const auto& value) {
        const auto* const other = b.get_if<std::decay_t<decltype(value)>>();
        return other != nullptr && value == *other;
      },
      a.alternatives());
}

Attrs::Attrs(std::initializer_list<Item> items) {
  for (const Item& item : items) set(item.first, item.second);
}

void Attrs::set(std::string_view name, AttrValue value) {
  auto place =
      std::lower_bound(items_.begin(), items_.end(), name,
                       [](const Item& item, std::string_view wanted) { return item.first < wanted; });
  if (place != items_.end() && place->first == name) {
    place->second = std::move(value);
  } else {
    items_.emplace(place, std::string(name), std::move(value));
  }
}

const AttrValue* Attrs::find(std::string_view name) const {
  for (const Item& item : items_) {
    if (item.first == name) return &item.second;
  }
  return nullptr;
}

void Attrs::throw_missing(std::string_view name) const {
  std::string have;
  for (const Item& item : items_) have += (have.empty() ? "" : ", ") + item.first;
  throw errors::InternalError(
      fmt::format("Attribute '{}' is missing or of another type; the node has: {}", name, have));
}

}  // namespace flowray::graph
