#pragma once
/// TensorFlow's GraphDef and what it is made of (tensorflow/core/framework/graph.proto, node_def.proto,
/// attr_value.proto, versions.proto, function.proto, op_def.proto).

#include "wire/tensor_proto.h"

namespace flowray::wire {

struct AttrValue;

/// A function by name, with its attributes.
struct NameAttrList {
  Text name;
  Map<Text, AttrValue> attr;

  std::string unknown;
  static constexpr auto fields();
};

struct AttrValue {
  struct ListValue {
    std::vector<Bytes> s;
    std::vector<int64_t> i;
    std::vector<float> f;
    std::vector<bool> b;
    std::vector<DType> type;
    std::vector<TensorShapeProto> shape;
    std::vector<TensorProto> tensor;
    std::vector<NameAttrList> func;

    std::string unknown;
    static constexpr auto fields() {
      using M = ListValue;
      return std::tuple(field(2, "s", &M::s), field(3, "i", &M::i), field(4, "f", &M::f),
                        field(5, "b", &M::b), field(6, "type", &M::type), field(7, "shape", &M::shape),
                        field(8, "tensor", &M::tensor), field(9, "func", &M::func));
    }
  };
  /// The alternatives by their place in `value`.
  enum Kind : size_t { kNone, kList, kS, kI, kF, kB, kType_, kShape, kTensor, kPlaceholder, kFunc };
  using Value = std::variant<std::monostate, Box<ListValue>, Bytes, int64_t, float, bool, DType,
                             Box<TensorShapeProto>, Box<TensorProto>, Text, Box<NameAttrList>>;
  Value value;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.AttrValue";
  static constexpr auto fields() {
    using M = AttrValue;
    return std::tuple(
        choice<kList>(1, "list", &M::value), choice<kS>(2, "s", &M::value), choice<kI>(3, "i", &M::value),
        choice<kF>(4, "f", &M::value), choice<kB>(5, "b", &M::value), choice<kType_>(6, "type", &M::value),
        choice<kShape>(7, "shape", &M::value), choice<kTensor>(8, "tensor", &M::value),
        choice<kPlaceholder>(9, "placeholder", &M::value), choice<kFunc>(10, "func", &M::value));
  }
};

constexpr auto NameAttrList::fields() {
  return std::tuple(field(1, "name", &NameAttrList::name), field(2, "attr", &NameAttrList::attr));
}

struct NodeDef {
  Text name;
  Text op;
  std::vector<Text> input;  // "n", "n:1", then "^n"
  Text device;
  Map<Text, AttrValue> attr;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.NodeDef";
  static constexpr auto fields() {
    using M = NodeDef;
    return std::tuple(field(1, "name", &M::name), field(2, "op", &M::op), field(3, "input", &M::input),
                      field(4, "device", &M::device), field(5, "attr", &M::attr));
  }
};

struct VersionDef {
  int32_t producer = 0;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.VersionDef";
  static constexpr auto fields() {
    using M = VersionDef;
    return std::tuple(field(1, "producer", &M::producer), field(2, "min_consumer", &M::min_consumer),
                      field(3, "bad_consumers", &M::bad_consumers));
  }
};

struct OpDef {
  struct ArgDef {
    Text name;
    Text description;
    DType type = DType::kInvalid;
    Text type_attr;
    Text number_attr;
    Text type_list_attr;
    bool is_ref = false;

    std::string unknown;
    static constexpr auto fields() {
      using M = ArgDef;
      return std::tuple(field(1, "name", &M::name), field(2, "description", &M::description),
                        field(3, "type", &M::type), field(4, "type_attr", &M::type_attr),
                        field(5, "number_attr", &M::number_attr),
                        field(6, "type_list_attr", &M::type_list_attr), field(16, "is_ref", &M::is_ref));
    }
  };
  struct AttrDef {
    Text name;
    Text type;
    std::optional<AttrValue> default_value;
    Text description;
    bool has_minimum = false;
    int64_t minimum = 0;
    std::optional<AttrValue> allowed_values;

    std::string unknown;
    static constexpr auto fields() {
      using M = AttrDef;
      return std::tuple(field(1, "name", &M::name), field(2, "type", &M::type),
                        field(3, "default_value", &M::default_value),
                        field(4, "description", &M::description), field(5, "has_minimum", &M::has_minimum),
                        field(6, "minimum", &M::minimum), field(7, "allowed_values", &M::allowed_values));
    }
  };
  Text name;
  std::vector<ArgDef> input_arg;
  std::vector<ArgDef> output_arg;
  std::vector<AttrDef> attr;
  bool is_aggregate = false;
  bool is_stateful = false;
  bool is_commutative = false;
  bool allows_uninitialized_input = false;
  std::vector<Text> control_output;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.OpDef";
  static constexpr auto fields() {
    using M = OpDef;
    return std::tuple(field(1, "name", &M::name), field(2, "input_arg", &M::input_arg),
                      field(3, "output_arg", &M::output_arg), field(4, "attr", &M::attr),
                      field(16, "is_aggregate", &M::is_aggregate), field(17, "is_stateful", &M::is_stateful),
                      field(18, "is_commutative", &M::is_commutative),
                      field(19, "allows_uninitialized_input", &M::allows_uninitialized_input),
                      field(20, "control_output", &M::control_output));
  }
};

struct FunctionDef {
  OpDef signature;
  std::vector<NodeDef> node_def;
  Map<Text, Text> ret;
  Map<Text, AttrValue> attr;
  Map<Text, Text> control_ret;

  std::string unknown;
  static constexpr auto fields() {
    using M = FunctionDef;
    return std::tuple(field(1, "signature", &M::signature), field(3, "node_def", &M::node_def),
                      field(4, "ret", &M::ret), field(5, "attr", &M::attr),
                      field(6, "control_ret", &M::control_ret));
  }
};

struct FunctionDefLibrary {
  struct Gradient {
    Text function_name;
    Text gradient_func;
    std::string unknown;
    static constexpr auto fields() {
      return std::tuple(field(1, "function_name", &Gradient::function_name),
                        field(2, "gradient_func", &Gradient::gradient_func));
    }
  };
  std::vector<FunctionDef> function;
  std::vector<Gradient> gradient;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.FunctionDefLibrary";
  static constexpr auto fields() {
    return std::tuple(field(1, "function", &FunctionDefLibrary::function),
                      field(2, "gradient", &FunctionDefLibrary::gradient));
  }
};

struct GraphDef {
  std::vector<NodeDef> node;
  std::optional<FunctionDefLibrary> library;
  int32_t version = 0;  // long deprecated; `versions` stands instead
  std::optional<VersionDef> versions;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.GraphDef";
  static constexpr auto fields() {
    using M = GraphDef;
    return std::tuple(field(1, "node", &M::node), field(2, "library", &M::library),
                      field(3, "version", &M::version), field(4, "versions", &M::versions));
  }
};

}  // namespace flowray::wire
