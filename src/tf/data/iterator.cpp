#include <flowray/tf/collections.h>
#include <flowray/tf/data.h>

#include "core/counted_text.h"
#include "graph/exchange/function_export.h"
#include "graph/exchange/function_library.h"
#include "tf/build/unset.h"
#include "tf/data/dataset_parts.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace flowray::tf::data {
namespace {

constexpr const char* kIterators = "iterators";  // the collection

/// Throws for what a function of a one-shot iterator cannot copy: each step would have its own. As in
/// TensorFlow, control inputs are not copied, so what they wait for may be anything: list_files' Assert.
class CopiesByValue {
 public:
  explicit CopiesByValue(const graph::Node& dataset) { look_at(dataset); }

 private:
  void look_at(const graph::Node& node) {
    if (!seen_.insert(&node).second) return;
    if (node.op() == "Placeholder" || node.op() == "PlaceholderV2") {
      throw ValueError(
          fmt::format("Cannot capture a placeholder (name:{}, type:{}) by value.", node.name(), node.op()));
    }
    if (node.schema().row.stateful && !node.op().ends_with("Dataset") && !is_versioned_dataset(node.op())) {
      throw ValueError(
          fmt::format("Cannot capture a stateful node (name:{}, type:{}) by value.: A likely cause of this "
                      "error is that the "
                      "dataset for which you are calling `make_one_shot_iterator()` captures a stateful "
                      "object, such as a "
                      "`tf.Variable` or `tf.lookup.StaticHashTable`, which is not supported. Use "
                      "`make_initializable_iterator()` "
                      "instead.",
                      node.name(), node.op()));
    }
    for (const graph::Endpoint& input : node.inputs()) look_at(*input.node);
  }
  static bool is_versioned_dataset(const std::string& op) {
    return op.substr(0, op.find_last_not_of("0123456789") + 1).ends_with("DatasetV");
  }

  std::set<const graph::Node*> seen_;
};

/// The function that makes the dataset, from copies of the nodes that it is made of. It waits for nothing
/// that has a state, such as an assertion: that stays in the program's graph.
std::string factory_of(const Tensor& dataset) {
  const CopiesByValue check(*dataset.node());
  return graph::add_function(
      graph::FunctionLibrary::of(dataset.node()->graph()),
      {.name = "make_dataset",
       .args = {},
       .results = {endpoint_of(dataset)},
       .control = [](graph::Node* node) { return node->schema().row.stateful ? nullptr : node; }});
}

graph::Attrs attrs_of(const std::vector<TensorSpec>& spec) {
  return {{"output_types", types_of(spec)}, {"output_shapes", shapes_of(spec)}};
}

std::string text_of(const TensorShape& shape) {
  if (!shape.has_rank()) return "TensorShape(None)";
  std::string dims;
  for (const int64_t dim : shape.dims())
    dims += fmt::format("{}Dimension({})", dims.empty() ? "" : ", ", dim < 0 ? "None" : std::to_string(dim));
  return fmt::format("TensorShape([{}])", dims);
}

std::string text_of(const std::vector<TensorShape>& shapes) {
  if (shapes.size() == 1) return text_of(shapes[0]);
  std::string text;
  for (const TensorShape& shape : shapes) text += (text.empty() ? "(" : ", ") + text_of(shape);
  return text + ")";
}

/// As Python's repr().
std::string repr_of(const std::vector<DType>& types) {
  return types.size() == 1 ? fmt::format("tf.{}", dtype_name(types[0])) : tuple_text(types);
}

void check_fits(const std::vector<TensorSpec>& iterator, const std::vector<TensorSpec>& dataset) {
  if (types_of(iterator) != types_of(dataset)) {
    throw TypeError(fmt::format("Expected output types {} but got dataset with output types {}.",
                                repr_of(types_of(iterator)), repr_of(types_of(dataset))));
  }
  for (size_t i = 0; i < iterator.size(); ++i) {
    if (iterator[i].shape.is_compatible_with(dataset[i].shape)) continue;
    throw TypeError(
        fmt::format("Expected output shapes compatible with {} but got dataset with output shapes {}.",
                    text_of(shapes_of(iterator)), text_of(shapes_of(dataset))));
  }
}

/// The node behind an iterator that a method was called on.
const graph::Node& of_iterator(const Tensor& resource, std::string_view method, Input::Where where) {
  if (!resource.has_value()) throw_unset_method("tf::data::Iterator", method, where);
  return *resource.node();
}

}  // namespace

Iterator::Iterator(Tensor resource, Operation initializer, std::vector<TensorSpec> spec, bool is_one_shot,
                   Input::Where where)
    : resource_(std::move(resource)),
      initializer_(std::move(initializer)),
      string_handle_(resource_.is_eager()
                         ? Tensor()
                         : apply_op({.op = "IteratorToStringHandle", .args = {resource_}, .where = where})),
      spec_(std::move(spec)),
      is_one_shot_(is_one_shot) {
  if (!resource_.is_eager()) resource_.graph().add_to_collection(kIterators, resource_);
}

Iterator Dataset::make_one_shot_iterator(Input::Where where) const {
  const CallScope call(graph_of_dataset({*this, "make_one_shot_iterator()"}, where), where);
  const ColocationGuard beside = colocate_with(variant_.op());
  graph::Attrs attrs = attrs_of(spec_);
  if (variant_.is_eager()) {
    attrs.set("shared_name", std::string());
    attrs.set("container", std::string());
    const Tensor resource = apply_op({.op = "IteratorV2", .attrs = std::move(attrs)});
    (void)apply_op_node({.op = "MakeIterator", .args = {variant_, resource}});
    return {resource, Operation(), spec_, /*is_one_shot=*/true, where};
  }
  attrs.set("dataset_factory", function_attr(factory_of(variant_)));
  const Tensor resource = apply_op({.op = "OneShotIterator", .attrs = std::move(attrs)});
  return {resource, Operation(), spec_, /*is_one_shot=*/true, where};
}

Iterator Dataset::make_initializable_iterator(const InitializableIteratorOptions& options,
                                              Input::Where where) const {
  const CallScope call(graph_of_dataset({*this, "make_initializable_iterator()"}, where), where);
  if (variant_.is_eager()) {
    throw RuntimeError(
        "`dataset.make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration "
        "over "
        "the dataset instead.\nIn C++: dataset.make_one_shot_iterator().");
  }
  const ColocationGuard beside = colocate_with(variant_.op());
  graph::Attrs attrs = attrs_of(spec_);
  attrs.set("shared_name", options.shared_name);
  attrs.set("container", std::string());
  const Tensor resource = apply_op({.op = "IteratorV2", .attrs = std::move(attrs)});
  const Operation initializer(apply_op_node({.op = "MakeIterator", .args = {variant_, resource}}));
  return {resource, initializer, spec_, /*is_one_shot=*/false, where};
}

Iterator Iterator::from_structure(std::vector<TensorSpec> element_spec,
                                  const InitializableIteratorOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  if (element_spec.empty()) throw ValueError("Iterator::from_structure: element_spec has no component.");
  graph::Attrs attrs = attrs_of(element_spec);
  attrs.set("shared_name", options.shared_name);
  attrs.set("container", std::string());
  const Tensor resource = apply_op({.op = "IteratorV2", .attrs = std::move(attrs), .where = where});
  return {resource, Operation(), std::move(element_spec), /*is_one_shot=*/false, where};
}

Iterator Iterator::from_string_handle(const Input& string_handle, std::vector<TensorSpec> element_spec) {
  const CallScope call({{"string_handle", string_handle}});
  graph::Graph& graph = call.graph();
  const Tensor handle = to_tensor(graph, string_handle, "Const",
                                  string_handle.tensor() == nullptr ? DType::kString : DType::kInvalid);
  const Tensor resource =
      apply_op({.op = "IteratorFromStringHandleV2", .args = {handle}, .attrs = attrs_of(element_spec)});
  return {resource, Operation(), std::move(element_spec), /*is_one_shot=*/false, string_handle.where()};
}

std::vector<Tensor> Iterator::get_next(const NameOption& options, Input::Where where) const {
  const graph::Node& iterator = of_iterator(resource_, "get_next()", where);
  const UserLine line(iterator.graph(), where);
  const ColocationGuard beside = colocate_with(resource_.op());
  return Operation(apply_op_node({.op = "IteratorGetNext",
                                  .name = options.name,
                                  .args = {resource_},
                                  .attrs = attrs_of(spec_)}))
      .outputs();
}

void Iterator::check_number_of_components(size_t asked, Input::Where where) const {
  const ErrorLine errors(where);
  (void)of_iterator(resource_, "get_next()", where);
  if (asked == spec_.size()) return;
  throw ValueError(fmt::format("get_next<{}>: an element of this iterator has {}", asked,
                               counted_text(spec_.size(), "component")));
}

Operation Iterator::initializer(Input::Where where) const {
  const ErrorLine errors(where);
  (void)of_iterator(resource_, "initializer()", where);
  if (initializer_.has_value()) return initializer_;
  throw ValueError(
      "The iterator does not have an initializer. This means it was likely created using "
      "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
      "`tf.data.Dataset.make_initializable_iterator()` instead.");
}

Operation Iterator::make_initializer(const Dataset& dataset, const NameOption& options,
                                     Input::Where where) const {
  const ErrorLine errors(where);
  const graph::Node& iterator = of_iterator(resource_, "make_initializer()", where);
  if (!dataset.has_value()) throw_unset_argument("tf::data::Dataset", "dataset");
  check_fits(spec_, dataset.element_spec());
  if (is_one_shot_) {
    throw ValueError(
        "A one-shot iterator walks through its own dataset only.\nUse Iterator::from_structure for one that "
        "several datasets initialize.");
  }
  const UserLine line(iterator.graph(), where);
  const ColocationGuard beside = colocate_with(resource_.op());
  return Operation(apply_op_node({.op = "MakeIterator",
                                  .name = options.name.empty() ? "make_initializer" : options.name,
                                  .args = {dataset.variant_tensor(), resource_}}));
}

Tensor Iterator::string_handle(const NameOption& options, Input::Where where) const {
  (void)of_iterator(resource_, "string_handle()", where);
  if (resource_.is_eager()) throw RuntimeError("Iterator.string_handle() is not supported in eager mode.");
  if (options.name.empty()) return string_handle_;
  return apply_op(
      {.op = "IteratorToStringHandle", .name = options.name, .args = {resource_}, .where = where});
}

}  // namespace flowray::tf::data
