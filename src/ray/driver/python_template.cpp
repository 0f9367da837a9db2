#include "ray/driver/python_template.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ray/driver/surroundings.h"
#include "ray/driver/zygote.h"
#include "ray/worker/call_environment.h"

namespace flowray::ray {
namespace {

constexpr int kSocket = 3;  // as python/flowray/ray/_template.py has it
constexpr int kComplaint = 4;
constexpr int kFirstFree = 5;

// Its arguments: the version, whether to answer for Ray's and TensorFlow's names, the namespace, the
// session's name, folders of modules. What it has to say against being a template it writes where the driver
// reads it.
constexpr const char* kProgram = R"(
import os, sys
try:
    os.set_inheritable(4, False)
    version, names, namespace, session = sys.argv[1:5]
    sys.path[:0] = sys.argv[5:]
    try:
        import flowray
    except ModuleNotFoundError as error:
        if error.name != "flowray":
            raise
        raise SystemExit("it has no package flowray. Install it there (pip install . in Flowray's folder), "
                         "or name the folder that holds it in PYTHONPATH or RayConfig::python_path.")
    if flowray.__version__ != version:
        raise SystemExit("its package flowray is of version %s, and the program was linked with %s."
                         % (flowray.__version__, version))
    from flowray.ray import _template
    _template.main({"names": names == "1", "runtime": {"namespace": namespace, "session": session},
                    "modules": [], "complaint": 4})
except BaseException as error:
    said = str(error) if isinstance(error, SystemExit) else "%s: %s" % (type(error).__name__, error)
    os.write(4, said.encode(errors="replace"))
    os._exit(1)
)";

/// The path from the root, by the working directory at Init.
std::string absolute_path(const std::string& path) {
  std::error_code failure;
  const auto absolute =
      path.empty() ? std::filesystem::current_path(failure) : std::filesystem::absolute(path, failure);
  return failure ? path : absolute.string();
}

std::string interpreter_of(const RayConfig& config) {
  if (!config.python_interpreter.empty()) return config.python_interpreter;
  const char* const named = std::getenv("FLOWRAY_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

std::string trouble_text(const std::string& interpreter, const std::string& trouble) {
  return fmt::format("Python's functions cannot be called with the interpreter '{}': {}", interpreter,
                     trouble);
}

[[noreturn]] void throw_lacking() {
  throw errors::ResourceExhaustedError(fmt::format(
      "Cannot start an interpreter of Python's: {}; raise the limit of open files (ulimit -n), or close some",
      std::strerror(errno)));
}

/// The same file under a number that the interpreter does not use for a file of its own.
Descriptor moved_away(int fd) {
  Descriptor moved(fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree));
  if (!moved) throw_lacking();
  return moved;
}

std::string text_in(const Descriptor& file) {
  std::string text;
  std::array<char, 512> piece;
  for (;;) {
    const ssize_t got = pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<size_t>(got));
  }
}

/// This process's, and what the runtime's RuntimeEnv has.
std::vector<std::string> environment_of(const RayConfig& config) {
  std::map<std::string, std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (const size_t equals = text.find('='); equals != std::string_view::npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  each_variable(internal::environment_text(config.runtime_env),
                [&](const std::string& name, const std::string& value) { variables[name] = value; });
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(fmt::format("{}={}", name, value));
  return texts;
}

/// What posix_spawn is told of the process; destroyed with this.
class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  void give(const Descriptor& file, int number) {
    posix_spawn_file_actions_adddup2(&files_, file.get(), number);
  }
  /// 0, or an error's number.
  int spawn(pid_t& pid, const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment) {
    posix_spawn_file_actions_addclosefrom_np(&files_, kFirstFree);
    return posix_spawnp(&pid, program.c_str(), &files_, &attributes_, pointers(arguments).data(),
                        pointers(environment).data());
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

RayConfig with_settled_python(RayConfig config) {
  config.python_interpreter = interpreter_of(config);
  if (config.python_interpreter.find('/') != std::string::npos)
    config.python_interpreter = absolute_path(config.python_interpreter);
  for (std::string& folder : config.python_path) folder = absolute_path(folder);
  return config;
}

std::string new_session_name() {
  const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  const time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto us = now.time_since_epoch().count() % 1'000'000;
  tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> date{};
  (void)std::strftime(date.data(), date.size(), "%Y-%m-%d_%H-%M-%S", &local);
  return fmt::format("session_{}_{:06}_{}", date.data(), us, getpid());
}

std::unique_ptr<TemplateProcess> start_python_template(const RayConfig& config, const std::string& session) {
  const std::string& interpreter = config.python_interpreter;
  (void)descriptor_of_this_process();  // the template will need one, and cannot say why it has none
  auto [here, there] = DescriptorSocket::make_pair();
  const Descriptor its_socket = moved_away(there.fd());
  const Descriptor file(memfd_create("flowray-python", MFD_CLOEXEC));
  if (!file) throw_lacking();
  const auto complaint = std::make_shared<Descriptor>(moved_away(file.get()));
  std::vector<std::string> arguments = {
      interpreter,          "-c",   kProgram, FLOWRAY_VERSION, config.python_names ? "1" : "0",
      config.ray_namespace, session};
  arguments.insert(arguments.end(), config.python_path.begin(), config.python_path.end());
  const std::string advice =
      "Install Python 3, or name another interpreter in RayConfig::python_interpreter or FLOWRAY_PYTHON.";
  const std::chrono::milliseconds most(config.worker_startup_timeout_ms);
  Zygote::Started started;
  int failure = 0;
  if (Zygote::why_not().empty()) {
    started = Zygote::start_program({arguments, its_socket.get(), complaint->get(), advice,
                                     internal::environment_text(config.runtime_env), most});
    failure = std::max(-started.pid, 0);
    if (failure == ETIMEDOUT) {
      throw errors::UnavailableError(trouble_text(
          interpreter, fmt::format("it was not started within {} ms (RayConfig::worker_startup_timeout_ms).",
                                   most.count())));
    }
  } else {  // wait() of the program sees it
    Spawning spawning;
    spawning.give(its_socket, kSocket);
    spawning.give(*complaint, kComplaint);
    failure = spawning.spawn(started.pid, interpreter, arguments, environment_of(config));
  }
  if (failure != 0) {
    throw errors::UnavailableError(
        trouble_text(interpreter, fmt::format("{}. {}", std::strerror(failure), advice)));
  }
  return TemplateProcess::of_child(std::move(here), started.pid, std::move(started.status), most,
                                   [interpreter, complaint](const std::string& how) {
                                     const std::string said = text_in(*complaint);
                                     return trouble_text(interpreter,
                                                         said.empty() ? "it " + how + "." : said);
                                   });
}

}  // namespace flowray::ray
