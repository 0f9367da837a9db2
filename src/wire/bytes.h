#pragma once
/// Bytes and Text: a message's `bytes` and `string` fields, borrowed from the message they were read from.

#include <compare>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace flowray::wire {

/// Bytes that are either borrowed or owned. Reading a message borrows: the bytes are good for as long as the
/// buffer that was read. What a program puts in is owned (a std::string) unless it says borrow(). A copy
/// borrows what was borrowed and copies what was owned.
class Bytes {
 public:
  Bytes() noexcept = default;
  Bytes(std::string owned);                              // NOLINT: implicit, as field = "x" + name reads
  Bytes(const char* text) : Bytes(std::string(text)) {}  // NOLINT: implicit
  /// The caller keeps `view` alive for as long as this and its copies.
  static Bytes borrow(std::string_view view) noexcept {
    Bytes bytes;
    bytes.view_ = view;
    return bytes;
  }
  Bytes(const Bytes& other) { *this = other; }
  Bytes(Bytes&& other) noexcept : view_(std::exchange(other.view_, {})), owned_(std::move(other.owned_)) {}
  Bytes& operator=(const Bytes& other);
  Bytes& operator=(Bytes&& other) noexcept {
    view_ = std::exchange(other.view_, {});
    owned_ = std::move(other.owned_);
    return *this;
  }
  ~Bytes() = default;

  std::string_view view() const noexcept { return view_; }
  operator std::string_view() const noexcept { return view_; }  // NOLINT: implicit, reads as a string
  std::string str() const { return std::string(view_); }
  size_t size() const noexcept { return view_.size(); }
  bool empty() const noexcept { return view_.empty(); }

  friend bool operator==(const Bytes& a, const Bytes& b) noexcept { return a.view_ == b.view_; }
  template <class S>
    requires(std::convertible_to<const S&, std::string_view> && !std::derived_from<S, Bytes>)
  friend bool operator==(const Bytes& a, const S& b) noexcept {
    return a.view_ == std::string_view(b);
  }
  friend auto operator<=>(const Bytes& a, const Bytes& b) noexcept { return a.view_ <=> b.view_; }

 private:
  std::string_view view_;
  std::unique_ptr<char[]> owned_;
};

/// A `string` field: text in UTF-8, which the text format shows as it is.
class Text : public Bytes {
 public:
  using Bytes::Bytes;
  static Text borrow(std::string_view view) noexcept {
    Text text;
    static_cast<Bytes&>(text) = Bytes::borrow(view);
    return text;
  }
};

}  // namespace flowray::wire
