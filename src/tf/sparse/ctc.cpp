#include <flowray/tf/array.h>
#include <flowray/tf/ctc.h>
#include <flowray/tf/math.h>

#include "tf/build/call_scope.h"
#include "tf/sparse/sparse_parts.h"

namespace flowray::tf::nn {

Tensor ctc_loss(const SparseInput& labels, const Input& inputs, const Input& sequence_length,
                const CtcLossOptions& options) {
  check_sparse_set(labels, "labels");
  const CallScope call({{"inputs", inputs}, {"sequence_length", sequence_length}}, labels.where());
  Tensor logits = to_tensor(call.graph(), inputs, "logits");
  if (!options.time_major) logits = transpose(logits, {.perm = {1, 0, 2}});
  const DType dtype = base_dtype(logits.dtype());
  const bool is_small = dtype == DType::kFloat16 || dtype == DType::kBfloat16;
  if (is_small) logits = cast(logits, DType::kFloat32);
  const Tensor loss =
      apply_op({.op = "CTCLoss",
                .args = {logits, labels.indices(), labels.values(), sequence_length},
                .attrs = {{"preprocess_collapse_repeated", options.preprocess_collapse_repeated},
                          {"ctc_merge_repeated", options.ctc_merge_repeated},
                          {"ignore_longer_outputs_than_inputs", options.ignore_longer_outputs_than_inputs}}});
  return is_small ? cast(loss, dtype) : loss;
}

CtcGreedilyDecoded ctc_greedy_decoder(const Input& inputs, const Input& sequence_length,
                                      const CtcGreedyDecoderOptions& options) {
  const CallScope call({{"inputs", inputs}, {"sequence_length", sequence_length}});
  const std::vector<Tensor> found = outputs_of(
      {.op = "CTCGreedyDecoder",
       .args = {inputs, sequence_length},
       .attrs = {{"merge_repeated", options.merge_repeated}, {"blank_index", options.blank_index}}});
  return {{SparseTensor(found[0], found[1], found[2])}, found[3]};
}

CtcDecoded ctc_beam_search_decoder(const Input& inputs, const Input& sequence_length,
                                   const CtcBeamSearchDecoderOptions& options) {
  const CallScope call({{"inputs", inputs}, {"sequence_length", sequence_length}});
  const std::vector<Tensor> found = outputs_of({.op = "CTCBeamSearchDecoder",
                                                .args = {inputs, sequence_length},
                                                .attrs = {{"beam_width", options.beam_width},
                                                          {"top_paths", options.top_paths},
                                                          {"merge_repeated", options.merge_repeated}}});
  CtcDecoded result{{}, found.back()};
  const size_t paths = found.size() / 3;
  for (size_t i = 0; i < paths; ++i)
    result.decoded.emplace_back(found[i], found[paths + i], found[2 * paths + i]);
  return result;
}

}  // namespace flowray::tf::nn
