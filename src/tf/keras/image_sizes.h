#pragma once
/// What images may be resized to.

#include <flowray/tf/keras/image_preprocessing.h>

#include <string>

namespace flowray::tf::keras {

/// Throws ValueError for sizes and ways of resizing that there are not.
void check_resizing(const preprocessing::image::ImageSize& size, const std::string& interpolation);

}  // namespace flowray::tf::keras
