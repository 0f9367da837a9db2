#pragma once
/// tf.train.Example: named lists of bytes, floats or integers, one record of a data set.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flowray::wire {

/// One list, still as it was written.
struct Feature {
  enum class Kind : uint8_t { kNone, kBytes, kFloats, kIntegers };
  Kind kind = Kind::kNone;
  std::string_view list;

  /// The values of that kind. Throw errors::DataLossError for bytes that are not such a list.
  std::vector<std::string_view> bytes() const;
  std::vector<float> floats() const;
  std::vector<int64_t> integers() const;
};

/// By name; of several of one name the last one. Borrows from the message.
using Features = std::unordered_map<std::string_view, Feature>;

/// Throws errors::DataLossError for bytes that are not an Example.
Features read_example(std::string_view message);

/// A Feature as it is written.
std::string written_feature(std::span<const std::string> values);
std::string written_feature(std::span<const float> values);
std::string written_feature(std::span<const int64_t> values);
/// An Example of features as they are written, by name.
std::string written_example(const std::map<std::string, std::string>& features);

}  // namespace flowray::wire
