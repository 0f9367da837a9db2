#pragma once
/// What a step tells about itself, as the language has it.

#include <flowray/tf/session.h>

#include "wire/run_metadata.h"

namespace flowray::tf {

RunMetadata metadata_of(const wire::RunMetadata& message);

}  // namespace flowray::tf
