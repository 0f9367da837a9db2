#pragma once
/// Whole files. All functions throw the errors:: class of the system's error: "<path>; No such file or
/// directory". Names may begin with "file://"; for other schemes they throw errors::UnimplementedError.

#include <string>
#include <string_view>
#include <vector>

#include "files/file_access.h"

namespace flowray::files {

/// The path in a name as TensorFlow writes it.
std::string local_path(const std::string& name);

std::string read_file(const std::string& name, const FileAccess& access);
/// Makes the folder where it is not there. A file of that name is replaced, at once or not at all
/// (files/new_file.h); where it is a symbolic link, the file that it names.
void write_file(const std::string& name, std::string_view bytes, const FileAccess& access);
/// Makes the file where it is not there.
void append_to_file(const std::string& path, std::string_view bytes, const FileAccess& access);

/// Names of the files that match a pattern of *, ? and [...], none of which stands for a slash; sorted. A
/// relative pattern gives names that begin with "./", unless there is nothing to be matched in it.
std::vector<std::string> matching_files(const std::string& pattern, const FileAccess& access);

}  // namespace flowray::files
