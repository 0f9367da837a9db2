#pragma once
/// Lets system calls on files fail, or end the process, one after the other, and records them. The program
/// that this is linked into has open, write, rename and the like of its own, which pass on to the system:
/// it is not in flowray-test-support, from which every test program would take them. Calls that take a name
/// in an open folder are among them, and openat2, for which there is no function but syscall().

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace flowray::testing {

struct FileCall {
  enum class Kind {
    kOpen,
    kRead,
    kWrite,
    kTruncate,
    kSync,
    kClose,
    kRename,
    kLink,
    kUnlink,
    kMkdir,
    kChmod,
    kStat
  };
  Kind kind;
  std::string path;   // of an open file the one that it was opened by
  std::string other;  // the new name of rename and link; the bytes of write
  int descriptor = -1;
  int flags = 0;  // of open
};
const char* name_of(FileCall::Kind kind);

/// While it lives, this process's calls on what lies in a folder go through it, in all threads; those that
/// synchronise do nothing. One at a time.
class FileCalls {
 public:
  explicit FileCalls(const std::filesystem::path& folder);
  ~FileCalls();
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;

  /// The call of this number, from 0, fails; those after it do not.
  void fail_at(size_t number, int error_number);
  /// It and all later ones fail that may need room: making, writing, synchronising, renaming, linking.
  void fail_from(size_t number, int error_number);
  /// All links fail, as where there are none.
  void refuse_links(int error_number);
  /// Nothing fails any more.
  void relent();
  /// SIGKILL in place of the call of this number; a write is half done first.
  void kill_at(size_t number);

  /// Those that were carried out, as they ended.
  std::vector<FileCall> done() const;
  /// All, those that failed too.
  size_t count() const;
  /// Of the one that was made to fail; of the first of several.
  FileCall::Kind failed() const;

  struct State;

 private:
  const std::unique_ptr<State> state_;
};

/// While it lives, nothing is synchronised in earnest: what a test writes need not outlive it.
class WithoutWaiting {
 public:
  WithoutWaiting();
  ~WithoutWaiting();
  WithoutWaiting(const WithoutWaiting&) = delete;
  WithoutWaiting& operator=(const WithoutWaiting&) = delete;
};

}  // namespace flowray::testing
