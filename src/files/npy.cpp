// The format: six bytes that tell it, its version, the length of a text, the text (a Python dictionary with
// dtype, order and shape), then the elements.

#include "files/npy.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "core/truth_values.h"
#include "files/new_file.h"
#include "files/stored_file.h"

namespace flowray::files {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr uint64_t kMaxEmptyTexts = 1'000'000;    // of width 0, which take memory but no bytes of the file
constexpr int64_t kMaxTextWidth = INT32_MAX / 4;  // NumPy's own: 2^31 bytes of characters of 4
constexpr uint64_t kPieceBytes = 64 << 10;        // of short texts that are read at once

struct Header {
  char order = '<';  // of bytes: '<', '>', '|' (none), '='
  char kind = 'f';   // 'f', 'i', 'u', 'b', 'c', 'S', 'U', ...
  int64_t width = 0;
  std::string descr;
  bool column_major = false;
  Shape shape;
  uint64_t data_begin = 0;

  /// Bytes of an element.
  uint64_t element_bytes() const { return static_cast<uint64_t>(kind == 'U' ? 4 * width : width); }
};

/// Where the bytes of a file are.
struct Source {
  std::string name;
  uint64_t size = 0;
  std::function<size_t(uint64_t offset, char* to, size_t count)> read;
};

class NpyReader {
 public:
  explicit NpyReader(Source file) : file_(std::move(file)) {}

  Array read() const {
    const Header header = read_header();
    check_supported(header);
    check_size(header);
    if (header.kind == 'S' || header.kind == 'U') return read_texts(header);
    Array array = Array::uninitialized(dtype_of(header), header.shape);
    if (array.size() > 0) read_bytes(header.data_begin, array.mutable_raw_data(), array.size_bytes());
    if (array.size() > 0) make_truth_values(array.dtype(), array.mutable_raw_data(), array.size_bytes());
    return array;
  }

 private:
  [[noreturn]] void throw_damaged(const std::string& reason) const {
    throw errors::DataLossError(fmt::format("'{}' is not a complete .npy file: {}", file_.name, reason));
  }
  [[noreturn]] void throw_unsupported(const std::string& what, const std::string& advice) const {
    throw errors::UnimplementedError(
        fmt::format("'{}' holds {}, which is not read here; save {} in NumPy", file_.name, what, advice));
  }

  void read_bytes(uint64_t offset, void* to, size_t count) const {
    if (file_.read(offset, static_cast<char*>(to), count) != count) throw_damaged("it is cut off");
  }

  Header read_header() const {
    char start[8];
    if (file_.read(0, start, sizeof(start)) != sizeof(start) ||
        !std::string_view(start, 8).starts_with(kMagic)) {
      throw_damaged("it does not begin with \\x93NUMPY");
    }
    const size_t length_bytes = start[6] == 1 ? 2 : 4;
    uint32_t length = 0;
    read_bytes(sizeof(start), &length, length_bytes);
    if (length > file_.size) throw_damaged("its header is cut off");
    std::string text(length, '\0');
    read_bytes(sizeof(start) + length_bytes, text.data(), length);
    Header header = parse(text);
    header.data_begin = sizeof(start) + length_bytes + length;
    return header;
  }

  /// What stands behind 'key': in the dictionary, up to `end`.
  std::string_view entry(std::string_view text, std::string_view key, char end) const {
    const size_t at = text.find(fmt::format("'{}':", key));
    if (at == std::string_view::npos) throw_damaged(fmt::format("its header has no '{}'", key));
    std::string_view rest = text.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest.substr(0, rest.find(end));
  }

  Header parse(std::string_view text) const {
    Header header;
    std::string_view descr = entry(text, "descr", ',');
    header.descr = descr;
    if (!descr.starts_with('\'')) throw_unsupported(fmt::format("records ({})", descr), "one field");
    descr = descr.substr(1, descr.size() - 2);
    if (descr.size() < 2) throw_damaged(fmt::format("its dtype is '{}'", descr));
    header.order = descr[0];
    header.kind = descr[1];
    const auto width = std::from_chars(descr.data() + 2, descr.data() + descr.size(), header.width);
    if (width.ec == std::errc::result_out_of_range) throw_damaged(fmt::format("its dtype is '{}'", descr));
    header.column_major = entry(text, "fortran_order", ',') == "True";
    const std::string_view shape = entry(text, "shape", ')');
    if (!shape.starts_with('(')) throw_damaged("its header has no shape");
    for (const char* next = shape.data() + 1; next < shape.data() + shape.size();) {
      int64_t dim = 0;
      const auto [end, error] = std::from_chars(next, shape.data() + shape.size(), dim);
      if (error == std::errc() && dim >= 0) {
        header.shape.push_back(dim);
        next = end;
      } else if (*next == ' ' || *next == ',') {
        ++next;
      } else {
        throw_damaged(fmt::format("its shape is {})", shape));
      }
    }
    return header;
  }

  static DType dtype_of(const Header& header) {
    constexpr std::pair<std::string_view, DType> kKinds[] = {
        {"f2", DType::kFloat16},   {"f4", DType::kFloat32},    {"f8", DType::kFloat64}, {"i1", DType::kInt8},
        {"i2", DType::kInt16},     {"i4", DType::kInt32},      {"i8", DType::kInt64},   {"u1", DType::kUint8},
        {"u2", DType::kUint16},    {"u4", DType::kUint32},     {"u8", DType::kUint64},  {"b1", DType::kBool},
        {"c8", DType::kComplex64}, {"c16", DType::kComplex128}};
    for (const auto& [kind, dtype] : kKinds) {
      if (kind == fmt::format("{}{}", header.kind, header.width)) return dtype;
    }
    return header.kind == 'S' || header.kind == 'U' ? DType::kString : DType::kInvalid;
  }

  void check_supported(const Header& header) const {
    if (header.kind == 'O') throw_unsupported("Python objects", "a.astype('S') or numbers");
    if (dtype_of(header) == DType::kInvalid || header.width < 0) {
      throw_unsupported(fmt::format("elements of dtype {}", header.descr), "numbers, bool or strings");
    }
    if (dtype_of(header) == DType::kString && header.width > kMaxTextWidth) {
      throw_damaged(
          fmt::format("its dtype is {}; a string has at most {} characters", header.descr, kMaxTextWidth));
    }
    if (header.order == '>') throw_unsupported("big-endian numbers", "a.astype(a.dtype.newbyteorder('<'))");
    if (header.column_major && header.shape.rank() > 1) {
      throw_unsupported("a column-major (Fortran order) array", "numpy.ascontiguousarray(a)");
    }
  }

  /// Refuses a shape that the file cannot hold, before memory is taken for it.
  void check_size(const Header& header) const {
    uint64_t count = 1;
    for (const int64_t dim : header.shape.dims()) {
      // Dimensions of 0 do not excuse the others: their product is taken in other orders elsewhere.
      if (dim != 0 && __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) count = UINT64_MAX;
      if (count > INT64_MAX) throw_damaged(fmt::format("its shape is {}", header.shape.to_tuple_string()));
    }
    count = static_cast<uint64_t>(header.shape.num_elements());
    const uint64_t present = file_.size - header.data_begin;
    const uint64_t width = header.element_bytes();
    if (width == 0 && count > kMaxEmptyTexts) {
      throw_damaged(fmt::format("it has no bytes for {} strings of dtype {}", count, header.descr));
    }
    if (width != 0 && count > present / width) {
      throw_damaged(
          fmt::format("its elements are cut off: {} bytes are there for {} of {}", present, count, width));
    }
  }

  /// Padded with zeros to the length of the longest; many at once, as short ones are many.
  Array read_texts(const Header& header) const {
    Array array(DType::kString, header.shape);
    const size_t width = array.size() == 0 ? 0 : header.element_bytes();
    const int64_t at_once = width == 0 ? array.size() : static_cast<int64_t>(kPieceBytes / width) + 1;
    std::string piece;
    auto* out = array.mutable_data<std::string>();
    for (int64_t begin = 0; begin < array.size(); begin += at_once) {
      const int64_t count = std::min(at_once, array.size() - begin);
      piece.resize(static_cast<size_t>(count) * width);  // size: of a piece, or of one element in the file
      read_bytes(header.data_begin + static_cast<uint64_t>(begin) * width, piece.data(), piece.size());
      for (int64_t i = 0; i < count; ++i) {
        const std::string_view bytes = std::string_view(piece).substr(static_cast<size_t>(i) * width, width);
        out[begin + i] = header.kind == 'U' ? to_utf8(bytes)
                                            : std::string(bytes.substr(0, bytes.find_last_not_of('\0') + 1));
      }
    }
    return array;
  }

  /// The UTF-8 text of characters of 4 bytes.
  static std::string to_utf8(std::string_view characters) {
    std::string text;
    for (size_t i = 0; i + 4 <= characters.size(); i += 4) {
      uint32_t c = 0;
      std::memcpy(&c, characters.data() + i, 4);
      if (c == 0) continue;
      const int extra = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      constexpr uint8_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
      text += static_cast<char>(kLead[extra] | (c >> (6 * extra)));
      for (int k = extra - 1; k >= 0; --k) text += static_cast<char>(0x80 | ((c >> (6 * k)) & 0x3f));
    }
    return text;
  }

  const Source file_;
};

// ---- writing

std::string descr_of(DType dtype, size_t width) {
  if (dtype == DType::kString) return fmt::format("|S{}", width);
  const char kind = dtype == DType::kBool                ? 'b'
                    : is_floating(dtype)                 ? 'f'
                    : is_complex(dtype)                  ? 'c'
                    : dtype_name(dtype).starts_with('u') ? 'u'
                                                         : 'i';
  return fmt::format("{}{}{}", width == 1 ? '|' : '<', kind, width);
}

std::string header_text(const std::string& descr, const Shape& shape) {
  constexpr size_t kAlignment = 64;
  constexpr size_t kStartBytes = 10;
  const std::string dims = fmt::format("({}{})", fmt::join(shape.dims(), ", "), shape.rank() == 1 ? "," : "");
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, dims);
  text.append(kAlignment - (kStartBytes + text.size() + 1) % kAlignment, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size());
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

size_t longest(std::span<const std::string> texts) {
  size_t length = 1;
  for (const std::string& text : texts) {
    length = std::max(length, text.size());
    if (text.ends_with('\0')) {
      throw errors::InvalidArgumentError(
          "A string that ends with a zero byte cannot be in a .npy file: NumPy drops it");
    }
  }
  return length;
}

}  // namespace

Array read_npy(const std::filesystem::path& path) {
  const StoredFile file(path, FileAccess::all());
  const auto read = [&](uint64_t offset, char* to, size_t count) { return file.read(offset, to, count); };
  return NpyReader({path.string(), file.size(), read}).read();
}

Array npy_of(std::string_view bytes, const std::string& name) {
  const auto read = [&](uint64_t offset, char* to, size_t count) {
    const std::string_view piece = offset < bytes.size() ? bytes.substr(offset, count) : std::string_view();
    std::ranges::copy(piece, to);
    return piece.size();
  };
  return NpyReader({name, bytes.size(), read}).read();
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  if (array.dtype() == DType::kBfloat16) return write_npy(path, array.astype(DType::kFloat32));
  NewFile file = NewFile::through(path, FileAccess::all());
  if (array.dtype() == DType::kString) {
    const auto texts = array.span<std::string>();
    const size_t width = longest(texts);
    file.append(header_text(descr_of(array.dtype(), width), array.shape()));
    for (std::string text : texts) {
      text.resize(width);
      file.append(text);
    }
  } else {
    file.append(header_text(descr_of(array.dtype(), dtype_size(array.dtype())), array.shape()));
    file.append({static_cast<const char*>(array.raw_data()), array.size_bytes()});
  }
  file.commit();
}

}  // namespace flowray::files
