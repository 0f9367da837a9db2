#pragma once
/// JSON that programs are told by (TF_CONFIG, runtime environments).

#include <string>
#include <string_view>
#include <vector>

namespace flowray {

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text = {};                // of a text; of a bool or a number as it is written
  std::vector<std::string> names = {};  // of a map's items
  std::vector<JsonValue> items = {};

  /// An item of a map, the last of this name; null where there is none, or this is no map.
  const JsonValue* find(std::string_view name) const;
};

/// Throws ValueError where `text` is not one value of JSON's grammar.
JsonValue read_json(std::string_view text);

}  // namespace flowray
