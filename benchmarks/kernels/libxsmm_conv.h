#pragma once
/// A convolution of libxsmm's over arrays as they lie in steps.

#include <libxsmm.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "kernels/conv_arrays.h"

namespace flowray::ops {

/// Whether it can be run is what failure() says.
class LibxsmmConv {
 public:
  /// Runs in `thread_count` <= 2 threads of `parallel`, all at once. `is_padded`: the image that is bound has
  /// its padding around it, else libxsmm pads a copy.
  LibxsmmConv(const Conv2DShape& s, ConvKind kind, bool is_padded, Parallel& parallel, int thread_count)
      : kind_(kind), parallel_(parallel), thread_count_(thread_count) {
    libxsmm_dnn_conv_desc desc = {};
    desc.N = static_cast<int>(s.batch);
    desc.C = static_cast<int>(s.in_channels);
    desc.H = static_cast<int>(s.in_height);
    desc.W = static_cast<int>(s.in_width);
    desc.K = static_cast<int>(s.out_channels);
    desc.R = static_cast<int>(s.filter_height);
    desc.S = static_cast<int>(s.filter_width);
    desc.u = static_cast<int>(s.stride_height);
    desc.v = static_cast<int>(s.stride_width);
    desc.pad_h = static_cast<int>(s.pad_top);  // as much behind the image
    desc.pad_w = static_cast<int>(s.pad_left);
    desc.pad_h_in = is_padded ? desc.pad_h : 0;
    desc.pad_w_in = is_padded ? desc.pad_w : 0;
    desc.threads = thread_count;
    desc.datatype_in = desc.datatype_out = LIBXSMM_DNN_DATATYPE_F32;
    desc.buffer_format = LIBXSMM_DNN_TENSOR_FORMAT_NHWC;
    desc.filter_format = LIBXSMM_DNN_TENSOR_FORMAT_RSCK;
    desc.algo = LIBXSMM_DNN_CONV_ALGO_DIRECT;
    desc.options = LIBXSMM_DNN_CONV_OPTION_OVERWRITE;
    layer_ = libxsmm_dnn_create_conv_layer(desc, &status_);
  }
  ~LibxsmmConv() {
    for (libxsmm_dnn_tensor* tensor : tensors_) libxsmm_dnn_destroy_tensor(tensor);
    if (layer_ != nullptr) libxsmm_dnn_destroy_conv_layer(layer_);
  }
  LibxsmmConv(const LibxsmmConv&) = delete;
  LibxsmmConv& operator=(const LibxsmmConv&) = delete;

  size_t scratch_bytes() {
    if (status_ != LIBXSMM_DNN_SUCCESS) return 0;
    return libxsmm_dnn_get_scratch_size(layer_, LIBXSMM_DNN_COMPUTE_KIND_ALL, &status_);
  }

  /// All must live as long as this.
  void bind(const ConvArrays& arrays, float* scratch) {
    const bool is_forward = kind_ == ConvKind::kForward;
    bind(arrays.in.get(),
         kind_ == ConvKind::kBackwardInput ? LIBXSMM_DNN_GRADIENT_INPUT : LIBXSMM_DNN_REGULAR_INPUT);
    bind(arrays.filter.get(),
         kind_ == ConvKind::kBackwardFilter ? LIBXSMM_DNN_GRADIENT_FILTER : LIBXSMM_DNN_REGULAR_FILTER);
    bind(arrays.out.get(), is_forward ? LIBXSMM_DNN_REGULAR_OUTPUT : LIBXSMM_DNN_GRADIENT_OUTPUT);
    if (status_ != LIBXSMM_DNN_SUCCESS) return;
    status_ = libxsmm_dnn_bind_scratch(layer_, LIBXSMM_DNN_COMPUTE_KIND_ALL, scratch);
  }

  void run() {
    if (status_ != LIBXSMM_DNN_SUCCESS) return;
    const libxsmm_dnn_compute_kind kind = kind_ == ConvKind::kForward         ? LIBXSMM_DNN_COMPUTE_KIND_FWD
                                          : kind_ == ConvKind::kBackwardInput ? LIBXSMM_DNN_COMPUTE_KIND_BWD
                                                                              : LIBXSMM_DNN_COMPUTE_KIND_UPD;
    libxsmm_dnn_err_t statuses[2] = {};
    parallel_.for_range(thread_count_, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        statuses[i] = libxsmm_dnn_execute_st(layer_, kind, 0, static_cast<int>(i));
      }
    });
    status_ = std::max(statuses[0], statuses[1]);
  }

  /// Empty: none.
  std::string failure() const { return status_ == LIBXSMM_DNN_SUCCESS ? "" : libxsmm_dnn_get_error(status_); }

 private:
  void bind(float* array, libxsmm_dnn_tensor_type type) {
    if (status_ != LIBXSMM_DNN_SUCCESS) return;
    libxsmm_dnn_tensor_datalayout* layout = libxsmm_dnn_create_tensor_datalayout(layer_, type, &status_);
    if (status_ != LIBXSMM_DNN_SUCCESS) return;
    tensors_.push_back(libxsmm_dnn_link_tensor(layout, array, &status_));
    libxsmm_dnn_destroy_tensor_datalayout(layout);
    if (status_ == LIBXSMM_DNN_SUCCESS) status_ = libxsmm_dnn_bind_tensor(layer_, tensors_.back(), type);
  }

  const ConvKind kind_;
  Parallel& parallel_;
  const int thread_count_;
  libxsmm_dnn_layer* layer_ = nullptr;
  libxsmm_dnn_err_t status_ = LIBXSMM_DNN_SUCCESS;
  std::vector<libxsmm_dnn_tensor*> tensors_;
};

}  // namespace flowray::ops
