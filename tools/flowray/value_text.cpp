#include "value_text.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

namespace flowray::tools {
namespace {

constexpr int kMostDims = 254;
constexpr size_t kShownBytes = 200;

class ValueParser {
 public:
  explicit ValueParser(const std::string& text) : text_(text), rest_(text) {}

  Literal parse() {
    Literal value = item();
    skip_blanks();
    if (!rest_.empty()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw ValueError(fmt::format(
        "'{}' is not a value: expected a file FILE.npy, or something like 3.5, true, \"text\", [1, "
        "2] or [[1, 2], [3, 4]]",
        shown()));
  }
  std::string shown() const {
    return text_.size() <= kShownBytes ? text_ : text_.substr(0, kShownBytes) + "...";
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  bool take(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  Literal item() {
    if (take("[")) return list();
    if (take("\"")) return quoted();
    if (take("true") || take("True")) return true;
    if (take("false") || take("False")) return false;
    return number();
  }

  Literal list() {
    std::vector<Literal> items;
    if (take("]")) return Literal::list(items);
    if (++depth_ > kMostDims) {
      throw ValueError(
          fmt::format("'{}' is not a value: its lists lie in each other deeper than the {} dimensions that "
                      "an array may have",
                      shown(), kMostDims));
    }
    do {
      items.push_back(item());
    } while (take(","));
    if (!take("]")) fail();
    --depth_;
    return Literal::list(std::move(items));
  }

  Literal quoted() {
    std::string text;
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        return Literal(text.c_str());
      }
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      text += rest_.front();
    }
    fail();
  }

  /// A whole number is an int if it fits one, else an int64 or uint64.
  Literal number() {
    skip_blanks();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(",] "));
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const char* end = word.data() + word.size();
    int64_t whole = 0;
    double real = 0;
    if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc() && read.ptr == end) {
      rest_.remove_prefix(word.size());
      return whole == static_cast<int>(whole) ? Literal(static_cast<int>(whole)) : Literal(whole);
    }
    uint64_t large = 0;
    if (const auto read = std::from_chars(begin, end, large); read.ec == std::errc() && read.ptr == end) {
      rest_.remove_prefix(word.size());
      return large;
    }
    const auto read = std::from_chars(begin, end, real);
    if (word.empty() || read.ec != std::errc() || read.ptr != end) fail();
    rest_.remove_prefix(word.size());
    return real;
  }

  const std::string& text_;
  std::string_view rest_;
  int depth_ = 0;  // of lists
};

}  // namespace

Literal parse_value(const std::string& text) { return ValueParser(text).parse(); }

}  // namespace flowray::tools
