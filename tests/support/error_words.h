#pragma once
/// What programs see of an error: its class and the first sentence of its message.

#include <flowray/errors.h>

#include <string>

namespace flowray::testing {

/// "ValueError", "InvalidArgumentError", ...
std::string class_of(const Error& error);

/// Up to the first full stop, or to what TensorFlow's shape inference adds about values it looked at, which
/// we do not say.
std::string first_sentence(const std::string& message);

/// "InvalidArgumentError: Retval[0] does not have value". Of an UnimplementedError the class alone:
/// TensorFlow has no words for what it does.
std::string words_of(const Error& error);

}  // namespace flowray::testing
