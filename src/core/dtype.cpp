#include <flowray/dtype.h>

#include <fmt/format.h>

#include <array>
#include <ostream>

namespace flowray {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::string_view kernel_name;
  size_t size_bytes;
};

constexpr std::array kDTypes = {
    DTypeRow{DType::kFloat32, "float32", "float", 4},
    DTypeRow{DType::kFloat64, "float64", "double", 8},
    DTypeRow{DType::kInt32, "int32", "int32", 4},
    DTypeRow{DType::kUint8, "uint8", "uint8", 1},
    DTypeRow{DType::kInt16, "int16", "int16", 2},
    DTypeRow{DType::kInt8, "int8", "int8", 1},
    DTypeRow{DType::kString, "string", "string", sizeof(std::string)},
    DTypeRow{DType::kComplex64, "complex64", "complex64", 8},
    DTypeRow{DType::kInt64, "int64", "int64", 8},
    DTypeRow{DType::kBool, "bool", "bool", 1},
    DTypeRow{DType::kQint8, "qint8", "qint8", 1},
    DTypeRow{DType::kQuint8, "quint8", "quint8", 1},
    DTypeRow{DType::kQint32, "qint32", "qint32", 4},
    DTypeRow{DType::kBfloat16, "bfloat16", "bfloat16", 2},
    DTypeRow{DType::kQint16, "qint16", "qint16", 2},
    DTypeRow{DType::kQuint16, "quint16", "quint16", 2},
    DTypeRow{DType::kUint16, "uint16", "uint16", 2},
    DTypeRow{DType::kComplex128, "complex128", "complex128", 16},
    DTypeRow{DType::kFloat16, "float16", "half", 2},
    DTypeRow{DType::kResource, "resource", "resource", 0},
    DTypeRow{DType::kVariant, "variant", "variant", 0},
    DTypeRow{DType::kUint32, "uint32", "uint32", 4},
    DTypeRow{DType::kUint64, "uint64", "uint64", 8},
};

constexpr const DTypeRow* find_row(DType dtype) {
  const auto index = static_cast<int32_t>(base_dtype(dtype)) - 1;
  return index >= 0 && index < static_cast<int32_t>(kDTypes.size()) ? &kDTypes[static_cast<size_t>(index)]
                                                                    : nullptr;
}

constexpr bool rows_stand_in_order() {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (static_cast<size_t>(kDTypes[i].dtype) != i + 1) return false;
  }
  return true;
}
static_assert(rows_stand_in_order(), "find_row looks a dtype up by its number");

}  // namespace

std::string dtype_name(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  if (row == nullptr) return fmt::format("<invalid dtype {}>", static_cast<int32_t>(dtype));
  return std::string(row->name) + (is_ref(dtype) ? "_ref" : "");
}

std::string dtype_kernel_name(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  if (row == nullptr) return dtype_name(dtype);
  return std::string(row->kernel_name) + (is_ref(dtype) ? "_ref" : "");
}

DType dtype_from_name(std::string_view name) {
  const bool ref = name.ends_with("_ref");
  if (ref) name.remove_suffix(4);
  for (const DTypeRow& row : kDTypes) {
    if (row.name == name || row.kernel_name == name) return ref ? ref_dtype(row.dtype) : row.dtype;
  }
  return DType::kInvalid;
}

size_t dtype_size(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  return row == nullptr ? 0 : row->size_bytes;
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype_name(dtype); }

}  // namespace flowray
