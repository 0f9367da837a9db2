#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/monitored_session.h>

#include "core/mutex.h"
#include "graph/graph.h"
#include "tf/build/user_line.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::tf::train {
namespace {

constexpr const char* kReadyForLocalInitOp = "ready_for_local_init_op";

/// The nodes of the saver that a scaffold has made for a graph: the next one uses them, too.
struct ScaffoldSaver {
  Mutex mutex;
  std::optional<SaverNames> names FLOWRAY_GUARDED_BY(mutex);
};

std::shared_ptr<Saver> saver_of_all(const Graph& graph) {
  if (global_variables().empty()) return nullptr;
  auto& known = graph.get()->attachment<ScaffoldSaver>("scaffold_saver");
  const MutexLock lock(known.mutex);
  if (known.names.has_value()) return Saver::of_nodes(*known.names, SaverOptions().max_to_keep);
  auto made = std::make_shared<Saver>(SaverOptions{.sharded = true});
  known.names = made->names();
  return made;
}

/// What stands in a collection; none if there is nothing.
std::optional<CollectionItem> collected(const std::string& key) {
  const Collection found = get_collection(key);
  if (found.size() > 1) {
    throw RuntimeError(
        fmt::format("More than one item in the collection \"{}\". Please indicate which one to use by "
                    "passing it to the tf.Scaffold constructor.",
                    key));
  }
  if (found.empty()) return std::nullopt;
  return found[0];
}

void complete(Operation& op, const std::string& key, const std::function<Operation()>& make) {
  if (op.has_value()) return;
  if (const auto known = collected(key)) {
    op = known->operation() != nullptr ? *known->operation()
         : known->tensor() != nullptr  ? known->tensor()->op()
                                       : Operation();
    return;
  }
  op = make();
  add_to_collection(key, op);
}

void complete(Tensor& tensor, const std::string& key, const std::function<Tensor()>& make) {
  if (tensor.has_value()) return;
  if (const auto known = collected(key)) {
    tensor = get_collection(key).tensors().front();
    return;
  }
  tensor = make();
  if (tensor.has_value()) add_to_collection(key, tensor);
}

ScaffoldOptions with_parts_of(ScaffoldOptions options) {
  if (options.copy_from_scaffold == nullptr) return options;
  const Scaffold& other = *options.copy_from_scaffold;
  const auto take = [](auto& own, const auto& others) {
    if (!own.has_value()) own = others;
  };
  take(options.init_op, other.init_op());
  take(options.ready_op, other.ready_op());
  take(options.ready_for_local_init_op, other.ready_for_local_init_op());
  take(options.local_init_op, other.local_init_op());
  take(options.summary_op, other.summary_op());
  if (options.init_feed_dict.feeds().empty()) options.init_feed_dict = other.init_feed_dict();
  if (options.saver == nullptr) options.saver = other.saver();
  if (options.init_fn == nullptr && other.has_init_fn()) {
    options.init_fn = [from = std::const_pointer_cast<Scaffold>(options.copy_from_scaffold)](
                          Scaffold&, Session& session) { from->call_init_fn(session); };
  }
  return options;
}

}  // namespace

Scaffold::Scaffold(ScaffoldOptions options) : options_(with_parts_of(std::move(options))) {}

Scaffold& Scaffold::finalize(Input::Where where) {
  const Graph graph = get_default_graph();
  const UserLine line(*graph.get(), where);
  ScaffoldOptions& parts = options_;
  complete(parts.init_op, GraphKeys::INIT_OP, [] { return global_variables_initializer(); });
  complete(parts.ready_op, GraphKeys::READY_OP, [] { return report_uninitialized_variables(); });
  complete(parts.ready_for_local_init_op, kReadyForLocalInitOp,
           [] { return report_uninitialized_variables(global_variables()); });
  complete(parts.local_init_op, GraphKeys::LOCAL_INIT_OP,
           [] { return group({local_variables_initializer(), tables_initializer()}); });
  complete(parts.summary_op, GraphKeys::SUMMARY_OP, [] { return summary::merge_all(); });
  if (parts.saver == nullptr) {
    parts.saver = saver_of_all(graph);
  } else {
    parts.saver->build();
  }
  graph.finalize();
  return *this;
}

}  // namespace flowray::tf::train
