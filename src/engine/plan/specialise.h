#pragma once
/// From a step's graph and the shapes that are fed to what is known before it runs: every shape that follows,
/// every value that is the same in each run (folded constants), and which variable or queue stands behind
/// each handle.

#include "engine/step/pass_options.h"
#include "engine/step/step_graph.h"
#include "files/file_access.h"
#include "graph/kernel/kernel.h"
#include "graph/resource/variable.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace flowray::engine {

/// Where a step's variables, queues and the states of its nodes live; the session owns it.
struct Resources {
  graph::ResourceContainers& containers;
  graph::NodeStates& states;
  int workers;  // of the session's Parallel
  PassOptions passes;
  const files::FileAccess& files;  // those that ops may use
};

struct ValueFacts {
  /// Unknown (rank or dimensions) where only the run can tell.
  Shape shape = Shape::unknown_rank();
  /// The value where it is the same in every run.
  Array constant = {};
  /// The variable, queue, ... that a reference or resource handle stands for.
  std::shared_ptr<graph::Resource> resource = nullptr;
  /// For a resource handle: the shape of its variable, as declared.
  Shape handle_shape = Shape::unknown_rank();

  bool is_static() const { return shape.is_fully_defined(); }
};

/// What is known of a step's graph.
struct Facts {
  std::vector<ValueFacts> values;  // by ValueId
  /// Facts of If and While nodes' bodies, by place of the node. A body that cannot run has no values.
  std::map<uint32_t, std::vector<Facts>> bodies;

  const ValueFacts& operator[](size_t id) const { return values[id]; }
  ValueFacts& operator[](size_t id) { return values[id]; }
};

/// What is done about a node that the fed shapes cannot go through, or that has no kernel for them: refused
/// before anything runs, or an error when its turn comes, as in a body that may not run at all.
enum class Misfits { kRefused, kLeftToTheRun };

/// Throws errors::OpError, naming the node, where the fed shapes cannot go through it.
Facts specialise(const StepGraph& step, std::span<const Shape> fed_shapes, const Resources& resources);
/// The same where more is known of what is fed than shapes.
Facts specialise(const StepGraph& step, std::vector<ValueFacts> fed, const Resources& resources,
                 Misfits misfits = Misfits::kRefused);

/// "name:0 float32[2,3]", "= [1 2]" behind a constant; one line a value.
std::string to_text(const StepGraph& step, const Facts& facts);

/// Whether variable `number` of a While is a reference or a handle inside of the loop, not a value.
inline bool is_reference_in_loop(const StepNode& loop, size_t number) {
  const StepGraph& body = loop.bodies[1];
  return stands_for_resource(body.values[body.feeds[number]].dtype());
}

}  // namespace flowray::engine
