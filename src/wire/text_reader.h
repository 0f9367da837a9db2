#pragma once
/// The pieces of protobuf's text form, read one after the other.

#include <flowray/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::wire {

/// Walks over a text: names, numbers, quoted strings and punctuation, with blanks and # comments between
/// them. Every error is an InvalidArgumentError that begins with "LINE:COLUMN : ".
class TextFormatReader {
 public:
  explicit TextFormatReader(std::string_view text) : text_(text) { skip_blanks(); }

  bool at_end() const { return at_ == text_.size(); }
  /// Whether the next character is `punctuation`; steps over it if so.
  bool take(char punctuation);
  /// Takes the punctuation, which has to be there.
  void expect(char punctuation);
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  std::string_view name();
  bool boolean();
  /// Decimal, 0x1f or 017. Throws where it is not in the range of T.
  template <class T>
  T integer();
  /// Also inf, nan and a trailing f.
  double real();
  /// Quoted by ' or ", with C's escapes; several in a row are one.
  std::string string();
  /// DT_FLOAT, or a number.
  DType dtype();

  [[noreturn]] void fail(std::string_view reason) const;

 private:
  void skip_blanks();
  /// Letters, digits and what numbers are made of.
  std::string_view word();
  void quoted_string(std::string& out);
  void escape(std::string& out);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace flowray::wire
