#pragma once
/// Memory for the nodes of a container that makes and erases one for each call.

#include <array>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace flowray {

/// Keeps small blocks that were given back and gives them out again: where hundreds are in use at a time and
/// go at once, malloc's own short lists overflow, and it merges and cuts up memory for each of them. For one
/// thread at a time.
class RecycledMemory final : public std::pmr::memory_resource {
 public:
  RecycledMemory() = default;
  RecycledMemory(const RecycledMemory&) = delete;
  RecycledMemory& operator=(const RecycledMemory&) = delete;
  ~RecycledMemory() override {
    for (List& list : lists_) {
      while (Block* const block = list.first) {
        list.first = block->next;
        ::operator delete(block);
      }
    }
  }

 private:
  static constexpr size_t kGrain = 16;
  static constexpr size_t kLargest = 512;
  static constexpr size_t kMostKept = 4096;  // of a size; more goes back to the system

  struct Block {
    Block* next;
  };
  struct List {
    Block* first = nullptr;
    size_t count = 0;
  };

  static bool is_recycled(size_t bytes, size_t alignment) {
    return bytes > 0 && bytes <= kLargest && alignment <= alignof(std::max_align_t);
  }
  static size_t rounded_up(size_t bytes) { return (bytes + kGrain - 1) / kGrain * kGrain; }
  List& list_of(size_t bytes) { return lists_[rounded_up(bytes) / kGrain - 1]; }

  void* do_allocate(size_t bytes, size_t alignment) override {
    if (!is_recycled(bytes, alignment)) return ::operator new(bytes, std::align_val_t(alignment));
    List& list = list_of(bytes);
    if (list.first == nullptr) return ::operator new(rounded_up(bytes));
    Block* const block = list.first;
    list.first = block->next;
    --list.count;
    return block;
  }

  void do_deallocate(void* memory, size_t bytes, size_t alignment) override {
    if (!is_recycled(bytes, alignment)) return ::operator delete(memory, std::align_val_t(alignment));
    List& list = list_of(bytes);
    if (list.count == kMostKept) return ::operator delete(memory);
    list.first = new (memory) Block{list.first};
    ++list.count;
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::array<List, kLargest / kGrain> lists_;
};

}  // namespace flowray
