#pragma once

#include <flowray/ray/runtime.h>

#include <memory>

#include "ray/driver/template_process.h"

namespace flowray::ray {

/// The driver's end of an interpreter of Python's that forks workers, for a program that is none of Python's.
/// Returns before that has imported what workers need: workers may be spawned at once. Throws
/// errors::UnavailableError, saying what to do, if there is no such interpreter; what it has to say against
/// it later is the reason of its workers' deaths.
std::unique_ptr<TemplateProcess> start_python_template(const RayConfig& config);

}  // namespace flowray::ray
