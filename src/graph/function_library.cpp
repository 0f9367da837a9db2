#include "graph/function_library.h"

#include "graph/graph.h"

#include <algorithm>
#include <set>

namespace flowray::graph {

FunctionLibrary& FunctionLibrary::of(Graph& graph) {
  return graph.attachment<FunctionLibrary>("function_library");
}

void FunctionLibrary::add(const wire::FunctionDefLibrary& library) {
  if (library.function.empty() && library.gradient.empty()) return;
  std::string source = wire::encode(library);
  const std::lock_guard lock(mutex_);
  std::set<std::string_view> functions;
  std::set<std::string_view> gradients;
  for (const wire::FunctionDef& function : library_.function) functions.insert(function.signature.name);
  for (const auto& gradient : library_.gradient) gradients.insert(gradient.function_name);
  const std::string& kept = sources_.emplace_back(std::move(source));
  auto added = wire::decode<wire::FunctionDefLibrary>(kept);
  for (wire::FunctionDef& function : added.function) {
    if (functions.insert(function.signature.name).second) library_.function.push_back(std::move(function));
  }
  for (auto& gradient : added.gradient) {
    if (gradients.insert(gradient.function_name).second) library_.gradient.push_back(std::move(gradient));
  }
}

wire::FunctionDefLibrary FunctionLibrary::message() const {
  const std::lock_guard lock(mutex_);
  return library_;
}

}  // namespace flowray::graph
