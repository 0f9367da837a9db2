#pragma once
/// tf.keras.activations: functions by their names, or a program's own.

#include <flowray/tf/function_of.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

/// A function of a tensor, by a name of tf::layers::activation or as it is: {.activation = "relu"},
/// {.activation = tf::nn::relu}. A default-made one is "none", the linear one. Throws ValueError "Unknown
/// activation function" for another name.
class Activation : public FunctionOf<Tensor> {
 public:
  Activation() = default;
  Activation(std::string_view name,  // NOLINT: implicit, all of these
             Input::Where where = Input::Where::current());
  Activation(const char* name, Input::Where where = Input::Where::current())
      : Activation(std::string_view(name), where) {}
  Activation(const std::string& name, Input::Where where = Input::Where::current())
      : Activation(std::string_view(name), where) {}
  Activation(const FunctionOf<Tensor>& function) : FunctionOf<Tensor>(function) {}
  Activation(std::nullptr_t) {}
  template <class F>
    requires(!std::derived_from<F, FunctionOf<Tensor>> && std::constructible_from<FunctionOf<Tensor>, F>)
  Activation(F function) : FunctionOf<Tensor>(std::move(function)) {}

  /// As files have it: what it was given by, or that of a function of the language, "relu" of tf::nn::relu;
  /// "linear" of none. Empty for a function of the program's.
  std::string name() const;

 private:
  std::string name_;
};

}  // namespace flowray::tf::keras

#pragma GCC visibility pop
