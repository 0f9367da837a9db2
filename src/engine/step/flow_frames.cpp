#include "engine/step/flow_frames.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace flowray::engine {
namespace {

using graph::FlowRole;

class FrameFinder {
 public:
  explicit FrameFinder(const StepGraph& step) : step_(step) {
    frames_.list.emplace_back();
    frames_.of_node.assign(step.nodes.size(), 0);
  }

  Frames find() {
    for (uint32_t place = 0; place < step_.nodes.size(); ++place) {
      const int frame = frame_of(place);
      frames_.of_node[place] = frame;
      frames_.list[static_cast<size_t>(frame)].nodes.push_back(place);
    }
    return std::move(frames_);
  }

 private:
  const Frame& at(int frame) const { return frames_.list[static_cast<size_t>(frame)]; }
  FlowRole role(uint32_t place) const { return step_.nodes[place].node->schema().row.flow; }

  bool is_inside(int frame, int outer) const {
    while (at(frame).depth > at(outer).depth) frame = at(frame).parent;
    return frame == outer;
  }

  int frame_of(uint32_t place) {
    const int inputs = frame_of_inputs(place);
    switch (role(place)) {
      case FlowRole::kEnter:
        return enter(place, inputs);
      case FlowRole::kExit:
        if (inputs == 0) fail_irregular(*step_.nodes[place].node, "it leaves no loop");
        frames_.list[static_cast<size_t>(inputs)].exits.push_back(place);
        return at(inputs).parent;
      default:
        return inputs;
    }
  }

  int enter(uint32_t place, int parent) {
    const auto& name = step_.nodes[place].node->attrs().get<std::string>("frame_name");
    const auto [found, is_new] = by_name_.try_emplace({parent, name}, static_cast<int>(frames_.list.size()));
    if (is_new && at(parent).depth == kMostNestedLoops) {
      throw errors::ResourceExhaustedError(fmt::format(
          "Loops are nested more than {} deep: frame {} is one too many", kMostNestedLoops, name));
    }
    if (is_new) frames_.list.push_back({parent, at(parent).depth + 1, name, {}, {}, {}});
    frames_.list[static_cast<size_t>(found->second)].enters.push_back(place);
    return found->second;
  }

  /// The innermost loop that an input comes from; the others must come from it too, or, if only waited for,
  /// from around it.
  int frame_of_inputs(uint32_t place) const {
    const StepNode& item = step_.nodes[place];
    int frame = -1;
    for (const ValueId input : item.inputs) {
      const int32_t producer = step_.values[input].producer;
      if (producer >= static_cast<int32_t>(place)) continue;  // the end of the loop, which comes later
      const int from = producer < 0 ? 0 : frames_.of_node[static_cast<size_t>(producer)];
      if (frame >= 0 && from != frame) fail_irregular(*item.node, "its inputs come from different loops");
      frame = from;
    }
    const bool has_data = frame >= 0;
    frame = std::max(frame, 0);
    for (const uint32_t control : item.controls) {
      const int from = frames_.of_node[control];
      if (is_inside(frame, from)) continue;
      if (has_data || !is_inside(from, frame))
        fail_irregular(*item.node, "it waits for a node of another loop");
      frame = from;
    }
    return frame;
  }

  const StepGraph& step_;
  Frames frames_;
  std::map<std::pair<int, std::string>, int> by_name_;
};

}  // namespace

Frames find_frames(const StepGraph& step) { return FrameFinder(step).find(); }

void fail_irregular(const graph::Node& node, const std::string& reason) { throw IrregularFlow(node, reason); }

}  // namespace flowray::engine
