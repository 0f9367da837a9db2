#include "ops/queues/lookup_table.h"

#include <fmt/format.h>

#include <cstring>

namespace flowray::ops {
namespace {

using errors::FailedPreconditionError;

/// Element `i` as a scalar.
Array element(const Array& array, int64_t i) {
  return array.reshape(Shape{array.size()}).rows(i, i + 1).reshape(Shape());
}

void copy_element(Array& to, int64_t i, const Array& from, int64_t k) {
  if (to.dtype() == DType::kString) {
    to.mutable_data<std::string>()[i] = from.data<std::string>()[k];
    return;
  }
  const auto width = static_cast<int64_t>(dtype_size(to.dtype()));
  std::memcpy(static_cast<char*>(to.mutable_raw_data()) + i * width,
              static_cast<const char*>(from.raw_data()) + k * width, static_cast<size_t>(width));
}

Array joined(const std::vector<Array>& scalars, DType dtype) {
  Array array(dtype, Shape{std::ssize(scalars)});
  for (size_t i = 0; i < scalars.size(); ++i) copy_element(array, static_cast<int64_t>(i), scalars[i], 0);
  return array;
}

}  // namespace

LookupTable::Key LookupTable::key_at(const Array& keys, int64_t i) {
  if (keys.dtype() == DType::kString) return keys.data<std::string>()[i];
  const size_t width = dtype_size(keys.dtype());
  return {static_cast<const char*>(keys.raw_data()) + static_cast<size_t>(i) * width, width};
}

void LookupTable::check_ready() const {
  if (!spec_.is_mutable && !is_initialized_) throw FailedPreconditionError("Table not initialized.");
}

void LookupTable::check_mutable() const {
  if (!spec_.is_mutable)
    throw errors::UnimplementedError("Insert not supported by InitializableLookupTable implementations");
}

void LookupTable::put(const Array& keys, const Array& values) {
  for (int64_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = places_.emplace(key_at(keys, i), keys_.size());
    if (is_new) {
      keys_.push_back(element(keys, i));
      values_.push_back(element(values, i));
    } else {
      values_[place->second] = element(values, i);
    }
  }
}

void LookupTable::initialize(const Array& keys, const Array& values) {
  const MutexLock lock(mutex_);
  if (is_initialized_) {
    if (std::ssize(keys_) == keys.size()) return;
    throw FailedPreconditionError(
        fmt::format("Table already initialized with a different number of keys: {}, and now {}", keys_.size(),
                    keys.size()));
  }
  for (int64_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = places_.emplace(key_at(keys, i), keys_.size());
    if (is_new) {
      keys_.push_back(element(keys, i));
      values_.push_back(element(values, i));
    } else if (!(values_[place->second] == element(values, i))) {
      const auto text = [](const Array& value) {
        return value.dtype() == DType::kString ? *value.data<std::string>() : value.to_string();
      };
      const std::string reason =
          fmt::format("HashTable has different value for same key. Key {} has {} and trying to add value {}",
                      text(element(keys, i)), text(values_[place->second]), text(element(values, i)));
      places_.clear();
      keys_.clear();
      values_.clear();
      throw FailedPreconditionError(reason);
    }
  }
  is_initialized_ = true;
}

bool LookupTable::is_initialized() const {
  const MutexLock lock(mutex_);
  return is_initialized_;
}

Array LookupTable::find(const Array& keys, const Array& fallback) const {
  const MutexLock lock(mutex_);
  check_ready();
  Array values(spec_.value, keys.shape());
  for (int64_t i = 0; i < keys.size(); ++i) {
    const auto found = places_.find(key_at(keys, i));
    if (found != places_.end()) {
      copy_element(values, i, values_[found->second], 0);
    } else {
      copy_element(values, i, fallback, fallback.size() == 1 ? 0 : i);
    }
  }
  return values;
}

void LookupTable::insert(const Array& keys, const Array& values) {
  const MutexLock lock(mutex_);
  check_mutable();
  put(keys, values);
}

void LookupTable::remove(const Array& keys) {
  const MutexLock lock(mutex_);
  check_mutable();
  for (int64_t i = 0; i < keys.size(); ++i) {
    const auto found = places_.find(key_at(keys, i));
    if (found == places_.end()) continue;
    const size_t place = found->second;
    places_.erase(found);
    if (place + 1 < keys_.size()) {  // the last one takes its place
      keys_[place] = keys_.back();
      values_[place] = values_.back();
      places_[key_at(keys_[place], 0)] = place;
    }
    keys_.pop_back();
    values_.pop_back();
  }
}

void LookupTable::import(const Array& keys, const Array& values) {
  if (!spec_.is_mutable) return initialize(keys, values);
  const MutexLock lock(mutex_);
  places_.clear();
  keys_.clear();
  values_.clear();
  put(keys, values);
}

int64_t LookupTable::size() const {
  const MutexLock lock(mutex_);
  return std::ssize(keys_);
}

std::pair<Array, Array> LookupTable::all() const {
  const MutexLock lock(mutex_);
  if (!spec_.is_mutable && !is_initialized_) throw errors::AbortedError("HashTable is not initialized.");
  return {joined(keys_, spec_.key), joined(values_, spec_.value)};
}

}  // namespace flowray::ops
