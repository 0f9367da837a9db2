#include <flowray/tf/array.h>
#include <flowray/tf/strings.h>

#include "tf/build/composite.h"
#include "tf/sparse/sparse_parts.h"

namespace flowray::tf {
namespace {

SparseTensor as_sparse(const std::vector<Tensor>& parts) { return {parts[0], parts[1], parts[2]}; }

}  // namespace

SparseTensor string_split(const Input& source, const StringSplitOptions& options) {
  Composite scope({{"source", source}, {"sep", options.sep}}, options.name, "StringSplit", source.where());
  const Tensor delimiter = scope.convert(options.sep, "Const", DType::kString);
  const Tensor strings = scope.convert(source, "Const", DType::kString);
  return as_sparse(outputs_of(
      {.op = "StringSplit", .args = {strings, delimiter}, .attrs = {{"skip_empty", options.skip_empty}}}));
}

SparseTensor strings::split(const Input& input, const SplitOptions& options) {
  Composite scope({{"input", input}, {"sep", options.sep}}, options.name, "StringSplit", input.where());
  Tensor strings = scope.convert(input, "input", DType::kString);
  if (strings.shape().has_rank() && strings.shape().rank() == 0) strings = expand_dims(strings, 0);
  if (strings.shape().has_rank() && strings.shape().rank() != 1) {
    throw ValueError(
        "Strings of more than one dimension are split into rows of rows, and Flowray's C++ splits a vector "
        "of "
        "them: give tf::reshape(input, {-1})");
  }
  const Tensor separator = scope.convert(options.sep, "Const", DType::kString);
  return as_sparse(outputs_of(
      {.op = "StringSplitV2", .args = {strings, separator}, .attrs = {{"maxsplit", options.maxsplit}}}));
}

}  // namespace flowray::tf
