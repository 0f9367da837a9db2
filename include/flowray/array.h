#pragma once
/// Array: a dense n-dimensional value, what is fed to a step and fetched from it, put into the object store
/// and sent between processes.

#include <flowray/dtype.h>
#include <flowray/errors.h>
#include <flowray/shape.h>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray {

class Array;
class Buffer;

/// A number, string or nested list of them as written in a program: 1, 0.5, {1, 2}, {{1.f, 2.f}, {3.f, 4.f}}.
/// A C++ `int` and `double` stand for Python's: they are *weak*, taking the dtype that the place where they
/// are used asks for, else int32 and float32. All other element types keep their own dtype. A list is as wide
/// as its widest element; its rows must have equal lengths (ValueError otherwise).
class Literal {
 public:
  /// A single value.
  template <Element T>
  Literal(T value);  // NOLINT: implicit, so that a plain number can be written wherever a value is expected
  /// A template, so that braces do not reach it: {"a"} is a list, {0} no null text.
  template <std::same_as<const char*> T>
  Literal(T text) : Literal(std::string(text)) {}
  /// A list, whose items may be lists: {{1, 2}, {3, 4}}.
  Literal(std::initializer_list<Literal> items);
  /// A list of a length known only at run time.
  static Literal list(std::vector<Literal> items);

  /// The value as an array of `dtype`; kInvalid asks for the literal's own. Throws TypeError, in TensorFlow's
  /// words, where a number cannot be what was asked for (0.5 as int32, a string as float32).
  Array to_array(DType dtype = DType::kInvalid) const;
  /// The dtype it has when none is asked for.
  DType default_dtype() const;
  /// Whether another dtype of its kind may be asked for.
  bool is_weak() const { return weak_; }

 private:
  friend class LiteralReader;
  bool weak_ = false;
  bool is_list_ = false;
  DType dtype_ = DType::kInvalid;
  union {
    double real_;
    int64_t integer_;
    uint64_t unsigned_;
  };
  double imaginary_ = 0;
  std::string text_;
  std::vector<Literal> items_;
};

/// A dense, contiguous, row-major n-dimensional value. Copying an Array shares its elements (an atomic
/// count); they are constant except through mutable_data(), which first makes a private copy when anybody
/// else holds them. Arrays made here are aligned to 64 bytes. One Array object may be read from many threads;
/// writing needs the caller's own order.
class Array {
 public:
  /// No value at all: what a session returns for a fetched Operation. `has_value()` is false.
  Array() noexcept = default;
  /// Elements are zero (empty strings).
  Array(DType dtype, const Shape& shape);
  /// A scalar. Unlike Literal, `double` is float64 and `int` is int32 whatever the place.
  template <Element T>
  Array(T value);  // NOLINT: implicit, for feeds: {{x, 0.5f}}
  /// A template, so that braces do not reach it: Array({"a"}) is a list, Array({0}) no null text.
  template <std::same_as<const char*> T>
  Array(T text) : Array(std::string(text)) {}
  /// A list as Literal reads it: Array({{1.f, 2.f}, {3.f, 4.f}}) is float32 of [2,2]. Without dtype, int and
  /// double lists are int32 and float32.
  Array(std::initializer_list<Literal> items);
  /// One dimension, copied; std::vector<bool> and std::vector<std::string> too.
  template <Element T>
  Array(const std::vector<T>& values);  // NOLINT: implicit, as NumPy arrays are values too

  Array(const Array& other) noexcept;
  Array(Array&& other) noexcept;
  Array& operator=(const Array& other) noexcept;
  Array& operator=(Array&& other) noexcept;
  ~Array();

  /// Elements have no defined value (strings are empty). Throws ResourceExhaustedError when memory does not
  /// hold it.
  static Array uninitialized(DType dtype, const Shape& shape);
  /// Copies `values`, row-major; their number must be that of `shape` (ValueError).
  template <Element T>
  static Array from(std::span<const T> values, const Shape& shape);
  /// The same of a vector's elements.
  template <Element T>
  static Array from(const std::vector<T>& values, const Shape& shape);
  /// Every element is `value`, converted to `dtype`.
  static Array full(DType dtype, const Shape& shape, const Literal& value);

  /// Whether there is a value: false for a default-made Array.
  bool has_value() const noexcept { return dtype_ != DType::kInvalid; }
  /// The element type; kInvalid without a value.
  DType dtype() const noexcept { return dtype_; }
  /// The sizes of its dimensions, always fully defined.
  const Shape& shape() const noexcept { return shape_; }
  /// Number of dimensions; 0 for a scalar.
  int rank() const noexcept { return shape_.rank(); }
  /// Size of dimension `i`, counted from the end if negative. There must be such a dimension: the program
  /// ends otherwise.
  int64_t dim(int i) const noexcept { return shape_.dim(i); }
  /// Number of elements.
  int64_t size() const noexcept { return has_value() ? shape_.num_elements() : 0; }
  /// size() times the bytes of an element; of strings the std::string objects alone.
  size_t size_bytes() const noexcept { return static_cast<size_t>(size()) * dtype_size(dtype_); }

  /// The elements, row-major, whatever their type; null without a value.
  const void* raw_data() const noexcept { return data_; }
  /// Makes the elements private to this Array first if anybody else holds them.
  void* mutable_raw_data();
  /// Throws TypeError if `T` is not the element type.
  template <Element T>
  const T* data() const {
    check_dtype(kDTypeOf<T>);
    return static_cast<const T*>(data_);
  }
  /// As data(), to be written to: the elements are made private to this Array
  /// first if anybody else holds them.
  template <Element T>
  T* mutable_data() {
    check_dtype(kDTypeOf<T>);
    return static_cast<T*>(mutable_raw_data());
  }
  /// As data(), with the number of elements.
  template <Element T>
  std::span<const T> span() const {
    return {data<T>(), static_cast<size_t>(size())};
  }
  /// The one element of an Array of size 1, of whatever rank, as in NumPy. Throws ValueError for other sizes,
  /// TypeError for another element type.
  template <Element T>
  T item() const {
    check_single();
    return *data<T>();
  }

  /// Element by element as C++ converts (towards zero, bool by != 0); a string converts to strings
  /// only (TypeError).
  Array astype(DType dtype) const;
  /// The same elements, shared, in another shape of the same number; one dimension may be -1.
  /// Throws ValueError.
  Array reshape(const Shape& shape) const;
  /// Rows [begin, end) of the first dimension, shared. Not 64-byte aligned where a row's size is not.
  /// Throws IndexError.
  Array rows(int64_t begin, int64_t end) const;

  /// Equal dtype, shape and elements (NaN differs from itself).
  bool operator==(const Array& other) const;

  /// As NumPy prints: [0.1 0.25], [[1 2]\n [3 4]], b'text'; long arrays are shortened.
  std::string to_string() const;

  /// For Flowray itself: wraps elements that live in `buffer`; takes over one reference of it.
  static Array wrap(Buffer* buffer, void* data, DType dtype, Shape shape) noexcept;
  /// For Flowray itself: the block that holds the elements; null for no value.
  Buffer* buffer() const noexcept { return buffer_; }

 private:
  void check_dtype(DType asked) const {
    if (asked != dtype_) throw_wrong_dtype(asked);
  }
  void check_single() const;
  [[noreturn]] void throw_wrong_dtype(DType asked) const;
  static Array copy_of(DType dtype, const Shape& shape, const void* values, int64_t count);

  Buffer* buffer_ = nullptr;
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kInvalid;
};

/// Writes to_string().
std::ostream& operator<<(std::ostream& out, const Array& array);

// ---- templates

template <Element T>
Literal::Literal(T value) : dtype_(kDTypeOf<T>), integer_(0) {
  weak_ = std::is_same_v<T, int> || std::is_same_v<T, double>;
  if constexpr (std::is_same_v<T, std::string>) {
    text_ = std::move(value);
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    real_ = value.real();
    imaginary_ = value.imag();
  } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
    unsigned_ = value;
  } else if constexpr (std::is_integral_v<T>) {
    integer_ = value;
  } else {
    real_ =
        static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value));
  }
}

template <Element T>
Array::Array(T value) : Array(copy_of(kDTypeOf<T>, Shape(), &value, 1)) {}

template <Element T>
Array::Array(const std::vector<T>& values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  if constexpr (std::is_same_v<T, bool>) {
    Array array = uninitialized(DType::kBool, shape);
    bool* out = array.mutable_data<bool>();
    for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
    *this = std::move(array);
  } else {
    *this = copy_of(kDTypeOf<T>, shape, values.data(), shape.dim(0));
  }
}

template <Element T>
Array Array::from(std::span<const T> values, const Shape& shape) {
  return copy_of(kDTypeOf<T>, shape, values.data(), static_cast<int64_t>(values.size()));
}

template <Element T>
Array Array::from(const std::vector<T>& values, const Shape& shape) {
  return Array(values).reshape(shape);
}

}  // namespace flowray

#pragma GCC visibility pop
