#pragma once
/// Gradients and other tensors that are kept within a length: tf.clip_by_norm and its siblings.

#include <flowray/tf/input.h>

#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct ClipByNormOptions {
  /// The dimensions that a length is measured along; none: all.
  OptionalInput axes = {};
  std::string name = {};
};
/// t, made shorter where its Euclidean length is more than `clip_norm`.
Tensor clip_by_norm(const Input& t, const Input& clip_norm, const ClipByNormOptions& options = {});
/// The same for the length divided by the number of elements.
Tensor clip_by_average_norm(const Input& t, const Input& clip_norm, const NameOption& options = {});
/// The Euclidean length of all of them together; no tensor is none.
Tensor global_norm(const std::vector<Tensor>& t_list, const NameOption& options = {});

struct ClipByGlobalNormOptions {
  /// What the length is taken to be; none: global_norm(t_list).
  OptionalInput use_norm = {};
  std::string name = {};
};
struct ClippedTensors {
  std::vector<Tensor> tensors;
  Tensor norm;  // their length before
};
/// All made shorter by the same factor where they are longer than `clip_norm` together. A length that is no
/// number makes them all NaN.
ClippedTensors clip_by_global_norm(const std::vector<Tensor>& t_list, const Input& clip_norm,
                                   const ClipByGlobalNormOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
