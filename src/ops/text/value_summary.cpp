#include "ops/text/value_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/dtype_dispatch.h"

namespace flowray::ops {
namespace {

using Shown = TypeList<float, double, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
                       int16_t, float16, bfloat16, bool, std::string>;

/// As C's %.6g (float) or %.15g (double), with 3 or 2 digits more where that is not exact.
template <class T>
std::string real_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr bool kFloat = std::is_same_v<T, float>;
  const std::string text = fmt::format("{:.{}g}", value, kFloat ? 6 : 15);
  T read{};
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read == value ? text : fmt::format("{:.{}g}", value, kFloat ? 9 : 17);
}

/// The text escaped as in a C program; UTF-8 stays.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
          out += fmt::format("\\{:03o}", static_cast<uint8_t>(c));
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string element_text(const Array& array, int64_t i, bool quoted) {
  std::string text = "?";
  (void)dispatch<Shown>(array.dtype(), [&]<class T>() {
    const T& value = array.data<T>()[i];
    if constexpr (std::is_same_v<T, std::string>) {
      text = quoted ? "\"" + escaped(value) + "\"" : escaped(value);
    } else if constexpr (std::is_integral_v<T>) {
      text = std::to_string(value);
    } else if constexpr (std::is_same_v<T, double>) {
      text = real_text(value);
    } else {
      text = real_text(static_cast<float>(value));
    }
  });
  return text;
}

class Summary {
 public:
  Summary(const Array& array, int64_t most)
      : array_(array), most_(most < 0 ? array.size() : std::min(most, array.size())) {}

  std::string text() {
    if (array_.rank() == 0) {
      if (most_ > 0) text_ = element_text(array_, 0, false);
    } else {
      add_dimension(0);
    }
    return most_ < array_.size() ? text_ + "..." : text_;
  }

 private:
  void add_dimension(int d) {
    if (next_ >= most_) return;
    if (d == array_.rank() - 1) return add_row(d);
    for (int64_t i = 0; i < array_.dim(d); ++i) {
      const bool begun = next_ < most_;
      if (begun) text_ += "[";
      add_dimension(d + 1);
      if (begun) text_ += "]";
    }
  }

  void add_row(int d) {
    for (int64_t i = 0; i < array_.dim(d); ++i) {
      if (next_ >= most_) {
        if (d != 0) text_ += "...";
        return;
      }
      if (i > 0) text_ += " ";
      text_ += element_text(array_, next_++, false);
    }
  }

  const Array& array_;
  const int64_t most_;
  int64_t next_ = 0;
  std::string text_;
};

class Text {
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max() / 2;  // twice that still fits

 public:
  Text(const Array& array, int64_t ends) : array_(array), ends_(ends < 0 || ends > kAll ? kAll : ends) {}

  std::string text() {
    if (array_.rank() > 0 && array_.size() == 0) return text_of_nothing();
    add_dimension(0, 0);
    return std::move(text_);
  }

 private:
  /// As TensorFlow writes it: bools not at all, of rows without elements that something was left out.
  std::string text_of_nothing() const {
    if (array_.dtype() == DType::kBool) return "";
    if (array_.dim(0) == 0) return "[]";
    return "[" + std::string(static_cast<size_t>(array_.rank()) - 1, '\n') + " ...]";
  }

  void add_dimension(int d, int64_t begin) {
    if (d == array_.rank()) {
      text_ += element_text(array_, begin, true);
      return;
    }
    int64_t step = 1;
    for (int i = d + 1; i < array_.rank(); ++i) step *= array_.dim(i);
    const int64_t count = array_.dim(d);
    text_ += "[";
    for (int64_t i = 0; i < std::min(ends_, count); ++i) {
      if (i > 0) add_spacing(d);
      add_dimension(d + 1, begin + i * step);
    }
    if (count > 2 * ends_) {
      add_spacing(d);
      text_ += "...";
    }
    for (int64_t i = std::max(ends_, count - ends_); i < count; ++i) {
      add_spacing(d);
      add_dimension(d + 1, begin + i * step);
    }
    text_ += "]";
  }

  /// A line for each row, an empty one between matrices.
  void add_spacing(int d) {
    const int inner = array_.rank() - 1 - d;
    text_ += inner == 0 ? " "
                        : std::string(static_cast<size_t>(inner), '\n') +
                              std::string(static_cast<size_t>(d + 1), ' ');
  }

  const Array& array_;
  const int64_t ends_;
  std::string text_;
};

}  // namespace

std::string value_summary(const Array& array, int64_t most) { return Summary(array, most).text(); }
std::string value_text(const Array& array, int64_t ends) { return Text(array, ends).text(); }

}  // namespace flowray::ops
