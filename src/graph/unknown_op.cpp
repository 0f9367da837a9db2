#include "graph/unknown_op.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace flowray::graph {
namespace {

constexpr size_t kShown = 3;
constexpr size_t kLongestName =
    100;  // of an op that another could be like: a graph from elsewhere may hold megabytes there

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
}

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

/// How many letters have to be put in, left out or changed; capitals are as good as small letters.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (const char letter : a) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (lower(letter) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

std::vector<std::string_view> nearest_ops(std::string_view op, const OpTable& ops) {
  if (op.size() > kLongestName) return {};
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view name : ops.names()) {
    if (name == op) continue;  // one that is not registered for this sender
    const size_t letters = distance(op, name);
    if (letters <= std::max<size_t>(2, op.size() / 3)) near.emplace_back(letters, name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::min(near.size(), kShown); ++i) names.push_back(near[i].second);
  return names;
}

/// "n" of "n", "n:1", "n:out:0" and "^n".
std::string_view node_of(std::string_view input) {
  if (input.starts_with('^')) input.remove_prefix(1);
  return input.substr(0, input.find(':'));
}

/// " 'y', 'z' and 2 more take what it gives."
std::string users(std::string_view name, std::span<const wire::NodeDef> nodes) {
  std::vector<std::string> shown;
  size_t count = 0;
  for (const wire::NodeDef& node : nodes) {
    const bool takes = std::any_of(node.input.begin(), node.input.end(),
                                   [name](const wire::Text& input) { return node_of(input.view()) == name; });
    if (takes && ++count <= kShown) shown.push_back(fmt::format("'{}'", node.name.view()));
  }
  if (count == 0) return " No other node takes what it gives.";
  const std::string more = count > kShown ? fmt::format(" and {} more", count - kShown) : "";
  return fmt::format(" What it gives goes to {}{}.", fmt::join(shown, ", "), more);
}

}  // namespace

void throw_unknown_op(const wire::NodeDef& node, std::span<const wire::NodeDef> nodes, const OpTable& ops,
                      std::string_view advice) {
  const std::string_view op = node.op.view();
  std::string text = fmt::format(
      "Op type not registered '{}' in binary running on {}. Make sure the Op and Kernel are "
      "registered in the binary running in this process.\nIt is the op of node '{}'.{}",
      op, host_name(), node.name.view(), users(node.name.view(), nodes));
  if (!advice.empty()) throw errors::NotFoundError(fmt::format("{}\n{}", text, advice));
  const std::vector<std::string_view> near = nearest_ops(op, ops);
  if (!near.empty()) text += fmt::format("\nKnown ops of similar names: {}.", fmt::join(near, ", "));
  throw errors::NotFoundError(text);
}

}  // namespace flowray::graph
