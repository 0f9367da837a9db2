#pragma once
/// What layers ask of their arguments and inputs.

#include <flowray/tf/input.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::tf::keras::layers {

/// Throws ValueError for a number below 1.
int64_t positive(int64_t value, const char* what, Input::Where where);
int64_t filters_of(int64_t filters, Input::Where where);
/// Height and width, of one number or two.
std::vector<int64_t> pair_of(const std::vector<int64_t>& values, const char* what, Input::Where where);
/// Depth, height and width, of one number or three.
std::vector<int64_t> triple_of(const std::vector<int64_t>& values, const char* what, Input::Where where);
/// "VALID" or "SAME", in whichever letters.
std::string padding_of(const std::string& padding, Input::Where where);
/// Throws ValueError where it is not known.
int64_t last_dimension(const TensorShape& shape, const std::string& layer);
/// Dimensions of inputs of this shape, counted from 0 on. Throws ValueError for those that are not there.
std::vector<int64_t> axes_of(const std::vector<int64_t>& axes, const TensorShape& shape);
/// Throws ValueError for inputs of another rank.
void check_rank(const TensorShape& shape, int64_t rank, const std::string& name);

}  // namespace flowray::tf::keras::layers
