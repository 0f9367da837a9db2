#include "graph/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace flowray::graph {
namespace {

bool is_scope_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '/' || c == '\\' || c == '>';
}

void check_scope_name(std::string_view name, bool at_root) {
  const bool valid = std::all_of(name.begin(), name.end(), is_scope_char);
  const bool valid_start =
      name.empty() || std::isalnum(static_cast<unsigned char>(name.front())) || name.front() == '.';
  if (valid && (!at_root || valid_start)) return;
  throw ValueError(
      fmt::format("'{}' is not a valid {}scope name. A {}scope name has to match the following pattern: {}",
                  name, at_root ? "root " : "", at_root ? "root " : "",
                  at_root ? R"(^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$)" : R"(^[A-Za-z0-9_.\\/>-]*$)"));
}

}  // namespace

Node* Builder::node(std::string_view op, std::vector<Endpoint> inputs, Attrs attrs, std::string_view name) {
  return graph_.add({.op = op, .name = name, .inputs = std::move(inputs), .attrs = std::move(attrs)});
}

Endpoint Builder::constant(const Array& value, std::string_view name) {
  return graph_.add_constant(value, name)->output(0);
}

NameScope::NameScope(Graph& graph, std::string_view name) : graph_(graph) {
  if (graph_.is_eager()) {  // names mean nothing but for variables, which an empty name takes to the root
    if (name.empty()) outer_ = std::exchange(graph_.scopes().name, {});
    return;
  }
  outer_ = graph.scopes().name;
  std::string scope;
  if (!name.empty()) {
    check_scope_name(name, outer_.empty());
    scope = name.ends_with('/') ? std::string(name.substr(0, name.size() - 1)) : graph.unique_name(name);
  }
  path_ = scope.empty() ? std::string() : scope + "/";
  graph.scopes().name = std::move(scope);
}

NameScope::~NameScope() {
  if (!graph_.is_eager() || !outer_.empty()) graph_.scopes().name = outer_;
}

}  // namespace flowray::graph
