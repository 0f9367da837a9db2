#pragma once
/// The kernel contract. `prepare` looks at shapes and attributes once for each plan and returns a Kernel;
/// `run` gets pointers and allocates nothing. Where output shapes are known only at run time, or elements are
/// strings, an op gives a `compute` function over Arrays instead.

#include "core/function_ref.h"
#include "core/parallel.h"
#include "graph/attributes.h"
#include "graph/checked_index.h"
#include "graph/graph.h"
#include "graph/kernel/elementwise_loop.h"
#include "graph/resource/variable.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowray::graph {

/// Output `output` may be written over input `input` (same bytes), element i before element i is read again.
struct InPlacePair {
  int input;
  int output;
};

/// What one call of Kernel::run gets. Pointers are at least as aligned as their element type, not more.
class KernelCall {
 public:
  /// `inputs` and `outputs`: where in `slots` each of them is.
  KernelCall(void* const* slots, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs,
             void* workspace, Parallel& parallel)
      : slots_(slots), inputs_(inputs), outputs_(outputs), workspace_(workspace), parallel_(parallel) {}

  /// The same for `operands` that are the inputs and then the outputs.
  KernelCall(void* const* slots, std::span<const uint32_t> operands, size_t num_inputs, void* workspace,
             Parallel& parallel)
      : KernelCall(slots, operands.first(num_inputs), operands.subspan(num_inputs), workspace, parallel) {}

  // The number of an input or output is checked: InvalidArgumentError where there is none of it.

  template <class T>
  const T* in(int i) const {
    return static_cast<const T*>(input(i));
  }
  template <class T>
  T* out(int i) const {
    return static_cast<T*>(slots_[outputs_[checked_index("output", i, outputs_.size())]]);
  }
  /// Input `i` of a reference type.
  Variable& variable(int i) const { return static_cast<Variable&>(*static_cast<Resource*>(input(i))); }
  /// As many bytes as the kernel asked for, aligned to 64; contents undefined.
  template <class T>
  T* workspace() const {
    return static_cast<T*>(workspace_);
  }
  /// Threads that this call may use.
  Parallel& parallel() const { return parallel_; }

 private:
  void* input(int i) const { return slots_[inputs_[checked_index("input", i, inputs_.size())]]; }

  void* const* slots_;
  std::span<const uint32_t> inputs_;
  std::span<const uint32_t> outputs_;
  void* workspace_;
  Parallel& parallel_;
};

/// Told of elements [begin, end) of an output as soon as the kernel will not look at them again, while they
/// are in the cache: it may read them and write over them. Called from whatever threads the kernel works on.
using PieceSink = FunctionRef<void(int64_t begin, int64_t end)>;

/// That a kernel can tell of an output piece by piece.
struct PieceRule {
  int output = 0;
  /// Pieces begin and end at multiples of so many elements; 0: the kernel cannot tell.
  int64_t elements = 0;
  /// Whether its work is split over all threads that it may have.
  bool is_shared = false;
};

/// Makes elements [begin, begin + count) of an input and returns where they are: in `buffer`, or in a place
/// of its own. Called from whatever threads the kernel works on.
using ElementSource = FunctionRef<const void*(int64_t begin, int64_t count, void* buffer)>;

/// That a kernel can take an input from an ElementSource: it asks for each element once.
struct SourceRule {
  int input = -1;  // -1: it cannot
  /// What it asks for begins and ends at multiples of so many elements.
  int64_t elements = 1;
  bool is_shared = false;  // as above
};

/// The rule of an optimizer on the elements of variables, which the first inputs are: so that the updates of
/// many variables can be one loop.
class UpdateLoop {
 public:
  virtual ~UpdateLoop() = default;
  static constexpr size_t kStateBytes = 256;

  int num_variables = 0;
  /// Elements of each variable.
  int64_t count = 0;
  /// About how many elements are worth another thread.
  int64_t elements_per_worker = 1;

  /// Looks at inputs and locked variables and fills in `state` (aligned to 16) for run(). Throws what
  /// Kernel::run throws.
  virtual void begin(const KernelCall& call, Variable::Update* const* variables, void* state) const = 0;
  /// Elements [begin, end); different ones on different threads.
  virtual void run(const void* state, int64_t begin, int64_t end) const = 0;
};

/// What a kernel tells of itself beside its run; see the functions of Kernel.
struct KernelOptions {
  size_t workspace_bytes = 0;
  std::vector<InPlacePair> in_place = {};
  std::optional<ElementwiseLoop> elementwise = std::nullopt;
  std::optional<ElementwiseLoop> row_reduction = std::nullopt;
  PieceRule pieces = {};
  SourceRule source = {};
  std::unique_ptr<const UpdateLoop> update = nullptr;
};

/// An op made ready for given shapes. `run` is called from many threads at once and changes nothing of
/// the object.
class Kernel {
 public:
  Kernel();
  /// Of the rules for pieces and for a source it takes what `takes_sink` and `takes_source` say.
  Kernel(KernelOptions& options, bool takes_sink, bool takes_source);
  virtual ~Kernel();
  /// Throws errors::OpError with the bare reason; the executor adds the node.
  virtual void run(const KernelCall& call) const = 0;

  size_t workspace_bytes() const { return workspace_bytes_; }
  std::span<const InPlacePair> in_place() const { return in_place_; }
  /// For kernels that can be run on any piece of their only output (fusion); else null.
  const ElementwiseLoop* elementwise() const { return elementwise_.get(); }

  /// For kernels whose only output has an element for each row of input 0 (walked kRow), which is all that
  /// they read (fusion); else null. Rows have at most kMostReducedRow elements.
  const ElementwiseLoop* row_reduction() const { return row_reduction_.get(); }
  static constexpr int64_t kMostReducedRow = 1024;

  /// What others may be fused with: see the types. The two runs are for kernels whose rules say that
  /// they can.
  const PieceRule& pieces() const { return pieces_; }
  virtual void run_in_pieces(const KernelCall& call, const PieceSink& sink) const;
  const SourceRule& source() const { return source_; }
  virtual void run_from_source(const KernelCall& call, const ElementSource& source) const;
  /// For kernels that do nothing but this; else null.
  const UpdateLoop* update() const { return update_.get(); }

 protected:
  size_t workspace_bytes_ = 0;
  std::vector<InPlacePair> in_place_;
  std::unique_ptr<const ElementwiseLoop> elementwise_;
  std::unique_ptr<const ElementwiseLoop> row_reduction_;
  PieceRule pieces_;
  SourceRule source_;
  std::unique_ptr<const UpdateLoop> update_;
};

/// A kernel from a callable: `make_kernel([n](const KernelCall& call) {...}, {.in_place = {{0, 0}}})`. One
/// with a rule for pieces or for a source takes a pointer to the sink or the source after the call, null
/// where there is none.
template <class Body>
std::unique_ptr<Kernel> make_kernel(Body body, KernelOptions options = {}) {
  constexpr bool kTakesSink = std::is_invocable_v<const Body&, const KernelCall&, const PieceSink*>;
  constexpr bool kTakesSource = std::is_invocable_v<const Body&, const KernelCall&, const ElementSource*>;
  class BodyKernel final : public Kernel {
   public:
    BodyKernel(Body&& body, KernelOptions& options)
        : Kernel(options, kTakesSink, kTakesSource), body_(std::move(body)) {}
    void run(const KernelCall& call) const override {
      if constexpr (kTakesSink || kTakesSource) {
        body_(call, nullptr);
      } else {
        body_(call);
      }
    }
    void run_in_pieces(const KernelCall& call, const PieceSink& sink) const override {
      if constexpr (kTakesSink) return body_(call, &sink);
      Kernel::run_in_pieces(call, sink);
    }
    void run_from_source(const KernelCall& call, const ElementSource& source) const override {
      if constexpr (kTakesSource) return body_(call, &source);
      Kernel::run_from_source(call, source);
    }

   private:
    Body body_;
  };
  // Not std::make_unique: every kernel's own std::unique_ptr<BodyKernel> would have to be compiled.
  return std::unique_ptr<Kernel>(new BodyKernel(std::move(body), options));
}

/// State of a stateful node that belongs to the session (random generators): made on first use, shared by
/// all plans.
class NodeState {
 public:
  virtual ~NodeState() = default;
};

/// Gives each node its state; the session implements it.
class NodeStates {
 public:
  virtual ~NodeStates() = default;
  /// The state of node `name`; `make` is called when there is none yet. Safe from many threads.
  virtual std::shared_ptr<NodeState> find_or_make(
      const std::string& name, const std::function<std::shared_ptr<NodeState>()>& make) = 0;
};

/// What `prepare` sees: everything about a node but the elements. All shapes are fully defined.
class PrepareContext {
 public:
  struct Value {
    Shape shape;
    DType dtype = DType::kInvalid;  // never a reference type
    const Array* value = nullptr;   // where it is known, else null
  };

  PrepareContext(const std::string& name, const OpSchema& schema, const Attrs& attrs,
                 std::span<const Value> inputs, std::span<const Value> outputs, NodeStates& states,
                 int workers)
      : name_(name),
        schema_(schema),
        attrs_(attrs),
        inputs_(inputs),
        outputs_(outputs),
        states_(states),
        workers_(workers) {}

  const std::string& node_name() const { return name_; }
  const OpSchema& schema() const { return schema_; }
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const Shape& input_shape(int i) const { return input(i).shape; }
  DType input_dtype(int i) const { return input(i).dtype; }
  /// The value of input `i` if it is the same in every run of the plan (axes, shapes, permutations),
  /// else null.
  const Array* input_value(int i) const {
    values_read_ |= i < kMostTracked ? uint64_t{1} << i : kAllValues;
    return input(i).value;
  }
  /// Bit i: whether the value of input `i` was asked for, so that the kernel may depend on it.
  uint64_t values_read() const { return values_read_; }
  /// For a context that prepares a kernel on behalf of this one: the value, not counted as read by this one.
  const Array* value_unread(int i) const { return input(i).value; }
  void add_values_read(uint64_t read) const { values_read_ |= read; }
  /// Integer input `i` as int64 values. Throws UnknownValue where it differs from run to run: the engine then
  /// prepares the kernel in each run, when it is known.
  std::vector<int64_t> integers(int i) const;
  const Shape& output_shape(int i) const { return output(i).shape; }
  DType output_dtype(int i) const { return output(i).dtype; }
  /// The most workers that KernelCall::parallel() will ever have for this kernel.
  int workers() const { return workers_; }

  /// The states of the session's nodes, for a context that prepares a kernel on behalf of this one.
  NodeStates& states() const { return states_; }
  /// The node's state in this session, made by `make` (returning std::shared_ptr<S>) when there is none.
  template <class S, class Make>
  std::shared_ptr<S> state(Make make) {
    return std::static_pointer_cast<S>(
        states_.find_or_make(name_, [&]() -> std::shared_ptr<NodeState> { return make(); }));
  }

  /// Throws UnimplementedError: the op has no kernel for this dtype.
  [[noreturn]] void no_kernel_for(DType dtype) const;

 private:
  const Value& input(int i) const { return inputs_[checked_index("input", i, inputs_.size())]; }
  const Value& output(int i) const { return outputs_[checked_index("output", i, outputs_.size())]; }
  static constexpr int kMostTracked = 64;
  static constexpr uint64_t kAllValues = ~uint64_t{0};

  const std::string& name_;
  const OpSchema& schema_;
  const Attrs& attrs_;
  std::span<const Value> inputs_;
  std::span<const Value> outputs_;
  NodeStates& states_;
  int workers_;
  mutable uint64_t values_read_ = 0;
};

/// One call of a `compute` function.
class DynamicCall {
 public:
  DynamicCall(const Attrs& attrs, std::span<const Array> inputs, std::span<Array> outputs, Parallel& parallel)
      : attrs_(attrs), inputs_(inputs), outputs_(outputs), parallel_(parallel) {}
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Array& in(int i) const { return inputs_[checked_index("input", i, inputs_.size())]; }
  void set_out(int i, Array array) {
    outputs_[checked_index("output", i, outputs_.size())] = std::move(array);
  }
  Parallel& parallel() const { return parallel_; }

 private:
  const Attrs& attrs_;
  std::span<const Array> inputs_;
  std::span<Array> outputs_;
  Parallel& parallel_;
};

}  // namespace flowray::graph
