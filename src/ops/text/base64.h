#pragma once

#include <string>
#include <string_view>

namespace flowray::ops {

/// Bytes in letters as addresses of the web have them, with "-" and "_" for the last two digits; with `pad`
/// filled up with "=" to a multiple of four.
std::string web_base64(std::string_view bytes, bool pad);

}  // namespace flowray::ops
