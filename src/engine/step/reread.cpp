#include "engine/step/reread.h"

#include "graph/signature.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace flowray::engine {
namespace {

class Rereader {
 public:
  explicit Rereader(StepGraph step) : step_(std::move(step)), variable_(step_.values.size(), kNoValue) {}

  StepGraph run() {
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) look_at(n);
    std::erase_if(updates_, [&](const Update& update) { return !reads_.contains(update.variable); });
    if (updates_.empty()) return std::move(step_);
    find_followers();
    for (const Update& update : updates_) reread_after(update);
    return std::move(step_);
  }

 private:
  struct Update {
    uint32_t node;
    ValueId variable;
  };

  DType dtype(ValueId id) const { return step_.values[id].dtype(); }

  /// The reference that a reference value passes on.
  ValueId variable_of(ValueId id) const { return variable_[id] == kNoValue ? id : variable_[id]; }

  void look_at(uint32_t n) {
    const StepNode& item = step_.nodes[n];
    if (item.kind != StepKind::kOp || item.inputs.empty()) return;
    const graph::Node& node = *item.node;
    const bool gives_reference = !item.outputs.empty() && is_ref(dtype(item.outputs[0]));
    if (is_ref(dtype(item.inputs[0])) && gives_reference) {
      variable_[item.outputs[0]] = variable_of(item.inputs[0]);
      for (size_t i = 0; i < item.inputs.size() && item.inputs.size() > 1; ++i) {
        if (is_ref(dtype(item.inputs[i])) &&
            graph::takes_reference(node.schema(), node.attrs(), static_cast<int>(i)))
          updates_.push_back({n, variable_of(item.inputs[i])});
      }
    }
    const bool reads = node.schema().row.view && item.inputs.size() == 1 && !gives_reference;
    if (reads && is_ref(dtype(item.inputs[0])))
      reads_[variable_of(item.inputs[0])].push_back(item.outputs[0]);
  }

  void find_followers() {
    followers_.resize(step_.nodes.size());
    for (uint32_t n = 0; n < step_.nodes.size(); ++n) {
      for (const ValueId id : step_.nodes[n].inputs) {
        if (step_.values[id].producer >= 0)
          followers_[static_cast<size_t>(step_.values[id].producer)].push_back(n);
      }
      for (const uint32_t before : step_.nodes[n].controls) followers_[before].push_back(n);
    }
  }

  /// All nodes that come after `first`, which are marked with a number of their own.
  std::vector<uint32_t> after(uint32_t first) {
    mark_of_.resize(step_.nodes.size(), 0);
    ++last_mark_;
    std::vector<uint32_t> found;
    const auto open = [&](uint32_t n) {
      for (const uint32_t next : followers_[n]) {
        if (std::exchange(mark_of_[next], last_mark_) != last_mark_) found.push_back(next);
      }
    };
    open(first);
    for (size_t i = 0; i < found.size(); ++i) open(found[i]);
    return found;
  }

  void reread_after(const Update& update) {
    if (followers_[update.node].empty()) return;
    const std::vector<uint32_t> later = after(update.node);
    const std::vector<ValueId>& values = reads_[update.variable];
    const auto was_read_before = [&](ValueId id) {
      return std::ranges::find(values, id) != values.end() &&
             mark_of_[static_cast<size_t>(step_.values[id].producer)] != last_mark_;
    };
    for (const uint32_t n : later) {
      if (step_.nodes[n].kind != StepKind::kOp) continue;
      for (ValueId& id : step_.nodes[n].inputs) {
        if (was_read_before(id)) id = update.variable;
      }
    }
  }

  StepGraph step_;
  std::vector<ValueId> variable_;
  std::vector<Update> updates_;
  std::map<ValueId, std::vector<ValueId>> reads_;
  std::vector<std::vector<uint32_t>> followers_;
  std::vector<uint32_t> mark_of_;  // by node
  uint32_t last_mark_ = 0;
};

}  // namespace

StepGraph reread_updated(StepGraph step) { return Rereader(std::move(step)).run(); }

}  // namespace flowray::engine
