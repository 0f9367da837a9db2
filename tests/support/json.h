#pragma once
/// As much of JSON as the golden files use, read into a tree.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::testing {

/// A JSON value. Numbers keep their text, so that int64 and -0 survive.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  ///< Of a number or a string.
  std::vector<Json> items;
  std::map<std::string, Json> members;

  bool has(const std::string& key) const { return members.contains(key); }
  /// Throws std::runtime_error if there is no such member.
  const Json& at(const std::string& key) const;
  double number() const;
  int64_t integer() const;
};

/// Throws std::runtime_error with the place where the text is not JSON.
Json parse_json(std::string_view text);

/// tests/golden/NAME.json. It is read in one go: many a program of tests does so at its start, and there is
/// one for each test.
Json read_golden(const std::string& name);

}  // namespace flowray::testing
