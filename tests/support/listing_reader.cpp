#include "support/listing_reader.h"

#include "graph/op_schema.h"

#include <charconv>
#include <stdexcept>

namespace flowray::testing {
namespace {

using graph::AttrSchema;
using graph::AttrType;
using graph::AttrValue;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

int64_t read_int(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("not an integer: " + std::string(text));
  }
  return value;
}

double read_float(const std::string& text) { return std::stod(text); }

/// "[2,?]", "?".
Shape read_shape(std::string_view text) {
  if (text == "?") return Shape::unknown_rank();
  Shape shape;
  for (const std::string& dim : split(text.substr(1, text.size() - 2), ',')) {
    shape.push_back(dim == "?" ? Shape::kUnknownDim : read_int(dim));
  }
  return shape;
}

/// "<int32 [2] 1 2>".
Array read_tensor(std::string_view text) {
  const std::vector<std::string> words = split(text.substr(1, text.size() - 2), ' ');
  const DType dtype = dtype_from_name(words.at(0));
  const Shape shape = read_shape(words.at(1));
  if (static_cast<int64_t>(words.size()) - 2 != shape.num_elements()) {
    throw std::runtime_error("not all values are listed: " + std::string(text));
  }
  std::vector<double> values;
  for (size_t i = 2; i < words.size(); ++i) {
    values.push_back(words[i] == "true" ? 1.0 : words[i] == "false" ? 0.0 : read_float(words[i]));
  }
  return Array::from(values, shape).astype(dtype);
}

/// `"text"` without escapes.
std::string read_string(std::string_view text) { return std::string(text.substr(1, text.size() - 2)); }

template <class T, class Read>
AttrValue read_list(std::string_view text, Read read) {
  std::vector<T> items;
  for (const std::string& item : split(text.substr(1, text.size() - 2), ',')) items.push_back(read(item));
  return items;
}

AttrValue read_attr(const AttrSchema& schema, const std::string& text) {
  switch (schema.type) {
    case AttrType::kBool:
      return text == "true";
    case AttrType::kInt:
      if (schema.is_list) return read_list<int64_t>(text, read_int);
      return read_int(text);
    case AttrType::kFloat:
      return static_cast<float>(read_float(text));
    case AttrType::kString:
      if (schema.is_list) return read_list<std::string>(text, read_string);
      return read_string(text);
    case AttrType::kType:
      if (schema.is_list) return read_list<DType>(text, dtype_from_name);
      return dtype_from_name(text);
    case AttrType::kShape:
      return read_shape(text);
    case AttrType::kTensor:
      return read_tensor(text);
    case AttrType::kFunction:
      break;
  }
  throw std::runtime_error("attribute " + schema.name + " has a type that listings do not have");
}

/// Takes the first value off `rest`: up to a space outside of brackets and quotes.
std::string take_value(std::string_view& rest) {
  int depth = 0;
  bool quoted = false;
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '<') ++depth;
    if (c == ']' || c == '>') --depth;
    if (c == ' ' && depth == 0) break;
  }
  std::string value(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return value;
}

void read_attrs(const graph::OpSchema& schema, std::string_view rest, graph::Attrs& attrs) {
  while (!rest.empty() && !rest.starts_with("->")) {
    const size_t equals = rest.find('=');
    const std::string key(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    const std::string value = take_value(rest);
    if (key == "_class") continue;
    const AttrSchema* attr = schema.find_attr(key);
    if (attr == nullptr) throw std::runtime_error(schema.name + " has no attribute " + key);
    attrs.set(key, read_attr(*attr, value));
  }
}

void read_node(graph::Graph& graph, std::string_view line) {
  const size_t equals = line.find(" = ");
  const size_t open = line.find('(', equals);
  const size_t close = line.find(')', open);
  if (close == std::string_view::npos) throw std::runtime_error("not a node");
  const std::string name = std::string(line.substr(0, equals)) + "/";
  const std::string op(line.substr(equals + 3, open - equals - 3));
  graph::NodeRequest request{.op = op, .name = name};
  for (std::string& input : split(line.substr(open + 1, close - open - 1), ',')) {
    if (input.starts_with(' ')) input.erase(0, 1);
    if (input.starts_with('^')) {
      request.control_inputs.push_back(endpoint_named(graph, input.substr(1)).node);
    } else {
      request.inputs.push_back(endpoint_named(graph, input));
    }
  }
  const graph::OpSchema* schema = graph.ops().find(op);
  if (schema == nullptr) throw std::runtime_error("no op " + op);
  read_attrs(*schema, line.substr(std::min(close + 2, line.size())), request.attrs);
  graph.add(request);
}

}  // namespace

graph::Endpoint endpoint_named(const graph::Graph& graph, std::string_view name) {
  const size_t colon = name.find(':');
  graph::Node* node = graph.find(name.substr(0, colon));
  if (node == nullptr) throw std::runtime_error("no node " + std::string(name));
  return node->output(colon == std::string_view::npos ? 0
                                                      : static_cast<int>(read_int(name.substr(colon + 1))));
}

std::vector<std::string> lines_of(std::string_view text) { return split(text, '\n'); }

void read_listing(graph::Graph& graph, std::string_view listing) {
  for (const std::string& line : lines_of(listing)) {
    try {
      read_node(graph, line);
    } catch (const std::exception& error) {
      throw std::runtime_error(line + ": " + error.what());
    }
  }
}

}  // namespace flowray::testing
