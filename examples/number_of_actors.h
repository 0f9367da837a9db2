#pragma once
/// The argument of examples that train in actors.

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string_view>

/// `program [ACTORS]`: how many actors. Ends the program with status 2 for another argument.
inline int number_of_actors(int argc, char** argv, int otherwise) {
  if (argc < 2) return otherwise;
  const std::string_view word = argv[1];
  int number = 0;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), number);
  if (argc == 2 && error == std::errc() && end == word.end() && number > 0) return number;
  const char* const slash = std::strrchr(argv[0], '/');
  const char* const program = slash == nullptr ? argv[0] : slash + 1;
  if (argc > 2) {
    std::cerr << program << ": " << argc - 1 << " arguments; expected at most one, the number of actors\n";
  } else {
    std::cerr << program << ": '" << word << "' is not a number of actors; expected 1 or more\n";
  }
  std::exit(2);
}
