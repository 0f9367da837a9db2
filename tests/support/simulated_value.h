#pragma once

#include <flowray/ray/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flowray::ray {

/// What travels in the simulation of the actor runtime: a number that says which value it is, references, and
/// padding whose bytes follow from the number, so that a value that was overwritten is seen.
struct SimulatedValue {
  uint64_t number = 0;  ///< of arguments: the call; else: the object
  /// How deep calls may make further calls.
  uint32_t budget = 0;
  std::vector<ActorId> actors;
  std::vector<ObjectId> refs;
  size_t padding_bytes = 0;
};

/// As an encoded value (src/ray/values/value.h).
std::vector<std::byte> encode(const SimulatedValue& value);
/// Throws errors::DataLossError for other bytes.
SimulatedValue decode(std::span<const std::byte> bytes);

/// An encoded error with this text.
std::vector<std::byte> encode_failure(const std::string& text);

}  // namespace flowray::ray
