#pragma once
/// Folders that outlive a crash of the system: a file that was synchronised is there after one only if the
/// name that it got was synchronised too. All functions throw the errors:: class of the system's error.

#include <filesystem>

namespace flowray::files {

/// The folder in which the file `path` lies; "." where the path names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// Makes `folder`, and those above it, where they are not there. FailedPreconditionError where a file is in
/// the way: "<folder>; Not a directory".
void make_folder(const std::filesystem::path& folder);

/// Makes what was made, renamed and removed in `folder` survive a crash of the system.
void sync_folder(const std::filesystem::path& folder);

}  // namespace flowray::files
