/// From regions to graphs within graphs: each with numbers of its own, fed what it takes from around it.
#include "engine/raise/flow_regions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace flowray::engine {
namespace {

class GraphMaker {
 public:
  GraphMaker(const StepGraph& flat, const RegionTree& tree) : flat_(flat), tree_(tree) {}

  StepGraph make() { return make_graph(tree_.step, flat_.feeds); }

 private:
  using Ids = std::vector<ValueId>;

  ValueId resolve(ValueId id) const {
    while (id < tree_.alias.size() && tree_.alias[id] != kNoValue) id = tree_.alias[id];
    return id;
  }

  /// A graph that is being made.
  struct Open {
    StepGraph graph;
    std::unordered_map<ValueId, ValueId> number;   // of a value of the flat graph, here
    std::unordered_map<uint32_t, uint32_t> place;  // of the node that a flat node went into, here
  };

  StepGraph make_graph(const Region& region, const Ids& feeds) {
    Open open;
    for (const ValueId id : feeds) {
      open.graph.feeds.push_back(add_value(open, id, -1));
    }
    for (const RegionItem& item : region.items) add_item(open, item);
    for (const ValueId id : region.gives) {
      open.graph.fetches.push_back(id == kNoValue ? kNoValue : number(open, id));
    }
    return std::move(open.graph);
  }

  ValueId add_value(Open& open, ValueId id, int32_t producer) {
    const auto made = static_cast<ValueId>(open.graph.values.size());
    open.graph.values.push_back({id == kNoValue ? graph::Endpoint{} : flat_.values[id].endpoint, producer});
    if (id != kNoValue) open.number[resolve(id)] = made;
    return made;
  }

  ValueId number(Open& open, ValueId id) {
    id = resolve(id);
    const auto found = open.number.find(id);
    if (found != open.number.end()) return found->second;
    if (id < flat_.values.size())
      fail_irregular(*flat_.values[id].endpoint.node, "it is read outside of its branch");
    const auto made = static_cast<ValueId>(open.graph.values.size());
    open.graph.values.push_back({{}, -1, tree_.known[id - flat_.values.size()]});
    open.number[id] = made;
    return made;
  }

  void add_item(Open& open, const RegionItem& item) {
    StepNode made;
    made.kind = item.kind;
    made.node = flat_.nodes[item.node].node;
    if (item.kind == StepKind::kOp) {  // a function's If or While is a node like any other here
      made.kind = flat_.nodes[item.node].kind;
      made.bodies = flat_.nodes[item.node].bodies;
    }
    for (const ValueId id : item.inputs) made.inputs.push_back(number(open, id));
    if (item.kind != StepKind::kOp) add_bodies(open, item, made);
    const auto place = static_cast<uint32_t>(open.graph.nodes.size());
    for (size_t i = 0; i < item.outputs.size(); ++i) {
      ValueId out = add_value(open, item.outputs[i], static_cast<int32_t>(place));
      if (item.outputs[i] == kNoValue)
        open.graph.values[out].endpoint = flat_.values[item.variables[i]].endpoint;
      made.outputs.push_back(out);
    }
    for (const uint32_t node : item.nodes) {
      for (const uint32_t control : flat_.nodes[node].controls) {
        const auto before = open.place.find(control);
        if (before != open.place.end()) made.controls.push_back(before->second);
      }
    }
    std::ranges::sort(made.controls);
    made.controls.erase(std::unique(made.controls.begin(), made.controls.end()), made.controls.end());
    for (const uint32_t node : item.nodes) open.place[node] = place;
    open.graph.nodes.push_back(std::move(made));
  }

  void add_bodies(Open& open, const RegionItem& item, StepNode& made) {
    Taken taken;
    for (const ValueId id : item.variables) taken.known.insert(resolve(id));
    for (const Region& body : item.bodies) {
      find_taken(body, taken);
      // What a loop's condition computes, its body is fed.
      if (item.kind == StepKind::kWhile) {
        for (const ValueId id : body.gives) taken.known.insert(resolve(id));
      }
    }
    for (const ValueId id : taken.ids) made.inputs.push_back(number(open, id));
    Ids feeds = item.variables;
    feeds.insert(feeds.end(), taken.ids.begin(), taken.ids.end());
    for (const Region& body : item.bodies) {
      made.bodies.push_back(make_graph(body, feeds));
      if (item.kind == StepKind::kWhile && made.bodies.size() == 1) {
        feeds.insert(feeds.end(), body.gives.begin() + 1, body.gives.end());
      }
    }
  }

  /// What regions read and do not make, in the order in which they read it.
  struct Taken {
    Ids ids;
    std::unordered_set<ValueId> is_taken = {};
    std::unordered_set<ValueId> known = {};  // made or given where the search is now
  };

  /// Adds what `region` reads and neither makes nor knows. What is known is as before when it returns.
  void find_taken(const Region& region, Taken& taken) const {
    Ids learned;
    const auto learn = [&](ValueId id) {
      if (id != kNoValue && taken.known.insert(resolve(id)).second) learned.push_back(resolve(id));
    };
    const auto read = [&](ValueId id) {
      if (id == kNoValue) return;
      id = resolve(id);
      if (id >= flat_.values.size() || taken.known.contains(id)) return;
      if (taken.is_taken.insert(id).second) taken.ids.push_back(id);
    };
    for (const RegionItem& item : region.items) {
      for (const ValueId id : item.inputs) read(id);
      const size_t num_learned = learned.size();
      for (const ValueId id : item.variables) learn(id);
      for (const Region& body : item.bodies) {
        find_taken(body, taken);
        if (item.kind != StepKind::kWhile) continue;
        for (const ValueId id : body.gives) learn(id);
      }
      for (; learned.size() > num_learned; learned.pop_back()) taken.known.erase(learned.back());
      for (const ValueId id : item.outputs) learn(id);
    }
    for (const ValueId id : region.gives) read(id);
    for (const ValueId id : learned) taken.known.erase(id);
  }

  const StepGraph& flat_;
  const RegionTree& tree_;
};

}  // namespace

StepGraph to_step_graph(const StepGraph& flat, const RegionTree& tree) {
  return GraphMaker(flat, tree).make();
}

}  // namespace flowray::engine
