#pragma once

#include <flowray/tf/rnn.h>

#include <string>

namespace flowray::tf::nn {

/// Throws ValueError for a null pointer in place of a cell.
void check_cell(const CellPointer& cell, const std::string& argument);

}  // namespace flowray::tf::nn
