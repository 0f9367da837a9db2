#include "graph/function_library.h"

#include "graph/attr_message.h"
#include "graph/graph.h"
#include "graph/shape_context.h"

#include <fmt/format.h>

#include <set>

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

}  // namespace

bool is_function_call(const OpSchema& schema) { return schema.row.shape == shape_of_call; }

FunctionLibrary::Addition::Addition(const wire::FunctionDefLibrary& library) {
  if (library.function.empty() && library.gradient.empty()) return;
  content_ = std::make_shared<Content>();
  content_->source = wire::encode(library);
  content_->library = wire::decode<wire::FunctionDefLibrary>(content_->source);
  for (const wire::FunctionDef& function : content_->library.function) {
    content_->functions.try_emplace(function.signature.name.view(),
                                    LibraryFunction{function, call_schema(function.signature)});
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

void FunctionLibrary::add(const Addition& addition) {
  if (addition.content_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  kept_.push_back(addition);
  const Addition::Content& content = *addition.content_;
  for (const wire::FunctionDef& function : content.library.function) {
    const std::string_view name = function.signature.name.view();
    if (functions_.emplace(name, &content.functions.at(name)).second) library_.function.push_back(function);
  }
  std::set<std::string_view> gradients;
  for (const auto& gradient : library_.gradient) gradients.insert(gradient.function_name.view());
  for (const auto& gradient : content.library.gradient) {
    if (gradients.insert(gradient.function_name.view()).second) library_.gradient.push_back(gradient);
  }
}

const LibraryFunction* FunctionLibrary::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

wire::FunctionDefLibrary FunctionLibrary::message() const {
  const std::lock_guard lock(mutex_);
  return library_;
}

}  // namespace flowray::graph
