#pragma once
/// What people are told of a runtime: tables, a trace, metrics.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ray/owner/metrics.h"
#include "ray/owner/report.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {

/// What a runtime has at a moment.
struct RuntimeView {
  int64_t pid = 0;
  std::string command;
  NamedResources all;  ///< in thousandths; of the store its bytes
  NamedResources free;
  uint64_t store_bytes = 0;   ///< it may hold
  uint64_t used_bytes = 0;    ///< values in it
  uint64_t region_bytes = 0;  ///< memory that it has taken
  std::vector<WorkerRow> workers;
  std::vector<ActorRow> actors;
  std::vector<TaskRow> tasks;
  std::vector<ObjectRow> objects;
  std::vector<DemandRow> demands;
  std::vector<FunctionRow> functions;
  std::vector<internal::GroupSpec> groups;
  std::vector<TaskEvent> events;
  std::vector<StepEvent> steps;                    ///< worker 0: the driver's own
  std::map<std::string, Metrics::Metric> metrics;  ///< that programs have recorded
  std::map<uint64_t, std::string> function_names;  ///< of the events
};

/// A line for each row, columns below their names; no more than `most` rows, the last ones, and a line that
/// says so.
std::string status_text(const RuntimeView& view);
std::string tasks_text(const RuntimeView& view, size_t most);
std::string actors_text(const RuntimeView& view, size_t most);
/// For programs: of those that live each name with a zero byte behind it.
std::string actor_names_text(const RuntimeView& view);
std::string workers_text(const RuntimeView& view, size_t most);
std::string placement_groups_text(const RuntimeView& view, size_t most);
std::string objects_text(const RuntimeView& view, size_t most);
/// Objects by their holders, and sums.
std::string memory_text(const RuntimeView& view, size_t most);
/// As chrome://tracing and Perfetto read it: a JSON list of events, a line for each worker.
std::string timeline_text(const RuntimeView& view);
/// In Prometheus' text format, by Ray's names.
std::string metrics_text(const RuntimeView& view);

}  // namespace flowray::ray
