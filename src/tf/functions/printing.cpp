#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"

#include <algorithm>

namespace flowray::tf {

namespace {

bool is_text(const Tensor& tensor) {
  return base_dtype(tensor.dtype()) == DType::kString && tensor.shape().rank() == 0;
}

std::string printed(const Input& input) {
  const Array value = input.literal() != nullptr ? input.literal()->to_array() : *input.array();
  return value.dtype() == DType::kString && value.rank() == 0 ? value.item<std::string>() : value.to_string();
}

/// What stands for a tensor in the line: a word that no text has.
std::string placeholder_for(const List<Input>& inputs) {
  std::string word = "{}";
  for (int number = 0;; ++number) {
    const auto has_word = [&](const Input& input) {
      return (input.literal() != nullptr || input.array() != nullptr) &&
             printed(input).find(word) != std::string::npos;
    };
    if (std::none_of(inputs.begin(), inputs.end(), has_word)) return word;
    word = "{" + std::to_string(number) + "}";
  }
}

}  // namespace

Operation print(const List<Input>& inputs, const PrintOptions& options) {
  const CallScope call({{"inputs", inputs}});
  graph::Graph& graph = call.graph();
  const std::string placeholder = placeholder_for(inputs);
  std::string words;
  std::vector<Input> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i > 0) words += options.sep;
    const bool is_plain = inputs[i].tensor() == nullptr && inputs[i].list() == nullptr;
    words += is_plain ? printed(inputs[i]) : placeholder;
    if (!is_plain) tensors.push_back(inputs[i]);
  }
  const bool is_one_text =
      inputs.size() == 1 && inputs[0].tensor() != nullptr && is_text(*inputs[0].tensor());
  std::vector<graph::Endpoint> shown;
  for (const Input& tensor : tensors)
    shown.push_back(convert_to_endpoint(graph, tensor, DType::kInvalid, "input"));
  graph::Builder builder(graph);
  const graph::Endpoint text =
      is_one_text
          ? shown.front()
          : builder.op("StringFormat", shown,
                       {{"template", words}, {"placeholder", placeholder}, {"summarize", options.summarize}},
                       options.name.empty() ? "StringFormat" : options.name + "_format");
  return Operation(builder.node("PrintV2", {text},
                                {{"output_stream", options.output_stream}, {"end", options.end}},
                                options.name.empty() ? "PrintV2" : options.name));
}

}  // namespace flowray::tf
