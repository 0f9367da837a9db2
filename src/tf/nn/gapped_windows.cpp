#include "tf/nn/gapped_windows.h"

#include <flowray/tf/array.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "graph/builder.h"
#include "tf/build/apply_op.h"

#include <algorithm>

namespace flowray::tf {
namespace {

/// Before and after each spatial dimension in turn.
using Pads = std::vector<int64_t>;

Array vector_of(const std::vector<int64_t>& sizes) {
  std::vector<int32_t> narrow;
  for (const int64_t size : sizes) narrow.push_back(static_cast<int32_t>(size));
  return Array(narrow);
}

Array matrix(const Pads& pads) { return vector_of(pads).reshape({static_cast<int64_t>(pads.size() / 2), 2}); }

/// The block shape, and what is added to and cut off the sides, so that the blocks divide the image: each an
/// array, or a tensor where only the step knows the image's size.
struct Blocks {
  Input paddings;
  Input crops;
};

class SpaceToBatch {
 public:
  SpaceToBatch(const Tensor& images, const SpaceToBatchOptions& options)
      : graph_(images.node()->graph()),
        builder_(graph_),
        images_(images),
        options_(options),
        rates_(options.rates),
        pads_(2 * rates_.size(), 0) {}

  Tensor run(const WindowOperation& operation) {
    const Tensor rate = constant("dilation_rate", vector_of(rates_));
    if (options_.padding == "SAME") {
      if (options_.names_window) constant("filter_shape", vector_of(options_.window));
      add_same_pads();
      base_ = constant("stack", matrix(pads_));
    }
    const Blocks blocks = is_known() ? known_blocks() : unknown_blocks(rate);
    const Array block_shape = vector_of(rates_);
    const Tensor dealt =
        apply_op({.op = "SpaceToBatchND", .args = {Input(images_), Input(block_shape), blocks.paddings}});
    const Tensor done = operation(dealt, "VALID");
    return apply_op({.op = "BatchToSpaceND", .args = {Input(done), Input(block_shape), blocks.crops}});
  }

 private:
  Tensor constant(const char* name, const Array& value) { return tensor_of(builder_.constant(value, name)); }

  int64_t size(size_t i) const { return images_.shape().dim(static_cast<int>(i) + 1); }
  bool is_known() const {
    for (size_t i = 0; i < rates_.size(); ++i) {
      if (size(i) < 0) return false;
    }
    return true;
  }

  /// What SAME adds around the image, of a window with its gaps: more at the end, as conv2d does.
  void add_same_pads() {
    for (size_t i = 0; i < rates_.size(); ++i) {
      const int64_t all = (options_.window[i] - 1) * rates_[i];
      pads_[2 * i] = all / 2;
      pads_[2 * i + 1] = all - all / 2;
    }
  }

  /// VALID has no padding of its own, but its zeros stand in the inner scope.
  Tensor base() { return base_.has_value() ? base_ : constant("base_paddings", matrix(pads_)); }

  Blocks known_blocks() {
    const graph::NameScope scope(graph_, "required_space_to_batch_paddings");
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < rates_.size(); ++i) sizes.push_back(size(i));
    constant("input_shape", vector_of(sizes));
    if (!base_.has_value()) base();
    Pads padded = pads_;
    Pads cut(pads_.size(), 0);
    for (size_t i = 0; i < rates_.size(); ++i) {
      const int64_t full = sizes[i] + pads_[2 * i] + pads_[2 * i + 1];
      cut[2 * i + 1] = (rates_[i] - full % rates_[i]) % rates_[i];
      padded[2 * i + 1] += cut[2 * i + 1];
    }
    const Array paddings = matrix(padded);
    const Array crops = matrix(cut);
    constant("paddings", paddings);
    constant("crops", crops);
    return {paddings, crops};
  }

  Blocks unknown_blocks(const Tensor& rate) {
    const Tensor all_sizes = shape(images_);
    std::vector<Input> sizes;
    for (size_t i = 0; i < rates_.size(); ++i) sizes.emplace_back(all_sizes[static_cast<int>(i) + 1]);
    const Tensor spatial = stack(sizes);
    Tensor paddings;
    Tensor crops;
    {
      const graph::NameScope scope(graph_, "required_space_to_batch_paddings");
      const Tensor pads = base();
      const Tensor begin = pads[{Slice{}, 0}];
      const Tensor end = pads[{Slice{}, 1}];
      Tensor full = spatial + begin;
      full = full + end;
      Tensor rest = full % rate;
      rest = rate - rest;
      rest = rest % rate;
      paddings = pairs(begin, end + rest);
      crops = crop_pairs(rest);
    }
    const Tensor joined_paddings = alone(paddings);
    return {joined_paddings, alone(crops)};
  }

  /// [[begin[0], end[0]], [begin[1], end[1]], ...]
  Tensor pairs(const Tensor& begin, const Tensor& end) const {
    std::vector<Input> all;
    for (int i = 0; i < count(); ++i) {
      const Tensor first = begin[i];
      const Tensor second = end[i];
      all.push_back(Input::list({first, second}));
    }
    return stack(all, {.name = "paddings"});
  }

  /// [[0, rest[0]], [0, rest[1]], ...]
  Tensor crop_pairs(const Tensor& rest) const {
    std::vector<Input> all;
    for (int i = 0; i < count(); ++i) all.push_back(Input::list({Input(0), Input(rest[i])}));
    return stack(all, {.name = "crops"});
  }

  /// TensorFlow's way of joining a list of one part.
  Tensor alone(const Tensor& both) {
    const Tensor part = both[{Slice{0, count()}}];
    const graph::NameScope scope(graph_, "concat");
    constant("concat_dim", Array(int32_t{0}));
    return tensor_of(builder_.op("Identity", {endpoint_of(part)}, {}, "concat"));
  }

  int count() const { return static_cast<int>(rates_.size()); }

  graph::Graph& graph_;
  graph::Builder builder_;
  const Tensor images_;
  const SpaceToBatchOptions& options_;
  const std::vector<int64_t>& rates_;
  Pads pads_;
  Tensor base_;
};

}  // namespace

Tensor with_space_to_batch(const Tensor& images, const SpaceToBatchOptions& options,
                           const WindowOperation& operation) {
  const bool has_gaps = std::ranges::any_of(options.rates, [](int64_t rate) { return rate != 1; });
  if (has_gaps) return SpaceToBatch(images, options).run(operation);
  if (options.names_no_rates)
    graph::Builder(images.node()->graph()).constant(vector_of(options.rates), "dilation_rate");
  return operation(images, options.padding);
}

}  // namespace flowray::tf
