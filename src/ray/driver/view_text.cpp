#include "ray/driver/view_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/bytes_text.h"

namespace flowray::ray {
namespace {

/// Cells below the names of their columns, as wide as the widest of them.
class Table {
 public:
  explicit Table(std::vector<std::string> names) { rows_.push_back(std::move(names)); }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string id_text(uint64_t id) { return id == 0 ? "-" : fmt::format("{:016x}", id); }
std::string pid_text(uint32_t pid) { return pid == 0 ? "-" : std::to_string(pid); }
std::string text_or_dash(const std::string& text) { return text.empty() ? "-" : text; }

/// The text with its lines joined to one.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Memory is counted in bytes, all else in pieces.
std::string amount_text(const std::string& name, uint64_t milli) {
  if (name == "memory") return bytes_text(milli / 1000);
  return fmt::format("{:.1f}", static_cast<double>(milli) / 1000);
}

std::string left_out_text(size_t all, size_t shown, const char* what) {
  return all > shown ? fmt::format("{} of {} {} are shown: --limit shows more.\n", shown, all, what) : "";
}

uint64_t free_of(const RuntimeView& view, const std::string& name) {
  const auto left = view.free.find(name);
  return left == view.free.end() ? 0 : left->second;
}

/// The last `most` of them.
template <class Row>
std::span<const Row> last_of(const std::vector<Row>& rows, size_t most) {
  return std::span(rows).last(std::min(most, rows.size()));
}

std::map<std::string, size_t> count_by_state(const auto& rows) {
  std::map<std::string, size_t> counts;
  for (const auto& row : rows) ++counts[row.state];
  return counts;
}

}  // namespace

std::string status_text(const RuntimeView& view) {
  const auto is_actors = [](const WorkerRow& row) { return !row.label.empty(); };
  const auto num_actors = static_cast<size_t>(std::ranges::count_if(view.workers, is_actors));
  std::string text = fmt::format("======== Driver {}: {} ========\n", view.pid, view.command);
  text += fmt::format("Workers: {} for tasks, {} for actors\n", view.workers.size() - num_actors, num_actors);
  const std::map<std::string, size_t> actors = count_by_state(view.actors);
  for (const auto& [state, count] : actors) text += fmt::format("Actors {}: {}\n", state, count);
  for (const auto& [state, count] : count_by_state(view.tasks))
    text += fmt::format("Tasks {}: {}\n", state, count);
  text += "\nResources\n";
  text += "Total Usage:\n";
  for (const auto& [name, milli] : view.all) {
    if (name == "object_store_memory") continue;
    const uint64_t left = std::min(free_of(view, name), milli);
    text += fmt::format(" {}/{} {}\n", amount_text(name, milli - left), amount_text(name, milli), name);
  }
  text +=
      fmt::format(" {}/{} object_store_memory\n", bytes_text(view.used_bytes), bytes_text(view.store_bytes));
  text += "Pending Demands:\n";
  for (const DemandRow& demand : view.demands)
    text += fmt::format(" {}: {} pending tasks/actors\n", demand.resources, demand.count);
  if (view.demands.empty()) text += " (no resource demands)\n";
  return text;
}

std::string tasks_text(const RuntimeView& view, size_t most) {
  Table table({"TASK_ID", "NAME", "STATE", "TYPE", "ACTOR_ID", "WORKER_ID", "PID"});
  for (const TaskRow& row : last_of(view.tasks, most)) {
    table.add({id_text(row.id.value), row.name, row.state, row.type, id_text(row.actor.value),
               row.worker ? std::to_string(row.worker.value) : "-", pid_text(row.pid)});
  }
  return table.text() + left_out_text(view.tasks.size(), most, "tasks");
}

std::string actors_text(const RuntimeView& view, size_t most) {
  Table table({"ACTOR_ID", "CLASS_NAME", "STATE", "NAME", "PID", "RESTARTS", "WAITING_CALLS", "DEATH"});
  for (const ActorRow& row : last_of(view.actors, most)) {
    table.add({id_text(row.id.value), row.class_name, row.state, text_or_dash(row.name), pid_text(row.pid),
               std::to_string(row.restarts), std::to_string(row.waiting_calls),
               text_or_dash(one_line(row.death))});
  }
  return table.text() + left_out_text(view.actors.size(), most, "actors");
}

std::string actor_names_text(const RuntimeView& view) {
  std::string text;
  for (const ActorRow& row : view.actors) {
    if (!row.name.empty() && std::string_view(row.state) != "DEAD") text.append(row.name).push_back('\0');
  }
  return text;
}

std::string workers_text(const RuntimeView& view, size_t most) {
  Table table({"WORKER_ID", "PID", "TYPE", "CALLS", "BLOCKED"});
  for (const WorkerRow& row : last_of(view.workers, most)) {
    table.add({std::to_string(row.id.value), pid_text(row.pid), row.label.empty() ? "tasks" : row.label,
               std::to_string(row.num_calls), row.is_blocked ? "yes" : "no"});
  }
  return table.text() + left_out_text(view.workers.size(), most, "workers");
}

namespace {

const char* strategy_text(uint32_t strategy) {
  switch (static_cast<GroupStrategy>(strategy)) {
    case GroupStrategy::kPack:
      return "PACK";
    case GroupStrategy::kSpread:
      return "SPREAD";
    case GroupStrategy::kStrictPack:
      return "STRICT_PACK";
    case GroupStrategy::kStrictSpread:
      return "STRICT_SPREAD";
  }
  return "-";
}

const char* group_state_text(uint32_t state) {
  switch (static_cast<GroupState>(state)) {
    case GroupState::kPending:
      return "PENDING";
    case GroupState::kCreated:
      return "CREATED";
    case GroupState::kRemoved:
      return "REMOVED";
  }
  return "-";
}

std::string bundles_for_people(const internal::GroupSpec& group) {
  std::string text;
  for (const auto& bundle : group.bundles) {
    text += text.empty() ? "{" : " {";
    for (size_t i = 0; i < bundle.size(); ++i)
      text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", bundle[i].first, bundle[i].second);
    text += "}";
  }
  return text;
}

}  // namespace

std::string placement_groups_text(const RuntimeView& view, size_t most) {
  Table table({"PLACEMENT_GROUP_ID", "NAME", "STATE", "STRATEGY", "BUNDLES"});
  for (const internal::GroupSpec& group : last_of(view.groups, most)) {
    table.add({id_text(group.id.value), text_or_dash(one_line(group.name)), group_state_text(group.state),
               strategy_text(group.strategy), bundles_for_people(group)});
  }
  return table.text() + left_out_text(view.groups.size(), most, "placement groups");
}

namespace {

std::string reference_type(const ObjectRow& row) {
  if (row.handles > 0) return "LOCAL_REFERENCE";
  if (row.reads > 0) return "PINNED_IN_MEMORY";
  return row.pins > 0 ? "USED_BY_PENDING_TASK" : "-";
}

std::string table_of_objects(const RuntimeView& view, size_t most) {
  Table table({"OBJECT_ID", "SIZE", "PLACE", "REFERENCE_TYPE", "HANDLES", "PINS", "READS", "HOLDER"});
  for (const ObjectRow& row : std::span(view.objects).first(std::min(most, view.objects.size()))) {
    table.add({id_text(row.id.value), std::to_string(row.size_bytes), row.is_error ? "error" : row.place,
               reference_type(row), std::to_string(row.handles), std::to_string(row.pins),
               std::to_string(row.reads), text_or_dash(row.holder)});
  }
  return table.text() + left_out_text(view.objects.size(), most, "objects");
}

}  // namespace

std::string objects_text(const RuntimeView& view, size_t most) { return table_of_objects(view, most); }

std::string memory_text(const RuntimeView& view, size_t most) {
  struct Sum {
    size_t count = 0;
    uint64_t bytes = 0;
  };
  std::map<std::string, Sum> by_place;
  std::map<std::string, Sum> by_holder;
  for (const ObjectRow& row : view.objects) {
    for (Sum* const sum :
         {&by_place[row.place], &by_holder[row.holder.empty() ? "calls and values" : row.holder]}) {
      ++sum->count;
      sum->bytes += row.size_bytes;
    }
  }
  std::string text =
      fmt::format("======== Object references of driver {}: {} ========\n", view.pid, view.command);
  text += table_of_objects(view, most);
  text += "\n--- Sums ---\n";
  Table table({"WHERE", "OBJECTS", "BYTES"});
  for (const auto* const sums : {&by_place, &by_holder}) {
    for (const auto& [where, sum] : *sums)
      table.add({where, std::to_string(sum.count), bytes_text(sum.bytes)});
  }
  text += table.text();
  return text + fmt::format("\nObject store: {} of {} hold values; {} of memory are taken.\n",
                            bytes_text(view.used_bytes), bytes_text(view.store_bytes),
                            bytes_text(view.region_bytes));
}

namespace {

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      json += '\\';
      json += letter;
    } else if (code < 0x20) {
      json += fmt::format("\\u{:04x}", code);
    } else {
      json += letter;
    }
  }
  return json + '"';
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1000; }

const char* category(CallMode mode) {
  return mode == CallMode::kTask ? "task" : mode == CallMode::kMakeActor ? "actor_creation" : "actor_task";
}

}  // namespace

std::string timeline_text(const RuntimeView& view) {
  std::string text = "[";
  text += fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", view.pid,
                      json_text(view.command));
  std::map<uint32_t, uint32_t> workers;  // pids
  for (const TaskEvent& event : view.events) {
    if (event.begin_ns != 0) workers[event.worker.value] = event.pid;
  }
  for (const StepEvent& step : view.steps) workers[step.worker.value] = step.pid;
  for (const auto& [worker, pid] : workers) {
    text += fmt::format(
        ",\n"
        R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
        view.pid, worker, worker == 0 ? "driver" : fmt::format("worker:{}", pid));
  }
  for (const StepEvent& step : view.steps) {  // within the calls that ran them
    text += fmt::format(
        ",\n"
        R"({{"cat":"step","name":"step of a session","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{}}})",
        microseconds(step.begin_ns), microseconds(step.run_ns), view.pid, step.worker.value);
  }
  for (const TaskEvent& event : view.events) {
    if (event.begin_ns == 0) continue;  // it has not run
    const auto name = view.function_names.find(event.function.value);
    text += fmt::format(
        ",\n"
        R"({{"cat":"{}","name":{},"ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{},)"
        R"("args":{{"task_id":"{:016x}","worker_pid":{},"failed":{}}}}})",
        category(event.mode), json_text(name == view.function_names.end() ? "" : name->second),
        microseconds(event.begin_ns), microseconds(event.run_ns), view.pid, event.worker.value,
        event.task.value, event.pid, event.has_failed);
  }
  return text + "]\n";
}

namespace {

/// A label's value, as Prometheus wants it.
std::string label_text(std::string_view text) {
  std::string label;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') label += '\\';
    label += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return label;
}

std::string family(const char* name, const char* type, const char* help) {
  return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

std::string task_metrics(const RuntimeView& view) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  for (const TaskRow& row : view.tasks) {
    if (std::string_view(row.state) != "FINISHED" && std::string_view(row.state) != "FAILED")
      ++counts[{row.name, row.state}];
  }
  for (const FunctionRow& row : view.functions) {
    counts[{row.name, "FINISHED"}] += row.num_finished;
    counts[{row.name, "FAILED"}] += row.num_failed;
  }
  std::string text = family("ray_tasks", "gauge", "Calls by state; of those that have ended all so far.");
  for (const auto& [key, count] : counts)
    text +=
        fmt::format("ray_tasks{{Name=\"{}\",State=\"{}\"}} {}\n", label_text(key.first), key.second, count);
  return text;
}

}  // namespace

namespace {

std::string labels_text(const std::vector<std::pair<std::string, std::string>>& tags,
                        const std::string& bucket) {
  std::string text;
  for (const auto& [name, value] : tags)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, label_text(value));
  if (!bucket.empty()) text += fmt::format("{}le=\"{}\"", text.empty() ? "" : ",", bucket);
  return text.empty() ? "" : "{" + text + "}";
}

std::string program_metric(const std::string& name, const Metrics::Metric& metric) {
  using internal::MetricKind;
  const bool is_histogram = metric.kind == MetricKind::kHistogram;
  const char* const kind = is_histogram                          ? "histogram"
                           : metric.kind == MetricKind::kCounter ? "counter"
                                                                 : "gauge";
  std::string help = metric.description;
  std::ranges::replace(help, '\n', ' ');
  std::string text = family(name.c_str(), kind, help.c_str());
  for (const auto& [tags, series] : metric.series) {
    if (!is_histogram) {
      text += fmt::format("{}{} {}\n", name, labels_text(tags, ""), series.value);
      continue;
    }
    uint64_t up_to = 0;
    for (size_t i = 0; i < series.counts.size(); ++i) {
      up_to += series.counts[i];
      const std::string bound =
          i < metric.boundaries.size() ? fmt::format("{}", metric.boundaries[i]) : "+Inf";
      text += fmt::format("{}_bucket{} {}\n", name, labels_text(tags, bound), up_to);
    }
    text += fmt::format("{}_sum{} {}\n", name, labels_text(tags, ""), series.value);
    text += fmt::format("{}_count{} {}\n", name, labels_text(tags, ""), series.count);
  }
  return text;
}

}  // namespace

std::string metrics_text(const RuntimeView& view) {
  std::string text = task_metrics(view);
  text += family("ray_actors", "gauge", "Actors by state.");
  for (const auto& [state, count] : count_by_state(view.actors))
    text += fmt::format("ray_actors{{State=\"{}\"}} {}\n", state, count);
  text += family("ray_resources", "gauge", "Amounts of resources that calls have, and that are left.");
  for (const auto& [name, milli] : view.all) {
    const uint64_t left = std::min(free_of(view, name), milli);
    const auto amount = [](uint64_t thousandths) { return static_cast<double>(thousandths) / 1000; };
    text += fmt::format("ray_resources{{Name=\"{}\",State=\"USED\"}} {}\n", label_text(name),
                        amount(milli - left));
    text +=
        fmt::format("ray_resources{{Name=\"{}\",State=\"AVAILABLE\"}} {}\n", label_text(name), amount(left));
  }
  text += family("ray_object_store_memory", "gauge", "Bytes of values in the object store, by place.");
  text += fmt::format("ray_object_store_memory{{Location=\"IN_MEMORY\"}} {}\n", view.used_bytes);
  text += family("ray_object_store_available_memory", "gauge", "Bytes that the object store may still take.");
  text += fmt::format("ray_object_store_available_memory {}\n",
                      view.store_bytes - std::min(view.store_bytes, view.used_bytes));
  text += family("ray_object_store_num_local_objects", "gauge", "Objects that the runtime knows.");
  text += fmt::format("ray_object_store_num_local_objects {}\n", view.objects.size());
  text += family("flowray_workers", "gauge", "Worker processes.");
  text += fmt::format("flowray_workers {}\n", view.workers.size());
  for (const auto& [name, metric] : view.metrics) text += program_metric("ray_" + name, metric);
  return text;
}

}  // namespace flowray::ray
