#pragma once
/// What programs see of an error: its class and the first sentence of its message.

#include <flowray/errors.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::testing {

/// "ValueError", "InvalidArgumentError", ...
std::string class_of(const Error& error);

/// Up to the first full stop, or to what TensorFlow's shape inference adds about values it looked at, which
/// we do not say.
std::string first_sentence(const std::string& message);

/// what() of what `f` throws; "nothing" where it throws nothing.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

/// "InvalidArgumentError: Retval[0] does not have value". Of an UnimplementedError the class alone:
/// TensorFlow has no words for what it does.
std::string words_of(const Error& error);

/// The message but for the line of the call, its last.
std::string without_line(const Error& error);

/// The lines of the file that the message says something was made at, in its order: {12} of "The call was
/// made at FILE:12.".
std::vector<int> lines_named(std::string_view message, std::string_view file);

}  // namespace flowray::testing
