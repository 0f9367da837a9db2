#include "graph/graph.h"
#include "wire/graph_def.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace flowray::graph {
namespace {

constexpr int64_t kMaxValues = 16;  // of a tensor attribute; what follows is "..."

template <class T>
std::string shortest(T value) {
  std::array<char, 64> text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), result.ptr);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string shape_text(const Shape& shape) { return shape.has_rank() ? shape.to_string() : "?"; }

std::string element_text(const Array& array, int64_t i) {
  switch (array.dtype()) {
    case DType::kFloat32:
      return shortest(array.data<float>()[i]);
    case DType::kFloat64:
      return shortest(array.data<double>()[i]);
    case DType::kFloat16:
    case DType::kBfloat16:
      return shortest(array.astype(DType::kFloat32).data<float>()[i]);
    case DType::kString:
      return quoted(array.data<std::string>()[i]);
    case DType::kBool:
      return array.data<bool>()[i] ? "true" : "false";
    case DType::kUint64:
      return shortest(array.data<uint64_t>()[i]);
    default:
      return shortest(array.astype(DType::kInt64).data<int64_t>()[i]);
  }
}

std::string tensor_text(const Array& array) {
  std::string text = "<" + dtype_name(array.dtype()) + " " + array.shape().to_string();
  const Array flat = array.size() > kMaxValues ? array.reshape({array.size()}).rows(0, kMaxValues) : array;
  for (int64_t i = 0; i < flat.size(); ++i) text += " " + element_text(flat, i);
  return text + (array.size() > kMaxValues ? " ...>" : ">");
}

std::string scalar_text(bool value) { return value ? "true" : "false"; }
std::string scalar_text(int64_t value) { return std::to_string(value); }
std::string scalar_text(float value) { return shortest(value); }
std::string scalar_text(const std::string& value) { return quoted(value); }
std::string scalar_text(DType value) { return dtype_name(value); }
std::string scalar_text(const Shape& value) { return shape_text(value); }
std::string scalar_text(const Array& value) { return tensor_text(value); }
/// A function is told as such: its name is nothing that two programs have in common.
std::string scalar_text(const OpaqueAttr& value) {
  const auto attr = wire::decode<wire::AttrValue>(value.message);
  if (attr.value.index() == wire::AttrValue::kFunc) return "<function>";
  const bool is_list = attr.value.index() == wire::AttrValue::kList;
  if (is_list && !std::get<wire::AttrValue::kList>(attr.value)->func.empty()) {
    const size_t count = std::get<wire::AttrValue::kList>(attr.value)->func.size();
    std::string text = "<function>";
    for (size_t i = 1; i < count; ++i) text += ",<function>";
    return "[" + text + "]";
  }
  return fmt::format("<{} bytes>", value.message.size());
}
template <class T>
std::string scalar_text(const std::vector<T>& values) {
  std::string text;
  for (const auto& value : values)
    text += (text.empty() ? "" : ",") + scalar_text(static_cast<const T&>(value));
  return "[" + text + "]";
}

std::string dtype_enum_name(DType dtype) {
  std::string name = dtype_kernel_name(dtype);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return "DT_" + name;
}

}  // namespace

std::string summarize(const AttrValue& value) {
  if (const auto* dtype = value.get_if<DType>()) return dtype_enum_name(*dtype);
  if (const auto* dtypes = value.get_if<std::vector<DType>>()) {
    std::string text;
    for (DType dtype : *dtypes) text += (text.empty() ? "" : ", ") + dtype_enum_name(dtype);
    return "[" + text + "]";
  }
  if (const auto* integers = value.get_if<std::vector<int64_t>>()) {
    return fmt::format("[{}]", fmt::join(*integers, ", "));
  }
  if (const auto* array = value.get_if<Array>()) {
    return fmt::format("Tensor<type: {} shape: {} values: {}>", dtype_kernel_name(array->dtype()),
                       array->shape().to_string(), array->to_string());
  }
  return std::visit([](const auto& item) { return scalar_text(item); }, value.alternatives());
}

std::string to_text(const Node& node) {
  std::string inputs;
  const auto add_input = [&](const std::string& text) { inputs += (inputs.empty() ? "" : ", ") + text; };
  for (const Endpoint& input : node.inputs()) {
    add_input(input.index == 0 ? input.node->name() : fmt::format("{}:{}", input.node->name(), input.index));
  }
  for (const Node* control : node.control_inputs()) add_input("^" + control->name());
  std::string text = fmt::format("{} = {}({})", node.name(), node.op(), inputs);
  for (const auto& [name, value] : node.attrs().items()) {
    if (name == "_class") {
      text += fmt::format(" _class={}", fmt::join(value.get<std::vector<std::string>>(), ","));
    } else if (!name.starts_with('_')) {
      text +=
          fmt::format(" {}={}", name,
                      std::visit([](const auto& item) { return scalar_text(item); }, value.alternatives()));
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    text += (i == 0 ? " -> " : ", ") + dtype_name(node.output_dtype(i)) + shape_text(node.output_shape(i));
  }
  return text;
}

std::string to_text(const Graph& graph) {
  std::string text;
  for (const Node* node : graph.nodes()) text += to_text(*node) + "\n";
  return text;
}

}  // namespace flowray::graph
