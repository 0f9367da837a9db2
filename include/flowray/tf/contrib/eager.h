#pragma once
/// tf.contrib.eager: functions that are traced once and then run as one step (tf.function of TensorFlow; in
/// C++ tf::function is where graphs' functions are).
///
///     auto eager = tf::eager();
///     auto w = tf::Variable({0.f});
///     auto step = tf::contrib::eager::defun([&](const tf::Tensor& x, const tf::Tensor& y) {
///       return tf::reduce_mean(tf::square(w * x - y));
///     });
///     tf::Tensor loss = step(xs, ys);      // traced, compiled and run
///     loss = step(xs, ys);                 // run

#include <flowray/tf/data.h>
#include <flowray/tf/input.h>
#include <flowray/tf/tensor.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::contrib::eager {

struct DefunOptions {
  /// The dtype and shape of each argument, -1 for sizes that may be any: one trace does for all that fit, and
  /// others are a TypeError. Left out: a trace for each dtype and shape that comes.
  std::optional<std::vector<data::TensorSpec>> input_signature = {};
};

/// The traces of a function. For Flowray itself.
class Traces {
 public:
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  /// Has none yet. Throws TypeError for a signature without dtypes.
  explicit Traces(DefunOptions options);
  /// What `function` gives for the arguments, by its trace for arguments of this kind, which is made first
  /// where there is none.
  std::vector<Tensor> call(const std::vector<Input>& arguments, const Function& function) const;
  /// How many there are.
  int64_t count() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What defun() makes. Called while tf::eager() is on, its arguments become tensors, and for each list of
/// dtypes and shapes the function runs once, in a graph of its own; calls run that graph. What else the
/// function uses has in it the value of the moment of tracing, but for variables. A variable of its own is
/// made at the first call and stays (ValueError for one that a later trace makes). Assignments, printing and
/// so on run in the order of the program. Tapes record a call as one operation. While a graph is built, or
/// in another traced function, the function is called as it stands. A copy is the same function.
template <class F>
class TracedFunction {
 public:
  /// Of a function that takes tensors; defun() makes one.
  TracedFunction(F function, DefunOptions options)
      : function_(std::make_shared<F>(std::move(function))), traces_(std::move(options)) {}

  /// The function gives a Tensor, a list of them, or nothing. Throws TypeError for arguments that are not
  /// those of the input_signature.
  template <std::convertible_to<Input>... Arguments>
  auto operator()(const Arguments&... arguments) const {
    return call<sizeof...(Arguments)>({Input(arguments)...},
                                      std::make_index_sequence<sizeof...(Arguments)>());
  }

  /// How often the function was traced.
  int64_t experimental_get_tracing_count() const { return traces_.count(); }

 private:
  template <size_t>
  using Argument = const Tensor&;

  template <size_t Count, size_t... I>
  auto call(const std::vector<Input>& arguments, std::index_sequence<I...>) const {
    using Result = std::invoke_result_t<F&, Argument<I>...>;
    constexpr bool is_one = std::convertible_to<Result, Tensor>;
    const auto results = traces_.call(arguments, [this](const std::vector<Tensor>& given) {
      (void)given;
      if constexpr (std::is_void_v<Result>) {
        (*function_)(given[I]...);
        return std::vector<Tensor>();
      } else if constexpr (is_one) {
        return std::vector<Tensor>{(*function_)(given[I]...)};
      } else {
        return std::vector<Tensor>((*function_)(given[I]...));
      }
    });
    if constexpr (is_one) {
      return results.at(0);
    } else if constexpr (!std::is_void_v<Result>) {
      return results;
    }
  }

  std::shared_ptr<F> function_;
  Traces traces_;
};

/// tf.contrib.eager.defun, tf.function: a function of tensors, which is traced once for each kind of
/// arguments and then runs as one step.
template <class F>
TracedFunction<F> defun(F function, DefunOptions options = {}) {
  return {std::move(function), std::move(options)};
}

}  // namespace flowray::tf::contrib::eager

#pragma GCC visibility pop
