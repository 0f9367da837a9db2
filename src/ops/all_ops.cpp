#include "ops/all_ops.h"

#include "ops/array/array_ops.h"
#include "ops/data/data_ops.h"
#include "ops/file/file_ops.h"
#include "ops/math/math_ops.h"
#include "ops/matrix/matrix_ops.h"
#include "ops/neural/nn_ops.h"
#include "ops/text/text_ops.h"
#include "ops/queues/queue.h"
#include "ops/flow/transfer.h"

namespace flowray::ops {

const graph::OpTable& op_table() {
  static const graph::OpTable* const kTable = [] {
    auto* table = new graph::OpTable();  // never destroyed: graphs of other static objects may outlive main
    register_array_ops(*table);
    register_math_ops(*table);
    register_matmul_ops(*table);
    register_conv_ops(*table);
    register_pool_ops(*table);
    register_conv3d_ops(*table);
    register_pool3d_ops(*table);
    register_activation_ops(*table);
    register_bias_ops(*table);
    register_batch_norm_ops(*table);
    register_depthwise_ops(*table);
    register_lrn_ops(*table);
    register_resize_ops(*table);
    register_sparse_product_ops(*table);
    register_softmax_ops(*table);
    register_nn_ops(*table);
    register_state_ops(*table);
    register_training_ops(*table);
    register_random_ops(*table);
    register_queue_ops(*table);
    register_checkpoint_ops(*table);
    register_summary_ops(*table);
    register_media_summary_ops(*table);
    register_debugging_ops(*table);
    register_linear_algebra_ops(*table);
    register_candidate_ops(*table);
    register_arrangement_ops(*table);
    register_string_ops(*table);
    register_regex_ops(*table);
    register_data_ops(*table);
    register_transfer_ops(*table);
    return table;
  }();
  return *kTable;
}

}  // namespace flowray::ops
