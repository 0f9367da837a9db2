#pragma once
/// Items by name, for graphs of very many nodes: one flat row of slots, nothing allocated for each item.

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::graph {

/// A hash table with open addressing. It keeps of an item no more than the item itself (a pointer, an index)
/// and a part of its name's hash; `NameOf` tells the name, which is asked for only where the hashes agree.
/// Nothing is ever taken out.
template <class Item, class NameOf>
class NameTable {
 public:
  explicit NameTable(NameOf name_of = {}) : name_of_(std::move(name_of)) {}

  void reserve(size_t num_items) {
    const size_t wanted = std::bit_ceil(num_items * 2);  // half full at most
    if (wanted > slots_.size()) rehash(wanted);
  }

  /// Null if there is none of that name.
  const Item* find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    const uint32_t mark = mark_of(name);
    for (size_t place = first_place(mark);; place = next(place)) {
      const Slot& slot = slots_[place];
      if (slot.mark == kFree) return nullptr;
      if (slot.mark == mark && name_of_(slot.item) == name) return &slot.item;
    }
  }

  /// False, and nothing changes, where its name is there already.
  bool insert(Item item) {
    if ((size_ + 1) * 2 > slots_.size()) rehash(slots_.empty() ? 16 : slots_.size() * 2);
    const std::string_view name = name_of_(item);
    const uint32_t mark = mark_of(name);
    size_t place = first_place(mark);
    for (; slots_[place].mark != kFree; place = next(place)) {
      if (slots_[place].mark == mark && name_of_(slots_[place].item) == name) return false;
    }
    slots_[place] = {mark, std::move(item)};
    ++size_;
    return true;
  }

 private:
  static constexpr uint32_t kFree = 0;
  struct Slot {
    uint32_t mark = kFree;
    Item item{};
  };

  static uint32_t mark_of(std::string_view name) {
    return static_cast<uint32_t>(std::hash<std::string_view>{}(name)) | 1u;
  }
  /// The lowest bit says only that the slot is taken.
  size_t first_place(uint32_t mark) const { return (mark >> 1) & (slots_.size() - 1); }
  size_t next(size_t place) const { return (place + 1) & (slots_.size() - 1); }

  void rehash(size_t num_slots) {
    std::vector<Slot> old(num_slots);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.mark == kFree) continue;
      size_t place = first_place(slot.mark);
      while (slots_[place].mark != kFree) place = next(place);
      slots_[place] = std::move(slot);
    }
  }

  NameOf name_of_;
  std::vector<Slot> slots_;  // a power of two of them, or none
  size_t size_ = 0;
};

}  // namespace flowray::graph
