#include "graph/exchange/attr_message.h"

#include "graph/graph.h"
#include "wire/tensor_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {
namespace {

using Message = wire::AttrValue;
using List = wire::AttrValue::ListValue;

std::string_view type_name(AttrType type) {
  switch (type) {
    case AttrType::kBool:
      return "bool";
    case AttrType::kInt:
      return "int";
    case AttrType::kFloat:
      return "float";
    case AttrType::kString:
      return "string";
    case AttrType::kType:
      return "type";
    case AttrType::kShape:
      return "shape";
    case AttrType::kTensor:
      return "tensor";
    case AttrType::kFunction:
      return "func";
  }
  return "";
}

std::string type_name(const AttrSchema& schema) {
  return schema.is_list ? fmt::format("list({})", type_name(schema.type))
                        : std::string(type_name(schema.type));
}

/// "int", "list(float)": what a message holds; empty for nothing.
std::string kind_name(const Message& message) {
  switch (message.value.index()) {
    case Message::kS:
      return "string";
    case Message::kI:
      return "int";
    case Message::kF:
      return "float";
    case Message::kB:
      return "bool";
    case Message::kType_:
      return "type";
    case Message::kShape:
      return "shape";
    case Message::kTensor:
      return "tensor";
    case Message::kPlaceholder:
      return "placeholder";
    case Message::kFunc:
      return "func";
    case Message::kList:
      break;
    default:
      return "";
  }
  const List* list = std::get<Message::kList>(message.value).get();
  if (list == nullptr) return "list()";
  if (!list->s.empty()) return "list(string)";
  if (!list->i.empty()) return "list(int)";
  if (!list->f.empty()) return "list(float)";
  if (!list->b.empty()) return "list(bool)";
  if (!list->type.empty()) return "list(type)";
  if (!list->shape.empty()) return "list(shape)";
  if (!list->tensor.empty()) return "list(tensor)";
  if (!list->func.empty()) return "list(func)";
  return "list()";
}

AttrValue opaque(const Message& message) { return OpaqueAttr{wire::encode(message)}; }

std::vector<std::string> strings(const std::vector<wire::Bytes>& list) {
  std::vector<std::string> values;
  values.reserve(list.size());
  for (const wire::Bytes& item : list) values.push_back(item.str());
  return values;
}

std::vector<Shape> shapes(const std::vector<wire::TensorShapeProto>& list) {
  std::vector<Shape> values;
  values.reserve(list.size());
  for (const wire::TensorShapeProto& item : list) values.push_back(wire::to_shape(item));
  return values;
}

AttrValue list_value(const List& list, AttrType type, const Message& message) {
  switch (type) {
    case AttrType::kBool:
      return list.b;
    case AttrType::kInt:
      return list.i;
    case AttrType::kFloat:
      return list.f;
    case AttrType::kString:
      return strings(list.s);
    case AttrType::kType:
      return list.type;
    case AttrType::kShape:
      return shapes(list.shape);
    default:
      return opaque(message);
  }
}

AttrValue single_value(const Message& message) {
  switch (message.value.index()) {
    case Message::kS:
      return std::get<Message::kS>(message.value).str();
    case Message::kI:
      return std::get<Message::kI>(message.value);
    case Message::kF:
      return std::get<Message::kF>(message.value);
    case Message::kB:
      return std::get<Message::kB>(message.value);
    case Message::kType_:
      return std::get<Message::kType_>(message.value);
    case Message::kShape:
      return wire::to_shape(*std::get<Message::kShape>(message.value));
    case Message::kTensor:
      return wire::to_array(*std::get<Message::kTensor>(message.value));
    default:
      return opaque(message);
  }
}

[[noreturn]] void fail_not_allowed(const AttrSchema& schema, const std::string& value,
                                   const std::string& allowed) {
  throw errors::InvalidArgumentError(fmt::format(
      "Value for attr '{}' of {} is not in the list of allowed values: {}", schema.name, value, allowed));
}

void check_allowed(const AttrSchema& schema, DType dtype) {
  const auto& allowed = schema.allowed_types;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end()) return;
  std::string names;
  for (const DType item : allowed) names += (names.empty() ? "" : ", ") + dtype_kernel_name(item);
  fail_not_allowed(schema, dtype_kernel_name(dtype), names);
}

void check_allowed(const AttrSchema& schema, const std::string& text) {
  const auto& allowed = schema.allowed_strings;
  if (allowed.empty() || std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return;
  std::string names;
  for (const std::string& item : allowed) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", item);
  fail_not_allowed(schema, fmt::format("\"{}\"", text), names);
}

void check_allowed(const AttrSchema& schema, const AttrValue& value) {
  if (const auto* dtype = value.get_if<DType>()) check_allowed(schema, *dtype);
  if (const auto* text = value.get_if<std::string>()) check_allowed(schema, *text);
  if (const auto* dtypes = value.get_if<std::vector<DType>>()) {
    for (const DType dtype : *dtypes) check_allowed(schema, dtype);
  }
  if (const auto* texts = value.get_if<std::vector<std::string>>()) {
    for (const std::string& text : *texts) check_allowed(schema, text);
  }
}

void check_minimum(const AttrSchema& schema, const AttrValue& value) {
  if (!schema.minimum.has_value()) return;
  const int64_t count = counted(schema, value);
  if (count >= *schema.minimum) return;
  throw errors::InvalidArgumentError(fmt::format("{} for attr '{}' of {} must be at least minimum {}",
                                                 schema.is_list ? "Length" : "Value", schema.name, count,
                                                 *schema.minimum));
}

/// Whether the alternative of `message` is the one for `schema`.
bool is_of_kind(const Message& message, const AttrSchema& schema) {
  constexpr auto kLast = static_cast<size_t>(AttrType::kFunction);
  constexpr std::array<size_t, kLast + 1> kKinds = {Message::kB,      Message::kI,     Message::kF,
                                                    Message::kS,      Message::kType_, Message::kShape,
                                                    Message::kTensor, Message::kFunc};
  if (!schema.is_list) return message.value.index() == kKinds[static_cast<size_t>(schema.type)];
  if (message.value.index() != Message::kList) return false;
  const std::string kind = kind_name(message);
  return kind == "list()" || kind == type_name(schema);
}

wire::AttrValue list_message(auto&& fill) {
  List list;
  fill(list);
  wire::AttrValue message;
  message.value.emplace<Message::kList>(std::move(list));
  return message;
}

template <size_t kKind>
wire::AttrValue single_message(auto value) {
  wire::AttrValue message;
  message.value.emplace<kKind>(std::move(value));
  return message;
}

// One for each alternative of AttrValue.
struct ToMessage {
  wire::AttrValue operator()(bool value) const { return single_message<Message::kB>(value); }
  wire::AttrValue operator()(int64_t value) const { return single_message<Message::kI>(value); }
  wire::AttrValue operator()(float value) const { return single_message<Message::kF>(value); }
  wire::AttrValue operator()(DType value) const { return single_message<Message::kType_>(value); }
  wire::AttrValue operator()(const std::string& value) const {
    return single_message<Message::kS>(wire::Bytes::borrow(value));
  }
  wire::AttrValue operator()(const Shape& value) const {
    return single_message<Message::kShape>(wire::to_shape_proto(value));
  }
  wire::AttrValue operator()(const Array& value) const {
    return single_message<Message::kTensor>(wire::to_tensor_proto(value, wire::TensorForm::kConstant));
  }
  wire::AttrValue operator()(const OpaqueAttr& value) const {
    return wire::decode<wire::AttrValue>(value.message);
  }
  wire::AttrValue operator()(const std::vector<bool>& values) const {
    return list_message([&](List& list) { list.b = values; });
  }
  wire::AttrValue operator()(const std::vector<int64_t>& values) const {
    return list_message([&](List& list) { list.i = values; });
  }
  wire::AttrValue operator()(const std::vector<float>& values) const {
    return list_message([&](List& list) { list.f = values; });
  }
  wire::AttrValue operator()(const std::vector<DType>& values) const {
    return list_message([&](List& list) { list.type = values; });
  }
  wire::AttrValue operator()(const std::vector<std::string>& values) const {
    return list_message([&](List& list) {
      for (const std::string& value : values) list.s.push_back(wire::Bytes::borrow(value));
    });
  }
  wire::AttrValue operator()(const std::vector<Shape>& values) const {
    return list_message([&](List& list) {
      for (const Shape& value : values) list.shape.push_back(wire::to_shape_proto(value));
    });
  }
};

}  // namespace

AttrValue attr_from_message(const wire::AttrValue& message, const AttrSchema& schema) {
  if (!is_of_kind(message, schema)) {
    const std::string kind = kind_name(message);
    throw errors::InvalidArgumentError(
        kind.empty() ? fmt::format("AttrValue missing value with expected type '{}'\n\t for attr '{}'",
                                   type_name(schema), schema.name)
                     : fmt::format("AttrValue had value with type '{}' when '{}' expected\n\t for attr '{}'",
                                   kind, type_name(schema), schema.name));
  }
  static const List kEmpty;
  AttrValue value;
  if (schema.is_list) {
    const List* list = std::get<Message::kList>(message.value).get();
    value = list_value(list == nullptr ? kEmpty : *list, schema.type, message);
  } else {
    value = single_value(message);
  }
  check_minimum(schema, value);
  check_allowed(schema, value);
  return value;
}

AttrValue attr_from_message(const wire::AttrValue& message) {
  if (!message.unknown.empty() || message.value.index() == Message::kTensor) return opaque(message);
  if (message.value.index() != Message::kList) return single_value(message);
  const List* list = std::get<Message::kList>(message.value).get();
  if (list == nullptr || !list->unknown.empty()) return opaque(message);
  const std::string kind = kind_name(message);
  for (const AttrType type : {AttrType::kBool, AttrType::kInt, AttrType::kFloat, AttrType::kString,
                              AttrType::kType, AttrType::kShape}) {
    if (kind == fmt::format("list({})", type_name(type))) return list_value(*list, type, message);
  }
  return opaque(message);
}

wire::AttrValue attr_to_message(const AttrValue& value) {
  return std::visit(ToMessage(), value.alternatives());
}

}  // namespace flowray::graph
