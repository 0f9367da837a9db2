// GraphDef in both forms: what was read is written, and read from there is the same.

#include "wire/graph_def.h"

#include "fuzz/target.h"
#include "fuzz/wire/read_again.h"

namespace flowray::fuzz {
namespace {

void read_text(std::string_view text) {
  const auto graph = wire::from_text_format<wire::GraphDef>(text);
  const std::string bytes = wire::encode(graph);
  const std::string written = wire::to_text_format(graph);
  check(wire::encode(wire::from_text_format<wire::GraphDef>(written)) == bytes,
        "a text that was written is read as the message that it shows");
}

}  // namespace

// The first byte says which form.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view rest = bytes.substr(1);
  if (bytes.front() == 't') return read_text(rest);
  read_again<wire::GraphDef>(rest);
}

std::vector<std::string> seeds() {
  // x + 2 with a function in the library, as bytes.
  const auto graph = wire::from_text_format<wire::GraphDef>(
      "node { name: \"x\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } "
      "attr { key: \"shape\" value { shape { dim { size: -1 } dim { size: 3 name: \"c\" } } } } }\n"
      "node { name: \"two\" op: \"Const\" device: \"/cpu:0\" attr { key: \"value\" value { tensor { dtype: "
      "DT_FLOAT "
      "tensor_shape { dim { size: 2 } } tensor_content: \"\\000\\000\\200?\\000\\000\\000@\" } } } }\n"
      "node { name: \"y\" op: \"Add\" input: \"x\" input: \"two:0\" input: \"^x\" attr { key: \"l\" value { "
      "list { "
      "i: 1 i: -1 f: 0.5 b: true s: \"a\\n\" type: DT_INT32 shape { unknown_rank: true } func { name: \"f\" "
      "} } } } }\n"
      "library { function { signature { name: \"f\" input_arg { name: \"a\" type_attr: \"T\" } output_arg { "
      "name: \"b\" "
      "type: DT_INT32 } attr { name: \"T\" type: \"type\" default_value { type: DT_HALF } has_minimum: true "
      "minimum: 2 } } "
      "node_def { name: \"n\" op: \"Shape\" input: \"a\" } ret { key: \"b\" value: \"n:output:0\" } } "
      "gradient { function_name: \"f\" gradient_func: \"g\" } }\n"
      "versions { producer: 1882 min_consumer: 12 bad_consumers: 7 }");
  return {"b" + wire::encode(graph), "t" + wire::to_text_format(graph)};
}

}  // namespace flowray::fuzz
