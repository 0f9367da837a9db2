#pragma once
/// Whether what a layer is called with is what it was built for.

#include <flowray/tf/keras/layer.h>

#include <string>
#include <vector>

namespace flowray::tf::keras {

/// Throws ValueError for inputs that are not as `specs` say; none: any may come.
void check_inputs(const std::vector<InputSpec>& specs, const std::vector<Tensor>& inputs,
                  const std::string& layer);

}  // namespace flowray::tf::keras
