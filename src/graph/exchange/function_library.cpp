#include "graph/exchange/function_library.h"

#include "graph/exchange/attr_message.h"
#include "graph/graph.h"
#include "graph/library_ops.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {
namespace {

AttrType attr_type(std::string_view text, std::string_view function) {
  static constexpr std::pair<std::string_view, AttrType> kTypes[] = {
      {"bool", AttrType::kBool},     {"int", AttrType::kInt},      {"float", AttrType::kFloat},
      {"string", AttrType::kString}, {"type", AttrType::kType},    {"shape", AttrType::kShape},
      {"tensor", AttrType::kTensor}, {"func", AttrType::kFunction}};
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  throw errors::InvalidArgumentError(
      fmt::format("Function '{}' has an attribute of unknown type '{}'", function, text));
}

AttrSchema attr_schema(const wire::OpDef::AttrDef& attr, std::string_view function) {
  AttrSchema schema;
  schema.name = attr.name.str();
  std::string_view type = attr.type.view();
  schema.is_list = type.starts_with("list(") && type.ends_with(')');
  if (schema.is_list) type = type.substr(5, type.size() - 6);
  schema.type = attr_type(type, function);
  if (attr.has_minimum && (schema.is_list || schema.type == AttrType::kInt)) schema.minimum = attr.minimum;
  if (attr.allowed_values.has_value() && attr.allowed_values->value.index() == wire::AttrValue::kList &&
      std::get<wire::AttrValue::kList>(attr.allowed_values->value)) {
    const auto& allowed = *std::get<wire::AttrValue::kList>(attr.allowed_values->value);
    schema.allowed_types = allowed.type;
    for (const wire::Bytes& text : allowed.s) schema.allowed_strings.push_back(text.str());
  }
  if (attr.default_value.has_value()) schema.default_value = attr_from_message(*attr.default_value, schema);
  return schema;
}

ArgSchema arg_schema(const wire::OpDef::ArgDef& arg) {
  return {arg.name.str(),           arg.type,  arg.type_attr.str(), arg.number_attr.str(),
          arg.type_list_attr.str(), arg.is_ref};
}

/// Follows when the call has been replaced by the function's body.
void shape_of_call(ShapeContext&) {}

/// What a call of the function looks like.
OpSchema call_schema(const wire::OpDef& signature) {
  OpSchema schema;
  schema.name = signature.name.str();
  schema.row.name = signature.name.view();
  schema.row.stateful = signature.is_stateful;
  schema.row.shape = shape_of_call;
  for (const auto& attr : signature.attr) schema.attrs.push_back(attr_schema(attr, signature.name));
  for (const auto& arg : signature.input_arg) schema.inputs.push_back(arg_schema(arg));
  for (const auto& arg : signature.output_arg) schema.outputs.push_back(arg_schema(arg));
  return schema;
}

void make_canonical(wire::Map<wire::Text, wire::AttrValue>& attrs) {
  attrs.sort();
  for (auto& [name, attr] : attrs.items) {
    if (auto* const function = std::get_if<wire::AttrValue::kFunc>(&attr.value))
      make_canonical((*function)->attr);
    if (auto* const list = std::get_if<wire::AttrValue::kList>(&attr.value)) {
      for (wire::NameAttrList& each : (*list)->func) make_canonical(each.attr);
    }
  }
}

void check_same(const wire::FunctionDef& added, const wire::FunctionDef& known) {
  if (content_of(added) == content_of(known)) return;
  throw errors::InvalidArgumentError(
      fmt::format("Cannot add function '{}' because a different function with the same name already exists.",
                  added.signature.name.view()));
}

}  // namespace

std::string content_of(wire::FunctionDef function) {
  for (wire::NodeDef& node : function.node_def) {
    make_canonical(node.attr);
    std::ranges::stable_sort(node.input, {}, [](const wire::Text& input) {
      return input.view().starts_with('^') ? input.view() : std::string_view();
    });
    node.unknown.clear();
  }
  std::ranges::stable_sort(function.node_def, [](const wire::NodeDef& a, const wire::NodeDef& b) {
    return a.name.view() < b.name.view();
  });
  function.ret.sort();
  make_canonical(function.attr);
  function.control_ret.sort();
  function.unknown.clear();
  wire::FunctionDefLibrary alone;
  alone.function.push_back(std::move(function));
  return wire::encode(alone);
}

const OpSchema* library_op(Graph& graph, std::string_view name) {
  const LibraryFunction* const function = FunctionLibrary::of(graph).find(name);
  return function == nullptr ? nullptr : &function->schema;
}

bool is_function_call(const OpSchema& schema) { return schema.row.shape == shape_of_call; }

FunctionLibrary::Addition::Addition(const wire::FunctionDefLibrary& library) {
  if (library.function.empty() && library.gradient.empty()) return;
  content_ = std::make_shared<Content>();
  content_->source = wire::encode(library);
  content_->library = wire::decode<wire::FunctionDefLibrary>(content_->source);
  for (const wire::FunctionDef& function : content_->library.function) {
    const auto [known, is_new] = content_->functions.try_emplace(
        function.signature.name.view(), LibraryFunction{function, call_schema(function.signature)});
    if (!is_new) check_same(function, known->second.definition);
  }
}

const LibraryFunction* FunctionLibrary::Addition::find(std::string_view name) const {
  if (content_ == nullptr) return nullptr;
  const auto found = content_->functions.find(name);
  return found == content_->functions.end() ? nullptr : &found->second;
}

FunctionLibrary& FunctionLibrary::of(Graph& graph) {
  return graph.attachment<FunctionLibrary>("function_library");
}

void FunctionLibrary::Functions::check(const Addition& addition) const {
  const Addition::Content& content = *addition.content_;
  for (const auto& [name, function] : content.functions) {
    const auto known = by_name.find(name);
    if (known != by_name.end()) check_same(function.definition, known->second->definition);
  }
  std::unordered_map<std::string_view, std::string_view> added;
  for (const auto& gradient : content.library.gradient) {
    const std::string_view of = gradient.function_name.view();
    const auto here = gradients.find(of);
    const std::string_view known = here != gradients.end()
                                       ? here->second
                                       : added.try_emplace(of, gradient.gradient_func.view()).first->second;
    if (known == gradient.gradient_func.view()) continue;
    throw errors::InvalidArgumentError(fmt::format(
        "Cannot assign gradient function '{}' to '{}' because it already has gradient function '{}'",
        gradient.gradient_func.view(), of, known));
  }
}

void FunctionLibrary::Functions::take(const Addition& addition) {
  const Addition::Content& content = *addition.content_;
  bool has_new = false;
  for (const wire::FunctionDef& function : content.library.function) {
    const std::string_view name = function.signature.name.view();
    if (!by_name.emplace(name, &content.functions.at(name)).second) continue;
    library.function.push_back(function);
    has_new = true;
  }
  for (const auto& gradient : content.library.gradient) {
    if (!gradients.emplace(gradient.function_name.view(), gradient.gradient_func.view()).second) continue;
    library.gradient.push_back(gradient);
    has_new = true;
  }
  if (has_new) kept.push_back(addition);
}

void FunctionLibrary::add(const wire::FunctionDefLibrary& library) {
  const Addition addition(library);
  Joining(*this, addition).finish();
}

FunctionLibrary::Joining::Joining(FunctionLibrary& library, const Addition& addition)
    : functions_(library.functions_), addition_(addition) {
  if (addition_.content_ == nullptr) return;
  alone_ = std::unique_lock(functions_->joining);
  const MutexLock lock(functions_->mutex);
  functions_->check(addition_);
}

void FunctionLibrary::Joining::finish() {
  if (addition_.content_ == nullptr) return;
  const MutexLock lock(functions_->mutex);
  functions_->take(addition_);
}

const LibraryFunction* FunctionLibrary::find(std::string_view name) const {
  const MutexLock lock(functions_->mutex);
  const auto found = functions_->by_name.find(name);
  return found == functions_->by_name.end() ? nullptr : found->second;
}

std::string FunctionLibrary::gradient_of(std::string_view name) const {
  const MutexLock lock(functions_->mutex);
  const auto found = functions_->gradients.find(name);
  return found == functions_->gradients.end() ? std::string() : std::string(found->second);
}

wire::FunctionDefLibrary FunctionLibrary::message() const {
  const MutexLock lock(functions_->mutex);
  return functions_->library;
}

}  // namespace flowray::graph
