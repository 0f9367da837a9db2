// Every registered op has TensorFlow's signature: tests/golden/ops.tsv, and ops_beyond_the_list.tsv for what
// that leaves out.

#include "ops/all_ops.h"

#include "graph/op_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace flowray {
namespace {

struct Signature {
  std::string inputs;
  std::string outputs;
  std::string attrs;
  bool stateful = false;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' ') == std::string::npos ? text.size() : text.find_first_not_of(' '));
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.pop_back();
  return text;
}

std::map<std::string, Signature> read_signatures() {
  std::map<std::string, Signature> signatures;
  for (const char* file : {"ops.tsv", "ops_beyond_the_list.tsv"}) {
    std::ifstream lines(std::string(FLOWRAY_SOURCE_DIR "/tests/golden/") + file);
    EXPECT_TRUE(lines.good()) << file;
    std::string line;
    std::getline(lines, line);  // the header
    while (std::getline(lines, line)) {
      std::vector<std::string> columns;
      size_t begin = 0;
      for (size_t tab = 0; tab != std::string::npos; begin = tab + 1) {
        tab = line.find('\t', begin);
        columns.push_back(line.substr(begin, tab == std::string::npos ? tab : tab - begin));
      }
      columns.resize(5);
      signatures[columns[0]] = {columns[1], columns[2], columns[3], trimmed(columns[4]) == "stateful"};
    }
  }
  return signatures;
}

/// TensorFlow's minimum by "Op attr".
std::map<std::string, int64_t> read_minimums() {
  std::map<std::string, int64_t> minimums;
  std::ifstream lines(FLOWRAY_SOURCE_DIR "/tests/golden/op_minimums.tsv");
  std::string op;
  std::getline(lines, op);  // the header
  std::string attr;
  int64_t minimum = 0;
  while (lines >> op >> attr >> minimum) minimums[op + " " + attr] = minimum;
  return minimums;
}

std::vector<std::string> arguments(const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& part : split(text, ',')) parts.push_back(trimmed(part));
  return parts;
}

/// One attribute taken apart; the order of allowed values has no meaning.
struct Attribute {
  std::string type;
  std::string default_value;
  std::set<std::string> allowed;
  bool operator==(const Attribute&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Attribute& attribute) {
  out << attribute.type << "=" << attribute.default_value << "{";
  for (const std::string& value : attribute.allowed) out << value << ",";
  return out << "}";
}

/// The lists that rows name, once more: the names are ours, what is in them is TensorFlow's.
std::string list_of_dtypes(const std::string& name) {
  static const std::map<std::string, std::string> kLists = {
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
  const auto found = kLists.find(name);
  return found == kLists.end() ? "no list named " + name : found->second;
}

std::map<std::string, Attribute> attributes(const std::string& text) {
  std::map<std::string, Attribute> result;
  for (const std::string& part : split(text, ';')) {
    std::string rest = trimmed(part);
    if (rest.empty()) continue;
    Attribute attribute;
    if (const size_t brace = rest.find('{'); brace != std::string::npos) {
      const std::string inside = rest.substr(brace + 1, rest.size() - brace - 2);
      const bool is_named = !inside.starts_with('[');
      for (const std::string& value :
           split(is_named ? list_of_dtypes(inside) : inside.substr(1, inside.size() - 2), ',')) {
        attribute.allowed.insert(trimmed(value));
      }
      rest.resize(brace);
    }
    if (const size_t at_least = rest.find(">="); at_least != std::string::npos) {  // not told by ops.tsv
      rest.erase(at_least, rest.find('=', at_least + 2) - at_least);
    }
    if (const size_t equals = rest.find('='); equals != std::string::npos) {
      attribute.default_value = rest.substr(equals + 1);
      if (attribute.default_value.starts_with('<'))
        attribute.default_value = "<tensor>";  // the list tells no more
      rest.resize(equals);
    }
    const size_t colon = rest.find(':');
    attribute.type = rest.substr(colon + 1);
    result[rest.substr(0, colon)] = attribute;
  }
  return result;
}

TEST(Schema, HasOps) { EXPECT_GE(ops::op_table().names().size(), 45u); }

TEST(Schema, OfEveryOpIsTensorFlows) {
  const std::map<std::string, Signature> signatures = read_signatures();
  ASSERT_GT(signatures.size(), 800u);
  for (const std::string_view name : ops::op_table().names()) {
    SCOPED_TRACE(std::string(name));
    const auto found = signatures.find(std::string(name));
    if (found == signatures.end()) {
      ADD_FAILURE() << "no such op in ops.tsv or ops_beyond_the_list.tsv";
      continue;
    }
    const Signature& expected = found->second;
    const graph::OpRow& row = ops::op_table().find(name)->row;
    EXPECT_EQ(arguments(std::string(row.inputs)), arguments(expected.inputs));
    EXPECT_EQ(arguments(std::string(row.outputs)), arguments(expected.outputs));
    EXPECT_EQ(attributes(std::string(row.attrs)), attributes(expected.attrs));
    EXPECT_EQ(row.stateful, expected.stateful);
  }
}

TEST(Schema, HasTensorFlowsMinimums) {
  const std::map<std::string, int64_t> minimums = read_minimums();
  ASSERT_GT(minimums.size(), 250u);
  for (const std::string_view name : ops::op_table().names()) {
    for (const graph::AttrSchema& attr : ops::op_table().find(name)->attrs) {
      const auto found = minimums.find(std::string(name) + " " + attr.name);
      const std::optional<int64_t> expected =
          found == minimums.end() ? std::nullopt : std::optional(found->second);
      EXPECT_EQ(attr.minimum, expected) << name << " " << attr.name;
    }
  }
}

// The text is right if the test above passes; this holds the parser to it.
TEST(Schema, IsReadAsItIsWritten) {
  for (const std::string_view name : ops::op_table().names()) {
    SCOPED_TRACE(std::string(name));
    const graph::OpSchema& schema = *ops::op_table().find(name);
    const auto count = [](std::string_view text) {
      return trimmed(std::string(text)).empty() ? size_t{0} : arguments(std::string(text)).size();
    };
    ASSERT_EQ(schema.inputs.size(), count(schema.row.inputs));
    ASSERT_EQ(schema.outputs.size(), count(schema.row.outputs));
    const auto expected = attributes(std::string(schema.row.attrs));
    ASSERT_EQ(schema.attrs.size(), expected.size());
    for (const graph::AttrSchema& attr : schema.attrs) {
      SCOPED_TRACE(attr.name);
      const Attribute& written = expected.at(attr.name);
      EXPECT_EQ(attr.is_list, written.type.starts_with("list("));
      EXPECT_EQ(attr.default_value.has_value(), !written.default_value.empty());
      std::set<std::string> allowed(attr.allowed_strings.begin(), attr.allowed_strings.end());
      for (const DType dtype : attr.allowed_types)
        allowed.insert(dtype_name(dtype));  // TensorFlow lists some twice
      EXPECT_EQ(allowed, written.allowed);
    }
  }
}

TEST(Schema, SaysHowEveryOpIsRun) {
  // The engine itself binds variables and iterators, and knows branches, loops and calls; all other ops need
  // a kernel or to be a view.
  for (const std::string_view name : ops::op_table().names()) {
    const graph::OpRow& row = ops::op_table().find(name)->row;
    const bool is_run = row.view || row.prepare != nullptr || row.compute != nullptr || row.start != nullptr;
    const bool is_call = std::ranges::any_of(
        ops::op_table().find(name)->attrs,
        [](const graph::AttrSchema& attr) { return attr.type == graph::AttrType::kFunction; });
    const bool is_structure = row.flow != graph::FlowRole::kNone || is_call;
    EXPECT_TRUE(is_run || row.stateful || is_structure) << name;
    EXPECT_NE(row.shape, nullptr) << name;
    EXPECT_FALSE(row.gradient != nullptr && row.not_differentiable) << name;
  }
}

}  // namespace
}  // namespace flowray
