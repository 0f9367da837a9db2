#pragma once
/// Tables from keys to values.

#include "core/mutex.h"
#include "graph/resource/resource.h"

#include <flowray/array.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flowray::ops {

/// A table of scalars. One that is filled once (HashTable) keeps what it got first; a mutable one takes,
/// changes and forgets at any time. Thread-safe. Throws TensorFlow's errors.
class LookupTable final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::lookup::LookupInterface";

  struct Spec {
    DType key = DType::kInvalid;
    DType value = DType::kInvalid;
    bool is_mutable = false;
    bool operator==(const Spec&) const = default;
  };
  LookupTable(std::string name, Spec spec) : Resource(std::move(name)), spec_(spec) {}
  std::string_view kind() const override { return kKind; }
  const Spec& spec() const { return spec_; }

  /// Fills a table that is filled once; does nothing where that was done before with as many keys.
  void initialize(const Array& keys, const Array& values);
  bool is_initialized() const;
  /// A value for each key, of its shape; `fallback` (one value, or one for each key) where there is none.
  Array find(const Array& keys, const Array& fallback) const;
  void insert(const Array& keys, const Array& values);
  void remove(const Array& keys);
  /// Forgets all that was there before; of a table that is filled once, fills it.
  void import(const Array& keys, const Array& values);
  int64_t size() const;
  /// All keys and, in their order, their values.
  std::pair<Array, Array> all() const;

 private:
  using Key = std::string;  // the bytes of the key
  /// Key i of an array.
  static Key key_at(const Array& keys, int64_t i);
  void check_ready() const FLOWRAY_REQUIRES(mutex_);
  void check_mutable() const;
  void put(const Array& keys, const Array& values) FLOWRAY_REQUIRES(mutex_);

  const Spec spec_;
  mutable Mutex mutex_;
  bool is_initialized_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::unordered_map<Key, size_t> places_ FLOWRAY_GUARDED_BY(mutex_);  // in keys_ and values_
  std::vector<Array> keys_ FLOWRAY_GUARDED_BY(mutex_);                 // scalars
  std::vector<Array> values_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::ops
