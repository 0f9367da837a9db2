#include "wire/codec.h"

#include <limits>

namespace flowray::wire::codec {

void check_size(std::string_view type, size_t size_bytes) {
  constexpr auto kLimit = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (size_bytes <= kLimit) return;
  throw errors::InvalidArgumentError(fmt::format(
      "Cannot serialize protocol buffer of type {} as the serialized size ({} bytes) would be larger than "
      "the "
      "limit ({} bytes)\nFeed large values, or keep them in variables that are saved on their own.",
      type, size_bytes, kLimit));
}

}  // namespace flowray::wire::codec
