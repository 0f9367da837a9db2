#include "ops/all_ops.h"

#include "ops/array/register.h"
#include "ops/data/register.h"
#include "ops/file/register.h"
#include "ops/flow/register.h"
#include "ops/image/register.h"
#include "ops/math/register.h"
#include "ops/matrix/register.h"
#include "ops/neural/register.h"
#include "ops/queues/register.h"
#include "ops/random/register.h"
#include "ops/reduce/register.h"
#include "ops/sparse/register.h"
#include "ops/text/register.h"
#include "ops/variables/register.h"

namespace flowray::ops {

const graph::OpTable& op_table() {
  static const graph::OpTable* const kTable = [] {
    auto* table = new graph::OpTable();  // never destroyed: graphs of other static objects may outlive main
    register_array_family(*table);
    register_math_family(*table);
    register_reduce_family(*table);
    register_matrix_family(*table);
    register_neural_family(*table);
    register_image_family(*table);
    register_random_family(*table);
    register_variables_family(*table);
    register_queues_family(*table);
    register_flow_family(*table);
    register_text_family(*table);
    register_sparse_family(*table);
    register_data_family(*table);
    register_file_family(*table);
    return table;
  }();
  return *kTable;
}

}  // namespace flowray::ops
