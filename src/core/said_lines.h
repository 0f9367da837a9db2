#pragma once

#include <chrono>
#include <string>

namespace flowray {

/// "flowray: LINE" on stderr, unless this process has said the same line less than `pause` ago: what several
/// of its parts wait for together is said once. Thread-safe.
void say_unless_just_said(const std::string& line, std::chrono::steady_clock::duration pause);

}  // namespace flowray
