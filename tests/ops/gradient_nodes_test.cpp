// Gradient functions make the nodes that TensorFlow's make: every case that record_gradients.py and
// record_..._gradient_nodes.py have recorded.

#include "graph/builder.h"
#include "graph/gradient_context.h"
#include "ops/all_ops.h"
#include "support/listing_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace flowray::testing {
namespace {

using graph::Endpoint;

const char* const kGolden = FLOWRAY_SOURCE_DIR "/tests/golden/";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Case {
  std::string name;
  std::string forward;   // up to the gradient's first node
  std::string expected;  // all, with the last line, "returns: ..."
};

Case case_from(const std::string& name, const std::string& text) {
  const size_t returns = text.rfind("returns: ");
  const size_t gradient = text.find("\ngrad/");
  const size_t end = gradient == std::string::npos ? returns : gradient + 1;
  return {name, text.substr(0, end), text};
}

std::vector<Case> cases_of_files() {
  std::vector<Case> cases;
  for (const auto& file : std::filesystem::directory_iterator(std::string(kGolden) + "gradients")) {
    cases.push_back(case_from(file.path().stem(), text_of(file.path())));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::vector<Case> cases_of_family(const std::string& family) {
  std::vector<Case> cases;
  std::string text = text_of(kGolden + ("gradient_nodes/" + family + ".txt"));
  while (text.starts_with("=== ")) {
    const size_t line_end = text.find('\n');
    const std::string name = text.substr(4, line_end - 4);
    const size_t next = std::min(text.find("\n=== ", line_end), text.size() - 1);
    cases.push_back(case_from(name, text.substr(line_end + 1, next - line_end)));
    text.erase(0, next + 1);
  }
  return cases;
}

std::string name_of(Endpoint endpoint) {
  if (!endpoint) return "none";
  return endpoint.node->name() + (endpoint.index == 0 ? "" : ":" + std::to_string(endpoint.index));
}

/// The gradients of y's outputs; one without a node `g...` has none.
std::vector<Endpoint> given_gradients(const graph::Graph& graph, const graph::Node& y) {
  std::vector<Endpoint> grads;
  for (int i = 0; i < y.num_outputs(); ++i) {
    const std::string name = i == 0 ? "g" : "g_" + std::to_string(i);
    graph::Node* node = graph.find(name);
    if (node == nullptr) node = graph.find("gradients/" + name);  // where a gradient asks for the scope
    grads.push_back(node == nullptr ? Endpoint{} : node->output(0));
  }
  return grads;
}

std::string listing_with_gradient(const Case& c) {
  graph::Graph graph(ops::op_table());
  read_listing(graph, c.forward);
  graph::Node& y = *graph.find("y");
  const std::vector<Endpoint> grads = given_gradients(graph, y);
  const graph::NameScope scope(graph, "grad");
  graph::GradientContext context(y, grads);
  std::string returned = "returns:";
  for (const Endpoint& result : y.schema().row.gradient(context)) returned += " " + name_of(result);
  return to_text(graph) + returned + "\n";
}

void expect_tensorflow_nodes(const std::vector<Case>& cases) {
  ASSERT_FALSE(cases.empty());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    try {
      const std::vector<std::string> expected = lines_of(c.expected);
      const std::vector<std::string> actual = lines_of(listing_with_gradient(c));
      for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
        const std::string want = i < expected.size() ? expected[i] : "(no more nodes)";
        const std::string got = i < actual.size() ? actual[i] : "(no more nodes)";
        EXPECT_EQ(got, want);
        if (got != want) break;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(GradientNodes, OfElementwiseFunctionsAreTensorFlows) {
  expect_tensorflow_nodes(cases_of_family("math_unary"));
}

TEST(GradientNodes, OfBroadcastingOpsAreTensorFlows) {
  expect_tensorflow_nodes(cases_of_family("math_binary"));
}

TEST(GradientNodes, OfComplexNumbersAreTensorFlows) { expect_tensorflow_nodes(cases_of_family("complex")); }

TEST(GradientNodes, OfReductionsAreTensorFlows) { expect_tensorflow_nodes(cases_of_family("reduce")); }

TEST(GradientNodes, OfNeuralNetworkOpsAreTensorFlows) { expect_tensorflow_nodes(cases_of_family("neural")); }

TEST(GradientNodes, OfNumericOpsAreTensorFlows) { expect_tensorflow_nodes(cases_of_family("numeric")); }

TEST(GradientNodes, OfRowsOfVariablesAndOfListsAreTensorFlows) {
  expect_tensorflow_nodes(cases_of_family("lists"));
}

TEST(GradientNodes, OfArrayOpsAreTensorFlows) { expect_tensorflow_nodes(cases_of_files()); }

}  // namespace
}  // namespace flowray::testing
