#pragma once
/// Ops that make a dataset of others, as rows of tables.

#include "graph/op_schema.h"
#include "graph/shape_context.h"

#include <string_view>

namespace flowray::ops {

struct DatasetRow {
  std::string_view name;
  std::string_view inputs;
  std::string_view attrs;
  graph::StartFunction start;
};

inline void register_dataset(const DatasetRow& row, graph::OpTable& table) {
  table.add({.name = row.name,
             .inputs = row.inputs,
             .outputs = "handle:variant",
             .attrs = row.attrs,
             .shape = graph::scalar_shape,
             .start = row.start});
}

}  // namespace flowray::ops
