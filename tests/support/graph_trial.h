#pragma once
/// Runs a graph that may be meant to do harm, as a server would that somebody sends it to.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flowray::testing {

struct TrialOptions {
  /// Whether the passes may change the graph: fold, share, fuse.
  bool passes = true;
  int threads = 1;
  /// Milliseconds that each step may wait for others; a tenth of it from the first on that waited in vain.
  int64_t limit_ms = 500;
  /// Not 0: what is fed reads otherwise each time (unsteady_memory.h), but for the dtypes that a reader of
  /// the object store gets a copy of. The same for the same seed.
  uint64_t unsteady = 0;
  /// Whether INTERNAL and UNKNOWN, by which a program says that it is at fault itself, end the trial.
  bool may_be_at_fault = false;
  /// What buffers hold that a step is handed (filled_memory.h).
  std::optional<std::byte> fill;
  /// Null: those that Flowray has.
  const graph::OpTable* ops = nullptr;
};

/// What came of a graph: how many of its nodes ran, and the last error in flowray's own classes.
struct Trial {
  int num_run = 0;
  int num_failed = 0;
  std::string error;
  /// Of each node in turn: a number that stands for what it gave or how it failed. What is not a number and
  /// what is large is left out of it.
  std::vector<uint64_t> answers;
};

/// Imports `graph` and runs its nodes one after the other, in the message's order, in one session. A
/// Placeholder is fed what its attribute `_fed` holds. Errors of flowray's are what is hoped for and are
/// counted; whatever else is thrown comes out of this function.
Trial try_graph(const wire::GraphDef& graph, const TrialOptions& options = {});

/// Tries a graph with buffers that hold one thing before they are written, and with others. The number in the
/// message of the first node whose answer is another one then, though it was the same in two runs with the
/// same: it reads what nobody wrote, or does not write all that it gives. Nothing where there is none.
std::optional<size_t> node_that_is_not_written(const wire::GraphDef& graph, TrialOptions options = {});

}  // namespace flowray::testing
