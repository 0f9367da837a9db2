#pragma once
/// Config: what a layer, a model or an initializer was made of, as files keep it (get_config of tf.keras).
///
///     tf::Config config = layer.get_config();
///     int64_t units = config.at("units").integer();
///     std::cout << config.to_json() << "\n";         // {"name": "dense", "trainable": true, ...}

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// A value of JSON: null, a truth value, an integer, a number, a text, a list, or items by names in their
/// order.
class Config {
 public:
  /// What a value is.
  enum class Kind { kNull, kBool, kInteger, kNumber, kText, kList, kItems };

  /// Null.
  Config() = default;
  template <std::same_as<bool> T>
  Config(T value) : kind_(Kind::kBool), integer_(value ? 1 : 0) {}  // NOLINT: implicit, all of these
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Config(T value) : kind_(Kind::kInteger), integer_(static_cast<int64_t>(value)) {}
  Config(double value) : kind_(Kind::kNumber), number_(value) {}
  Config(std::string value) : kind_(Kind::kText), text_(std::move(value)) {}
  Config(std::string_view value) : Config(std::string(value)) {}
  Config(const char* value) : Config(std::string(value)) {}
  Config(std::vector<Config> values) : kind_(Kind::kList), values_(std::move(values)) {}
  /// Numbers, one after the other.
  Config(const std::vector<int64_t>& values) : kind_(Kind::kList), values_(values.begin(), values.end()) {}
  /// Items by names: Config::items({{"units", 3}, {"name", "dense"}}).
  static Config items(std::initializer_list<std::pair<std::string, Config>> items = {});
  /// Reads JSON. Throws ValueError for other texts.
  static Config from_json(std::string_view text);

  /// What it is.
  Kind kind() const { return kind_; }
  /// Whether it is null.
  bool is_null() const { return kind_ == Kind::kNull; }
  /// Whether it is a text.
  bool is_text() const { return kind_ == Kind::kText; }
  /// Whether it is a list.
  bool is_list() const { return kind_ == Kind::kList; }
  /// Whether it has items by names.
  bool has_items() const { return kind_ == Kind::kItems; }
  /// A truth value. Throws TypeError for others.
  bool truth() const;
  /// An integer, or a number without a fraction. Throws TypeError for others.
  int64_t integer() const;
  /// A number, or an integer. Throws TypeError for others.
  double number() const;
  /// A text. Throws TypeError for others.
  const std::string& text() const;
  /// The values of a list, or of items. Throws TypeError for others.
  const std::vector<Config>& values() const;
  /// The integers of a list. Throws TypeError for others.
  std::vector<int64_t> integers() const;
  /// The names of its items, in their order; none where it has no items.
  const std::vector<std::string>& names() const { return names_; }
  /// The item of this name; null where there is none.
  const Config* find(std::string_view name) const;
  /// The item of this name. Throws KeyError where there is none.
  const Config& at(std::string_view name) const;
  /// Gives it an item, in the place of one that is called so. Null becomes items. Throws TypeError for
  /// others.
  Config& set(std::string_view name, Config value);
  /// Adds a value to a list. Null becomes a list. Throws TypeError for others.
  Config& add(Config value);

  /// As Python's json.dumps writes it. Throws ValueError for numbers that are not finite.
  std::string to_json() const;
  /// The same value. An integer is not the same as a number.
  bool operator==(const Config& other) const;

 private:
  void write(std::string& text) const;

  Kind kind_ = Kind::kNull;
  int64_t integer_ = 0;  // of a truth value, too
  double number_ = 0;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Config> values_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
