#pragma once
/// Eager execution: operations give values at once, without graph and session, and gradients are those of
/// what ran.
///
///     auto eager = tf::eager();
///     tf::Tensor x = tf::constant({{1.f, 2.f}, {3.f, 4.f}});
///     std::cout << tf::matmul(x, x).value() << "\n";      // [[7 10] [15 22]]
///     tf::GradientTape tape;
///     tape.watch(x);
///     tf::Tensor y = tf::reduce_sum(x * x);
///     if (y.value().item<float>() > 10) std::cout << tape.gradient(y, x).value() << "\n";
///
/// All functions of flowray::tf that are made of operations work so; names, devices and control dependencies
/// mean nothing then. What is of graphs only (placeholders, tf::gradients, collections) says so.

#include <flowray/tf/gradients.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/list.h>
#include <flowray/tf/variable.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Operations of this thread run at once as long as it lives. Inside of it graph.as_default() goes back to
/// building a graph. Guards end in the reverse order of their making.
class [[nodiscard]] EagerScope {
 public:
  /// Begins now; tf::eager() makes one.
  EagerScope();
  EagerScope(const EagerScope&) = delete;
  EagerScope& operator=(const EagerScope&) = delete;

 private:
  GraphScope scope_;
};

/// `auto eager = tf::eager();`
EagerScope eager();
/// From now on all threads run operations at once, but inside of graph.as_default(). Throws ValueError where
/// this thread's graph has operations already. Source: tf.enable_eager_execution.
void enable_eager_execution();
/// Operations of all threads are added to graphs again.
void disable_eager_execution();
/// Whether operations of this thread run at once now.
bool executing_eagerly();

struct GradientTapeOptions {
  /// Whether gradient() may be called more than once; the tape then keeps what it has recorded; true for
  /// several gradients of one recording; its memory is kept until the tape goes.
  bool persistent = false;
  /// Whether trainable variables that are read are watched without being asked for; false to choose by
  /// watch() alone, where a model has many variables and few gradients are asked for.
  bool watch_accessed_variables = true;
};

struct TapeGradientOptions {
  /// Gradients of the targets to start from, one for each; a None stands for ones of its shape, as does an
  /// empty list.
  std::vector<OptionalInput> output_gradients = {};
  /// The gradient of sources that no target depends on: "none" (a None) or "zero" (zeros of their shape).
  std::string unconnected_gradients = "none";
};

/// tf.GradientTape: records operations from when it is made, in this thread, until gradient(), stop() or its
/// end. Tapes may be nested: the outer one records how the inner one computes its gradients.
class GradientTape {
 public:
  /// Records from now on.
  explicit GradientTape(const GradientTapeOptions& options = {});
  GradientTape(GradientTape&&) noexcept;
  GradientTape& operator=(GradientTape&&) noexcept;
  ~GradientTape();

  /// From now on what depends on the tensor is recorded. Throws ValueError for a tensor of a graph.
  void watch(const Tensor& tensor, Input::Where where = Input::Where::current());
  /// The same of what reads the variable.
  void watch(const Variable& variable, Input::Where where = Input::Where::current());
  /// The variables that were read while it recorded, in that order.
  std::vector<Variable> watched_variables() const;

  /// d sum(targets) / d source for each source; None where nothing flows. A tape that is not persistent ends
  /// with it. Throws RuntimeError where it has been called before, LookupError's counterpart KeyError for an
  /// operation without a gradient.
  std::vector<Tensor> gradient(const List<Tensor>& targets, const List<GradientTarget>& sources,
                               const TapeGradientOptions& options = {},
                               Input::Where where = Input::Where::current());
  /// The same of one target and one source.
  Tensor gradient(const Tensor& target, const GradientTarget& source, const TapeGradientOptions& options = {},
                  Input::Where where = Input::Where::current());
  /// The same of one target.
  std::vector<Tensor> gradient(const Tensor& target, const List<GradientTarget>& sources,
                               const TapeGradientOptions& options = {},
                               Input::Where where = Input::Where::current()) {
    return gradient(List<Tensor>({target}, where), sources, options, where);
  }
  /// The derivative of each element of the target by each element of the source: target's shape, then
  /// source's. None where nothing flows.
  Tensor jacobian(const Tensor& target, const GradientTarget& source,
                  Input::Where where = Input::Where::current());

  /// Records no more. start() goes on.
  void stop();
  /// Goes on recording after stop(). Throws ValueError where it has not been stopped.
  void start();
  /// Whether it records now.
  bool is_recording() const;
  /// Forgets all that was recorded and watched, as if it began here.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
