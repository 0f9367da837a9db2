#include "support/golden_op_case.h"

#include "graph/builder.h"
#include "ops/all_ops.h"
#include "support/interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace flowray::testing {
namespace {

using graph::AttrValue;
using graph::Endpoint;

Shape read_shape(const Json& json) {
  if (json.kind == Json::Kind::kNull) return Shape::unknown_rank();
  std::vector<int64_t> dims;
  for (const Json& item : json.items) dims.push_back(item.integer());
  return Shape(dims);
}

double read_double(const Json& json) {
  if (json.kind == Json::Kind::kBool) return json.boolean ? 1 : 0;
  return json.number();  // "nan" and "inf" are strings, which strtod reads as well
}

int64_t read_integer(const Json& json) {
  return json.kind == Json::Kind::kBool ? int64_t{json.boolean} : json.integer();
}

Array read_array(const Json& json) {
  const DType dtype = dtype_from_name(json.at("dtype").text);
  const Shape shape = read_shape(json.at("shape"));
  const std::vector<Json>& data = json.at("data").items;
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const Json& item : data) strings.push_back(item.text);
    return Array::from(strings, shape);
  }
  if (is_integer(dtype) || dtype == DType::kBool) {
    std::vector<int64_t> integers;
    for (const Json& item : data) integers.push_back(read_integer(item));
    return Array::from(integers, shape).astype(dtype);
  }
  std::vector<double> values;
  for (const Json& item : data) values.push_back(read_double(item));
  if (is_complex(dtype)) {
    std::vector<std::complex<double>> pairs;
    for (size_t i = 0; i + 1 < values.size(); i += 2) pairs.emplace_back(values[i], values[i + 1]);
    return Array::from(pairs, shape).astype(dtype);
  }
  return Array::from(values, shape).astype(dtype);
}

GoldenArray read_golden(const Json& json) {
  GoldenArray golden{.dtype = dtype_from_name(json.at("dtype").text), .shape = read_shape(json.at("shape"))};
  golden.is_summary = json.has("sum");
  const auto append = [&](const Json& list) {
    for (const Json& item : list.items) {
      golden.values.push_back(read_double(item));
      golden.integers.push_back(read_integer(item));
    }
  };
  if (golden.is_summary) {
    append(json.at("first"));
    append(json.at("last"));
    golden.sum = read_double(json.at("sum"));
  } else {
    append(json.at("data"));
  }
  return golden;
}

std::vector<GoldenArray> read_goldens(const Json& list) {
  std::vector<GoldenArray> goldens;
  for (const Json& item : list.items) goldens.push_back(read_golden(item));
  return goldens;
}

std::string describe(const Json& json) {
  std::string text = json.at("op").text + "(";
  for (const Json& input : json.at("inputs").items) {
    text += input.at("dtype").text + read_shape(input.at("shape")).to_string() + " ";
  }
  text += ")";
  for (const auto& [key, value] : json.at("attrs").members) {
    for (const auto& [kind, item] : value.members) {
      text +=
          " " + key + "=" + (item.kind == Json::Kind::kBool ? (item.boolean ? "true" : "false") : item.text);
      for (const Json& part : item.items) text += part.text + ",";
    }
  }
  return text;
}

GoldenOpCase read_case(const Json& json) {
  GoldenOpCase test{.op = json.at("op").text, .attrs = json.at("attrs"), .text = describe(json)};
  for (const Json& input : json.at("inputs").items) {
    test.inputs.push_back(read_array(input));
    test.is_variable.push_back(input.has("ref"));
  }
  test.compares_variables = json.has("after");
  if (json.has("runs")) {
    for (const Json& run : json.at("runs").items) test.runs.push_back(read_goldens(run));
  } else {
    test.runs.push_back(read_goldens(json.at(test.compares_variables ? "after" : "outputs")));
  }
  return test;
}

// ---- attributes

AttrValue empty_list(graph::AttrType type) {
  switch (type) {
    case graph::AttrType::kInt:
      return std::vector<int64_t>();
    case graph::AttrType::kFloat:
      return std::vector<float>();
    case graph::AttrType::kString:
      return std::vector<std::string>();
    case graph::AttrType::kBool:
      return std::vector<bool>();
    case graph::AttrType::kType:
      return std::vector<DType>();
    default:
      return std::vector<Shape>();
  }
}

AttrValue read_list(const Json& list, const std::string& kind) {
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::vector<DType> dtypes;
  for (const Json& item : list.items) {
    integers.push_back(read_integer(item));
    floats.push_back(static_cast<float>(read_double(item)));
    strings.push_back(item.text);
    dtypes.push_back(dtype_from_name(item.text));
  }
  if (kind == "list_i") return integers;
  if (kind == "list_f") return floats;
  if (kind == "list_s") return strings;
  if (kind == "list_type") return dtypes;
  throw std::runtime_error("golden op: unknown attribute kind " + kind);
}

AttrValue read_attr(const Json& json, const graph::AttrSchema& schema) {
  const auto& [kind, value] = *json.members.begin();
  if (kind == "type") return dtype_from_name(value.text);
  if (kind == "i") return value.integer();
  if (kind == "f") return static_cast<float>(read_double(value));
  if (kind == "b") return value.boolean;
  if (kind == "s") return value.text;
  if (kind == "shape") return read_shape(value);
  if (kind == "tensor") return read_array(value);
  if (kind == "list") return empty_list(schema.type);
  return read_list(value, kind);
}

graph::Attrs read_attrs(const Json& json, const graph::OpSchema& schema) {
  graph::Attrs attrs;
  for (const auto& [key, value] : json.members) {
    const graph::AttrSchema* attr = schema.find_attr(key);
    if (attr == nullptr) throw std::runtime_error("golden op: " + schema.name + " has no attribute " + key);
    attrs.set(key, read_attr(value, *attr));
  }
  return attrs;
}

// ---- comparing

/// Where we do not follow TensorFlow: case and element.
struct Deviation {
  std::string_view test;
  size_t element;
};
constexpr Deviation kDeviations[] = {
    // It takes the subnormal quotient -1e-40 for 0, whose floor is not -1.
    {"FloorDiv(float32[17,1] float32[6] ) T=float32", 45},
    // Its erf of infinity is NaN in float64, 1 in float32.
    {"Erf(float64[20] ) T=float64", 4},
    {"Erf(float64[20] ) T=float64", 5},
    {"Erf(float64[20] ) T=float64", 18},
};

bool deviates(const GoldenOpCase& test, size_t element) {
  return std::any_of(std::begin(kDeviations), std::end(kDeviations), [&](const Deviation& deviation) {
    return deviation.test == test.text && deviation.element == element;
  });
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kComplex128:
      return 1e-13;
    case DType::kFloat16:
      return 2e-3;
    case DType::kBfloat16:
      return 1.6e-2;
    default:
      return 4e-6;
  }
}

void expect_number(double actual, double expected, double allowed, const std::string& where) {
  if (std::isnan(expected) || std::isinf(expected)) {
    EXPECT_TRUE((std::isnan(expected) && std::isnan(actual)) || actual == expected)
        << where << ": " << actual << " instead of " << expected;
  } else {
    EXPECT_NEAR(actual, expected, allowed) << where;
  }
}

void expect_floats(const GoldenOpCase& test, const Array& actual, const GoldenArray& expected) {
  const Array wide = actual.astype(is_complex(actual.dtype()) ? DType::kComplex128 : DType::kFloat64);
  const std::span<const double> values(static_cast<const double*>(wide.raw_data()),
                                       wide.size_bytes() / sizeof(double));
  double largest = 0;
  for (double value : expected.values)
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  const double relative = tolerance_of(expected.dtype);
  // The terms of a sum may be larger than what is left of them; and what TensorFlow flushes to 0 is not
  // 0 here.
  const double absolute = relative * std::min(largest, 1.0) + std::numeric_limits<float>::min();
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const size_t from_end = expected.values.size() - i;
    const size_t at = expected.is_summary && i >= 8 ? values.size() - from_end : i;
    if (deviates(test, at)) continue;
    expect_number(values[at], expected.values[i], absolute + relative * std::abs(expected.values[i]),
                  "element " + std::to_string(at));
  }
  if (!expected.is_summary) return;
  double sum = 0;
  double magnitude = 0;
  for (double value : values) {
    sum += value;
    magnitude += std::abs(value);
  }
  expect_number(sum, expected.sum, relative * magnitude, "the sum");
}

void expect_integers(const Array& actual, const GoldenArray& expected) {
  const Array wide = actual.astype(DType::kInt64);
  const std::span<const int64_t> values = wide.span<int64_t>();
  for (size_t i = 0; i < expected.integers.size(); ++i) {
    const size_t at = expected.is_summary && i >= 8 ? values.size() - (expected.integers.size() - i) : i;
    EXPECT_EQ(values[at], expected.integers[i]) << "element " << at;
  }
  if (!expected.is_summary) return;
  double sum = 0;
  for (int64_t value : values) sum += static_cast<double>(value);
  expect_number(sum, expected.sum, std::abs(expected.sum) * 1e-12, "the sum");
}

void expect_golden(const GoldenOpCase& test, const Array& actual, const GoldenArray& expected) {
  ASSERT_EQ(actual.dtype(), expected.dtype);
  ASSERT_EQ(actual.shape(), expected.shape);
  if (expected.dtype == DType::kString) return;
  if (is_floating(expected.dtype) || is_complex(expected.dtype)) {
    expect_floats(test, actual, expected);
  } else {
    expect_integers(actual, expected);
  }
}

// ---- running

/// The op with its inputs, in a graph and an interpreter of its own.
class OneOp {
 public:
  OneOp(const GoldenOpCase& test, const graph::OpSchema& schema) : graph_(ops::op_table()), builder_(graph_) {
    std::vector<Endpoint> inputs;
    for (size_t i = 0; i < test.inputs.size(); ++i) {
      const Array& value = test.inputs[i];
      const graph::Attrs attrs{{"dtype", value.dtype()}, {"shape", value.shape()}};
      inputs.push_back(builder_.op(test.is_variable[i] ? "VariableV2" : "Placeholder", {}, attrs));
      if (test.is_variable[i]) {
        variables_.push_back(
            interpreter_.containers().find_or_make<graph::Variable>("", inputs.back().node->name()));
        variables_.back()->assign(value);
      } else {
        feeds_.push_back({inputs.back(), value});
      }
    }
    node_ = builder_.node(test.op, inputs, read_attrs(test.attrs, schema));
  }

  std::vector<Array> run_outputs() {
    std::vector<Endpoint> outputs;
    for (int i = 0; i < node_->num_outputs(); ++i) outputs.push_back(node_->output(i));
    return interpreter_.run(outputs, feeds_, {node_});
  }

  std::vector<Array> run_variables() {
    interpreter_.run(std::vector<Endpoint>(), feeds_, {node_});
    std::vector<Array> values;
    for (const auto& variable : variables_) values.push_back(variable->read());
    return values;
  }

 private:
  graph::Graph graph_;
  graph::Builder builder_;
  Interpreter interpreter_;
  std::vector<Interpreter::Feed> feeds_;
  std::vector<std::shared_ptr<graph::Variable>> variables_;
  graph::Node* node_ = nullptr;
};

/// Dtypes that have no kernels yet.
bool may_lack_kernel(const GoldenOpCase& test) {
  const auto rare = [](DType dtype) {
    return dtype != DType::kFloat32 && dtype != DType::kFloat64 && dtype != DType::kInt32 &&
           dtype != DType::kInt64 && dtype != DType::kBool;
  };
  for (const Array& input : test.inputs) {
    if (rare(input.dtype())) return true;
  }
  return std::any_of(test.runs[0].begin(), test.runs[0].end(),
                     [&](const GoldenArray& golden) { return rare(golden.dtype); });
}

}  // namespace

std::vector<GoldenOpCase> read_golden_ops(const std::string& name) {
  const std::string path = std::string(FLOWRAY_SOURCE_DIR) + "/tests/golden/ops/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  std::vector<GoldenOpCase> cases;
  for (const Json& json : parse_json(text.str()).items) cases.push_back(read_case(json));
  return cases;
}

bool run_golden_op(const GoldenOpCase& test) {
  SCOPED_TRACE(test.text);
  const graph::OpSchema* schema = ops::op_table().find(test.op);
  if (schema == nullptr) return false;
  try {
    OneOp one(test, *schema);
    for (const std::vector<GoldenArray>& expected : test.runs) {
      const std::vector<Array> actual = test.compares_variables ? one.run_variables() : one.run_outputs();
      EXPECT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i)
        expect_golden(test, actual[i], expected[i]);
    }
  } catch (const errors::UnimplementedError& error) {
    if (may_lack_kernel(test)) return false;
    ADD_FAILURE() << error.message();
  } catch (const Error& error) {
    ADD_FAILURE() << error.message();
  }
  return true;
}

}  // namespace flowray::testing
