#pragma once
/// Connectionist temporal classification: labels of sequences whose times nobody knows, and what a network
/// says of them. The last class is the blank.

#include <flowray/tf/input.h>
#include <flowray/tf/sparse_tensor.h>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::nn {

struct CtcLossOptions {
  /// Whether labels that come twice in a row are made one before the loss is computed; false: both count;
  /// true for labels that come from an alignment, one for each frame.
  bool preprocess_collapse_repeated = false;
  /// Whether outputs that come twice in a row are one; false is a simplified loss in which each output that
  /// is not blank is a label of its own.
  bool ctc_merge_repeated = true;
  /// Whether sequences with more labels than steps are passed over; else they are an error of the step; true
  /// for data in which a few examples are too short for their labels.
  bool ignore_longer_outputs_than_inputs = false;
  /// Whether `inputs` are [time, batch, classes]; else [batch, time, classes]; false costs a transposition in
  /// each step: set it where the inputs come in that layout.
  bool time_major = true;
};
/// For each sequence of a batch the negative logarithm of how probable its labels are, at whatever times.
/// `labels` is int32 [batch, time], `sequence_length` int32 [batch].
Tensor ctc_loss(const SparseInput& labels, const Input& inputs, const Input& sequence_length,
                const CtcLossOptions& options = {});

/// What ctc_greedy_decoder gives.
struct CtcGreedilyDecoded {
  /// One, int64 [batch, time]: the labels.
  std::vector<SparseTensor> decoded;
  /// [batch, 1]: the negative sum of the greatest input of each step.
  Tensor neg_sum_logits;
};
struct CtcGreedyDecoderOptions {
  /// Whether a class that comes several times in a row, without a blank between, is one label, as CTC means
  /// it; false shows the class of each step but blanks.
  bool merge_repeated = true;
  /// The class of blanks; negative: counted from the end.
  int64_t blank_index = -1;
};
/// The most probable class of each step, without blanks. `inputs` are [time, batch, classes].
CtcGreedilyDecoded ctc_greedy_decoder(const Input& inputs, const Input& sequence_length,
                                      const CtcGreedyDecoderOptions& options = {});

/// What ctc_beam_search_decoder gives.
struct CtcDecoded {
  /// For each path int64 [batch, time]: the labels, the most probable path first.
  std::vector<SparseTensor> decoded;
  /// [batch, paths]: the logarithms of how probable they are.
  Tensor log_probability;
};
struct CtcBeamSearchDecoderOptions {
  /// How many beginnings are followed.
  int64_t beam_width = 100;
  /// How many of them are given.
  int64_t top_paths = 1;
  /// Whether labels that come twice in a row are one in what is given; false where labels may be doubled, as
  /// letters of a word are: the search itself has joined what no blank divides.
  bool merge_repeated = true;
};
/// The most probable labels that a search in a beam finds. `inputs` are [time, batch, classes].
CtcDecoded ctc_beam_search_decoder(const Input& inputs, const Input& sequence_length,
                                   const CtcBeamSearchDecoderOptions& options = {});

}  // namespace flowray::tf::nn

#pragma GCC visibility pop
