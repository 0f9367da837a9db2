#include "glue/difference.h"

#include <fmt/format.h>

namespace flowray {
namespace {

std::string text_of(const KindOfWeight& kind) {
  return fmt::format("{} {}", dtype_name(kind.dtype), kind.shape.to_tuple_string());
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty()) text += '\n';
  text += line;
}

}  // namespace

KindsOfWeights kinds_of(const Weights& weights) {
  KindsOfWeights kinds;
  for (const auto& [name, value] : weights) kinds.emplace(name, KindOfWeight{value.dtype(), value.shape()});
  return kinds;
}

std::string difference_of(const KindsOfWeights& first, const KindsOfWeights& second,
                          std::string_view first_name, std::string_view second_name) {
  std::string text;
  for (const auto& [name, kind] : first) {
    if (!second.contains(name))
      add_line(text, fmt::format("only in {}: '{}' {}", first_name, name, text_of(kind)));
  }
  for (const auto& [name, kind] : second) {
    if (!first.contains(name))
      add_line(text, fmt::format("only in {}: '{}' {}", second_name, name, text_of(kind)));
  }
  for (const auto& [name, kind] : first) {
    const auto other = second.find(name);
    if (other == second.end()) continue;
    if (kind.dtype == other->second.dtype && kind.shape.is_compatible_with(other->second.shape)) continue;
    add_line(text, fmt::format("'{}': {} in {}, {} in {}", name, text_of(kind), first_name,
                               text_of(other->second), second_name));
  }
  return text;
}

std::string difference(const Weights& first, const Weights& second) {
  return difference_of(kinds_of(first), kinds_of(second), "the first", "the second");
}

}  // namespace flowray
