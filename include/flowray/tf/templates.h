#pragma once
/// tf.make_template: a function whose variables are made by its first call, and found by those that follow.
///
///     auto encoder = tf::make_template("encoder", [](const tf::Tensor& x) {
///       return tf::matmul(x, tf::get_variable("w", {8, 4}));
///     });
///     tf::Tensor left = encoder(images);       // makes "encoder/w"
///     tf::Tensor right = encoder(others);      // finds it

#include <flowray/tf/variable_scope.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct TemplateOptions {
  /// Its scope is made now, and not by its first call; true where scopes are to be numbered in the order of
  /// the templates, not of their first calls.
  bool create_scope_now = false;
  /// What its scope is called in place of its name, which is made unique.
  std::string unique_name = {};
  /// What get_variable goes through in it.
  CustomGetter custom_getter = nullptr;
};

/// What a Template knows of its variables. Copies stand for the same template.
class TemplateScope {
 public:
  /// The name that it was given.
  const std::string& name() const;
  /// The scope's name with a slash at its end; empty before there is one.
  std::string variable_scope_name() const;
  /// Its variables that sessions share, and then the local ones; none before the first call.
  std::vector<Variable> variables() const;
  /// Its variables that sessions share and checkpoints keep.
  std::vector<Variable> global_variables() const;
  /// Its variables that no checkpoint keeps.
  std::vector<Variable> local_variables() const;
  /// Its variables that optimizers change.
  std::vector<Variable> trainable_variables() const;
  /// Its variables that sessions share and no optimizer changes.
  std::vector<Variable> non_trainable_variables() const;

 protected:
  struct State;
  /// The template's scope, open while a call runs.
  class [[nodiscard]] Call {
   public:
    Call(const TemplateScope& of, Input::Where where);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    /// Throws ValueError where a call that is not the first has made variables to be trained.
    void finish();

   private:
    struct Open;
    std::unique_ptr<Open> open_;
  };

  TemplateScope(const std::string& name, const TemplateOptions& options, Input::Where where);

 private:
  std::shared_ptr<State> state_;
};

/// A function in a variable scope of its own.
template <class Function>
class Template : public TemplateScope {
 public:
  /// For Flowray itself: tf::make_template makes one.
  Template(const std::string& name, Function function, const TemplateOptions& options, Input::Where where)
      : TemplateScope(name, options, where), function_(std::move(function)) {}

  /// Calls the function. Throws what it throws, and ValueError "Trainable variable created when calling a
  /// template after the first time, ...".
  template <class... Arguments>
    requires std::is_invocable_v<const Function&, Arguments...>
  auto operator()(Arguments&&... arguments) const {
    Call call(*this, Input::Where());
    if constexpr (std::is_void_v<std::invoke_result_t<const Function&, Arguments...>>) {
      function_(std::forward<Arguments>(arguments)...);
      call.finish();
    } else {
      auto result = function_(std::forward<Arguments>(arguments)...);
      call.finish();
      return result;
    }
  }

 private:
  Function function_;
};

/// Such a function.
template <class Function>
Template<Function> make_template(const std::string& name, Function function,
                                 const TemplateOptions& options = {},
                                 Input::Where where = Input::Where::current()) {
  return Template<Function>(name, std::move(function), options, where);
}

}  // namespace flowray::tf

#pragma GCC visibility pop
