// `flowray explain`, as its users run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <flowray/tf.h>

#include <fstream>

#include "support/child_process.h"
#include "support/idx_files.h"
#include "support/json.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::Json;
using ::testing::Not;
using ::testing::StartsWith;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ExplainGraph : public ::testing::Test {
 protected:
  /// product = x w for a variable w that `init` sets.
  ExplainGraph() {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const tf::Tensor x = tf::placeholder(tf::float32, Shape{Shape::kUnknownDim, 2}, {.name = "x"});
    const tf::Variable w(Array(DType::kFloat32, {2, 3}), {.name = "w"});
    tf::matmul(x, w, {.name = "product"});
    tf::variables_initializer({w}, "init");
    tf::train::write_graph(graph, folder_.path(), "graph.pb", {.as_text = false});
  }

  std::string path(const std::string& name) const { return folder_.path() / name; }
  ChildProcess started(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {testing::built_program("flowray"), "explain", path("graph.pb")});
    return ChildProcess(arguments);
  }
  std::string output_of(const std::vector<std::string>& arguments) const {
    ChildProcess program = started(arguments);
    EXPECT_EQ(program.wait(), 0) << program.errors();
    EXPECT_EQ(program.errors(), "");
    return program.output();
  }
  std::string complaint_of(const std::vector<std::string>& arguments) const {
    ChildProcess program = started(arguments);
    EXPECT_EQ(program.wait(), 1);
    EXPECT_EQ(program.output(), "");
    EXPECT_THAT(program.errors(), StartsWith("flowray explain: "));
    return program.errors();
  }

 private:
  testing::TestFolder folder_;
};

/// w has no value then.
TEST_F(ExplainGraph, ShowsTheInstructionsWithoutRunningThem) {
  const std::string text = output_of({"--feed", "x=[[1,2]]", "--fetch", "product"});
  EXPECT_THAT(text, StartsWith("1 feed, 1 fetch, "));
  EXPECT_THAT(text, HasSubstr("\nread Identity w/read("));
  EXPECT_THAT(text, ContainsRegex(R"(run MatMul product\(%[0-9], %[0-9]\) -> %[0-9] float32\[1,3\])"));
  EXPECT_THAT(text, Not(HasSubstr(" us ")));
}

TEST_F(ExplainGraph, MeasuresEachInstruction) {
  const std::string text =
      output_of({"--init", "init", "--feed", "x=[[1,2]]", "--fetch", "product", "--run", "5"});
  EXPECT_THAT(text, ContainsRegex("a run takes [0-9.]+ us \\(median of 5\\)"));
  EXPECT_THAT(text, ContainsRegex(R"([0-9.]+ us +[0-9.]+% +run MatMul product\()"));
}

TEST_F(ExplainGraph, WritesATraceThatPerfettoReads) {
  output_of({"--init", "init", "--feed", "x=[[1,2]]", "--fetch", "product", "--trace", path("step.json")});
  const Json json = testing::parse_json(content_of(path("step.json")));
  std::vector<std::string> ops;
  for (const Json& event : json.at("traceEvents").items) {
    if (event.at("ph").text == "X") ops.push_back(event.at("name").text);
  }
  EXPECT_THAT(ops, ::testing::Contains("MatMul"));
}

TEST_F(ExplainGraph, SaysWhatIsWrong) {
  EXPECT_THAT(complaint_of({}),
              HasSubstr("nothing to explain: name tensors by --fetch or operations by --target"));
  EXPECT_THAT(complaint_of({"--fetch", "nowhere"}), HasSubstr("nowhere"));
  EXPECT_THAT(complaint_of({"--feed", "x=[[1,2]]", "--fetch", "product", "--run", "2"}),
              HasSubstr("Attempting to use uninitialized value w"));
}

}  // namespace
}  // namespace flowray
