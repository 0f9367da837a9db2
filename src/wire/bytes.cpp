#include "wire/bytes.h"

#include <cstring>

namespace flowray::wire {
namespace {

std::unique_ptr<char[]> copy_of(std::string_view text) {
  if (text.empty()) return nullptr;
  std::unique_ptr<char[]> copy(new char[text.size()]);
  std::memcpy(copy.get(), text.data(), text.size());
  return copy;
}

}  // namespace

Bytes::Bytes(std::string owned) : owned_(copy_of(owned)) {  // NOLINT: kept by a pointer that moves with this
  view_ = {owned_.get(), owned.size()};
}

Bytes& Bytes::operator=(const Bytes& other) {
  if (this == &other) return *this;
  owned_ = other.owned_ == nullptr ? nullptr : copy_of(other.view_);
  view_ = owned_ == nullptr ? other.view_ : std::string_view(owned_.get(), other.size());
  return *this;
}

}  // namespace flowray::wire
