#include "ray/driver/zygote.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/sanitizers.h"
#include "ray/driver/surroundings.h"
#include "ray/functions/function_registry.h"

namespace flowray::ray {
namespace {

/// From a driver to the zygote; its descriptors are those named below.
struct ZygoteRequest {
  WorkerMain worker_main = nullptr;  // null: a program is to be started
  pid_t driver = 0;
  mode_t umask = 0;
};
enum ZygoteDescriptor : size_t {
  kTemplateSocket,
  kDriverProcess,  // a pidfd
  kTemplateStatus,
  kStandardOut,
  kStandardErr,
  kFolder,
  kEnvironment,
  kZygoteDescriptors,
  // Those of a request to start a program:
  kComplaint = kDriverProcess,
  kAdviceAndArguments = kZygoteDescriptors,  // each with a zero behind
  kProgramDescriptors
};

/// What the zygote says of itself once, in memory that it shares with the program: reading it is cheaper than
/// asking /proc of another process. A message would be taken by whichever fork of the program reads it first.
struct ZygoteSays {
  std::atomic<uint32_t> size{0};  // of the text; 0: not there yet, or too long
  std::array<char, 4096 - sizeof size> rights_and_places;
};

/// This process's end.
struct ZygoteOfProgram {
  bool main_is_wrapped = false;
  bool is_there = false;
  DescriptorSocket socket;
  pid_t pid = 0;
  const ZygoteSays* says = nullptr;
  size_t num_functions = 0;  // that it knows

  bool lives() const {
    pollfd end{socket.fd(), 0, 0};
    return poll(&end, 1, 0) == 0;
  }
  bool has_rights_of_this_process() const {
    const auto mine = rights_and_places_of("self");
    const uint32_t size = says->size.load(std::memory_order_acquire);
    if (size == 0) return mine && mine == rights_and_places_of(std::to_string(pid));
    return mine && *mine == std::string_view(says->rights_and_places.data(), size);
  }
};
ZygoteOfProgram& zygote_of_program() {
  static ZygoteOfProgram* const zygote = new ZygoteOfProgram;  // drivers may start after the end of statics
  return *zygote;
}

// ---- programs that it starts

constexpr int kSocketOfProgram = 3;
constexpr int kComplaintOfProgram = 4;

std::string text_of_file(int fd) {
  std::string text(static_cast<size_t>(std::max<off_t>(lseek(fd, 0, SEEK_END), 0)), '\0');
  if (pread(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) text.clear();
  return text;
}

std::vector<char*> pieces_of(std::string& text) {
  std::vector<char*> pieces;
  for (char* piece = text.data(); piece < text.data() + text.size(); piece += std::strlen(piece) + 1)
    pieces.push_back(piece);
  pieces.push_back(nullptr);
  return pieces;
}

/// Runs a program in the calling process, which was forked for it.
[[noreturn]] void become_program(const std::vector<Descriptor>& files) {
  std::string text = text_of_file(files[kAdviceAndArguments].get());
  const std::vector<char*> pieces = pieces_of(text);
  if (pieces.size() < 3) _exit(EXIT_FAILURE);
  setpgid(0, 0);
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  // Away from the numbers that they are to have.
  const int socket = fcntl(files[kTemplateSocket].get(), F_DUPFD, kComplaintOfProgram + 1);
  const int complaint = fcntl(files[kComplaint].get(), F_DUPFD, kComplaintOfProgram + 1);
  if (dup2(socket, kSocketOfProgram) < 0 || dup2(complaint, kComplaintOfProgram) < 0) _exit(EXIT_FAILURE);
  close_range(kComplaintOfProgram + 1, ~0u, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(pieces[1], pieces.data() + 1);
  const std::string why = fmt::format("{}. {}", std::strerror(errno), pieces[0]);
  (void)!write(kComplaintOfProgram, why.data(), why.size());
  _exit(127);
}

// ---- the zygote's life

class ZygoteLife {
 public:
  ZygoteLife(DescriptorSocket socket, ZygoteSays& says) : socket_(std::move(socket)), says_(says) {}
  /// Serves requests until no process holds the other end of the socket.
  void serve();

 private:
  struct Child {
    pid_t pid;
    Descriptor status;
  };

  void say_what_it_may();
  bool take_request();
  void fork_one(const ZygoteRequest& request, std::vector<Descriptor> files);
  void reap();
  static void tell(const Descriptor& status, int value) { (void)!write(status.get(), &value, sizeof value); }

  DescriptorSocket socket_;
  ZygoteSays& says_;
  Descriptor child_ended_;
  std::vector<Child> children_;
};

void ZygoteLife::serve() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // ignored, there would be nothing to wait for
  setpgid(0, 0);
  prctl(PR_SET_NAME, "ray::zygote");
  let_go_of_files(socket_.fd());
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC)); nothing)
      dup2(nothing.get(), standard);
  }
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  child_ended_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!child_ended_) return;  // it would hear of no end; drivers do without a zygote
  say_what_it_may();
  for (;;) {
    std::array<pollfd, 2> waits = {{{socket_.fd(), POLLIN, 0}, {child_ended_.get(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // memory is short, and drivers wait
      for (pollfd& wait : waits) wait.revents = POLLIN;
    }
    if (waits[1].revents != 0) reap();
    if (waits[0].revents != 0 && !take_request()) return;
  }
}

void ZygoteLife::say_what_it_may() {
  const std::string text = rights_and_places_of("self").value_or("");
  if (text.size() > says_.rights_and_places.size()) return;
  std::ranges::copy(text, says_.rights_and_places.begin());
  says_.size.store(static_cast<uint32_t>(text.size()), std::memory_order_release);
}

bool ZygoteLife::take_request() {
  DescriptorSocket::Message message;
  const auto received = socket_.receive(message, DescriptorSocket::Wait::kNo);
  if (received != DescriptorSocket::Received::kMessage)
    return received == DescriptorSocket::Received::kNothingNow;
  ZygoteRequest request;
  if (message.bytes.size() != sizeof request) return false;
  std::memcpy(&request, message.bytes.data(), sizeof request);
  // Where they were lost, the driver meets the end of its socket.
  if (message.descriptors.size() ==
      (request.worker_main == nullptr ? kProgramDescriptors : kZygoteDescriptors))
    fork_one(request, std::move(message.descriptors));
  return true;
}

void ZygoteLife::fork_one(const ZygoteRequest& request, std::vector<Descriptor> files) {
  const pid_t pid = fork();
  if (pid < 0) return tell(files[kTemplateStatus], -errno);
  if (pid > 0) {
    if (request.worker_main == nullptr) tell(files[kTemplateStatus], pid);
    return children_.push_back({pid, std::move(files[kTemplateStatus])});
  }
  socket_.close();
  child_ended_.close();
  children_.clear();
  files[kTemplateStatus].close();
  Surroundings surroundings;
  surroundings.out = std::move(files[kStandardOut]);
  surroundings.err = std::move(files[kStandardErr]);
  surroundings.folder = std::move(files[kFolder]);
  surroundings.environment = std::move(files[kEnvironment]);
  surroundings.umask = request.umask;
  surroundings.process = request.driver;
  surroundings.enter();
  if (request.worker_main == nullptr) become_program(files);
  run_template(DescriptorSocket(std::move(files[kTemplateSocket])), std::move(files[kDriverProcess]),
               request.worker_main);
}

void ZygoteLife::reap() {
  signalfd_siginfo ignored;
  while (read(child_ended_.get(), &ignored, sizeof ignored) > 0) {
  }
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR);) {
    const auto child = std::ranges::find(children_, pid, &Child::pid);
    if (child == children_.end()) continue;
    tell(child->status, status);
    children_.erase(child);
  }
}

// ---- the program's end

/// As fork(), but no wait() of the program sees the child, and its end sends no SIGCHLD: programs that
/// wait for all of their children know nothing of this one.
pid_t fork_unseen() {
  // The C library's fork does what threads need.
  if (kThreadSanitizer || !__libc_single_threaded) return fork();
  return static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace

void Zygote::start_if_needed() noexcept {
  ZygoteOfProgram& zygote = zygote_of_program();
  zygote.main_is_wrapped = true;
  zygote.num_functions = registered_functions().size();
  if (zygote.num_functions == 0) return;
  try {
    auto [here, there] = DescriptorSocket::make_pair();
    void* const page =
        mmap(nullptr, sizeof(ZygoteSays), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    auto* const says = new (page) ZygoteSays;
    // What the statics have written, or the workers would write it once more.
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    const pid_t pid = fork_unseen();
    if (pid == 0) {
      here.close();
      ZygoteLife(std::move(there), *says).serve();
      _exit(EXIT_SUCCESS);
    }
    if (pid < 0) {
      munmap(page, sizeof(ZygoteSays));
      return;
    }
    zygote.socket = std::move(here);
    zygote.pid = pid;
    zygote.says = says;
    zygote.is_there = true;
  } catch (const std::exception&) {  // Init() says what is lacking, if it is ever called
  }
}

std::string Zygote::why_not() {
  const ZygoteOfProgram& zygote = zygote_of_program();
  if (!zygote.main_is_wrapped) {
    return "this program's main does not fork them before: link the program through CMake's target "
           "flowray::flowray, which wraps main";
  }
  if (registered_functions().size() != zygote.num_functions) {
    return "functions were registered after main began, by a library that the program opened: open it, and "
           "call "
           "Init(), before any thread starts";
  }
  if (!zygote.is_there) return "there was no process or file left when main began (ulimit -u, ulimit -n)";
  if (!zygote.lives() || !zygote.has_rights_of_this_process()) {
    return "the program has changed its user, its rights or its namespaces since main began, or the process "
           "that "
           "was forked then is gone";
  }
  return {};
}

namespace {

/// Asks for one; where its status can be read. `files` are filled in but for what is of all.
Descriptor ask_zygote(WorkerMain worker_main, const std::string& environment, std::span<int> files) {
  const Surroundings surroundings = Surroundings::here(environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot start the process that starts workers: {}; raise the limit of open files (ulimit -n), "
        "or close some",
        std::strerror(errno)));
  }
  Descriptor status(ends[0]);
  const Descriptor its_status(ends[1]);
  files[kTemplateStatus] = its_status.get();
  files[kStandardOut] = surroundings.out.get();
  files[kStandardErr] = surroundings.err.get();
  files[kFolder] = surroundings.folder.get();
  files[kEnvironment] = surroundings.environment.get();
  const ZygoteRequest request{worker_main, getpid(), surroundings.umask};
  zygote_of_program().socket.send(std::as_bytes(std::span(&request, 1)), files);
  return status;
}

Descriptor written_arguments(const Zygote::Program& program) {
  std::string text = program.advice + '\0';
  for (const std::string& argument : program.arguments) text += argument + '\0';
  Descriptor file(memfd_create("flowray-arguments", MFD_CLOEXEC));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw errors::ResourceExhaustedError(
        fmt::format("Cannot start {}: {}; raise the limit of open files (ulimit -n), or close some",
                    program.arguments.front(), std::strerror(errno)));
  }
  return file;
}

}  // namespace

Descriptor Zygote::fork_template(const DescriptorSocket& there, WorkerMain worker_main,
                                 const std::string& environment) {
  const Descriptor self = descriptor_of_this_process();
  std::array<int, kZygoteDescriptors> files{};
  files[kTemplateSocket] = there.fd();
  files[kDriverProcess] = self.get();
  return ask_zygote(worker_main, environment, files);
}

void Zygote::wake() noexcept {
  if (const ZygoteOfProgram& zygote = zygote_of_program(); zygote.is_there) kill(zygote.pid, SIGCONT);
}

Zygote::Started Zygote::start_program(const Program& program) {
  const Descriptor arguments = written_arguments(program);
  std::array<int, kProgramDescriptors> files{};
  files[kTemplateSocket] = program.socket;
  files[kComplaint] = program.complaint;
  files[kAdviceAndArguments] = arguments.get();
  Started started;
  started.status = ask_zygote(nullptr, program.environment, files);
  if (!is_readable_within(program.most, started.status.get())) {
    started.pid = -ETIMEDOUT;
    return started;
  }
  ssize_t got = -1;
  do {
    got = read(started.status.get(), &started.pid, sizeof started.pid);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof started.pid) started.pid = -ESRCH;  // the zygote is gone
  return started;
}

}  // namespace flowray::ray
