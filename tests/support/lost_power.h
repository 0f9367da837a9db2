#pragma once
/// What a disk may hold after the power has failed, worked out from the calls that a program has made.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/interposed/file_calls.h"

namespace flowray::testing {

/// The files of one folder: contents by path.
using DiskState = std::map<std::string, std::string>;

DiskState read_disk(const std::filesystem::path& folder);
/// Replaces what `folder` holds; the states' paths were below `was`.
void write_disk(const DiskState& state, const std::filesystem::path& was,
                const std::filesystem::path& folder);

/// After the first `num_calls` of `calls`, which began at `initial`. What POSIX promises and no more: the
/// bytes of a file are there once it was synchronised, a change of names once its folder was. Of other
/// changes of names any may be there and any be lost, each as a whole; of other bytes all, none or half.
std::set<DiskState> states_after_power_loss(const DiskState& initial, const std::vector<FileCall>& calls,
                                            size_t num_calls);

}  // namespace flowray::testing
