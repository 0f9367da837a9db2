#pragma once

#include <flowray/ray/function.h>

#include <span>
#include <utility>

namespace flowray::ray {

/// The object of an actor, in the process where it lives. Deleted as its factory's type says.
class ActorObject {
 public:
  ActorObject() noexcept = default;
  /// `object` was made by `factory`.
  ActorObject(const internal::FunctionEntry& factory, void* object) noexcept
      : factory_(&factory), object_(object) {}
  ActorObject(ActorObject&& other) noexcept
      : factory_(std::exchange(other.factory_, nullptr)), object_(std::exchange(other.object_, nullptr)) {}
  ActorObject& operator=(ActorObject&& other) noexcept {
    std::swap(factory_, other.factory_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~ActorObject() {
    if (object_ != nullptr) factory_->destroy(object_);
  }

  explicit operator bool() const noexcept { return object_ != nullptr; }
  void* object() const noexcept { return object_; }
  const internal::FunctionEntry& factory() const noexcept { return *factory_; }

 private:
  const internal::FunctionEntry* factory_ = nullptr;
  void* object_ = nullptr;
};

/// Finds functions that are not registered, as an interpreter's are (Python's), by their ids; null: there is
/// no such one. Entries stay where they are.
using FunctionFinder = const internal::FunctionEntry* (*)(FunctionId function);
/// Sets the finder that is asked for functions from now on. To be called while nothing runs.
void set_function_finder(FunctionFinder finder);

/// What a worker does with a call. Runs the function with the encoded arguments `values` and the values
/// `references` of those that are references, and fills each of `results`; a function that returns nothing
/// gives nil, a factory makes `actor` and gives nil (it may have no result).
///
/// What goes wrong becomes the value of every result and false is returned: the function threw; it is not
/// registered; an argument's value is an error, which is passed on as it is; the arguments cannot be decoded.
/// Nothing is ever thrown but the end of the thread, and ActorExit as the function throws it.
bool run_function(FunctionId function, const internal::ValueView& values,
                  std::span<const internal::ValueView> references, ActorObject& actor,
                  std::span<Encoder> results);

}  // namespace flowray::ray
