#include "files/bundle_publication.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "files/folder.h"
#include "files/new_file.h"
#include "wire/bundle.h"

namespace flowray::files {

namespace fs = std::filesystem;

namespace {

void remove_if_possible(const fs::path& path, const FileAccess& access) {
  try {
    access.remove_file(path);
  } catch (const Error&) {
    return;
  }
}

/// Data files under the names of shards. They are those of no index until keep().
class PlacedData {
 public:
  PlacedData(const std::string& prefix, const std::vector<fs::path>& data, int num_shards,
             const FileAccess& access)
      : access_(access) {
    try {
      for (size_t i = 0; i < data.size(); ++i)
        place(data[i], bundle_data_path(prefix, static_cast<int>(i), num_shards));
    } catch (...) {
      take_back();
      throw;
    }
  }
  ~PlacedData() { take_back(); }
  PlacedData(const PlacedData&) = delete;
  PlacedData& operator=(const PlacedData&) = delete;

  void keep() { placed_.clear(); }

 private:
  struct Placed {
    fs::path from;
    fs::path to;
    bool is_linked;
  };

  void place(const fs::path& from, const fs::path& to) {
    remove_if_possible(
        to, access_);  // left by a process that was killed; the next call reports what is not a file
    const bool is_linked = access_.link(from, to);
    if (!is_linked) access_.rename(from, to);
    placed_.push_back({from, to, is_linked});
  }

  void take_back() {
    for (const Placed& file : placed_) {
      if (file.is_linked) {
        remove_if_possible(file.to, access_);
        continue;
      }
      try {
        access_.rename(file.to, file.from);
      } catch (const Error&) {
        continue;  // the error that brought us here is the one to be told
      }
    }
    placed_.clear();
  }

  const FileAccess& access_;
  std::vector<Placed> placed_;
};

/// The file gets another name, which it takes from the file that had it. False where it can have only one.
bool link_over(const fs::path& from, const fs::path& to, const FileAccess& access) {
  const fs::path temporary = to.string() + ".tempstate";
  remove_if_possible(temporary, access);
  if (!access.link(from, temporary)) return false;
  try {
    access.rename(temporary, to);
  } catch (const Error&) {
    remove_if_possible(temporary, access);
    throw;
  }
  // Two names of one file are both left by rename, which says nothing.
  remove_if_possible(temporary, access);
  return true;
}

/// The data files get the names of their number, too. False where files can have only one name.
bool link_data(const std::string& prefix, int num_shards, int first_num_shards, const FileAccess& access) {
  for (int i = 0; i < num_shards; ++i) {
    const fs::path from = bundle_data_path(prefix, i, first_num_shards);
    if (!link_over(from, bundle_data_path(prefix, i, num_shards), access)) return false;
  }
  return true;
}

/// The least number from `num_shards` on that no data file has in its name: there is none without shard 0. It
/// is not read from the index that stands there, which may be all that is damaged.
int free_num_shards(const std::string& prefix, int num_shards, const FileAccess& access) {
  while (access.stands(bundle_data_path(prefix, 0, num_shards))) ++num_shards;
  return num_shards;
}

bool is_number(std::string_view text) {
  return text.size() >= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Removes NAME.data-*-of-* whose names do not say `num_shards`. What cannot be removed stays: no index
/// refers to it.
void remove_other_data(const std::string& prefix, int num_shards, const FileAccess& access) {
  const std::string begin = fs::path(prefix).filename().string() + ".data-";
  const std::string end = fmt::format("-of-{:05}", num_shards);
  constexpr std::string_view kOf = "-of-";
  for (const std::string& name : access.names_in(folder_of(prefix))) {
    if (!name.starts_with(begin) || name.ends_with(end)) continue;
    const std::string_view numbers = std::string_view(name).substr(begin.size());
    const size_t of = numbers.find(kOf);
    if (of == std::string_view::npos) continue;
    if (is_number(numbers.substr(0, of)) && is_number(numbers.substr(of + kOf.size())))
      remove_if_possible(folder_of(prefix) / name, access);
  }
}

void write_index(NewFile& file, BundleIndexEntries& entries, int num_shards) {
  wire::BundleHeaderProto header;
  header.num_shards = num_shards;
  header.version.emplace().producer = 1;
  entries[""] = wire::encode(header);
  file.append(encode_bundle_index(entries));
  file.finish();
}

}  // namespace

std::string bundle_data_path(std::string_view prefix, int shard, int num_shards) {
  return fmt::format("{}.data-{:05}-of-{:05}", prefix, shard, num_shards);
}

std::string bundle_index_path(std::string_view prefix) { return fmt::format("{}.index", prefix); }

void publish_bundle(const std::string& prefix, const std::vector<fs::path>& data, BundleIndexEntries entries,
                    const FileAccess& access) {
  const int num_shards = static_cast<int>(data.size());
  const fs::path folder = folder_of(prefix);
  // Everything that takes room on the disk comes before anything that is seen.
  NewFile index(bundle_index_path(prefix), access);
  write_index(index, entries, num_shards);
  const bool one_stands = access.stands(index.path());
  const int first_num_shards = one_stands ? free_num_shards(prefix, num_shards, access) : num_shards;
  std::optional<NewFile> interim;
  if (first_num_shards != num_shards)
    write_index(interim.emplace(index.path(), access), entries, first_num_shards);

  PlacedData placed(prefix, data, first_num_shards, access);
  access.sync_folder(folder);
  (interim ? *interim : index).publish();
  placed.keep();
  access.sync_folder(folder);

  bool has_last_names = !interim;
  if (interim && link_data(prefix, num_shards, first_num_shards, access)) {
    access.sync_folder(folder);
    index.publish();
    access.sync_folder(folder);
    has_last_names = true;
  }
  if (one_stands) remove_other_data(prefix, has_last_names ? num_shards : first_num_shards, access);
}

}  // namespace flowray::files
