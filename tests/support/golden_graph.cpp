#include "support/golden_graph.h"

#include <flowray/tf/graph_def.h>

#include "graph/graph.h"
#include "support/listing_reader.h"
#include "tf/build/collections.h"
#include "tf/data/queue_runner.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

namespace flowray::testing {
namespace {

/// Control inputs have no order of their own: sorts those of a line, which stand at the end of its inputs.
std::string with_sorted_controls(const std::string& line) {
  const size_t first = line.find('^');
  const size_t open = line.find('(');
  const size_t end = line.find(')', open);
  if (first == std::string::npos || first > end) return line;
  std::vector<std::string> controls;
  std::istringstream rest(line.substr(first, end - first));
  for (std::string item; std::getline(rest, item, ',');) {
    item.erase(0, item.find('^'));
    controls.push_back(item);
  }
  std::sort(controls.begin(), controls.end());
  std::string text = line.substr(0, first);
  for (size_t i = 0; i < controls.size(); ++i) text += (i == 0 ? "" : ", ") + controls[i];
  return text + line.substr(end);
}

std::vector<std::string> comparable_lines(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) line = with_sorted_controls(line);
  return lines;
}

std::string side_by_side(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  constexpr size_t kMostShown = 12;
  std::string text;
  size_t shown = 0;
  for (size_t i = 0; i < std::max(expected.size(), actual.size()) && shown < kMostShown; ++i) {
    const std::string wanted = i < expected.size() ? expected[i] : "(nothing)";
    const std::string got = i < actual.size() ? actual[i] : "(nothing)";
    if (wanted == got) continue;
    ++shown;
    text += "line " + std::to_string(i + 1) + "\n  TensorFlow: " + wanted + "\n  Flowray:    " + got + "\n";
  }
  return text;
}

}  // namespace

std::string listing_of(const tf::Graph& graph) {
  std::string text = graph.to_string();
  const auto all = tf::internal::collections_of(*graph.get()).all();
  std::map<std::string, std::string> collections;
  using State = std::shared_ptr<tf::internal::VariableState>;
  for (const auto& [key, list] : all) {
    std::string& items = collections[key == tf::internal::kGlobalVariables ? "global_variables" : key];
    for (const tf::internal::Collected& item : list) {
      const auto* tensor = std::get_if<graph::Endpoint>(&item);
      const auto* variable = std::get_if<State>(&item);
      items += " " + (tensor != nullptr     ? tensor->name()
                      : variable != nullptr ? (*variable)->node->name()
                                            : std::get<graph::Node*>(item)->name());
    }
  }
  for (const tf::internal::KeptQueueRunner& runner : tf::internal::queue_runners_of(*graph.get()).all())
    collections["queue_runners"] += " " + runner.queue.node->name();
  for (const auto& [key, items] : collections) {
    if (!items.empty() && !key.starts_with('_')) text += key + ":" + items + "\n";
  }
  return text;
}

void expect_golden(std::string_view program, const tf::Graph& graph,
                   const std::vector<std::string>& without) {
  const std::string path =
      std::string(FLOWRAY_SOURCE_DIR "/tests/golden/graphs/") + std::string(program) + ".txt";
  std::ifstream file(path);
  ASSERT_TRUE(file) << "cannot read " << path;
  std::ostringstream expected_text;
  expected_text << file.rdbuf();
  auto expected = comparable_lines(expected_text.str());
  std::erase_if(expected, [&](const std::string& line) {
    return std::any_of(without.begin(), without.end(),
                       [&](const std::string& name) { return line.starts_with(name); });
  });
  const auto actual = comparable_lines(listing_of(graph));
  EXPECT_TRUE(expected == actual) << program << " differs from TensorFlow's graph:\n"
                                  << side_by_side(expected, actual);
}

/// Programs whose functions set shapes that do not follow from the nodes (Tensor.set_shape): a GraphDef does
/// not hold them, and TensorFlow too forgets them when it imports its own.
constexpr std::string_view kSetShapes[] = {"reduce_unknown_rank",
                                           "metrics_of_best_of_a_class",
                                           "layers_dense_of_more_dimensions",
                                           "layers_conv3d_transpose",
                                           "tensor_array_by_element",
                                           "tensor_array_as_a_whole",
                                           "cropped_images",
                                           "padded_images",
                                           "images_cropped_or_padded",
                                           "colours_of_images",
                                           "images_resized_with_pad",
                                           "defun_with_a_shape_function",
                                           "defun_with_a_python_gradient",
                                           "init_from_checkpoint_of_variables",
                                           "init_from_checkpoint_of_scopes",
                                           "init_from_checkpoint_of_parts"};

/// Branches and loops set the shapes of what enters them, and what brings a value in is made after the node
/// that takes it: the imported graph has the same nodes in another order, and knows less of their shapes.
bool has_control_flow(const tf::Graph& graph) {
  const std::vector<graph::Node*> nodes = graph.get()->nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const graph::Node* node) {
    return node->schema().row.flow != graph::FlowRole::kNone;
  });
}

std::string without_outputs(const std::string& line) { return line.substr(0, line.rfind(" -> ")); }

/// The listing is TensorFlow's; so if the imported graph has it too, the message held everything.
void expect_the_same_after_export_and_import(std::string_view program, const tf::Graph& graph) {
  const tf::GraphDef message = graph.as_graph_def();
  const tf::Graph imported;
  const tf::GraphScope scope = imported.as_default();
  tf::import_graph_def(message, {.name = ""});
  auto expected = comparable_lines(graph.to_string());
  auto actual = comparable_lines(imported.to_string());
  const bool has_flow = has_control_flow(graph);
  if (has_flow || std::find(std::begin(kSetShapes), std::end(kSetShapes), program) != std::end(kSetShapes)) {
    std::transform(expected.begin(), expected.end(), expected.begin(), without_outputs);
    std::transform(actual.begin(), actual.end(), actual.begin(), without_outputs);
  }
  if (has_flow) {
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
  }
  EXPECT_TRUE(expected == actual) << program << " differs after export and import:\n"
                                  << side_by_side(expected, actual);
}

/// Errors end with the line that made a node: whatever functions of ours it went through, that one.
void expect_lines_of_the_program(const tf::Graph& graph) {
  for (const graph::Node* node : graph.get()->nodes()) {
    EXPECT_TRUE(std::string_view(node->line().file).starts_with("tests/"))
        << graph::to_text(*node) << graph::made_at(*node);
  }
}

void expect_program(std::string_view program, void (*build)(), const std::vector<std::string>& without) {
  const tf::Graph graph;
  {
    const tf::GraphScope scope = graph.as_default();
    build();
  }
  expect_lines_of_the_program(graph);
  expect_golden(program, graph, without);
  expect_the_same_after_export_and_import(program, graph);
}

}  // namespace flowray::testing
