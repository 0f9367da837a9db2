#include "graph/op_schema.h"

#include "wire/graph_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace flowray::graph {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Splits at `separator` outside of brackets, braces and quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  const std::string_view last = trim(text.substr(begin));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

[[noreturn]] void fail(std::string_view op, std::string_view text, std::string_view reason) {
  throw errors::InternalError(fmt::format("Schema of op '{}': {} in '{}'", op, reason, text));
}

template <class T>
T parse_number(std::string_view op, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(op, text, "not a number");
  return value;
}

std::string_view inside(std::string_view text) { return text.substr(1, text.size() - 2); }

/// "<uint8 255 0 0 255>": a vector.
Array parse_tensor(std::string_view op, std::string_view text) {
  const auto words = split(inside(text), ' ');
  std::vector<double> values;
  for (size_t i = 1; i < words.size(); ++i) values.push_back(parse_number<double>(op, words[i]));
  return Array(values).astype(dtype_from_name(words.at(0)));
}

AttrValue parse_scalar(std::string_view op, AttrType type, std::string_view text) {
  switch (type) {
    case AttrType::kBool:
      return text == "true";
    case AttrType::kInt:
      return parse_number<int64_t>(op, text);
    case AttrType::kFloat:
      return parse_number<float>(op, text);
    case AttrType::kString: {
      std::string value(inside(text));
      if (const size_t at = value.find("\\n"); at != std::string::npos) value.replace(at, 2, "\n");
      return value;
    }
    case AttrType::kType:
      return dtype_from_name(text);
    case AttrType::kShape:
      return text == "unknown" ? Shape::unknown_rank() : Shape();
    case AttrType::kTensor:
      return parse_tensor(op, text);
    default:
      fail(op, text, "no default possible");
  }
}

AttrValue parse_list(std::string_view op, AttrType type, std::string_view text) {
  const auto items = split(inside(text), ',');
  const auto collect = [&]<class T>() {
    std::vector<T> values;
    for (std::string_view item : items) values.push_back(parse_scalar(op, type, item).get<T>());
    return AttrValue(values);
  };
  switch (type) {
    case AttrType::kBool:
      return collect.operator()<bool>();
    case AttrType::kInt:
      return collect.operator()<int64_t>();
    case AttrType::kFloat:
      return collect.operator()<float>();
    case AttrType::kString:
      return collect.operator()<std::string>();
    case AttrType::kType:
      return collect.operator()<DType>();
    case AttrType::kShape:
      return collect.operator()<Shape>();
    default:
      fail(op, text, "no list default possible");
  }
}

AttrType parse_attr_type(std::string_view op, std::string_view text) {
  if (text == "bool") return AttrType::kBool;
  if (text == "int") return AttrType::kInt;
  if (text == "float") return AttrType::kFloat;
  if (text == "string") return AttrType::kString;
  if (text == "type") return AttrType::kType;
  if (text == "shape") return AttrType::kShape;
  if (text == "tensor") return AttrType::kTensor;
  if (text == "func") return AttrType::kFunction;
  fail(op, text, "unknown attribute type");
}

/// The lists of dtypes that many ops share, by the names that rows give them: "T:type{numbers}". Errors show
/// a list as it stands here, so each has TensorFlow's order: that of its mathematical ops is another one than
/// that of its layers.
struct DTypeList {
  std::string_view name;
  std::string_view dtypes;
};
constexpr DTypeList kDTypeLists[] = {
    {"numbers",
     "float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,"
     "uint16,complex128,float16,uint32,uint64"},
    {"real_numbers", "float32,float64,int32,uint8,int16,int8,int64,bfloat16,uint16,float16,uint32,uint64"},
    {"floats", "float16,bfloat16,float32,float64"},
    {"math_numbers",
     "bfloat16,float16,float32,float64,uint8,int8,uint16,int16,int32,uint32,uint64,int64,complex64,"
     "complex128"},
    {"math_floats", "bfloat16,float16,float32,float64"},
    {"math_floats_and_complex", "bfloat16,float16,float32,float64,complex64,complex128"},
    {"complex", "complex64,complex128"},
    {"integers", "int8,int16,int32,int64,uint8,uint16,uint32,uint64"},
    {"indices", "int32,int64"},
    {"matrix_elements", "float64,float32,float16,complex64,complex128"},
    {"wide_floats", "float32,float64"},
    {"narrow_floats", "float16,float32"},
    {"ieee_floats", "float16,float32,float64"},
    {"layer_floats", "float16,bfloat16,float32"},
    {"feature_values", "float32,int64,string"},
    {"indices_and_int16", "int16,int32,int64"},
    {"signed_numbers", "bfloat16,float16,float32,float64,int8,int16,int32,int64,complex64,complex128"},
    {"wide_numbers", "bfloat16,float16,float32,float64,int32,int64,complex64,complex128"},
    {"pixels", "int8,uint8,int16,uint16,int32,int64,float16,float32,float64,bfloat16"},
};

/// What stands in the braces of an attribute: "[float32,float64]", or a list's name.
std::string_view allowed_values(std::string_view op, std::string_view text) {
  if (text.starts_with('[')) return inside(text);
  for (const DTypeList& list : kDTypeLists) {
    if (list.name == text) return list.dtypes;
  }
  fail(op, text, "no list of dtypes has this name");
}

/// "T:type=float32{[float32,float64]}", "T:type{numbers}", "N:int>=1", "strides:list(int)>=4",
/// "dims:list(int)=[]", "num:int>=0=3"
AttrSchema parse_attr(std::string_view op, std::string_view text) {
  AttrSchema attr;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) fail(op, text, "an attribute has no type");
  attr.name = std::string(text.substr(0, colon));
  std::string_view rest = text.substr(colon + 1);
  if (rest.ends_with('}')) {
    const size_t brace = rest.find('{');
    for (std::string_view item : split(allowed_values(op, inside(rest.substr(brace))), ',')) {
      const DType dtype = dtype_from_name(item);
      if (dtype == DType::kInvalid) {
        attr.allowed_strings.emplace_back(item);
      } else {
        attr.allowed_types.push_back(dtype);
      }
    }
    rest = rest.substr(0, brace);
  }
  const size_t at_least = rest.find(">=");
  const size_t equals = rest.find('=', at_least == std::string_view::npos ? 0 : at_least + 2);
  std::string_view type = rest.substr(0, std::min(equals, at_least));
  if (at_least != std::string_view::npos) {
    const size_t begin = at_least + 2;
    attr.minimum = parse_number<int64_t>(
        op, rest.substr(begin, equals == std::string_view::npos ? equals : equals - begin));
  }
  attr.is_list = type.starts_with("list(");
  if (attr.is_list) type = type.substr(5, type.size() - 6);
  attr.type = parse_attr_type(op, type);
  if (equals != std::string_view::npos) {
    const std::string_view value = rest.substr(equals + 1);
    attr.default_value = attr.is_list ? parse_list(op, attr.type, value) : parse_scalar(op, attr.type, value);
  }
  return attr;
}

/// "x:T", "values:N*T", "ref:ref T", "handle:resource", "args:Targs" (a list of types)
ArgSchema parse_arg(const OpSchema& schema, std::string_view text) {
  ArgSchema arg;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) fail(schema.name, text, "an argument has no type");
  arg.name = std::string(text.substr(0, colon));
  std::string_view type = trim(text.substr(colon + 1));
  if (type.starts_with("ref ")) {
    arg.is_ref = true;
    type.remove_prefix(4);
  }
  if (const size_t star = type.find('*'); star != std::string_view::npos) {
    arg.number_attr = std::string(type.substr(0, star));
    type = type.substr(star + 1);
    if (type.starts_with("ref ")) {
      arg.is_ref = true;
      type.remove_prefix(4);
    }
  }
  if (type.starts_with('[')) type = type.substr(1, type.size() - 2);  // "input:[T]", as IdentityN has it
  const AttrSchema* attr = schema.find_attr(type);
  if (attr != nullptr && attr->is_list) {
    arg.type_list_attr = std::string(type);
  } else if (attr != nullptr) {
    arg.type_attr = std::string(type);
  } else {
    arg.type = dtype_from_name(type);
    if (arg.type == DType::kInvalid) fail(schema.name, text, "unknown type");
  }
  return arg;
}

}  // namespace

const AttrSchema* OpSchema::find_attr(std::string_view attr_name) const {
  for (const AttrSchema& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

namespace {

/// The functions or tensors of a list; the largest number for anything else.
int64_t count_in_message(const OpaqueAttr& attr) {
  using Message = wire::AttrValue;
  const auto message = wire::decode<Message>(attr.message);
  if (message.value.index() != Message::kList) return std::numeric_limits<int64_t>::max();
  const auto& list = std::get<Message::kList>(message.value);
  return list ? static_cast<int64_t>(list->func.size() + list->tensor.size()) : 0;
}

}  // namespace

int64_t counted(const AttrSchema& attr, const AttrValue& value) {
  if (!attr.is_list) return value.get<int64_t>();
  if (const auto* opaque = value.get_if<OpaqueAttr>()) return count_in_message(*opaque);
  return std::visit(
      []<class T>(const T& list) -> int64_t {
        if constexpr (requires { list.size(); } && !std::same_as<T, std::string>) {
          return static_cast<int64_t>(list.size());
        } else {
          return std::numeric_limits<int64_t>::max();
        }
      },
      value.alternatives());
}

OpSchema parse_op(const OpRow& row) {
  OpSchema schema;
  schema.row = row;
  schema.name = std::string(row.name);
  for (std::string_view text : split(row.attrs, ';')) schema.attrs.push_back(parse_attr(row.name, text));
  for (std::string_view text : split(row.inputs, ',')) schema.inputs.push_back(parse_arg(schema, text));
  for (std::string_view text : split(row.outputs, ',')) schema.outputs.push_back(parse_arg(schema, text));
  return schema;
}

void OpTable::add(const OpRow& row) {
  if (!entries_.emplace(row.name, Entry{row, nullptr}).second) {
    throw errors::InternalError(fmt::format("Op '{}' is registered twice", row.name));
  }
}

const OpSchema* OpTable::find(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  const MutexLock lock(mutex_);
  const Entry& entry = found->second;
  if (entry.schema == nullptr) entry.schema = std::make_unique<OpSchema>(parse_op(entry.row));
  return entry.schema.get();
}

std::vector<std::string_view> OpTable::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace flowray::graph
