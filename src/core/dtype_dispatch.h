#pragma once
/// From a DType at run time to a C++ type: dispatch<Numbers>(dtype, [&]<class T>() {...}).

#include <flowray/dtype.h>

#include <cstdint>

namespace flowray {

template <class... Ts>
struct TypeList {};

// The lists that kernels are instantiated for, short in every build for the sake of compile times; what only
// moves bytes goes by the width of an element and takes all types.
using FloatTypes = TypeList<float, double>;
using NumberTypes = TypeList<float, double, int32_t, int64_t>;
using IndexTypes = TypeList<int32_t, int64_t>;
using AllTypes = TypeList<float, double, int32_t, int64_t, bool>;

namespace internal {
template <class F, class... Ts>
bool dispatch_list(DType dtype, F&& body, TypeList<Ts...>) {
  return ((dtype == kDTypeOf<Ts> && (body.template operator()<Ts>(), true)) || ...);
}
}  // namespace internal

/// Calls body.operator()<T>() for the type in `List` that `dtype` stands for; false if it is not among them.
template <class List, class F>
[[nodiscard]] bool dispatch(DType dtype, F&& body) {
  return internal::dispatch_list(dtype, body, List{});
}

}  // namespace flowray
