#include "hostile/edge_cases.h"

#include "core/dtype_dispatch.h"
#include "wire/tensor_value.h"

#include <flowray/array.h>
#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace flowray::hostile {
namespace {

using wire::AttrValue;
using wire::NodeDef;

constexpr int64_t kAttrEdges[] = {0, -1, INT32_MAX, int64_t{INT32_MAX} + 1, INT64_MAX, INT64_MIN};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRealInputEdges[] = {kNan, kInfinity, -kInfinity, 9223372036854775808.0};
constexpr double kRealAttrEdges[] = {kNan, kInfinity, -kInfinity};
constexpr int64_t kNone = INT64_MIN;  // of the items of a list

using Integers = TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t, uint32_t, uint64_t>;

/// The constant that input `i` is; null where it is not a constant.
const wire::TensorProto* constant_behind(const wire::GraphDef& message, const NodeDef& node, size_t i) {
  std::string_view name = node.input[i].view();
  if (name.starts_with('^')) return nullptr;
  name = name.substr(0, name.find(':'));
  for (const NodeDef& from : message.node) {
    if (from.name.view() != name) continue;
    if (from.op.view() == "Identity" && !from.input.empty()) return constant_behind(message, from, 0);
    if (from.op.view() != "Const") return nullptr;
    const AttrValue* value = from.attr.find("value");
    if (value == nullptr || value->value.index() != AttrValue::kTensor) return nullptr;
    return std::get<AttrValue::kTensor>(value->value).get();
  }
  return nullptr;
}

std::optional<Array> array_of(const wire::TensorProto* constant) {
  if (constant == nullptr) return std::nullopt;
  try {
    return wire::to_array(*constant);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The number of data inputs.
size_t num_inputs(const NodeDef& node) {
  size_t count = 0;
  while (count < node.input.size() && !node.input[count].view().starts_with('^')) ++count;
  return count;
}

/// Numbers that an index may be compared with.
std::vector<int64_t> sizes_of_inputs(const wire::GraphDef& message, const NodeDef& node) {
  constexpr size_t kMost = 6;
  std::set<int64_t> sizes;
  for (size_t i = 0; i < num_inputs(node); ++i) {
    if (const std::optional<Array> array = array_of(constant_behind(message, node, i))) {
      sizes.insert(array->shape().begin(), array->shape().end());
      sizes.insert(array->rank());
    }
  }
  std::vector<int64_t> some(sizes.begin(), sizes.end());
  some.resize(std::min(some.size(), kMost));
  return some;
}

std::vector<int64_t> edges_of_indices(DType dtype, const std::vector<int64_t>& sizes) {
  std::set<int64_t> edges = {0, -1};
  for (const int64_t n : sizes) edges.insert({n, n - 1, -n, -n - 1});
  (void)dispatch<Integers>(dtype, [&]<class T>() {
    edges.insert(static_cast<int64_t>(std::numeric_limits<T>::max()));  // of uint64: -1
    edges.insert(static_cast<int64_t>(std::numeric_limits<T>::min()));
  });
  return {edges.begin(), edges.end()};
}

/// The items of a list attribute, whatever they are: f(vector).
template <class F>
void visit_items(AttrValue::ListValue& list, graph::AttrType type, F f) {
  switch (type) {
    case graph::AttrType::kInt:
      return f(list.i);
    case graph::AttrType::kFloat:
      return f(list.f);
    case graph::AttrType::kBool:
      return f(list.b);
    case graph::AttrType::kString:
      return f(list.s);
    case graph::AttrType::kType:
      return f(list.type);
    case graph::AttrType::kShape:
      return f(list.shape);
    case graph::AttrType::kFunction:
      return f(list.func);
    default:
      return;
  }
}

/// The attribute in the node, set to what the schema says where it is not there.
AttrValue& attr_of(NodeDef& node, const graph::AttrSchema& schema) {
  for (auto& [name, value] : node.attr.items) {
    if (name.view() == schema.name) return value;
  }
  AttrValue& value = node.attr.add(wire::Text(schema.name));
  if (schema.is_list) {
    auto& list = value.value.emplace<AttrValue::kList>(AttrValue::ListValue()).make();
    if (schema.default_value.has_value()) {
      if (const auto* numbers = schema.default_value->get_if<std::vector<int64_t>>()) list.i = *numbers;
    }
  }
  return value;
}

void set_elements(Array& array, int64_t element, int64_t integer, double real) {
  const auto set = [&](int64_t i) {
    if (!dispatch<Integers>(array.dtype(),
                            [&]<class T>() { array.mutable_data<T>()[i] = static_cast<T>(integer); })) {
      const Array value = Array(real).astype(array.dtype());
      std::copy_n(
          static_cast<const std::byte*>(value.raw_data()), value.size_bytes(),
          static_cast<std::byte*>(array.mutable_raw_data()) + static_cast<size_t>(i) * value.size_bytes());
    }
  };
  if (element >= 0) return set(element);
  for (int64_t i = 0; i < array.size(); ++i) set(i);
}

bool is_left_alone(std::string_view op) {
  return op == "Abort" || op == "Const" || op == "Placeholder" || op == "NoOp";
}

}  // namespace

EdgeCases::EdgeCases(const graph::OpTable& ops, const std::vector<std::string>& graphs, std::string_view op)
    : ops_(ops), graphs_(graphs) {
  struct Best {
    size_t bytes = SIZE_MAX;
    uint32_t graph = 0;
    uint32_t node = 0;
  };
  std::map<std::string, Best> best;
  for (size_t g = 0; g < graphs.size(); ++g) {
    const auto message = wire::decode<wire::GraphDef>(graphs[g]);
    for (size_t n = 0; n < message.node.size(); ++n) {
      const std::string name = message.node[n].op.str();
      if (is_left_alone(name) || (!op.empty() && name != op) || ops.find(name) == nullptr) continue;
      Best& known = best[name];
      if (graphs[g].size() < known.bytes)
        known = {graphs[g].size(), static_cast<uint32_t>(g), static_cast<uint32_t>(n)};
    }
  }
  for (const auto& [name, at] : best) {
    add_op(at.graph, at.node, wire::decode<wire::GraphDef>(graphs[at.graph]), *ops.find(name));
  }
  num_ops_ = best.size();
}

void EdgeCases::add_op(uint32_t graph, uint32_t node, const wire::GraphDef& message,
                       const graph::OpSchema& schema) {
  const NodeDef& from = message.node[node];
  Case at = {.graph = graph, .node = node, .place = 0, .element = 0, .real = 0, .integer = 0};
  for (const graph::AttrSchema& attr : schema.attrs) {
    add_attr(at, attr, from.attr.find(attr.name));
    ++at.place;
  }
  const std::vector<int64_t> sizes = sizes_of_inputs(message, from);
  for (size_t i = 0; i < num_inputs(from); ++i) {
    if (const wire::TensorProto* constant = constant_behind(message, from, i))
      add_input(at, *constant, sizes);
    ++at.place;
  }
}

void EdgeCases::add_attr(Case at, const graph::AttrSchema& attr, const AttrValue* value) {
  const auto add = [&](int64_t element, int64_t integer, double real) {
    at.element = element;
    at.integer = integer;
    at.real = real;
    cases_.push_back(at);
  };
  size_t count = 1;
  if (attr.is_list) {
    for (const int64_t change : {int64_t{1}, int64_t{-1}, kNone}) add(kLength, change, 0);
    count = 0;
    if (value != nullptr && value->value.index() == AttrValue::kList)
      count = std::get<AttrValue::kList>(value->value)->i.size();
  }
  if (attr.type == graph::AttrType::kInt && count > 0) {
    for (const int64_t edge : kAttrEdges) {
      add(0, edge, 0);
      if (count > 1) add(static_cast<int64_t>(count) - 1, edge, 0);
    }
  }
  if (attr.type == graph::AttrType::kFloat && !attr.is_list) {
    for (const double edge : kRealAttrEdges) add(0, 0, edge);
  }
}

void EdgeCases::add_input(Case at, const wire::TensorProto& constant, const std::vector<int64_t>& sizes) {
  const std::optional<Array> array = array_of(&constant);
  if (!array.has_value() || array->size() == 0) return;
  const auto add = [&](int64_t element, int64_t integer, double real) {
    at.element = element;
    at.integer = integer;
    at.real = real;
    cases_.push_back(at);
  };
  const auto add_places = [&](int64_t integer, double real) {
    add(0, integer, real);
    if (array->size() > 1) add(array->size() - 1, integer, real);
  };
  if (dispatch<Integers>(array->dtype(), []<class T>() {})) {
    for (const int64_t edge : edges_of_indices(array->dtype(), sizes)) add_places(edge, 0);
  } else if (is_floating(array->dtype())) {
    for (const double edge : kRealInputEdges) {
      add_places(0, edge);
      if (array->size() > 1) add(kAll, 0, edge);
    }
  }
}

std::string EdgeCases::name(size_t number) const {
  const Case& at = cases_[number];
  const auto message = wire::decode<wire::GraphDef>(graphs_[at.graph]);
  const graph::OpSchema& schema = *ops_.find(message.node[at.node].op.view());
  const bool is_attr = at.place < schema.attrs.size();
  const std::string place =
      is_attr ? schema.attrs[at.place].name : fmt::format("input {}", at.place - schema.attrs.size());
  if (at.element == kLength) {
    return fmt::format("{} {}: {}", schema.name, place,
                       at.integer == kNone ? "no items"
                       : at.integer > 0    ? "one item more"
                                           : "one item fewer");
  }
  const std::string element = at.element == kAll ? "[all]" : fmt::format("[{}]", at.element);
  const bool is_real = at.integer == 0 && at.real != 0;
  return fmt::format("{} {}{} = {}", schema.name, place, element,
                     is_real ? fmt::format("{}", at.real) : fmt::format("{}", at.integer));
}

std::string EdgeCases::graph(size_t number) const {
  const Case& at = cases_[number];
  auto message = wire::decode<wire::GraphDef>(graphs_[at.graph]);
  NodeDef& node = message.node[at.node];
  const graph::OpSchema& schema = *ops_.find(node.op.view());
  if (at.place < schema.attrs.size()) {
    const graph::AttrSchema& attr = schema.attrs[at.place];
    AttrValue& value = attr_of(node, attr);
    if (attr.is_list) {
      if (value.value.index() != AttrValue::kList)
        value.value.emplace<AttrValue::kList>(AttrValue::ListValue());
      auto& list = std::get<AttrValue::kList>(value.value).make();
      if (at.element >= 0) {
        if (static_cast<size_t>(at.element) < list.i.size())
          list.i[static_cast<size_t>(at.element)] = at.integer;
      } else {
        visit_items(list, attr.type, [&]<class T>(std::vector<T>& items) {
          if (at.integer == kNone) {
            items.clear();
          } else if (at.integer > 0) {
            items.push_back(items.empty() ? T() : T(items.back()));
          } else if (!items.empty()) {
            items.pop_back();
          }
        });
      }
    } else if (attr.type == graph::AttrType::kInt) {
      value.value.emplace<AttrValue::kI>(at.integer);
    } else {
      value.value.emplace<AttrValue::kF>(static_cast<float>(at.real));
    }
    node.attr.sort();
    return wire::encode(message);
  }
  // A constant of its own, so that nothing else changes.
  const size_t input = at.place - schema.attrs.size();
  Array array = wire::to_array(*constant_behind(message, node, input));
  set_elements(array, at.element, at.integer, at.real);
  const std::string tensor = wire::encode(wire::to_tensor_proto(array, wire::TensorForm::kConstant));
  NodeDef constant;
  constant.name = wire::Text("edge");
  constant.op = wire::Text("Const");
  constant.attr.add(wire::Text("dtype")).value.emplace<AttrValue::kType_>(array.dtype());
  constant.attr.add(wire::Text("value"))
      .value.emplace<AttrValue::kTensor>(wire::decode<wire::TensorProto>(tensor));
  node.input[input] = wire::Text("edge");
  message.node.insert(message.node.begin(), std::move(constant));
  return wire::encode(message);
}

}  // namespace flowray::hostile
