#include "tf/build/collections.h"

#include <flowray/tf/collections.h>

#include "tf/build/apply_op.h"
#include "tf/build/unset.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace flowray::tf {
namespace {

using internal::Collected;
using internal::Collections;

CollectionItem public_item(const Collected& item) {
  if (const auto* variable = std::get_if<std::shared_ptr<internal::VariableState>>(&item))
    return Variable(*variable);
  if (const auto* tensor = std::get_if<graph::Endpoint>(&item)) return tensor_of(*tensor);
  return Operation(std::get<graph::Node*>(item));
}

/// What a graph keeps of an item. It does not own what it points at, so that must be its own.
Collected kept_item(const graph::Graph& graph, const CollectionItem& item, std::string_view argument) {
  const ErrorLine errors(item.where());
  const graph::Node& node = item.tensor() != nullptr      ? node_of(*item.tensor(), argument)
                            : item.operation() != nullptr ? node_of(*item.operation(), argument)
                                                          : node_of(*item.variable(), argument);
  if (&node.graph() != &graph) {
    throw ValueError(
        fmt::format("{} is not an element of this graph.\nAdd it to a collection of its own: "
                    "graph.add_to_collection(name, value).",
                    item.name()));
  }
  if (graph.is_eager() && item.variable() == nullptr) internal::throw_no_eager_collections();
  if (item.tensor() != nullptr) return endpoint_of(*item.tensor());
  if (item.operation() != nullptr) return item.operation()->node();
  return item.variable()->state();
}

/// The items at the beginning of whose names the regular expression `scope` is.
Collection collection_in(graph::Graph& graph, const std::string& key, const std::string& scope,
                         Input::Where where) {
  const ErrorLine errors(where);
  const RE2 pattern(scope, RE2::Quiet);
  if (!pattern.ok())
    throw ValueError(fmt::format("'{}' is not a regular expression: {}", scope, pattern.error()));
  const auto is_in_scope = [&](const std::string& name) {
    return pattern.Match(name, 0, name.size(), RE2::ANCHOR_START, nullptr, 0);
  };
  std::vector<CollectionItem> found;
  for (const Collected& item : internal::collections_of(graph).items(key)) {
    CollectionItem one = public_item(item);
    if (is_in_scope(one.name())) found.push_back(std::move(one));
  }
  if (graph.is_eager() && key == internal::kRegularizationLosses) {
    for (const auto& loss : internal::eager_regularization_of(graph).all()) {
      const auto variable = loss.variable.lock();
      if (variable == nullptr || !is_in_scope(loss.name)) continue;
      if (const Tensor value = loss.compute(variable); value.has_value()) found.emplace_back(value, where);
    }
  }
  return Collection(std::move(found));
}

std::vector<Variable> variables_in(const char* key, const std::string& scope, Input::Where where) {
  std::vector<Variable> found;
  for (const CollectionItem& item : collection_in(default_graph(), key, scope, where)) {
    if (item.variable() != nullptr) found.push_back(*item.variable());
  }
  return found;
}

[[noreturn]] void throw_other_kind(const CollectionItem& item, const char* wanted) {
  const char* kind = item.tensor() != nullptr      ? "tf::Tensor"
                     : item.operation() != nullptr ? "tf::Operation"
                                                   : "tf::Variable";
  throw TypeError(
      fmt::format("'{}' in the collection is a {}, and {} is asked for.\nGo through the items of "
                  "tf::get_collection: item.tensor(), item.operation() and item.variable() are null for what "
                  "it is not.",
                  item.name(), kind, wanted));
}

}  // namespace

void internal::throw_no_eager_collections() {
  throw RuntimeError(
      "Collections of tensors and operations are not supported when eager execution is enabled.\nKeep "
      "what is to be found again in a container of the program's: std::vector<tf::Tensor>.");
}

// ---- items

std::string CollectionItem::name() const {
  return std::visit([](const auto& item) { return item.name(); }, item_);
}
Graph CollectionItem::graph() const {
  return std::visit([](const auto& item) { return item.graph(); }, item_);
}

bool CollectionItem::operator==(const CollectionItem& other) const {
  if (item_.index() != other.item_.index()) return false;
  if (tensor() != nullptr) return tensor()->is(*other.tensor());
  return operation() != nullptr ? *operation() == *other.operation() : *variable() == *other.variable();
}

std::vector<Tensor> Collection::tensors(Input::Where where) const {
  const ErrorLine errors(where);
  std::vector<Tensor> tensors;
  for (const CollectionItem& item : items_) {
    if (item.operation() != nullptr) throw_other_kind(item, "a tf::Tensor");
    tensors.push_back(item.tensor() != nullptr ? *item.tensor() : item.variable()->value());
  }
  return tensors;
}

std::vector<Operation> Collection::operations(Input::Where where) const {
  const ErrorLine errors(where);
  std::vector<Operation> operations;
  for (const CollectionItem& item : items_) {
    if (item.operation() == nullptr) throw_other_kind(item, "a tf::Operation");
    operations.push_back(*item.operation());
  }
  return operations;
}

std::vector<Variable> Collection::variables(Input::Where where) const {
  const ErrorLine errors(where);
  std::vector<Variable> variables;
  for (const CollectionItem& item : items_) {
    if (item.variable() == nullptr) throw_other_kind(item, "a tf::Variable");
    variables.push_back(*item.variable());
  }
  return variables;
}

namespace {

/// All items as what a function takes them for.
template <class Taken>
std::vector<Taken> taken_as(const Collection& collection) {
  std::vector<Taken> list;
  for (const CollectionItem& item : collection) {
    if (item.tensor() != nullptr) {
      list.emplace_back(*item.tensor());
    } else if (item.operation() != nullptr) {
      list.emplace_back(*item.operation());
    } else {
      list.emplace_back(*item.variable());
    }
  }
  return list;
}

}  // namespace

Collection::operator std::vector<Dependency>() const { return taken_as<Dependency>(*this); }
Collection::operator std::vector<Fetch>() const { return taken_as<Fetch>(*this); }
Collection::operator std::vector<Input>() const {
  const std::vector<Tensor> all = tensors();
  return {all.begin(), all.end()};
}

// ---- a graph's collections

Collection Graph::get_collection(const std::string& key, const std::string& scope,
                                 std::source_location where) const {
  return collection_in(*graph_, key, scope, where);
}
CollectionRef Graph::get_collection_ref(const std::string& key) const { return {*this, key}; }
void Graph::add_to_collection(const std::string& name, const CollectionItem& value) const {
  internal::collections_of(*graph_).add(name, kept_item(*graph_, value, "value"));
}
void Graph::add_to_collections(const std::vector<std::string>& names, const CollectionItem& value) const {
  const Collected kept = kept_item(*graph_, value, "value");
  for (const std::string& name : names) internal::collections_of(*graph_).add(name, kept);
}
void Graph::clear_collection(const std::string& key) const { internal::collections_of(*graph_).clear(key); }

std::vector<std::string> Graph::get_all_collection_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, items] : internal::collections_of(*graph_).all()) {
    if (!items.empty()) keys.push_back(key);
  }
  return keys;
}

Collection CollectionRef::items() const { return graph_.get_collection(key_); }
void CollectionRef::append(const CollectionItem& item) const {
  graph::Graph& graph = *graph_.get();
  internal::collections_of(graph).add(key_, kept_item(graph, item, "item"));
}
void CollectionRef::clear() const { graph_.clear_collection(key_); }

void CollectionRef::remove(const CollectionItem& item) const {
  graph::Graph& graph = *graph_.get();
  const ErrorLine errors(item.where());
  if (internal::collections_of(graph).remove(key_, kept_item(graph, item, "item"))) return;
  throw ValueError(fmt::format("'{}' is not in the collection '{}'.", item.name(), key_));
}

Collection get_collection(const std::string& key, const std::string& scope, Input::Where where) {
  return collection_in(default_graph(), key, scope, where);
}
CollectionRef get_collection_ref(const std::string& key) { return {get_default_graph(), key}; }
void add_to_collection(const std::string& name, const CollectionItem& value) {
  get_default_graph().add_to_collection(name, value);
}
void add_to_collections(const std::vector<std::string>& names, const CollectionItem& value) {
  get_default_graph().add_to_collections(names, value);
}

// ---- variables

std::vector<Variable> global_variables(const std::string& scope, Input::Where where) {
  return variables_in(internal::kGlobalVariables, scope, where);
}
std::vector<Variable> trainable_variables(const std::string& scope, Input::Where where) {
  return variables_in(internal::kTrainableVariables, scope, where);
}
std::vector<Variable> local_variables(const std::string& scope, Input::Where where) {
  return variables_in(internal::kLocalVariables, scope, where);
}
std::vector<Variable> model_variables(const std::string& scope, Input::Where where) {
  return variables_in(internal::kModelVariables, scope, where);
}
std::vector<Variable> moving_average_variables(const std::string& scope, Input::Where where) {
  return variables_in(internal::kMovingAverageVariables, scope, where);
}

}  // namespace flowray::tf
