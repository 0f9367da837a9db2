#include "graph/exchange/import_order.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <charconv>

namespace flowray::graph {
namespace {

enum class Mark : uint8_t { kNew, kOpen, kDone };

/// `cycle` is a path whose last node is an input of its first.
[[noreturn]] void fail_cycle(const wire::GraphDef& message, std::span<const uint32_t> cycle) {
  std::string path;
  for (const uint32_t place : cycle) {
    const std::string_view name = message.node[place].name;
    if (path.size() < 400) path += fmt::format("{}{}", path.empty() ? "" : " <- ", name);
  }
  throw errors::InvalidArgumentError(fmt::format("{} nodes in a cycle\nThey are: {}", cycle.size(), path));
}

}  // namespace

InputName parse_input_name(std::string_view text) {
  if (text.starts_with('^')) return {text.substr(1), InputName::kControl};
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, 0};
  const std::string_view digits = text.substr(colon + 1);
  int index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_index = error == std::errc() && end == digits.data() + digits.size() && index >= 0;
  return is_index ? InputName{text.substr(0, colon), index} : InputName{text, 0};
}

MessageNodes::MessageNodes(const wire::GraphDef& message) : message_(message), places_({&message}) {
  places_.reserve(message.node.size());
  for (uint32_t place = 0; place < message.node.size(); ++place) {
    if (!places_.insert(place)) {
      throw errors::InvalidArgumentError(
          fmt::format("Node '{}' is not unique", message.node[place].name.view()));
    }
  }
  first_input_.reserve(message.node.size() + 1);
  for (const wire::NodeDef& node : message.node) {
    first_input_.push_back(inputs_.size());
    for (const wire::Text& text : node.input) {
      const InputName input = parse_input_name(text);
      inputs_.push_back({find(input.node), input.index});
    }
  }
  first_input_.push_back(inputs_.size());
}

std::vector<uint32_t> MessageNodes::inputs_first(const BackEdge& is_back_edge) const {
  struct Visit {
    uint32_t place;
    size_t next_input;
  };
  std::vector<uint32_t> order;
  order.reserve(message_.node.size());
  std::vector<Mark> marks(message_.node.size(), Mark::kNew);
  std::vector<Visit> open;
  for (uint32_t first = 0; first < message_.node.size(); ++first) {
    if (marks[first] != Mark::kNew) continue;
    marks[first] = Mark::kOpen;
    open.push_back({first, 0});
    while (!open.empty()) {
      Visit& visit = open.back();
      const std::span<const Input> its_inputs = inputs(visit.place);
      if (visit.next_input == its_inputs.size()) {
        marks[visit.place] = Mark::kDone;
        order.push_back(visit.place);
        open.pop_back();
        continue;
      }
      const uint32_t input = its_inputs[visit.next_input++].place;
      if (input == kNone || marks[input] == Mark::kDone || is_back_edge(visit.place, input)) continue;
      if (marks[input] == Mark::kOpen) {
        std::vector<uint32_t> cycle;
        for (size_t i = open.size(); cycle.empty() || cycle.back() != input; --i)
          cycle.push_back(open[i - 1].place);
        fail_cycle(message_, cycle);
      }
      marks[input] = Mark::kOpen;
      open.push_back({input, 0});
    }
  }
  return order;
}

}  // namespace flowray::graph
