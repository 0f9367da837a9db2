#pragma once
/// Attribute values of nodes: what TensorFlow's AttrValue message holds.

#include <flowray/array.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flowray::graph {

/// An attribute that a graph from elsewhere brought along and that nothing here looks into (a function, a
/// list of tensors): the bytes of the AttrValue message, written as they were read.
struct OpaqueAttr {
  std::string message;
  bool operator==(const OpaqueAttr&) const = default;
};

/// AttrValue's kinds: b, i, f, s, type, shape, tensor and list(...) of each.
using AttrAlternatives =
    std::variant<bool, int64_t, float, std::string, DType, Shape, Array, std::vector<bool>,
                 std::vector<int64_t>, std::vector<float>, std::vector<std::string>, std::vector<DType>,
                 std::vector<Shape>, OpaqueAttr>;

template <class T, class Variant>
constexpr bool kIsAlternative = false;
template <class T, class... Ts>
constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);
template <class T>
concept AttrAlternative = kIsAlternative<T, AttrAlternatives>;

/// A value of one of these types. It is a class around std::variant, and everything that copies, moves or
/// ends one is in attributes.cpp: nearly every file sees this header, and a third of what it took to compile
/// one was the variant's tables.
class AttrValue {
 public:
  /// False.
  AttrValue();
  /// The value of exactly this type: nothing is converted, so a literal says int64_t{1} or std::string("x").
  template <AttrAlternative T>
  AttrValue(T value);
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();

  /// Null if the value is of another type.
  template <AttrAlternative T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  /// Throws std::bad_variant_access if the value is of another type.
  template <AttrAlternative T>
  const T& get() const {
    return std::get<T>(value_);
  }
  const AttrAlternatives& alternatives() const { return value_; }

 private:
  AttrAlternatives value_;
};

/// Equal in kind and value; tensors element by element.
bool same_attr(const AttrValue& a, const AttrValue& b);

/// A node's attributes by name, sorted. Nodes have few, so a flat list beats a tree.
class Attrs {
 public:
  using Item = std::pair<std::string, AttrValue>;

  Attrs() = default;
  /// {{"T", DType::kFloat32}, {"keep_dims", true}}. Literals keep their C++ type: write
  /// int64_t{1}, std::string("x").
  Attrs(std::initializer_list<Item> items);

  void reserve(size_t count) { items_.reserve(count); }
  void set(std::string_view name, AttrValue value);
  /// Null if there is no such attribute.
  const AttrValue* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  /// The value as `T`. A missing attribute or another type is a bug in a schema: throws InternalError
  /// naming it.
  template <class T>
  const T& get(std::string_view name) const {
    const AttrValue* value = find(name);
    const T* typed = value == nullptr ? nullptr : value->get_if<T>();
    if (typed == nullptr) throw_missing(name);
    return *typed;
  }

  std::span<const Item> items() const { return items_; }

 private:
  [[noreturn]] void throw_missing(std::string_view name) const;
  std::vector<Item> items_;
};

}  // namespace flowray::graph
