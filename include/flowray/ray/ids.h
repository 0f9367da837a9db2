#pragma once
/// Identities of the runtime. Each kind is a type of its own, so that they cannot be mixed up; zero stands
/// for none.

#include <cstddef>
#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// A value in the object store, or one that is still being computed.
struct ObjectId {
  /// 0: none.
  uint64_t value = 0;
  /// Whether it is one at all.
  explicit operator bool() const { return value != 0; }
  /// Whether both are one.
  bool operator==(const ObjectId&) const = default;
};

/// An actor, whether its process runs already or not.
struct ActorId {
  /// 0: none.
  uint64_t value = 0;
  /// Whether it is one at all.
  explicit operator bool() const { return value != 0; }
  /// Whether both are one.
  bool operator==(const ActorId&) const = default;
};

/// A registered function: a hash of the name under which RAY_REMOTE registered it, the same in every process.
struct FunctionId {
  /// 0: none.
  uint64_t value = 0;
  /// Whether it is one at all.
  explicit operator bool() const { return value != 0; }
  /// Whether both are one.
  bool operator==(const FunctionId&) const = default;
};

}  // namespace flowray::ray

template <>
struct std::hash<flowray::ray::ObjectId> {
  size_t operator()(flowray::ray::ObjectId id) const noexcept { return id.value * 0x9E3779B97F4A7C15u; }
};
template <>
struct std::hash<flowray::ray::ActorId> {
  size_t operator()(flowray::ray::ActorId id) const noexcept { return id.value * 0x9E3779B97F4A7C15u; }
};
template <>
struct std::hash<flowray::ray::FunctionId> {
  size_t operator()(flowray::ray::FunctionId id) const noexcept { return id.value; }
};

#pragma GCC visibility pop
