#include <flowray/array.h>

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace flowray {
namespace {

constexpr int64_t kSummarizeAbove = 1000;  // NumPy's print threshold
constexpr int64_t kEdgeItems = 3;

/// A float as NumPy writes it: the shortest digits that read back, always with a point ("1.",
/// "0.1", "1e-05").
template <class T>
std::string float_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::abs(static_cast<double>(value));
  std::string text =
      (size != 0 && (size >= 1e16 || size < 1e-4)) ? fmt::format("{:e}", value) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  if (text.size() > 2 && text.ends_with(".0")) text.pop_back();
  return text;
}

/// As Python's repr shows bytes: b'a\n\xff', with double quotes where the text has single ones alone.
std::string bytes_text(std::string_view bytes) {
  const bool has_single = bytes.find('\'') != std::string_view::npos;
  const char quote = has_single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
  std::string text{'b', quote};
  for (const char c : bytes) {
    if (c == quote || c == '\\') {
      text += {'\\', c};
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c < ' ' || c > '~') {  // char may be signed: bytes from 0x80 are below ' ' or above '~'
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + quote;
}

std::string element_text(const Array& array, int64_t i) {
  const auto at = [&]<class T>() { return static_cast<const T*>(array.raw_data())[i]; };
  switch (array.dtype()) {
    case DType::kFloat32:
      return float_text(at.operator()<float>());
    case DType::kFloat64:
      return float_text(at.operator()<double>());
    case DType::kFloat16:
      return float_text(static_cast<float>(at.operator()<float16>()));
    case DType::kBfloat16:
      return float_text(static_cast<float>(at.operator()<bfloat16>()));
    case DType::kBool:
      return at.operator()<bool>() ? "True" : "False";
    case DType::kInt8:
      return std::to_string(at.operator()<int8_t>());
    case DType::kInt16:
      return std::to_string(at.operator()<int16_t>());
    case DType::kInt32:
      return std::to_string(at.operator()<int32_t>());
    case DType::kInt64:
      return std::to_string(at.operator()<int64_t>());
    case DType::kUint8:
      return std::to_string(at.operator()<uint8_t>());
    case DType::kUint16:
      return std::to_string(at.operator()<uint16_t>());
    case DType::kUint32:
      return std::to_string(at.operator()<uint32_t>());
    case DType::kUint64:
      return std::to_string(at.operator()<uint64_t>());
    case DType::kString:
      return bytes_text(at.operator()<std::string>());
    case DType::kComplex64:
    case DType::kComplex128: {
      const auto value = array.dtype() == DType::kComplex64
                             ? static_cast<std::complex<double>>(at.operator()<std::complex<float>>())
                             : at.operator()<std::complex<double>>();
      return fmt::format("{}{}{}j", float_text(value.real()), value.imag() < 0 ? "-" : "+",
                         float_text(std::abs(value.imag())));
    }
    default:
      return "?";
  }
}

void print_level(const Array& array, int axis, int64_t first, int64_t stride, std::string& out) {
  if (axis == array.rank()) {
    out += element_text(array, first);
    return;
  }
  const int64_t count = array.dim(axis);
  const bool last_axis = axis == array.rank() - 1;
  const int64_t inner = count == 0 ? 0 : stride / count;
  const bool shorten = array.size() > kSummarizeAbove && count > 2 * kEdgeItems;
  out += '[';
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) out += last_axis ? " " : "\n" + std::string(static_cast<size_t>(axis) + 1, ' ');
    if (shorten && i == kEdgeItems) {
      out += "...";
      i = count - kEdgeItems - 1;
      continue;
    }
    print_level(array, axis + 1, first + i * inner, inner, out);
  }
  out += ']';
}

}  // namespace

std::string Array::to_string() const {
  if (!has_value()) return "None";
  // As NumPy; dimensions beside a zero may be of any size.
  if (size() == 0) return "[]";
  std::string out;
  print_level(*this, 0, 0, size(), out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Array& array) { return out << array.to_string(); }

}  // namespace flowray
