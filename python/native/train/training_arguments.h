#pragma once
/// Arguments that savers, summaries and supervisors share.

#include "native/convert/convert.h"

#include <cstdint>
#include <optional>
#include <string>

namespace flowray::python {

/// A path as a str or an os.PathLike.
std::string as_path(nb::handle object);

/// A step as a number: of a tensor or variable its value in `session`.
std::optional<int64_t> as_step_number(nb::handle step, nb::handle session);

}  // namespace flowray::python
