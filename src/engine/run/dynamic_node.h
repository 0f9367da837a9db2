#pragma once
/// A dynamic instruction on one RunState: what it keeps from run to run, so that it allocates nothing but
/// elements where the shapes that it meets come again.

#include "core/parallel.h"
#include "files/file_access.h"
#include "graph/kernel/kernel.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace flowray::engine {

class DynamicNode {
 public:
  struct Input {
    /// The value; null for what lies in the arena and for a resource.
    const Array* array = nullptr;
    /// The elements, where they lie in the arena. They may be written over before the outputs are read.
    void* elements = nullptr;
    const Shape* shape = nullptr;
    DType dtype = DType::kInvalid;
    /// The variable or other resource where the op takes one.
    graph::Resource* resource = nullptr;
    /// The same value where this is its last read, so that an output may take over its buffer.
    Array* given = nullptr;
  };

  explicit DynamicNode(const graph::Node& node) : node_(node) {}

  /// To be filled in before each run.
  std::vector<Input>& inputs() { return inputs_; }

  /// The outputs, which the caller takes; those of reference types have no value. As graph::evaluate does,
  /// but kernels are prepared again only for other shapes, and write in place where they may. Throws the
  /// bare reason. `files`: those that the op may use.
  std::span<Array> run(graph::NodeStates& states, Parallel& parallel, const files::FileAccess& files);

 private:
  /// What `prepare` returned for inputs of these shapes and values.
  struct Prepared {
    std::vector<Shape> input_shapes;
    /// Small integers that were looked at; without value where none were, or for other inputs.
    std::vector<Array> values;
    std::vector<Shape> output_shapes;
    std::unique_ptr<graph::Kernel> kernel;  // null for a view
  };

  void compute(Parallel& parallel);
  void evaluate(graph::NodeStates& states, Parallel& parallel);
  const Prepared* prepared(graph::NodeStates& states, Parallel& parallel);
  bool suits(const Prepared& prepared) const;
  std::unique_ptr<Prepared> prepare(graph::NodeStates& states, Parallel& parallel, bool with_values) const;
  void run_view(const Prepared& prepared);
  void run_kernel(const Prepared& prepared, Parallel& parallel);
  Array memory_for(int output, const Prepared& prepared);
  /// The value as an Array; a copy of what lies in the arena.
  static Array array_of(const Input& input);
  static const Shape& shape_of(const Input& input);

  /// Input shapes may alternate from run to run.
  static constexpr size_t kMostPrepared = 4;
  /// After so many preparations that did not fit,
  /// output shapes are taken to depend on more than input values.
  static constexpr int kMostInVain = 2;

  const graph::Node& node_;
  std::vector<Input> inputs_;
  std::vector<Array> outputs_;
  std::array<std::unique_ptr<Prepared>, kMostPrepared> prepared_;
  size_t next_ = 0;            // of prepared_, to be replaced
  bool needs_values_ = false;  // shapes alone did not do
  int num_in_vain_ = 0;        // preparations that failed
  // Kept for their memory.
  std::vector<Array> arrays_;
  std::vector<void*> slots_;
  std::vector<uint32_t> places_;
};

}  // namespace flowray::engine
