#include "tf/dilated_convolution.h"

#include <flowray/tf/array_ops.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "graph/builder.h"
#include "tf/apply_op.h"

#include <array>
#include <optional>

namespace flowray::tf {
namespace {

/// Before and after the rows, then before and after the columns.
using Pads = std::array<int64_t, 4>;

Array matrix(const Pads& pads) {
  Array wide(DType::kInt64, {2, 2});
  std::ranges::copy(pads, wide.mutable_data<int64_t>());
  return wide.astype(DType::kInt32);
}

Array pair(int64_t first, int64_t second) {
  return Array(std::vector<int32_t>{static_cast<int32_t>(first), static_cast<int32_t>(second)});
}

/// What SAME adds around the image, of a kernel with its gaps: more at the end, as conv2d does.
Pads same_pads(const TensorShape& kernel, const std::vector<int64_t>& rates) {
  Pads pads{};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t all = (kernel.dim(static_cast<int>(i)) - 1) * rates[i];
    pads[2 * i] = all / 2;
    pads[2 * i + 1] = all - all / 2;
  }
  return pads;
}

/// The block shape, and what is added to and cut off the sides, so that the blocks divide the image: each an
/// array, or a tensor where only the step knows the image's size.
struct Blocks {
  Input paddings;
  Input crops;
};

class DilatedConvolution {
 public:
  DilatedConvolution(const Tensor& images, const Tensor& kernel, const std::vector<int64_t>& rates)
      : graph_(images.node()->graph()),
        builder_(graph_),
        scope_(graph_, "Conv2D"),
        images_(images),
        kernel_(kernel),
        rates_(rates) {}

  Tensor run(const std::string& padding) {
    const Tensor rate = constant("dilation_rate", pair(rates_[0], rates_[1]));
    if (padding == "SAME") {
      constant("filter_shape", kernel_shape());
      pads_ = same_pads(kernel_.shape(), rates_);
      base_ = constant("stack", matrix(pads_));
    }
    const TensorShape& shape = images_.shape();
    const bool known = shape.dim(1) >= 0 && shape.dim(2) >= 0;
    const Blocks blocks = known ? known_blocks(shape.dim(1), shape.dim(2)) : unknown_blocks(rate);
    const Array block_shape = pair(rates_[0], rates_[1]);
    const Tensor dealt =
        apply_op({.op = "SpaceToBatchND", .args = {Input(images_), Input(block_shape), blocks.paddings}});
    const Tensor convolved =
        nn::conv2d(dealt, kernel_, {.strides = {1, 1, 1, 1}, .padding = "VALID", .name = scope_.path()});
    return apply_op({.op = "BatchToSpaceND", .args = {Input(convolved), Input(block_shape), blocks.crops}});
  }

 private:
  Tensor constant(const char* name, const Array& value) { return tensor_of(builder_.constant(value, name)); }

  Array kernel_shape() const {
    std::vector<int32_t> sizes;
    for (const int64_t size : kernel_.shape()) sizes.push_back(static_cast<int32_t>(size));
    return Array(sizes);
  }

  /// VALID has no padding of its own, but its zeros stand in the inner scope.
  Tensor base() { return base_ ? base_ : constant("base_paddings", matrix(pads_)); }

  Blocks known_blocks(int64_t height, int64_t width) {
    const graph::NameScope scope(graph_, "required_space_to_batch_paddings");
    constant("input_shape", pair(height, width));
    if (!base_) base();
    const auto rest = [&](int64_t size, size_t i) {
      const int64_t full = size + pads_[2 * i] + pads_[2 * i + 1];
      return (rates_[i] - full % rates_[i]) % rates_[i];
    };
    const int64_t below = rest(height, 0);
    const int64_t right = rest(width, 1);
    const Array paddings = matrix({pads_[0], pads_[1] + below, pads_[2], pads_[3] + right});
    const Array crops = matrix({0, below, 0, right});
    constant("paddings", paddings);
    constant("crops", crops);
    return {paddings, crops};
  }

  Blocks unknown_blocks(const Tensor& rate) {
    const Tensor sizes = shape(images_);
    const Tensor height = sizes[1];
    const Tensor width = sizes[2];
    const Tensor size = stack({Input(height), Input(width)});
    Tensor paddings;
    Tensor crops;
    {
      const graph::NameScope scope(graph_, "required_space_to_batch_paddings");
      const Tensor pads = base();
      const Tensor begin = pads[{Slice{}, 0}];
      const Tensor end = pads[{Slice{}, 1}];
      Tensor full = size + begin;
      full = full + end;
      Tensor rest = full % rate;
      rest = rate - rest;
      rest = rest % rate;
      paddings = rows(begin, end + rest, "paddings");
      crops = crop_rows(rest);
    }
    const Tensor all_paddings = alone(paddings, "concat");
    return {all_paddings, alone(crops, "concat")};
  }

  /// [[begin[0], end[0]], [begin[1], end[1]]]
  static Tensor rows(const Tensor& begin, const Tensor& end, const char* name) {
    std::vector<Input> both;
    for (const int i : {0, 1}) {
      const Tensor first = begin[i];
      const Tensor second = end[i];
      both.push_back(Input::list({first, second}));
    }
    return stack(both, {.name = name});
  }

  /// [[0, rest[0]], [0, rest[1]]]
  static Tensor crop_rows(const Tensor& rest) {
    std::vector<Input> both;
    for (const int i : {0, 1}) both.push_back(Input::list({Input(0), Input(rest[i])}));
    return stack(both, {.name = "crops"});
  }

  /// TensorFlow's way of joining a list of one part.
  Tensor alone(const Tensor& both, const char* name) {
    const Tensor part = both[{Slice{0, 2}}];
    const graph::NameScope scope(graph_, name);
    constant("concat_dim", Array(int32_t{0}));
    return tensor_of(builder_.op("Identity", {endpoint_of(part)}, {}, "concat"));
  }

  graph::Graph& graph_;
  graph::Builder builder_;
  const graph::NameScope scope_;
  const Tensor images_;
  const Tensor kernel_;
  const std::vector<int64_t>& rates_;
  Pads pads_{};
  Tensor base_;
};

}  // namespace

Tensor dilated_convolution(const Tensor& images, const Tensor& kernel, const std::vector<int64_t>& rates,
                           const std::string& padding) {
  return DilatedConvolution(images, kernel, rates).run(padding);
}

}  // namespace flowray::tf
