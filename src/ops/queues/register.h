#pragma once
/// Queues, readers, tables and accumulators: what outlives a step.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_queues_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// Conditional accumulators and what is done with them.
void register_accumulator_ops(graph::OpTable& table);
/// HashTable, MutableHashTable and what is done with them.
void register_lookup_table_ops(graph::OpTable& table);
/// FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue, PriorityQueue and what is done with them.
void register_queue_ops(graph::OpTable& table);
/// Readers and what is done with them.
void register_reader_ops(graph::OpTable& table);

}  // namespace flowray::ops
