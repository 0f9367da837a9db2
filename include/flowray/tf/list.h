#pragma once
/// List: several of what a function takes, where TensorFlow takes a list.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <source_location>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace internal {
/// A vector, array or span of what converts to an Item, which as a whole is not an Item.
template <class R, class Item>
concept ListOfSuch = std::ranges::input_range<const R&> &&
                     std::convertible_to<std::ranges::range_reference_t<const R&>, Item> &&
                     !std::convertible_to<const R&, Item>;
}  // namespace internal

/// Items in braces, {x, y, 1.0}, or a vector, array or span of what converts to one: a std::vector<Tensor>
/// where Inputs are wanted. It remembers the line where it was made, so that nodes that are made of it know
/// the user's line; it lives only as long as the call.
template <class Item>
class List {
 public:
  using Where = std::source_location;

  List(std::initializer_list<Item> items, Where where = Where::current())  // NOLINT: implicit, all of these
      : items_(items), where_(where) {}
  List(std::vector<Item> items, Where where = Where::current()) : items_(std::move(items)), where_(where) {}
  template <class R>
    requires(!std::same_as<R, List> && internal::ListOfSuch<R, Item>)
  List(const R& items, Where where = Where::current())
      : List(std::ranges::begin(items), std::ranges::end(items), where) {}
  /// What converts to a vector of them: tf::get_collection(..).
  template <class R>
    requires(!std::same_as<R, List> && !internal::ListOfSuch<R, Item> &&
             std::convertible_to<const R&, std::vector<Item>>)
  List(const R& items, Where where = Where::current())
      : items_(static_cast<std::vector<Item>>(items)), where_(where) {}
  template <std::input_iterator I, std::sentinel_for<I> End>
    requires std::convertible_to<std::iter_reference_t<I>, Item>
  List(I begin, End end, Where where = Where::current()) : where_(where) {
    for (; begin != end; ++begin) {
      if constexpr (std::constructible_from<Item, std::iter_reference_t<I>, Where>) {
        items_.emplace_back(*begin, where);
      } else {
        items_.emplace_back(*begin);
      }
    }
  }

  /// The number of items.
  size_t size() const { return items_.size(); }
  /// Whether there are no items.
  bool empty() const { return items_.empty(); }
  /// The first item, and the end, for a loop.
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// Item i; there must be one.
  const Item& operator[](size_t i) const { return items_[i]; }
  /// The first item; there must be one.
  const Item& front() const { return items_.front(); }
  /// As a vector.
  const std::vector<Item>& items() const { return items_; }
  /// As items().
  operator const std::vector<Item>&() const { return items_; }
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  std::vector<Item> items_;
  Where where_;
};

}  // namespace flowray::tf

#pragma GCC visibility pop
