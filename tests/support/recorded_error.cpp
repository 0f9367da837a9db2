#include "support/recorded_error.h"

#include "support/error_words.h"

#include <flowray/tf/errors.h>
#include <flowray/tf/graph.h>

#include <fstream>
#include <set>
#include <stdexcept>
#include <vector>

namespace flowray::testing {
namespace {

/// Python's classes without a counterpart of their own, and what stands for them.
std::string counterpart(const std::string& python_class) {
  if (python_class == "AssertionError") return "RuntimeError";
  if (python_class == "LookupError") return "KeyError";
  if (python_class == "InaccessibleTensorError") return "ValueError";  // which it is derived from
  return python_class;
}

std::string code_of(const Error& error) {
  const auto* op_error = dynamic_cast<const errors::OpError*>(&error);
  if (op_error == nullptr) return "-";
  return std::to_string(static_cast<int>(op_error->code())) + " " + std::string(code_name(op_error->code()));
}

/// Ours may go on with the node where TensorFlow begins a new line.
bool says_the_same(const std::string& ours, const std::string& theirs) {
  const std::string sentence = first_sentence(ours);
  const std::string expected = first_sentence(theirs);
  return sentence == expected || sentence.starts_with(expected + " for '{{node ");
}

/// Cases whose call is told no line: what fails makes a value and not a node, has no argument that remembers
/// its line, or takes values alone.
const std::set<std::string> kWithoutLine = {
    "constant_mixed_types", "cast_to_unknown_dtype", "reset_default_graph_inside_graph",
    "run_in_empty_graph",   "feed_ragged_list",
};

RecordedError parse(const std::string& line, std::string& name) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (int i = 0; i < 3; ++i) {
    const size_t end = line.find(" | ", begin);
    if (end == std::string::npos) throw std::runtime_error("errors.txt: cannot read '" + line + "'");
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 3;
  }
  name = parts[0];
  return {parts[1], parts[2], line.substr(std::min(begin, line.size()))};
}

}  // namespace

const std::map<std::string, RecordedError>& recorded_errors() {
  static const std::map<std::string, RecordedError> errors = [] {
    std::map<std::string, RecordedError> found;
    std::ifstream file(FLOWRAY_SOURCE_DIR "/tests/golden/errors.txt");
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line.starts_with('#')) continue;
      if (line.ends_with(" |")) line += ' ';  // a case without a message
      std::string name;
      RecordedError error = parse(line, name);
      found.emplace(std::move(name), std::move(error));
    }
    return found;
  }();
  return errors;
}

void expect_recorded_error(const std::string& name, void (*misuse)(), std::string_view file) {
  const auto recorded = recorded_errors().find(name);
  ASSERT_NE(recorded, recorded_errors().end()) << name << " is not in errors.txt";
  const RecordedError& expected = recorded->second;
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  try {
    misuse();
  } catch (const Error& error) {
    EXPECT_EQ(class_of(error), counterpart(expected.python_class)) << error.message();
    EXPECT_EQ(code_of(error), expected.code) << error.message();
    EXPECT_TRUE(says_the_same(error.message(), expected.message))
        << "expected: " << first_sentence(expected.message) << "\n  actual: " << error.message();
    const std::vector<int> lines = lines_named(error.message(), file);
    EXPECT_EQ(lines.empty(), kWithoutLine.contains(name)) << error.message();
    EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), lines.size()) << error.message();
    return;
  }
  EXPECT_EQ(expected.python_class, "none") << "nothing was thrown; expected: " << expected.message;
}

}  // namespace flowray::testing
