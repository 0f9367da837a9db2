// A .meta file into import_meta_graph; what was imported is written and imported again.

#include <flowray/tf.h>

#include "fuzz/target.h"
#include "wire/meta_graph.h"

namespace flowray::fuzz {
namespace {

/// A variable with its saver and its collections.
std::string trained() {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Variable w(tf::ones({2, 2}), {.name = "w"});
  const auto loss = tf::reduce_sum(tf::square(w));
  const tf::Operation step = tf::train::GradientDescentOptimizer(0.1f).minimize(loss);
  tf::add_to_collection(tf::GraphKeys::LOSSES, loss);
  const tf::train::Saver saver;
  return tf::train::export_meta_graph(&saver, {{"steps", {step.name()}}});
}

std::string exported(const tf::train::ImportedMetaGraph& imported) {
  return tf::train::export_meta_graph(imported.saver.get(), imported.node_lists);
}

}  // namespace

void run(std::string_view bytes) {
  std::string first;
  const InputFile file(bytes);
  {
    const tf::Graph graph;
    const tf::GraphScope scope = graph.as_default();
    first =
        exported(tf::train::import_meta_graph(file.path(), {.import_scope = bytes.size() % 2 == 0 ? "" : "s",
                                                            .clear_devices = bytes.size() % 3 == 0}));
  }
  const InputFile again(first);
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  try {
    (void)exported(tf::train::import_meta_graph(again.path()));
  } catch (const Error&) {
    check(false, "what was written is read");
  }
}

std::vector<std::string> seeds() {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  (void)tf::constant(1.0f, {.name = "c"});
  return {trained(), tf::train::export_meta_graph()};
}

}  // namespace flowray::fuzz
