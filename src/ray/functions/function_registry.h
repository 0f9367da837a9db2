#pragma once

#include <flowray/ray/function.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/guarded.h"

namespace flowray::ray {

/// The functions that RAY_REMOTE named, found by pointer where they are called and by id where they run.
/// Filled while the program starts (and again when a library is opened), then only read: looking up takes no
/// lock. Thread-safe.
class FunctionRegistry {
 public:
  FunctionRegistry() = default;
  FunctionRegistry(const FunctionRegistry&) = delete;
  FunctionRegistry& operator=(const FunctionRegistry&) = delete;

  /// `spelled` becomes the name once & and spaces are taken out. The same function under the same name again
  /// (a header's) changes nothing; another function under that name is a problem, which check() reports.
  void add(std::string_view spelled, internal::FunctionEntry entry);
  /// Throws RayException if two different functions have one name.
  void check() const;

  size_t size() const { return state_.lock()->entries.size(); }

  /// null if it was not registered. Entries stay where they are as long as the registry lives.
  const internal::FunctionEntry* find(const internal::FunctionKey& key) const noexcept;
  const internal::FunctionEntry* find(FunctionId id) const noexcept;

  /// Whether a method of that class that was named is a coroutine.
  bool has_coroutines(uint64_t class_hash) const;

  using Cast = void* (*)(void* object);
  void add_upcast(uint64_t from, uint64_t to, Cast cast);
  /// The object, of class `from`, as one of its base class `to`; null if that is not a base that was
  /// ever called.
  void* upcast(void* object, uint64_t from, uint64_t to) const;

  /// Calls `visit` with each function.
  template <class F>
  void each_function(const F& visit) const {
    for (const auto& entry : state_.lock()->entries) visit(entry);
  }
  template <class F>
  void each_upcast(const F& visit) const {
    for (const auto& known : state_.lock()->upcasts) visit(known.from, known.to, known.cast);
  }

  /// "Plus" for "Plus", "Counter::Add" for "&Counter::Add", "Scale(int,double)" for "RAY_FUNC(Scale,
  /// int, double)".
  static std::string name_of(std::string_view spelled);
  static FunctionId id_of(std::string_view name) noexcept;

 private:
  /// Open addressing, at most half full; a slot without entry ends a search.
  struct Table {
    std::vector<const internal::FunctionEntry*> by_key;
    std::vector<const internal::FunctionEntry*> by_id;
  };
  struct UpcastEntry {
    uint64_t from;
    uint64_t to;
    Cast cast;
  };
  struct State {
    std::deque<internal::FunctionEntry> entries;
    std::vector<std::string> problems;
    std::vector<UpcastEntry> upcasts;
    /// The current table, and those before it, which other threads may still read.
    std::vector<std::unique_ptr<const Table>> tables;
  };

  const Table& table() const;
  /// Looks an entry up where there is no memory for the table.
  template <class Is>
  const internal::FunctionEntry* find_without_table(const Is& is) const noexcept;
  static std::unique_ptr<Table> make_table(const std::deque<internal::FunctionEntry>& entries);

  mutable Guarded<State> state_;
  /// null: to be made at the next look-up.
  mutable std::atomic<const Table*> table_{nullptr};
};

/// The functions of this program.
FunctionRegistry& registered_functions();

}  // namespace flowray::ray
