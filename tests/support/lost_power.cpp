#include "support/lost_power.h"

#include <fcntl.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace flowray::testing {
namespace {

namespace fs = std::filesystem;

class Disk {
 public:
  explicit Disk(const DiskState& initial) {
    for (const auto& [path, content] : initial) {
      files_.push_back({content, content});
      on_disk_[path] = seen_[path] = files_.size() - 1;
    }
  }

  void apply(const FileCall& call) {
    switch (call.kind) {
      case FileCall::Kind::kOpen:
        return open(call);
      case FileCall::Kind::kWrite:
        files_[open_.at(call.descriptor)].seen += call.other;  // nobody seeks
        return;
      case FileCall::Kind::kTruncate:
        files_[open_.at(call.descriptor)].seen.clear();  // nobody leaves a part
        return;
      case FileCall::Kind::kSync:
        return sync(call);
      case FileCall::Kind::kClose:
        open_.erase(call.descriptor);
        return;
      case FileCall::Kind::kRename:
        return rename(call);
      case FileCall::Kind::kLink:
        return change({{call.other, seen_.at(call.path)}});
      case FileCall::Kind::kUnlink:
        return change({{call.path, std::nullopt}});
      case FileCall::Kind::kRead:
      case FileCall::Kind::kChmod:
      case FileCall::Kind::kStat:
      case FileCall::Kind::kMkdir:  // folders are there
        return;
    }
  }

  std::set<DiskState> after_power_loss() const {
    std::set<DiskState> states;
    for (const std::vector<bool>& kept : choices(pending_.size())) {
      Names names = on_disk_;
      for (size_t i = 0; i < pending_.size(); ++i) {
        if (kept[i]) carry_out(pending_[i], names);
      }
      for (const double share : {0.0, 0.5, 1.0}) states.insert(contents(names, share));
    }
    return states;
  }

 private:
  struct File {
    std::string on_disk;
    std::string seen;
  };
  using Names = std::map<std::string, size_t>;
  using Change = std::map<std::string, std::optional<size_t>>;  // at once; none: the name goes

  void open(const FileCall& call) {
    if (seen_.contains(call.path)) {
      File& file = files_[seen_[call.path]];
      if ((call.flags & O_TRUNC) != 0) file.seen.clear();
    } else if ((call.flags & O_CREAT) != 0) {
      files_.emplace_back();
      change({{call.path, files_.size() - 1}});
    } else {
      return;  // a folder
    }
    open_[call.descriptor] = seen_[call.path];
  }

  void rename(const FileCall& call) {
    const size_t file = seen_.at(call.path);
    const auto there = seen_.find(call.other);
    if (there != seen_.end() && there->second == file) return;  // both names stay
    change({{call.path, std::nullopt}, {call.other, file}});
  }

  void sync(const FileCall& call) {
    const auto file = open_.find(call.descriptor);
    if (file != open_.end()) {
      files_[file->second].on_disk = files_[file->second].seen;
      return;
    }
    std::vector<Change> others;
    for (const Change& pending : pending_) {
      const bool is_there = fs::path(pending.begin()->first).parent_path() == fs::path(call.path);
      if (is_there) {
        carry_out(pending, on_disk_);
      } else {
        others.push_back(pending);
      }
    }
    pending_ = others;
  }

  void change(const Change& names) {
    carry_out(names, seen_);
    pending_.push_back(names);
  }

  static void carry_out(const Change& change, Names& names) {
    for (const auto& [path, file] : change) {
      if (file.has_value()) {
        names[path] = *file;
      } else {
        names.erase(path);
      }
    }
  }

  /// Which of `count` changes are on the disk: every choice of few; of many all before one, all but one,
  /// only one.
  static std::vector<std::vector<bool>> choices(size_t count) {
    std::vector<std::vector<bool>> result;
    if (count <= 6) {
      for (size_t bits = 0; bits < size_t{1} << count; ++bits) {
        std::vector<bool> kept(count);
        for (size_t i = 0; i < count; ++i) kept[i] = (bits >> i & 1) != 0;
        result.push_back(kept);
      }
      return result;
    }
    for (size_t one = 0; one <= count; ++one) {
      std::vector<bool> before(count), all_but(count, true), only(count);
      for (size_t i = 0; i < one; ++i) before[i] = true;
      if (one < count) all_but[one] = false, only[one] = true;
      for (const auto& kept : {before, all_but, only}) result.push_back(kept);
    }
    return result;
  }

  /// `share` of what was written and not synchronised is there.
  DiskState contents(const Names& names, double share) const {
    DiskState state;
    for (const auto& [path, number] : names) {
      const File& file = files_[number];
      if (file.on_disk == file.seen) {
        state[path] = file.seen;
      } else if (share == 0) {
        state[path] = file.on_disk;
      } else {
        state[path] = file.seen.substr(0, static_cast<size_t>(share * static_cast<double>(file.seen.size())));
      }
    }
    return state;
  }

  std::vector<File> files_;
  Names on_disk_;
  Names seen_;
  std::vector<Change> pending_;  // of seen_, that on_disk_ has not yet
  std::map<int, size_t> open_;
};

}  // namespace

DiskState read_disk(const fs::path& folder) {
  DiskState state;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    state[entry.path()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return state;
}

void write_disk(const DiskState& state, const fs::path& was, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [path, content] : state) {
    const fs::path place = folder / fs::path(path).lexically_relative(was);
    fs::create_directories(place.parent_path());
    std::ofstream file(place, std::ios::binary);
    file << content;
    if (!file.flush()) throw std::runtime_error("cannot write " + place.string());
  }
}

std::set<DiskState> states_after_power_loss(const DiskState& initial, const std::vector<FileCall>& calls,
                                            size_t num_calls) {
  Disk disk(initial);
  for (size_t i = 0; i < num_calls; ++i) disk.apply(calls[i]);
  return disk.after_power_loss();
}

}  // namespace flowray::testing
