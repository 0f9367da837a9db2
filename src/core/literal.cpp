#include <flowray/array.h>

#include "core/convert.h"
#include "core/representable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace flowray {
namespace {

/// Order of widening inside one list, weakest first: a list is of its widest element's dtype.
int width_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 0;
    case DType::kFloat32:
      return 10;
    case DType::kFloat64:
      return 11;
    case DType::kComplex64:
      return 12;
    case DType::kComplex128:
      return 13;
    case DType::kFloat16:
    case DType::kBfloat16:
      return 9;
    default:
      return static_cast<int>(dtype_size(dtype));
  }
}

/// Whether a whole number is in the range of `dtype`, an integer type.
template <class Integer>
bool is_in_range(Integer value, DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return std::in_range<int8_t>(value);
    case DType::kInt16:
      return std::in_range<int16_t>(value);
    case DType::kInt32:
      return std::in_range<int32_t>(value);
    case DType::kInt64:
      return std::in_range<int64_t>(value);
    case DType::kUint8:
      return std::in_range<uint8_t>(value);
    case DType::kUint16:
      return std::in_range<uint16_t>(value);
    case DType::kUint32:
      return std::in_range<uint32_t>(value);
    case DType::kUint64:
      return std::in_range<uint64_t>(value);
    default:
      return true;
  }
}

}  // namespace

/// Walks a literal's nested lists: finds the shape, checks that rows are equally long, and writes
/// the elements.
class LiteralReader {
 public:
  explicit LiteralReader(const Literal& root) : root_(root) {
    std::vector<int64_t> dims;
    for (const Literal* level = &root; level->is_list_;) {
      dims.push_back(static_cast<int64_t>(level->items_.size()));
      if (level->items_.empty()) break;
      level = &level->items_.front();
    }
    shape_ = Shape(dims);
    check_rows(root, 0);
  }

  const Shape& shape() const { return shape_; }

  /// Throws TypeError at the first number that `dtype` cannot hold.
  static void check_fits(const Literal& item, DType dtype) {
    for (const Literal& child : item.items_) check_fits(child, dtype);
    if (item.is_list_) return;
    const DType own = item.dtype_;
    const bool is_text = own == DType::kString;
    const bool narrows = (is_integer(dtype) && !is_integer(own)) ||
                         (dtype == DType::kBool) != (own == DType::kBool) ||
                         (is_complex(own) && !is_complex(dtype));
    const bool fits = is_text == (dtype == DType::kString) && !narrows;
    if (fits && !is_beyond(item, dtype)) return;
    throw TypeError(
        fmt::format("Expected {}, but got {} of type '{}'{}.", dtype_name(dtype),
                    is_text ? item.text_ : python_text(item), python_kind(own),
                    fits ? fmt::format(", which is out of the range of {}", dtype_name(dtype)) : ""));
  }

  /// As Python's repr shows it: [1, 'a'].
  static std::string python_text(const Literal& item) {
    if (item.is_list_) {
      std::string text;
      for (const Literal& child : item.items_) text += (text.empty() ? "" : ", ") + python_text(child);
      return "[" + text + "]";
    }
    if (item.dtype_ == DType::kString) return "'" + item.text_ + "'";
    if (item.dtype_ == DType::kBool) return item.integer_ != 0 ? "True" : "False";
    if (is_complex(item.dtype_)) return fmt::format("({:g}{:+g}j)", item.real_, item.imaginary_);
    if (item.dtype_ == DType::kUint64) return std::to_string(item.unsigned_);
    if (!is_floating(item.dtype_)) return std::to_string(item.integer_);
    const std::string text = fmt::format("{}", item.real_);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }

  void write(Array& array) {
    next_ = static_cast<std::byte*>(array.mutable_raw_data());
    write_item(root_, array.dtype());
  }

 private:
  /// A whole number, wanted as an integer that cannot be as small or as large.
  static bool is_beyond(const Literal& item, DType dtype) {
    if (!is_integer(item.dtype_)) return false;
    const bool fits = item.dtype_ == DType::kUint64 ? is_in_range(item.unsigned_, dtype)
                                                    : is_in_range(item.integer_, dtype);
    return !fits;
  }

  void check_rows(const Literal& item, int depth) {
    const bool should_be_list = depth < shape_.rank();
    if (item.is_list_ != should_be_list ||
        (item.is_list_ && static_cast<int64_t>(item.items_.size()) != shape_.dim(depth))) {
      throw ValueError(
          "setting an array element with a sequence. The nested lists have unequal lengths; the first ones "
          "make the shape " +
          shape_.to_tuple_string());
    }
    for (const Literal& child : item.items_) check_rows(child, depth + 1);
  }

  void write_item(const Literal& item, DType dtype) {
    if (item.is_list_) {
      for (const Literal& child : item.items_) write_item(child, dtype);
      return;
    }
    if (dtype == DType::kString) {
      *reinterpret_cast<std::string*>(next_) = item.text_;
    } else if (is_floating(item.dtype_)) {
      convert_elements(DType::kFloat64, &item.real_, dtype, next_, 1);
    } else if (is_complex(item.dtype_)) {
      const std::complex<double> value(item.real_, item.imaginary_);
      convert_elements(DType::kComplex128, &value, dtype, next_, 1);
    } else if (item.dtype_ == DType::kUint64) {
      convert_elements(DType::kUint64, &item.unsigned_, dtype, next_, 1);
    } else {
      convert_elements(DType::kInt64, &item.integer_, dtype, next_, 1);
    }
    next_ += dtype_size(dtype);
  }

  const Literal& root_;
  Shape shape_;
  std::byte* next_ = nullptr;
};

Literal::Literal(std::initializer_list<Literal> items) : Literal(list(std::vector<Literal>(items))) {}

Literal Literal::list(std::vector<Literal> items) {
  Literal result(0);
  result.is_list_ = true;
  result.items_ = std::move(items);
  const auto& all = result.items_;
  result.weak_ = std::all_of(all.begin(), all.end(), [](const Literal& item) { return item.weak_; });
  // Next to numbers that keep their dtype, weak ones count as what they are by themselves: {1.0, 2.f}
  // is float32.
  const auto dtype_of = [&](const Literal& item) {
    return result.weak_ ? item.dtype_ : item.default_dtype();
  };
  result.dtype_ = all.empty() ? DType::kFloat64 : dtype_of(all.front());
  for (const Literal& item : all) {
    if ((item.dtype_ == DType::kString) != (result.dtype_ == DType::kString)) {
      throw TypeError(
          fmt::format("Failed to convert elements of {} to Tensor. Consider casting elements to a supported "
                      "type: a list holds strings or numbers, not both.",
                      LiteralReader::python_text(result)));
    }
    if (width_of(dtype_of(item)) > width_of(result.dtype_)) result.dtype_ = dtype_of(item);
  }
  return result;
}

DType Literal::default_dtype() const { return weak_ && dtype_ == DType::kFloat64 ? DType::kFloat32 : dtype_; }

Array Literal::to_array(DType asked) const {
  const DType dtype = asked == DType::kInvalid ? default_dtype() : asked;
  LiteralReader reader(*this);
  LiteralReader::check_fits(*this, dtype);
  Array array = Array::uninitialized(dtype, reader.shape());
  reader.write(array);
  return array;
}

}  // namespace flowray
