#pragma once

#include <flowray/ray/runtime.h>

#include <memory>
#include <string>

#include "ray/driver/template_process.h"

namespace flowray::ray {

/// What might be another by the first call is looked at now: $FLOWRAY_PYTHON, and what relative paths mean.
RayConfig with_settled_python(RayConfig config);

/// What get_runtime_context().get_session_name() tells Python's functions.
std::string new_session_name();

/// The driver's end of an interpreter of Python's that forks workers, for a program that is not Python
/// itself. Returns before that has imported what workers need: workers may be spawned at once. Throws
/// errors::UnavailableError, saying what to do, if there is no such interpreter; what it has to say against
/// it later is the reason of its workers' deaths. `config`: of with_settled_python.
std::unique_ptr<TemplateProcess> start_python_template(const RayConfig& config, const std::string& session);

}  // namespace flowray::ray
