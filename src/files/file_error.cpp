#include "files/file_error.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace flowray::files {
namespace {

Code code_of(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
    case EROFS:
      return Code::kPermissionDenied;
    case ENOENT:
      return Code::kNotFound;
    case EEXIST:
      return Code::kAlreadyExists;
    case ENOTDIR:
    case EISDIR:
      return Code::kFailedPrecondition;
    case ENAMETOOLONG:
    case ELOOP:
      return Code::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
      return Code::kResourceExhausted;
    default:
      return Code::kUnknown;
  }
}

}  // namespace

void throw_file_error(const std::filesystem::path& path, int error_number) {
  errors::throw_error(code_of(error_number),
                      fmt::format("{}; {}", path.string(), std::generic_category().message(error_number)));
}

}  // namespace flowray::files
