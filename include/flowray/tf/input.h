#pragma once
/// Input: anything that functions accept where TensorFlow accepts "a Tensor or what converts to one".

#include <flowray/tf/dtypes.h>
#include <flowray/tf/list.h>
#include <flowray/tf/nested_vectors.h>
#include <flowray/tf/tensor.h>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

using ::flowray::Literal;
class Variable;
namespace internal {
struct VariableState;
}

/// A Tensor, a Variable (its value is read), an Array, or a number, string or nested list as written in the
/// program. Numbers become Const nodes of the dtype that the place asks for (see Literal); a list with
/// tensors in it, as in tf::reshape(x, {rows, 2, 2}), becomes a Pack node. It remembers the line where it was
/// made, so that the node it goes into knows the user's line; it lives only as long as the call.
class Input {
 public:
  using Where = std::source_location;

  Input(const Tensor& tensor, Where where = Where::current())  // NOLINT: implicit, all of these
      : value_(tensor), where_(where) {}
  Input(const Variable& variable, Where where = Where::current());
  Input(Array array, Where where = Where::current()) : value_(std::move(array)), where_(where) {}
  template <Element T>
  Input(T value, Where where = Where::current()) : value_(Literal(value)), where_(where) {}
  Input(const char* text, Where where = Where::current()) : value_(Literal(text)), where_(where) {}
  Input(Literal literal, Where where = Where::current()) : value_(std::move(literal)), where_(where) {}
  Input(std::initializer_list<Input> items, Where where = Where::current());
  template <Element T>
  Input(const std::vector<T>& values, Where where = Where::current())
      : value_(Array(values)), where_(where) {}
  template <NestedVector Row>
  Input(const std::vector<Row>& rows, Where where = Where::current())
      : value_(array_of(rows)), where_(where) {}
  /// A shape as a vector of its dimensions.
  Input(const TensorShape& shape, Where where = Where::current());
  /// A list of a length known only at run time.
  static Input list(const std::vector<Input>& items, Where where = Where::current());

  /// The tensor (a variable's value among them); null for anything else.
  const Tensor* tensor() const {
    if (reads_later_) [[unlikely]]
      read_variable();
    return std::get_if<Tensor>(&value_);
  }
  /// The Array; null for anything else.
  const Array* array() const { return std::get_if<Array>(&value_); }
  /// The number, text or list that is written in the program; null for anything else.
  const Literal* literal() const { return std::get_if<Literal>(&value_); }
  /// A list that is not a Literal because there are tensors or arrays in it, at whatever depth.
  const std::vector<Input>* list() const {
    const auto* items = std::get_if<std::shared_ptr<const std::vector<Input>>>(&value_);
    return items == nullptr ? nullptr : items->get();
  }
  /// For a Variable: its reference or handle, for operations that change it; else null.
  const Tensor& reference() const { return reference_; }
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  Input(std::span<const Input> items, Where where);
  void read_variable() const;

  /// A resource variable, or one of eager execution, is read when its value is asked for, which what changes
  /// it does not.
  mutable std::variant<Tensor, Array, Literal, std::shared_ptr<const std::vector<Input>>> value_;
  mutable bool reads_later_ = false;
  Tensor reference_;
  std::shared_ptr<internal::VariableState> resource_;  // of a resource variable
  Where where_;
};

/// What converts to an Input.
template <class T>
concept InputLike = std::convertible_to<const T&, Input>;

/// An argument that may be left out: {.axis = 1}, {.axis = {0, 2}}, {.axis = tensor}.
class OptionalInput {
 public:
  OptionalInput() = default;
  OptionalInput(const Input& input) : input_(input) {}  // NOLINT: implicit, as all of these
  OptionalInput(std::nullopt_t) {}
  OptionalInput(NoneType) {}
  OptionalInput(const std::optional<Input>& input) : input_(input) {}
  template <InputLike T>
  OptionalInput(const T& value, Input::Where where = Input::Where::current()) : input_(Input(value, where)) {}
  OptionalInput(std::initializer_list<Input> items, Input::Where where = Input::Where::current())
      : input_(Input(items, where)) {}

  /// Whether it was given.
  bool has_value() const { return input_.has_value(); }
  /// The value; only where there is one.
  const Input& operator*() const { return *input_; }
  /// As operator*.
  const Input* operator->() const { return &*input_; }

 private:
  std::optional<Input> input_;
};

/// What an axis may be: an Input, or None, which is all of them.
template <class T>
concept AxisLike = InputLike<T> || std::same_as<T, NoneType>;

/// One item of a list in braces, {0, 2}, in a place where options may stand, too. (Braces with a name in them
/// would be an Input: some compilers pass over the name.)
class ListItem {
 public:
  template <InputLike T>
  ListItem(const T& value, Input::Where where = Input::Where::current())  // NOLINT: implicit
      : input_(value, where) {}
  /// The item.
  const Input& input() const { return input_; }

 private:
  Input input_;
};
/// The list.
template <size_t N>
Input list_of_items(const ListItem (&items)[N]) {
  std::vector<Input> inputs;
  for (const ListItem& item : items) inputs.push_back(item.input());
  return Input::list(inputs, inputs.front().where());
}

/// The first field of options that stand in one place with a value: it makes {1, 2} that value and never
/// options, which are always named ({.axis = 1}).
struct NamedFieldsOnly {
  /// Explicit, so that no braces make one.
  explicit constexpr NamedFieldsOnly() noexcept {}
};

/// Options of a function that has no other: tf::square(x, {.name = "y"}).
struct NameOption {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

}  // namespace flowray::tf

#pragma GCC visibility pop
