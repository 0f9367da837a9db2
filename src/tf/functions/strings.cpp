#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/strings.h>

#include "tf/build/composite.h"

#include <optional>

namespace flowray::tf {
namespace {

/// What a scalar string of the program says; nothing for tensors and lists.
std::optional<std::string> text_of(const Input& input) {
  if (input.literal() == nullptr) return std::nullopt;
  const Array value = input.literal()->to_array(DType::kInvalid);
  if (value.dtype() != DType::kString || value.shape().rank() != 0) return std::nullopt;
  return value.item<std::string>();
}

}  // namespace

Tensor regex_full_match(const Input& input, const Input& pattern, const NameOption& options) {
  if (const auto text = text_of(pattern)) {
    return apply_op(
        {.op = "StaticRegexFullMatch", .name = options.name, .args = {input}, .attrs = {{"pattern", *text}}});
  }
  return apply_op({.op = "RegexFullMatch", .name = options.name, .args = {input, pattern}});
}

Tensor regex_replace(const Input& input, const Input& pattern, const Input& rewrite,
                     const RegexReplaceOptions& options) {
  const auto text = text_of(pattern);
  const auto replacement = text_of(rewrite);
  if (text && replacement) {
    return apply_op(
        {.op = "StaticRegexReplace",
         .name = options.name,
         .args = {input},
         .attrs = {
             {"pattern", *text}, {"rewrite", *replacement}, {"replace_global", options.replace_global}}});
  }
  return apply_op({.op = "RegexReplace",
                   .name = options.name,
                   .args = {input, pattern, rewrite},
                   .attrs = {{"replace_global", options.replace_global}}});
}

Tensor reduce_join(const Input& inputs, const ReduceJoinOptions& options) {
  Composite scope({{"inputs", inputs}, {"axis", options.axis}}, {}, "ReduceJoin", inputs.where());
  const Tensor strings = scope.convert(inputs, "Const");
  Input axis = 0;
  if (options.axis.has_value()) {
    axis = *options.axis;
  } else if (strings.shape().has_rank()) {
    std::vector<int32_t> last_first;
    for (int64_t i = strings.shape().rank() - 1; i >= 0; --i) last_first.push_back(static_cast<int32_t>(i));
    axis = constant(Array(last_first));
  } else {
    const Tensor last = rank(strings) - 1;
    axis = range(last, -1, -1);
  }
  return apply_op({.op = "ReduceJoin",
                   .name = options.name,
                   .args = {strings, axis},
                   .attrs = {{"keep_dims", options.keep_dims}, {"separator", options.separator}}});
}

}  // namespace flowray::tf
