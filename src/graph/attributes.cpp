#include "graph/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace flowray::graph {

bool same_attr(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&](const auto& value) { return value == std::get<std::decay_t<decltype(value)>>(b); }, a);
}

void Attrs::set(std::string_view name, AttrValue value) {
  auto place = std::lower_bound(items_.begin(), items_.end(), name,
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
