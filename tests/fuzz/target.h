#pragma once
/// What a fuzz target is: one source in tests/fuzz/<room> that defines run() and seeds(). scripts/fuzz
/// builds and runs it.

#include <string>
#include <string_view>
#include <vector>

namespace flowray::fuzz {

/// Hands `bytes`, which may be anything, to what is tested. A flowray::Error is an answer; another
/// exception, a sanitizer's finding, much memory or much time is a bug. What must hold for every input is
/// checked by check().
void run(std::string_view bytes);
/// Some good inputs, from which the fuzzer begins.
std::vector<std::string> seeds();

/// Ends the program where a promise is broken.
void check(bool holds, const char* promise);

/// Contents of the files in a folder of tests/ whose names end so;
/// the program must run in the repository's folder.
std::vector<std::string> files_of_tests(const std::string& folder, std::string_view ending);
/// "0aff": two small digits a byte.
std::string from_hexadecimal(std::string_view digits);

/// Stands as a file while it lives.
class InputFile {
 public:
  explicit InputFile(std::string_view bytes);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  const std::string& path() const { return path_; }
  /// Has it hold these bytes instead.
  void fill(std::string_view bytes) const;

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace flowray::fuzz
