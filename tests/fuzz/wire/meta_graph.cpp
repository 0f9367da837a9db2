// MetaGraphDef (.meta) and what its collections hold.

#include "wire/meta_graph.h"

#include <flowray/errors.h>

#include "fuzz/target.h"
#include "fuzz/wire/read_again.h"
#include "wire/graph_def.h"

namespace flowray::fuzz {
namespace {

/// `use` with an answer, as each part is read by itself.
template <class Use>
void ask(const Use& use) {
  try {
    use();
  } catch (const Error&) {
  }
}

}  // namespace

void run(std::string_view bytes) {
  read_again<wire::MetaGraphDef>(bytes);
  const auto meta = wire::decode<wire::MetaGraphDef>(bytes);
  ask([&] { (void)wire::decode<wire::GraphDef>(meta.graph_def); });
  for (const auto& [name, collection] : meta.collection_def) {
    if (!collection.bytes_list) continue;
    for (const wire::Bytes& value : collection.bytes_list->value) {
      ask([&] { (void)wire::decode<wire::VariableDef>(value); });
    }
  }
}

std::vector<std::string> seeds() {
  wire::MetaGraphDef meta;
  meta.graph_def = from_hexadecimal("0a0f0a01761204566172492a040a0044");
  meta.saver_def.emplace();
  meta.saver_def->filename_tensor_name = "save/Const:0";
  meta.saver_def->max_to_keep = 5;
  meta.saver_def->keep_checkpoint_every_n_hours = 10000;
  wire::VariableDef variable;
  variable.variable_name = "v:0";
  variable.initializer_name = "v/Assign";
  variable.trainable = true;
  meta.collection_def.add("trainable_variables")
      .bytes_list.emplace()
      .value.emplace_back(wire::encode(variable));
  meta.collection_def.add("train_op").node_list.emplace().value.emplace_back("GradientDescent");
  return {wire::encode(meta)};
}

}  // namespace flowray::fuzz
