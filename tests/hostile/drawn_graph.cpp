#include "hostile/drawn_graph.h"

#include "core/dtype_dispatch.h"
#include "hostile/mutation.h"
#include "wire/tensor_value.h"

#include <flowray/array.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace flowray::hostile {
namespace {

using wire::AttrValue;
using wire::NodeDef;

constexpr int64_t kDrawnIntegers[] = {
    0,         -1,        INT32_MAX,     int64_t{INT32_MAX} + 1, INT64_MAX, INT64_MIN, int64_t{1} << 32,
    INT32_MIN, 1'000'003, INT64_MAX - 7, INT64_MAX / 2 + 1,      65'536,    255,       -2};
constexpr double kDrawnReals[] = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  -1e30,
                                  1e30,
                                  3e9,
                                  -0.0};
constexpr DType kUsualDTypes[] = {DType::kFloat32, DType::kInt32, DType::kInt64,
                                  DType::kFloat64, DType::kBool,  DType::kString};
// From one float to one float, but for the last, which says whether it is positive.
constexpr const char* kFunctions[] = {"identity", "calls",        "branches",
                                      "loops",    "calls_itself", "is_positive"};
constexpr const char* kIsPositive = "is_positive";
// What steers a step: drawn more often than others.
constexpr const char* kSteering[] = {"Switch",
                                     "Merge",
                                     "Enter",
                                     "Exit",
                                     "NextIteration",
                                     "LoopCond",
                                     "If",
                                     "StatelessIf",
                                     "While",
                                     "StatelessWhile",
                                     "Case",
                                     "StatelessCase",
                                     "PartitionedCall",
                                     "StatefulPartitionedCall",
                                     "For",
                                     "SymbolicGradient",
                                     "RefSwitch",
                                     "Identity",
                                     "IdentityN"};
constexpr size_t kMostRank = 257;  // more than there is
constexpr size_t kMostRankOfArrays = 254;
constexpr int kDeepest = 3;

bool ends_the_process(std::string_view op) { return op == "Abort"; }

bool has_elements(DType dtype) {
  return dtype != DType::kResource && dtype != DType::kVariant && dtype != DType::kInvalid;
}

/// Whether an array of it can be made here.
bool is_known(DType dtype) { return dtype == DType::kString || is_trivial(dtype); }

/// A function of one float whose result is that of `node`, which is given its name, and what it takes.
wire::FunctionDef function_of(const char* name, NodeDef node, const char* output, DType result) {
  wire::FunctionDef function;
  function.signature.name = name;
  wire::OpDef::ArgDef arg;
  arg.name = "x";
  arg.type = DType::kFloat32;
  function.signature.input_arg.push_back(arg);
  arg.name = "y";
  arg.type = result;
  function.signature.output_arg.push_back(arg);
  node.name = "node";
  function.node_def.push_back(std::move(node));
  function.ret.add("y", wire::Text(std::string("node:") + output));
  return function;
}

void set_types(NodeDef& node, const char* attr, size_t count) {
  node.attr.add(wire::Text(attr))
      .value.emplace<AttrValue::kList>(AttrValue::ListValue())
      .make()
      .type.assign(count, DType::kFloat32);
}

void set_call(NodeDef& node, const char* attr, const char* function) {
  node.attr.add(wire::Text(attr)).value.emplace<AttrValue::kFunc>(wire::NameAttrList()).make().name =
      wire::Text(function);
}

NodeDef node_of(const char* op, std::vector<wire::Text> inputs = {"x"}) {
  NodeDef node;
  node.op = op;
  node.input = std::move(inputs);
  return node;
}

DType type_of(const NodeDef& node, std::string_view attr) {
  const AttrValue* value = node.attr.find(attr);
  if (value == nullptr || value->value.index() != AttrValue::kType_) return DType::kFloat32;
  return std::get<AttrValue::kType_>(value->value);
}

int64_t number_of(const NodeDef& node, std::string_view attr) {
  const AttrValue* value = node.attr.find(attr);
  if (value == nullptr || value->value.index() != AttrValue::kI) return 1;
  return std::clamp<int64_t>(std::get<AttrValue::kI>(value->value), 0, 4);
}

std::vector<DType> types_of(const NodeDef& node, const graph::ArgSchema& arg) {
  if (!arg.type_list_attr.empty()) {
    const AttrValue* value = node.attr.find(arg.type_list_attr);
    if (value == nullptr || value->value.index() != AttrValue::kList) return {};
    return std::get<AttrValue::kList>(value->value)->type;
  }
  const DType dtype = arg.type_attr.empty() ? arg.type : type_of(node, arg.type_attr);
  const int64_t count = arg.number_attr.empty() ? 1 : number_of(node, arg.number_attr);
  return std::vector<DType>(static_cast<size_t>(count), dtype);
}

}  // namespace

std::string DrawnGraph::draw(std::string_view op) {
  graph_ = {};
  usual_dims_ = dims();
  add_functions();
  const std::vector<std::string_view> names = ops_.names();
  if (op.empty() && one_in(8)) op = kSteering[below(std::size(kSteering))];
  while (op.empty() || ends_the_process(op) || ops_.find(op) == nullptr) op = names[below(names.size())];
  add(op, 0);
  std::string bytes = wire::encode(graph_);
  graph_ = {};
  kept_.clear();
  return bytes;
}

/// Which one calls which is drawn: some graphs call without end.
void DrawnGraph::add_functions() {
  auto& functions = graph_.library.emplace().function;
  const auto any = [this] { return kFunctions[below(std::size(kFunctions))]; };
  NodeDef same = node_of("Identity");
  same.attr.add("T").value.emplace<AttrValue::kType_>(DType::kFloat32);
  functions.push_back(function_of(kFunctions[0], std::move(same), "output:0", DType::kFloat32));
  for (const int number : {1, 4}) {
    NodeDef call = node_of(one_in(2) ? "PartitionedCall" : "StatefulPartitionedCall");
    set_types(call, "Tin", 1);
    set_types(call, "Tout", 1);
    set_call(call, "f", number == 4 ? kFunctions[4] : any());
    functions.push_back(function_of(kFunctions[number], std::move(call), "output:0", DType::kFloat32));
  }
  NodeDef branch = node_of(one_in(2) ? "If" : "StatelessIf", {"x", "x"});
  branch.attr.add("Tcond").value.emplace<AttrValue::kType_>(DType::kFloat32);
  set_types(branch, "Tin", 1);
  set_types(branch, "Tout", 1);
  set_call(branch, "then_branch", any());
  set_call(branch, "else_branch", any());
  functions.push_back(function_of(kFunctions[2], std::move(branch), "output:0", DType::kFloat32));
  NodeDef loop = node_of(one_in(2) ? "While" : "StatelessWhile");
  set_types(loop, "T", 1);
  set_call(loop, "cond", one_in(4) ? any() : kIsPositive);
  set_call(loop, "body", any());
  functions.push_back(function_of(kFunctions[3], std::move(loop), "output:0", DType::kFloat32));
  NodeDef compared = node_of("Less", {"x", "x"});
  compared.attr.add("T").value.emplace<AttrValue::kType_>(DType::kFloat32);
  functions.push_back(function_of(kIsPositive, std::move(compared), "z:0", DType::kBool));
  for (wire::FunctionDef& function : functions) function.node_def[0].attr.sort();
}

int64_t DrawnGraph::integer() {
  if (!one_in(4)) return static_cast<int64_t>(below(4));
  return kDrawnIntegers[below(std::size(kDrawnIntegers))];
}

std::string DrawnGraph::text() {
  if (std::exchange(wants_large_text_, false)) return std::string(kLargeTextBytes, one_in(2) ? 'x' : '1');
  switch (below(6)) {
    case 0:
      return "";
    case 1:
      return "1";
    case 2:
      return std::string("\x0a\x00\xff", 3);
    case 3:
      return std::string(below(5000), '[');
    default:
      return "abc";
  }
}

std::vector<int64_t> DrawnGraph::dims() {
  if (one_in(40)) return std::vector<int64_t>(kMostRankOfArrays - below(4), 1);
  std::vector<int64_t> result(one_in(16) ? below(12) : below(4));
  for (int64_t& dim : result) dim = static_cast<int64_t>(one_in(8) ? 0 : 1 + below(3));
  return result;
}

wire::TensorShapeProto DrawnGraph::shape() {
  wire::TensorShapeProto proto;
  proto.unknown_rank = one_in(6);
  if (proto.unknown_rank) return proto;
  if (one_in(40)) {
    proto.dim.resize(kMostRank - below(8));
    for (auto& dim : proto.dim) dim.size = one_in(6) ? integer() : 1;
    return proto;
  }
  for (const int64_t dim : one_in(2) ? usual_dims_ : dims()) {
    proto.dim.emplace_back().size = one_in(6) ? integer() : dim;
  }
  return proto;
}

DType DrawnGraph::dtype_of(const graph::AttrSchema& attr) {
  if (!attr.allowed_types.empty()) return attr.allowed_types[below(attr.allowed_types.size())];
  return kUsualDTypes[below(std::size(kUsualDTypes))];
}

void DrawnGraph::set_function(AttrValue& value) {
  auto& function = value.value.emplace<AttrValue::kFunc>(wire::NameAttrList()).make();
  function.name = wire::Text(one_in(8) ? "no_such_function" : kFunctions[below(std::size(kFunctions))]);
}

void DrawnGraph::set_list(AttrValue& value, const graph::AttrSchema& attr) {
  auto& list = value.value.emplace<AttrValue::kList>(AttrValue::ListValue()).make();
  const auto least = static_cast<size_t>(std::clamp<int64_t>(attr.minimum.value_or(1), 0, 8));
  const size_t count = one_in(6) ? below(6) : least;
  for (size_t i = 0; i < count; ++i) {
    switch (attr.type) {
      case graph::AttrType::kInt:
        list.i.push_back(integer());
        break;
      case graph::AttrType::kFloat:
        list.f.push_back(static_cast<float>(integer()));
        break;
      case graph::AttrType::kBool:
        list.b.push_back(one_in(2));
        break;
      case graph::AttrType::kString:
        list.s.emplace_back(text());
        break;
      case graph::AttrType::kType:
        list.type.push_back(dtype_of(attr));
        break;
      case graph::AttrType::kShape:
        list.shape.push_back(shape());
        break;
      case graph::AttrType::kFunction:
        list.func.emplace_back().name = wire::Text(kFunctions[below(std::size(kFunctions))]);
        break;
      case graph::AttrType::kTensor:
        break;
    }
  }
}

void DrawnGraph::set_attr(NodeDef& node, const graph::AttrSchema& attr) {
  if (attr.default_value && one_in(2)) return;
  AttrValue value;
  if (attr.is_list) {
    set_list(value, attr);
  } else {
    switch (attr.type) {
      case graph::AttrType::kInt:
        value.value.emplace<AttrValue::kI>(integer());
        break;
      case graph::AttrType::kFloat:
        value.value.emplace<AttrValue::kF>(static_cast<float>(kDrawnReals[below(std::size(kDrawnReals))]));
        break;
      case graph::AttrType::kBool:
        value.value.emplace<AttrValue::kB>(one_in(2));
        break;
      case graph::AttrType::kString:
        value.value.emplace<AttrValue::kS>(wire::Bytes(
            attr.allowed_strings.empty() ? text()
                                         : attr.allowed_strings[below(attr.allowed_strings.size())]));
        break;
      case graph::AttrType::kType:
        value.value.emplace<AttrValue::kType_>(dtype_of(attr));
        break;
      case graph::AttrType::kShape:
        value.value.emplace<AttrValue::kShape>(shape());
        break;
      case graph::AttrType::kTensor: {
        const Array& array = kept_.emplace_back(Array::full(DType::kInt32, Shape(dims()), integer() % 100));
        value.value.emplace<AttrValue::kTensor>(wire::to_tensor_proto(array, wire::TensorForm::kConstant));
        break;
      }
      case graph::AttrType::kFunction:
        set_function(value);
        break;
    }
  }
  node.attr.add(wire::Text(attr.name), std::move(value));
}

std::string DrawnGraph::constant(DType dtype) {
  Array array(dtype, Shape(one_in(3) ? dims() : usual_dims_));
  using Integers = TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>;
  const bool wild = one_in(3);
  if (dtype == DType::kString) {
    for (int64_t i = 0; i < array.size(); ++i) array.mutable_data<std::string>()[i] = text();
  } else if (!dispatch<Integers>(dtype, [&]<class T>() {
               T* const elements = array.mutable_data<T>();
               for (int64_t i = 0; i < array.size(); ++i)
                 elements[i] = static_cast<T>(wild ? integer() : static_cast<int64_t>(below(3)));
             })) {
    array = Array::full(dtype, array.shape(),
                        wild ? kDrawnReals[below(std::size(kDrawnReals))] : static_cast<double>(below(3)));
  }
  NodeDef node;
  node.name = "c" + std::to_string(graph_.node.size());
  node.op = "Const";
  node.attr.add("dtype").value.emplace<AttrValue::kType_>(dtype);
  node.attr.add("value").value.emplace<AttrValue::kTensor>(
      wire::to_tensor_proto(kept_.emplace_back(std::move(array)), wire::TensorForm::kConstant));
  std::string name = node.name.str();
  graph_.node.push_back(std::move(node));
  return name;
}

/// An op with such an output, and which of its outputs that is; empty if there is none.
std::string DrawnGraph::maker_of(DType dtype, bool is_ref, int& output) {
  std::vector<std::pair<std::string_view, int>> found;
  for (const std::string_view name : ops_.names()) {
    if (ends_the_process(name)) continue;
    const graph::OpSchema& schema = *ops_.find(name);
    for (size_t i = 0; i < schema.outputs.size(); ++i) {
      const graph::ArgSchema& arg = schema.outputs[i];
      if (arg.is_ref == is_ref && (arg.type == dtype || (is_ref && !arg.type_attr.empty())) &&
          arg.number_attr.empty() && schema.inputs.size() <= 3)
        found.emplace_back(name, static_cast<int>(i));
    }
  }
  if (found.empty()) return {};
  const auto& [name, number] = found[below(found.size())];
  output = number;
  return std::string(name);
}

std::string DrawnGraph::input(DType dtype, bool is_ref, int depth) {
  if (!is_ref && has_elements(dtype) && is_known(dtype)) {
    return depth < kDeepest && one_in(6) ? nested_input(dtype, depth) : constant(dtype);
  }
  int output = 0;
  const std::string maker = depth < kDeepest ? maker_of(dtype, is_ref, output) : std::string();
  if (maker.empty()) return constant(DType::kFloat32);
  return add(maker, depth + 1) + ":" + std::to_string(output);
}

/// What an op that steers makes of other inputs.
std::string DrawnGraph::nested_input(DType dtype, int depth) {
  const char* op = kSteering[below(std::size(kSteering))];
  if (ops_.find(op) == nullptr) return constant(dtype);
  return add(op, depth + 1, dtype) + (one_in(4) ? ":1" : "");
}

/// `wanted`: what attributes of types are to be, where they may.
std::string DrawnGraph::add(std::string_view op, int depth, DType wanted) {
  const graph::OpSchema& schema = *ops_.find(op);
  NodeDef node;
  node.op = wire::Text(std::string(op));
  for (const graph::AttrSchema& attr : schema.attrs) {
    if (wanted == DType::kInvalid || attr.type != graph::AttrType::kType || !attr.allowed_types.empty()) {
      set_attr(node, attr);
    } else if (attr.is_list) {
      node.attr.add(wire::Text(attr.name))
          .value.emplace<AttrValue::kList>(AttrValue::ListValue())
          .make()
          .type.assign(1 + below(2), wanted);
    } else {
      node.attr.add(wire::Text(attr.name)).value.emplace<AttrValue::kType_>(wanted);
    }
  }
  node.attr.sort();
  for (const graph::ArgSchema& arg : schema.inputs) {
    for (const DType dtype : types_of(node, arg)) node.input.emplace_back(input(dtype, arg.is_ref, depth));
  }
  node.name = "n" + std::to_string(graph_.node.size());
  std::string name = node.name.str();
  graph_.node.push_back(std::move(node));
  return name;
}

}  // namespace flowray::hostile
