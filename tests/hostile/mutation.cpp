#include "hostile/mutation.h"

#include "core/dtype_dispatch.h"
#include "wire/tensor_value.h"

#include <flowray/array.h>
#include <flowray/errors.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace flowray::hostile {
namespace {

using wire::AttrValue;
using wire::NodeDef;

constexpr int64_t kEdges[] = {0,
                              1,
                              -1,
                              2,
                              3,
                              7,
                              -2,
                              16,
                              255,
                              65536,
                              1000003,
                              INT32_MAX,
                              INT32_MAX - 1,
                              int64_t{INT32_MAX} + 1,
                              INT32_MIN,
                              int64_t{INT32_MIN} - 1,
                              UINT32_MAX,
                              int64_t{1} << 32,
                              int64_t{1} << 40,
                              int64_t{1} << 61,
                              int64_t{1} << 62,
                              INT64_MAX,
                              INT64_MAX - 1,
                              INT64_MAX - 8,
                              INT64_MAX / 2 + 1,
                              INT64_MIN,
                              INT64_MIN + 1};
constexpr double kRealEdges[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0.5,
                                 1e-45,
                                 1e38,
                                 -1e38,
                                 1e300,
                                 1e18,
                                 1e19,
                                 -1e19,
                                 3e9,
                                 -3e9,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 2147483648.0};
constexpr int64_t kMostElements = 4096;  // of a tensor that is made

constexpr DType kDTypes[] = {DType::kFloat32,  DType::kFloat64,    DType::kInt32,     DType::kInt64,
                             DType::kBool,     DType::kString,     DType::kFloat16,   DType::kBfloat16,
                             DType::kInt8,     DType::kInt16,      DType::kUint8,     DType::kUint16,
                             DType::kUint32,   DType::kUint64,     DType::kComplex64, DType::kVariant,
                             DType::kResource, DType::kComplex128, DType::kInvalid};

/// Whether nobody wants to see what it does: it ends the process, as it is meant to.
bool is_left_alone(std::string_view op) { return op == "Abort"; }

}  // namespace

int64_t Mutation::edge() {
  const int64_t value = kEdges[below(std::size(kEdges))];
  return one_in(4) ? static_cast<int64_t>(static_cast<uint64_t>(value) + below(9)) : value;
}

double Mutation::real_edge() { return kRealEdges[below(std::size(kRealEdges))]; }

std::string Mutation::text(const std::string& old) {
  if (std::exchange(wants_large_text_, false)) return std::string(kLargeTextBytes, one_in(2) ? 'x' : '1');
  switch (below(8)) {
    case 0:
      return "";
    case 1:
      return std::string(below(70'000), 'x');
    case 2:
      return std::string("\0\xff\x80,;=\n", 8);
    case 3:
      return old + old;
    case 4:
      return old.substr(0, old.size() / 2);
    case 5:
      return "%s%n{}{0}[[(((";
    case 6:
      return std::to_string(edge());
    default: {
      std::string changed = old;
      if (!changed.empty()) changed[below(changed.size())] = static_cast<char>(random_());
      return changed;
    }
  }
}

DType Mutation::dtype() { return kDTypes[below(std::size(kDTypes))]; }

wire::TensorShapeProto Mutation::shape() {
  wire::TensorShapeProto proto;
  if (one_in(8)) {
    proto.unknown_rank = true;
    return proto;
  }
  const size_t rank = one_in(12) ? 250 + below(8) : below(6);
  for (size_t i = 0; i < rank; ++i) {
    proto.dim.emplace_back().size = one_in(3) ? edge() : static_cast<int64_t>(below(4));
  }
  return proto;
}

void Mutation::apply(wire::GraphDef& graph) {
  if (graph.node.empty()) return;
  functions_.clear();
  if (graph.library) {
    for (const wire::FunctionDef& function : graph.library->function)
      functions_.push_back(function.signature.name.str());
  }
  if (one_in(10)) change_sizes(graph);
  const size_t changes = 1 + below(4);
  for (size_t i = 0; i < changes; ++i) {
    if (!functions_.empty() && one_in(3)) {
      change_function(graph.library->function[below(graph.library->function.size())]);
    } else {
      change_node(graph);
    }
  }
  for (NodeDef& node : graph.node) {
    node.attr.sort();
    if (node.op.view() == "Const" && one_in(4)) feed_constant(node);
  }
}

/// Where constants have two sizes in common, one becomes huge and the other 0 in all of them: what fits
/// together still does, takes no memory, and is a long way for a loop that counts to the huge one.
void Mutation::change_sizes(wire::GraphDef& graph) {
  std::vector<std::pair<wire::TensorProto*, Array>> constants;
  std::vector<int64_t> sizes;
  for (NodeDef& node : graph.node) {
    if (node.op.view() != "Const") continue;
    for (auto& [name, value] : node.attr.items) {
      if (value.value.index() != AttrValue::kTensor) continue;
      wire::TensorProto& proto = *std::get<AttrValue::kTensor>(value.value);
      try {
        const Array& array = constants.emplace_back(&proto, wire::to_array(proto)).second;
        sizes.insert(sizes.end(), array.shape().begin(), array.shape().end());
      } catch (const Error&) {
        return;
      }
    }
  }
  const auto has = [](const Array& array, int64_t size) {
    return std::ranges::find(array.shape(), size) != array.shape().end();
  };
  const int64_t to_be_huge = sizes.empty() ? 0 : sizes[below(sizes.size())];
  std::erase_if(sizes, [&](int64_t size) {
    return size == to_be_huge || std::ranges::any_of(constants, [&](const auto& constant) {
             return has(constant.second, to_be_huge) && !has(constant.second, size);
           });
  });
  if (sizes.empty()) return;
  const int64_t to_be_none = sizes[below(sizes.size())];
  for (const auto& [proto, array] : constants) {
    if (!has(array, to_be_none)) continue;
    std::vector<int64_t> dims(array.shape().begin(), array.shape().end());
    std::ranges::replace(dims, to_be_huge, int64_t{1} << 40);
    std::ranges::replace(dims, to_be_none, int64_t{0});
    try {
      const wire::TensorProto changed =
          wire::to_tensor_proto(Array(array.dtype(), Shape(dims)), wire::TensorForm::kConstant);
      *proto = wire::decode<wire::TensorProto>(kept_.emplace_back(wire::encode(changed)));
    } catch (const Error&) {  // too huge for a shape
    }
  }
}

void Mutation::change_node(wire::GraphDef& graph) {
  NodeDef& node = graph.node[below(graph.node.size())];
  if (is_left_alone(node.op.view())) return;
  if (node.op.view() == "Const") {
    for (auto& [name, value] : node.attr.items) {
      if (value.value.index() == AttrValue::kTensor)
        change_tensor(*std::get<AttrValue::kTensor>(value.value));
    }
    return;
  }
  const size_t kind = below(20);
  if (kind < 14) return change_attr(node);
  if (kind < 19) return change_inputs(graph, node);
  change_op(node);
}

std::string Mutation::function_name() {
  return functions_.empty() || one_in(8) ? "no_such_function" : functions_[below(functions_.size())];
}

/// Another function, or the same one with other attributes.
void Mutation::change_call(wire::NameAttrList& call) {
  if (call.attr.items.empty() || one_in(2)) {
    call.name = wire::Text(function_name());
    return;
  }
  AttrValue& value = call.attr.items[below(call.attr.items.size())].second;
  if (one_in(4)) {
    value.value.emplace<AttrValue::kI>(edge());
  } else {
    change_value(value, nullptr);
  }
}

void Mutation::change_function(wire::FunctionDef& function) {
  switch (below(12)) {
    case 0:
      return change_args(function.signature.input_arg);
    case 1:
      return change_args(function.signature.output_arg);
    case 2:
      return change_returned(function);
    case 3:
      function.signature.name = wire::Text(function_name());  // of two, perhaps
      return;
    case 4:
      if (!function.attr.items.empty()) {
        AttrValue& value = function.attr.items[below(function.attr.items.size())].second;
        if (one_in(2)) {
          change_value(value, nullptr);
        } else {
          value.value.emplace<AttrValue::kI>(edge());
        }
      }
      return;
    default:
      return change_node_of_function(function);
  }
}

void Mutation::change_args(std::vector<wire::OpDef::ArgDef>& args) {
  if (args.empty() || one_in(6)) {
    wire::OpDef::ArgDef& arg = args.emplace_back();
    arg.name = wire::Text(one_in(2) ? "added" : "x");
    arg.type = dtype();
  } else if (one_in(4)) {
    args.pop_back();
  } else if (one_in(4)) {
    args[below(args.size())].is_ref = true;
  } else if (one_in(4)) {
    args[below(args.size())].number_attr = wire::Text("N");
  } else {
    args[below(args.size())].type = dtype();
  }
}

void Mutation::change_returned(wire::FunctionDef& function) {
  if (function.ret.items.empty()) return;
  auto& [name, value] = function.ret.items[below(function.ret.items.size())];
  if (function.node_def.empty() || one_in(4)) {
    value = wire::Text(one_in(2) ? "x" : value.str() + ":0");
  } else {
    const NodeDef& from = function.node_def[below(function.node_def.size())];
    value = wire::Text(from.name.str() + (one_in(2) ? ":output:" : ":out:") + std::to_string(below(3)));
  }
}

void Mutation::change_node_of_function(wire::FunctionDef& function) {
  if (function.node_def.empty()) return;
  NodeDef& node = function.node_def[below(function.node_def.size())];
  if (is_left_alone(node.op.view())) return;
  if (node.op.view() == "Const" || one_in(2)) {
    for (auto& [name, value] : node.attr.items) {
      if (value.value.index() == AttrValue::kTensor)
        return change_tensor(std::get<AttrValue::kTensor>(value.value).make());
    }
    return change_attr(node);
  }
  if (one_in(8)) return change_op(node);
  if (node.input.empty()) return;
  wire::Text& input = node.input[below(node.input.size())];
  const NodeDef& from = function.node_def[below(function.node_def.size())];  // itself and later ones, too
  switch (below(5)) {
    case 0:
      node.input.pop_back();
      return;
    case 1:
      input = wire::Text("^" + from.name.str());
      return;
    case 2:
      if (!function.signature.input_arg.empty()) input = function.signature.input_arg[0].name;
      return;
    default:
      input = wire::Text(from.name.str() + ":output:" + std::to_string(below(3)));
  }
}

void Mutation::change_attr(NodeDef& node) {
  const graph::OpSchema* schema = ops_.find(node.op.view());
  if (schema == nullptr || schema->attrs.empty()) return;
  const graph::AttrSchema& attr = schema->attrs[below(schema->attrs.size())];
  for (auto& [name, value] : node.attr.items) {
    if (name.view() == attr.name) return change_value(value, &attr);
  }
  AttrValue value;
  if (attr.is_list) {
    value.value.emplace<AttrValue::kList>(AttrValue::ListValue());
  } else if (attr.type == graph::AttrType::kInt) {
    value.value.emplace<AttrValue::kI>(0);
  } else if (attr.type == graph::AttrType::kFloat) {
    value.value.emplace<AttrValue::kF>(0.f);
  } else if (attr.type == graph::AttrType::kBool) {
    value.value.emplace<AttrValue::kB>(true);
  } else if (attr.type == graph::AttrType::kString) {
    value.value.emplace<AttrValue::kS>(wire::Bytes(std::string()));
  } else if (attr.type == graph::AttrType::kType) {
    value.value.emplace<AttrValue::kType_>(DType::kFloat32);
  } else if (attr.type == graph::AttrType::kShape) {
    value.value.emplace<AttrValue::kShape>(wire::TensorShapeProto());
  } else if (attr.type == graph::AttrType::kFunction) {
    value.value.emplace<AttrValue::kFunc>(wire::NameAttrList());
  } else {
    return;
  }
  change_value(value, &attr);
  node.attr.add(wire::Text(attr.name), std::move(value));
}

void Mutation::change_value(AttrValue& value, const graph::AttrSchema* schema) {
  switch (value.value.index()) {
    case AttrValue::kList:
      return change_list(std::get<AttrValue::kList>(value.value).make(), schema);
    case AttrValue::kS: {
      auto& bytes = std::get<AttrValue::kS>(value.value);
      if (schema != nullptr && !schema->allowed_strings.empty() && !one_in(8)) {
        bytes = wire::Bytes(schema->allowed_strings[below(schema->allowed_strings.size())]);
      } else {
        bytes = wire::Bytes(text(bytes.str()));
      }
      return;
    }
    case AttrValue::kI:
      std::get<AttrValue::kI>(value.value) = edge();
      return;
    case AttrValue::kF:
      std::get<AttrValue::kF>(value.value) = static_cast<float>(real_edge());
      return;
    case AttrValue::kB:
      std::get<AttrValue::kB>(value.value) = !std::get<AttrValue::kB>(value.value);
      return;
    case AttrValue::kType_:
      std::get<AttrValue::kType_>(value.value) = dtype();
      return;
    case AttrValue::kShape:
      std::get<AttrValue::kShape>(value.value).make() = shape();
      return;
    case AttrValue::kTensor:
      return change_tensor(std::get<AttrValue::kTensor>(value.value).make());
    case AttrValue::kFunc:
      return change_call(std::get<AttrValue::kFunc>(value.value).make());
    default:
      return;
  }
}

/// One more, one fewer, none, or one changed.
template <class T, class Make>
void Mutation::change_items(std::vector<T>& items, Make make) {
  switch (below(6)) {
    case 0:
      items.push_back(make());
      return;
    case 1:
      if (!items.empty()) items.pop_back();
      return;
    case 2:
      items.clear();
      return;
    default:
      if (items.empty()) {
        items.push_back(make());
      } else {
        items[below(items.size())] = make();
      }
  }
}

void Mutation::change_list(AttrValue::ListValue& list, const graph::AttrSchema* schema) {
  if (schema == nullptr) return;
  switch (schema->type) {
    case graph::AttrType::kInt:
      return change_items(list.i, [&] { return edge(); });
    case graph::AttrType::kFloat:
      return change_items(list.f, [&] { return static_cast<float>(real_edge()); });
    case graph::AttrType::kBool:
      return change_items(list.b, [&] { return one_in(2); });
    case graph::AttrType::kString:
      return change_items(list.s, [&] { return wire::Bytes(text("abc")); });
    case graph::AttrType::kType:
      return change_items(list.type, [&] { return dtype(); });
    case graph::AttrType::kShape:
      return change_items(list.shape, [&] { return shape(); });
    case graph::AttrType::kFunction:
      if (!list.func.empty() && one_in(2)) return change_call(list.func[below(list.func.size())]);
      return change_items(list.func, [&] {
        wire::NameAttrList call;
        call.name = wire::Text(function_name());
        return call;
      });
    default:
      return;
  }
}

void Mutation::change_tensor(wire::TensorProto& proto) {
  Array array;
  try {
    array = wire::to_array(proto);
  } catch (const Error&) {
    return;
  }
  if (one_in(3)) {  // another shape, by the elements that are there
    std::vector<int64_t> dims(array.shape().begin(), array.shape().end());
    switch (below(6)) {
      case 0:
        dims.assign(one_in(8) ? 254 : below(8), 1);
        break;
      case 1:
        if (!dims.empty()) dims[below(dims.size())] = 0;
        break;
      case 2:
        dims.insert(dims.begin() + static_cast<ptrdiff_t>(below(dims.size() + 1)), one_in(2) ? 1 : 2);
        break;
      case 3:
        if (!dims.empty()) dims.erase(dims.begin() + static_cast<ptrdiff_t>(below(dims.size())));
        break;
      case 4:
        if (!dims.empty()) {
          int64_t& dim = dims[below(dims.size())];
          dim = std::clamp<int64_t>(dim, 0, INT32_MAX) + (one_in(2) ? 1 : -1);
        }
        break;
      default: {  // nothing, of the largest kind
        if (dims.size() < 2 || one_in(4)) dims = {0, 0};
        const size_t at = below(dims.size());
        dims[at] = edge();
        dims[(at + 1 + below(dims.size() - 1)) % dims.size()] = 0;
        break;
      }
    }
    if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) return;
    int64_t count = std::ranges::find(dims, 0) != dims.end() ? 0 : 1;
    for (const int64_t dim : dims) {
      if (count != 0 && dim > kMostElements / count) return;
      count *= count == 0 ? 1 : dim;
    }
    try {
      Array other(array.dtype(), Shape(dims));
      if (array.size() > 0 && is_trivial(array.dtype()) && other.size() > 0) {
        auto* to = static_cast<std::byte*>(other.mutable_raw_data());
        const auto* from = static_cast<const std::byte*>(array.raw_data());
        for (size_t i = 0; i < other.size_bytes(); ++i) to[i] = from[i % array.size_bytes()];
      }
      array = other;
    } catch (const Error&) {
      return;
    }
  }
  const auto size = static_cast<size_t>(array.size());
  const size_t changes = size == 0 ? 0 : one_in(4) ? size : 1 + below(2);
  for (size_t i = 0; i < changes; ++i) {
    const size_t at = changes == size ? i : below(size);
    if (array.dtype() == DType::kString) {
      auto& element = array.mutable_data<std::string>()[at];
      element = text(element);
    } else if (is_trivial(array.dtype())) {
      using Integers =
          TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>;
      const bool is_integer = dispatch<Integers>(array.dtype(), [&]<class T>() {
        // Wrapped: an edge of the wide type is often one of the narrow.
        array.mutable_data<T>()[at] = static_cast<T>(edge());
      });
      if (!is_integer) {
        const Array value = Array(real_edge()).astype(array.dtype());
        std::copy_n(static_cast<const std::byte*>(value.raw_data()), value.size_bytes(),
                    static_cast<std::byte*>(array.mutable_raw_data()) + at * value.size_bytes());
      }
    }
  }
  wire::TensorProto changed = wire::to_tensor_proto(array, wire::TensorForm::kConstant);
  proto = wire::decode<wire::TensorProto>(kept_.emplace_back(wire::encode(changed)));
}

void Mutation::change_inputs(wire::GraphDef& graph, NodeDef& node) {
  const auto any = [&] {
    const NodeDef& from = graph.node[below(graph.node.size())];
    return wire::Text(one_in(2) ? from.name.str() : from.name.str() + ":" + std::to_string(below(4)));
  };
  switch (below(6)) {
    case 0:
      if (!node.input.empty()) node.input.pop_back();
      return;
    case 1:
      node.input.push_back(any());
      return;
    case 2:
      if (node.input.size() > 1) std::swap(node.input[below(node.input.size())], node.input[0]);
      return;
    default:
      if (!node.input.empty()) node.input[below(node.input.size())] = any();
  }
}

void Mutation::change_op(NodeDef& node) {
  const std::vector<std::string_view> names = ops_.names();
  const std::string_view name = names[below(names.size())];
  if (!is_left_alone(name)) node.op = wire::Text(std::string(name));
}

void feed_constant(NodeDef& constant) {
  AttrValue* tensor = nullptr;
  for (auto& [name, value] : constant.attr.items) {
    if (name.view() == "value") tensor = &value;
  }
  if (tensor == nullptr || tensor->value.index() != AttrValue::kTensor) return;
  const auto& proto = std::get<AttrValue::kTensor>(tensor->value);
  if (!proto || proto->dtype == DType::kVariant || proto->dtype == DType::kResource) return;
  AttrValue type;
  type.value.emplace<AttrValue::kType_>(proto->dtype);
  AttrValue fed = *tensor;
  constant.op = wire::Text("Placeholder");
  constant.attr.items.clear();
  constant.attr.add(wire::Text("_fed"), std::move(fed));
  constant.attr.add(wire::Text("dtype"), std::move(type));
}

}  // namespace flowray::hostile
