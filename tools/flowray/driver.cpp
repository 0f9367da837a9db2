#include "driver.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "files/file_contents.h"
#include "ray/driver/session_folder.h"

namespace flowray::tools {
namespace {

/// Which driver, where there are several.
class SeveralDrivers : public ValueError {
 public:
  using ValueError::ValueError;
};

}  // namespace

DriverCommand::DriverCommand(CLI::App& app)
    : status_(app.add_subcommand("status", "What a running driver's tasks and actors use and wait for")),
      list_(app.add_subcommand("list",
                               "Tasks, actors, objects, workers or placement groups of a running driver")),
      memory_(app.add_subcommand("memory", "What a running driver's objects take, and who holds them")),
      timeline_(app.add_subcommand("timeline", "When which worker ran what: a trace for Perfetto or Chrome")),
      metrics_(app.add_subcommand("metrics", "A running driver's numbers in Prometheus' text format")) {
  for (CLI::App* const command : {status_, list_, memory_, timeline_, metrics_})
    command->add_option("--pid", pid_, "The driver; not needed where there is one")
        ->check(CLI::PositiveNumber);
  for (CLI::App* const command : {list_, memory_})
    command->add_option("--limit", limit_, "The most rows")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
  list_->add_option("what", what_, "tasks, actors, objects, workers or placement-groups")
      ->required()
      ->check(CLI::IsMember({"tasks", "actors", "objects", "workers", "placement-groups"}));
  timeline_->add_option("-o,--output", output_, "The file; flowray-timeline-PID.json unless given");
}

CLI::App* DriverCommand::chosen() const {
  for (CLI::App* const command : {status_, list_, memory_, timeline_, metrics_}) {
    if (command->parsed()) return command;
  }
  return nullptr;
}

std::string DriverCommand::request() const {
  if (list_->parsed()) return fmt::format("{} {}", what_, limit_);
  if (memory_->parsed()) return fmt::format("memory {}", limit_);
  return chosen()->get_name();
}

/// Throws SeveralDrivers with a line for each, and UnavailableError if there is none.
int64_t DriverCommand::the_driver() const {
  if (pid_ != 0) return pid_;
  const std::string folder = ray::session_folder();
  std::vector<int64_t> living;
  std::string lines;
  for (const int64_t pid : ray::drivers_in(folder)) {
    const std::optional<std::string> command = ray::ask_driver(folder, pid, "command");
    if (!command) continue;
    living.push_back(pid);
    lines += fmt::format("  --pid {}  {}", pid, *command);
  }
  if (living.size() == 1) return living.front();
  if (living.empty()) {
    throw errors::UnavailableError(
        fmt::format("No driver of this user runs: {} has no socket of one.\n"
                    "A program's driver has one from Init to Shutdown; where FLOWRAY_SESSION_FOLDER or "
                    "XDG_RUNTIME_DIR was set for it, set it here, too.",
                    folder));
  }
  throw SeveralDrivers(fmt::format("{} drivers run; choose one:\n{}", living.size(), lines));
}

int DriverCommand::save_timeline(const std::string& answer, int64_t pid) const {
  const std::string path = output_.empty() ? fmt::format("flowray-timeline-{}.json", pid) : output_;
  files::write_file(path, answer, files::FileAccess::all());
  fmt::print("{}\n", path);
  return 0;
}

int DriverCommand::run() const {
  const std::string name = chosen()->get_name();
  try {
    const int64_t pid = the_driver();
    const std::optional<std::string> answer = ray::ask_driver(ray::session_folder(), pid, request());
    if (!answer) {
      throw errors::UnavailableError(
          fmt::format("No driver with the pid {} has a socket in {}.", pid, ray::session_folder()));
    }
    if (timeline_->parsed()) return save_timeline(*answer, pid);
    fmt::print("{}", *answer);
    return 0;
  } catch (const SeveralDrivers& error) {
    fmt::print(stderr, "flowray {}: {}", name, error.message());
    return 2;
  } catch (const Error& error) {
    fmt::print(stderr, "flowray {}: {}\n", name, error.message());
    return 1;
  }
}

}  // namespace flowray::tools
