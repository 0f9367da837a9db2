#pragma once
/// Learning rates of files that follow from the number of steps.

#include <flowray/tf/config.h>
#include <flowray/tf/keras/learning_rate_schedules.h>

namespace flowray::tf::keras {

/// The one that a file tells of: {"class_name": "ExponentialDecay", "config": ...}. Throws
/// errors::UnimplementedError for unknown classes.
optimizers::schedules::LearningRateSchedule schedule_of_config(const Config& told);

}  // namespace flowray::tf::keras
