#pragma once
/// How a model is trained, as files have it: losses, metrics, and the optimizer.

#include <flowray/tf/config.h>
#include <flowray/tf/keras/saving.h>
#include <flowray/tf/keras/training.h>

#include <string>
#include <vector>

namespace flowray::tf::keras {

/// What compile() was told, one loss and one list of metrics for each output. Throws
/// errors::UnimplementedError for functions without a name.
Config told_training(const CompileOptions& options, const Config& optimizer);
/// What such a config says. Throws ValueError for unknown names, errors::UnimplementedError for what is not
/// there.
CompileOptions compile_options_of(const Config& training, const std::vector<std::string>& output_names,
                                  const CustomObjects& own);

}  // namespace flowray::tf::keras
