// Map and reduce: tasks count the words of one file each and part them by their first letters; others add up
// what belongs together, straight from the object store. The driver sees references until the end.
//
//     word_count [FOLDER]      of the texts in it; the licences that Debian installs unless given

#include <flowray/ray.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ray = flowray::ray;

using Counts = std::map<std::string, int64_t>;
constexpr size_t kParts = 4;

/// The words of a file, all letters small, in kParts that have no word in common.
std::vector<Counts> count_words(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Counts> parts(kParts);
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const int letter = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    if (letter < 128 && std::isalpha(letter) != 0) {
      word += static_cast<char>(std::tolower(letter));
    } else if (!word.empty()) {
      ++parts[static_cast<size_t>(word[0]) % kParts][word];
      word.clear();
    }
  }
  return parts;
}

/// That part of all files.
Counts add_part(size_t part, const std::vector<ray::ObjectRef<std::vector<Counts>>>& files) {
  Counts sum;
  for (const auto& file : files) {
    const auto parts = file.Get();
    for (const auto& [word, count] : parts->at(part)) sum[word] += count;
  }
  return sum;
}

RAY_REMOTE(count_words, add_part);

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "/usr/share/common-licenses";
  ray::Init();
  std::vector<ray::ObjectRef<std::vector<Counts>>> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && !entry.is_symlink())  // other names of the same licence
      files.push_back(ray::Task(count_words).Remote(entry.path().string()));
  }
  std::vector<ray::ObjectRef<Counts>> parts;
  for (size_t part = 0; part < kParts; ++part) parts.push_back(ray::Task(add_part).Remote(part, files));

  std::vector<std::pair<int64_t, std::string>> words;
  int64_t all = 0;
  for (const auto& part : ray::Get(parts)) {
    for (const auto& [word, count] : *part) {
      words.emplace_back(-count, word);
      all += count;
    }
  }
  std::ranges::sort(words);  // the most frequent first, and by the alphabet
  std::cout << files.size() << " files, " << all << " words, " << words.size() << " different ones\n";
  for (size_t i = 0; i < std::min<size_t>(words.size(), 10); ++i)
    std::cout << -words[i].first << " " << words[i].second << "\n";
}
