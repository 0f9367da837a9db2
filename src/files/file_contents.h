#pragma once
/// Whole files. All functions throw the errors:: class of the system's error: "<path>; No such file or
/// directory". Names may begin with "file://"; for other schemes they throw errors::UnimplementedError.

#include <string>
#include <string_view>
#include <vector>

namespace flowray::files {

/// The path in a name as TensorFlow writes it.
std::string local_path(const std::string& name);

std::string read_file(const std::string& name);
/// Makes the folder where it is not there. A file of that name is overwritten.
void write_file(const std::string& name, std::string_view bytes);

/// Names of the files that match a pattern of *, ? and [...], none of which stands for a slash; sorted. A
/// relative pattern gives names that begin with "./", unless there is nothing to be matched in it.
std::vector<std::string> matching_files(const std::string& pattern);

}  // namespace flowray::files
