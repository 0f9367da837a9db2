#include "core/invalid_argument.h"

#include <flowray/errors.h>

namespace flowray {

void invalid_argument(const std::string& reason) { throw errors::InvalidArgumentError(reason); }

}  // namespace flowray
