#include "tf/layers/layer_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "core/mutex.h"

namespace flowray::tf::layers {

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string text_of(const std::vector<int64_t>& numbers) {
  return fmt::format("({})", fmt::join(numbers, ", "));
}

std::vector<int64_t> sizes_of(const std::vector<int64_t>& sizes, size_t dimensions, const char* argument,
                              int64_t least) {
  if (sizes.size() != 1 && sizes.size() != dimensions) {
    throw ValueError(fmt::format("The `{}` argument must be a tuple of {} integers. Received: {}", argument,
                                 dimensions, text_of(sizes)));
  }
  if (std::ranges::any_of(sizes, [&](int64_t size) { return size < least; })) {
    throw ValueError(
        fmt::format("The `{}` argument must be a tuple of {} integers. Received: {}, of which one is less "
                    "than {}.",
                    argument, dimensions, text_of(sizes), least));
  }
  return sizes.size() == dimensions ? sizes : std::vector<int64_t>(dimensions, sizes.front());
}

bool is_channels_first(const std::string& data_format) {
  const std::string word = in_capitals(data_format);
  if (word == "CHANNELS_LAST") return false;
  if (word == "CHANNELS_FIRST") return true;
  throw ValueError(fmt::format(
      "The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: {}",
      data_format));
}

std::string padding_word(const std::string& padding, bool is_of_lines) {
  std::string word = in_capitals(padding);
  if (word == "VALID" || word == "SAME") return word;
  if (word == "CAUSAL" && is_of_lines) return word;
  if (word == "CAUSAL")
    throw ValueError("Causal padding is only supported for `Conv1D`and `SeparableConv1D`.");
  throw ValueError(
      fmt::format("The `padding` argument must be a list/tuple or one of \"valid\", \"same\" (or "
                  "\"causal\", only for `Conv1D). Received: {}",
                  padding));
}

std::optional<bool> known_truth(const Input& training) {
  Array value;
  if (training.tensor() != nullptr) {
    std::optional<Array> known = get_static_value(*training.tensor());
    if (!known) return std::nullopt;
    value = std::move(*known);
  } else {
    value = training.literal() != nullptr ? training.literal()->to_array() : *training.array();
  }
  if (value.size() > 1) {
    throw ValueError(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()\n"
        "`training` is one boolean.");
  }
  if (value.size() == 0) return false;
  if (value.dtype() == DType::kString) return !value.data<std::string>()[0].empty();
  return value.astype(DType::kBool).data<bool>()[0];
}

Tensor as_tensor(const Input& inputs) { return to_tensor(graph_of({{"inputs", inputs}}), inputs, "inputs"); }

std::string name_in_errors(const Tensor& inputs, const std::string& name, const char* kind) {
  if (!name.empty()) return name;
  struct Numbers {
    Mutex mutex;
    std::map<std::string, int> last FLOWRAY_GUARDED_BY(mutex);
  };
  auto& numbers = inputs.node()->graph().attachment<Numbers>("layer_numbers");
  const MutexLock lock(numbers.mutex);
  return fmt::format("{}_{}", kind, ++numbers.last[kind]);
}

void check_rank(const Tensor& inputs, const std::string& layer, Rank how, int rank) {
  const TensorShape& shape = inputs.shape();
  if (!shape.has_rank()) return;
  if (how == Rank::kExactly ? shape.rank() == rank : shape.rank() >= rank) return;
  throw ValueError(fmt::format(
      "Input 0 of layer \"{}\" is incompatible with the layer: expected {}={}, found ndim={}. Full shape "
      "received: {}",
      layer, how == Rank::kExactly ? "ndim" : "min_ndim", rank, shape.rank(), shape.to_tuple_string()));
}

}  // namespace flowray::tf::layers
