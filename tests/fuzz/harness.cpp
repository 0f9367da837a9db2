// libFuzzer's entries, the same for all targets.
//     fuzz-NAME --write-seeds=FOLDER     puts the target's seeds there
//     fuzz-NAME [libFuzzer's options]    fuzzes

#include <flowray/errors.h>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "fuzz/target.h"

namespace flowray::fuzz {

namespace fs = std::filesystem;

void check(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

std::vector<std::string> files_of_tests(const std::string& folder, std::string_view ending) {
  std::vector<std::string> contents;
  for (const auto& entry : fs::directory_iterator("tests/" + folder)) {
    if (!entry.path().string().ends_with(ending)) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return contents;
}

std::string from_hexadecimal(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

InputFile::InputFile(std::string_view bytes)
    : descriptor_(::memfd_create("input", MFD_CLOEXEC)), path_(fmt::format("/proc/self/fd/{}", descriptor_)) {
  check(descriptor_ >= 0 &&
            ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
        "there is memory for the input");
}

InputFile::~InputFile() { ::close(descriptor_); }

namespace {

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  int number = 0;
  for (const std::string& seed : seeds())
    std::ofstream(folder / fmt::format("seed-{}", number++), std::ios::binary) << seed;
}

}  // namespace
}  // namespace flowray::fuzz

extern "C" {

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--write-seeds=";
  for (const std::string_view argument : std::span(*argv, static_cast<size_t>(*argc))) {
    if (!argument.starts_with(kOption)) continue;
    flowray::fuzz::write_seeds(argument.substr(kOption.size()));
    std::exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    flowray::fuzz::run({reinterpret_cast<const char*>(data), size});
  } catch (const flowray::Error&) {  // an answer
  }
  return 0;
}

}  // extern "C"
