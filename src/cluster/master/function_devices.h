#pragma once

#include "engine/step/place.h"
#include "graph/exchange/function_library.h"

#include <cstdint>
#include <span>

namespace flowray::cluster {

/// Whether a function makes something that stays (a variable, a queue, a table) on a device that it names.
bool names_devices_of_state(const graph::FunctionLibrary& library, const graph::OpTable& ops);

/// A function runs whole where its caller is, whatever devices its nodes ask for. That is only slower for
/// what is computed, but what they make that stays would be made a second time, on another task than the
/// program says: throws errors::UnimplementedError for it. `device_of`: of the nodes of `step`.
void check_devices_in_functions(const engine::StepGraph& step, std::span<const uint32_t> device_of,
                                const engine::DeviceSet& set, const graph::FunctionLibrary& library);

}  // namespace flowray::cluster
