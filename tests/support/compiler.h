#pragma once
/// Runs the compiler on programs that it must refuse, with a message that says what to do.

#include <filesystem>
#include <string>
#include <string_view>

namespace flowray {

/// Whether `c++` can be started here.
bool has_compiler();

/// Fails the test unless tests/ROOM/does_not_compile/PROGRAM.cpp is refused. Lines of it say how:
///   // EXPECTED: TEXT   is somewhere in what the compiler says
///   // FIRST: TEXT      is in the first line that is an error
///   // STANDARD: NAME   is what it is compiled as; c++20 if no line says it
void expect_refused(std::string_view room, std::string_view program);

/// Fails the test unless this source compiles.
void expect_accepted(const std::filesystem::path& source);

}  // namespace flowray
