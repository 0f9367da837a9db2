// Graphs that are meant to do harm, many a second: each is a graph that works (seeds.tfrecord) with a few
// things changed (mutation.h), or one that is drawn from an op's schema (drawn_graph.h), imported and run as
// a server would. Whatever comes of it but a value or an
// error of flowray's is a finding: a crash, a sanitizer's complaint, another exception, a step that does not
// end. In one of five all that is fed is memory that reads otherwise each time (support/unsteady_memory.h);
// one of 13 runs four times, with buffers that hold this or that before they are written, which must not show
// (support/filled_memory.h).
// Cases run in child processes, so that one that dies is reported and the others go on.
//
//   hostile [--seconds S] [--nightly-seconds S] [--cases N] [--seed N] [--jobs N] [--op NAME] [--out DIR]
//           [--unsteady-one-in N] [--filled-one-in N] [--found-by-day STATUS] [--by-night-only STATUS]
//   hostile --edges [--seed N] [--cases N] [--jobs N] [--op NAME] [--out DIR] [--found-by-day STATUS]
//   hostile --replay FILE...
//   hostile --untried      prints the registered ops that are in no graph of seeds.tfrecord
//
// Without --seed the cases are new ones each time. --nightly-seconds counts where FLOWRAY_NIGHTLY is set.
// INTERNAL and UNKNOWN are findings, too.
// A case is known by its number: `--seed N --cases 1` runs it again, `--out` keeps the graph of each kind of
// finding and a line of it in DIR/findings.txt, behind what is there. Exit status 1 if there was a finding,
// or STATUS where FLOWRAY_NIGHTLY is not set; 2 if fewer cases were tried than were to be. --by-night-only
// ends at once with STATUS there.
// --edges: every number of every op at every edge (edge_cases.h), each with the engine's passes and without.
// Under AddressSanitizer a process that lacks memory ends: that is counted, but no finding.

#include "core/sanitizers.h"
#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/record.h"
#include "hostile/drawn_graph.h"
#include "hostile/edge_cases.h"
#include "hostile/mutation.h"
#include "ops/all_ops.h"
#include "support/filled_memory.h"
#include "support/graph_trial.h"
#include "support/unsteady_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cxxabi.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace flowray::hostile {
namespace {

// What takes longer, also under a sanitizer, does not end. (A regular expression of 50 KB takes ten seconds
// for a text of 60 KB.)
constexpr time_t kMostCpu_s = 120;
constexpr unsigned kMostWait_s = 100;  // of a case that computes nothing meanwhile
constexpr rlim_t kMostMemory = rlim_t{3} << 30;
constexpr uint64_t kDrawnOneIn = 4;  // the others are changed seeds
constexpr uint64_t kLargeTextOneIn = 1000;
constexpr int kUncaught = 3;  // exit status of a child with an exception that is not ours
constexpr int kDone = 4;      // and of one that has done all its cases: a graph may end the process with 0
constexpr int kTooFew = 2;    // of the whole

struct Options {
  double seconds = 10;
  uint64_t cases = UINT64_MAX;
  uint64_t seed = static_cast<uint64_t>(std::time(nullptr)) * 1'000'000;
  int jobs = 2;
  std::string op;
  std::string out;
  std::vector<std::string> replay;
  int status_of_findings = 1;
  bool edges = false;
};

/// What a child tells, in memory that outlives it.
struct Progress {
  std::atomic<uint64_t> seed{0};
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> ran{0};  // nodes
  std::atomic<uint64_t> failed{0};
};

struct Child {
  pid_t pid = -1;
  Progress* progress = nullptr;
  std::string log;
  uint64_t next = 0;
};

std::set<std::string> ops_in(const wire::GraphDef& graph) {
  std::set<std::string> names;
  for (const wire::NodeDef& node : graph.node) names.insert(node.op.str());
  if (graph.library) {
    for (const wire::FunctionDef& function : graph.library->function) {
      for (const wire::NodeDef& node : function.node_def) names.insert(node.op.str());
    }
  }
  return names;
}

std::vector<std::string> read_seeds(const std::string& only) {
  const std::string file = std::string(FLOWRAY_SOURCE_DIR) + "/tests/hostile/seeds.tfrecord";
  const std::string bytes = files::decompressed(files::read_file(file, files::FileAccess::all()), "GZIP", 0);
  files::RecordReader reader(bytes);
  std::vector<std::string> seeds;
  while (const auto record = reader.next()) {
    const auto graph = wire::decode<wire::GraphDef>(*record);
    if (only.empty() || ops_in(graph).contains(only)) seeds.emplace_back(*record);
  }
  return seeds;
}

int print_untried() {
  std::set<std::string> tried;
  for (const std::string& seed : read_seeds("")) tried.merge(ops_in(wire::decode<wire::GraphDef>(seed)));
  for (const std::string_view name : ops::op_table().names()) {
    if (!tried.contains(std::string(name))) std::printf("%.*s\n", static_cast<int>(name.size()), name.data());
  }
  return 0;
}

/// Has `source` make a graph, with a text of 100 MB in it if that is wanted and it has texts at all.
template <class Source, class Make>
std::string made_by(Source source, bool large_text, const Make& make) {
  constexpr int kMostTries = 200;
  for (int tries = 1;; ++tries) {
    if (large_text) source.want_large_text();
    std::string bytes = make(source);
    if (!source.wants_large_text() || tries == kMostTries) return bytes;
  }
}

uint64_t the_unsteady_one_in = 5;
uint64_t the_filled_one_in = 13;

bool is_unsteady(uint64_t number) {
  return testing::has_unsteady_memory() && number % the_unsteady_one_in == 0;
}

bool is_filled(uint64_t number) {
  return testing::can_fill_free_memory() && !is_unsteady(number) && number % the_filled_one_in == 0;
}

/// The graph of the case of that number before it is fed what is unsteady. `op`: what drawn graphs are of;
/// any where it is empty.
std::string unfed_bytes(const std::vector<std::string>& seeds, const std::string& op, uint64_t number) {
  std::mt19937_64 random(number);
  // In neighbouring numbers, so that there are drawn graphs and changed ones with such a text.
  // AddressSanitizer ends a process that lacks memory, instead of throwing.
  const bool large_text = !kAddressSanitizer && number % kLargeTextOneIn < 2;
  if (seeds.empty() || number % kDrawnOneIn == 0) {
    return made_by(DrawnGraph(ops::op_table(), random()), large_text,
                   [&](DrawnGraph& drawn) { return drawn.draw(op); });
  }
  return made_by(Mutation(ops::op_table(), random()), large_text, [&](Mutation& mutation) {
    auto graph = wire::decode<wire::GraphDef>(seeds[random() % seeds.size()]);
    // What is refused reads and writes little: half of those whose memory is watched are graphs that work.
    if (!(is_unsteady(number) || is_filled(number)) || random() % 2 == 0) mutation.apply(graph);
    return wire::encode(graph);
  });
}

/// The graphs by the number of their cases.
class Cases {
 public:
  explicit Cases(const Options& options) : op_(options.op), seeds_(read_seeds(options.op)) {
    if (options.edges) edges_.emplace(ops::op_table(), seeds_, op_);
  }
  size_t num_seeds() const { return seeds_.size(); }
  const EdgeCases* edges() const { return edges_.has_value() ? &*edges_ : nullptr; }

  std::string bytes(uint64_t number) const {
    if (edges_.has_value()) return edges_->graph(number / 2);
    std::string bytes = unfed_bytes(seeds_, op_, number);
    if (!is_unsteady(number)) return bytes;
    auto graph = wire::decode<wire::GraphDef>(bytes);
    for (wire::NodeDef& node : graph.node) {
      if (node.op.view() == "Const") feed_constant(node);
    }
    return wire::encode(graph);
  }
  testing::TrialOptions options(uint64_t number) const;
  bool is_filled_one(uint64_t number) const { return !edges_.has_value() && is_filled(number); }
  /// What the case is, behind `--seed N --cases 1`.
  std::string name(uint64_t number) const {
    std::string name = op_.empty() ? "" : " --op " + op_;
    if (edges_.has_value()) name += " --edges  " + edges_->name(number / 2);
    return name;
  }

 private:
  const std::string op_;
  const std::vector<std::string> seeds_;
  std::optional<EdgeCases> edges_;
};

testing::TrialOptions options_of(uint64_t number) {
  const bool unsteady = is_unsteady(number);  // what one thread at a time can read
  return {.passes = number % 3 != 0,
          .threads = unsteady || is_filled(number) || number % 2 == 0 ? 1 : 2,
          .unsteady = unsteady ? number + 1 : 0};
}

testing::TrialOptions Cases::options(uint64_t number) const {
  if (edges_.has_value()) return {.passes = number % 2 != 0, .threads = number % 4 < 2 ? 1 : 2};
  return options_of(number);
}

/// SIGALRM of a case: the end of one that waits. One that has computed meanwhile only shares the processor
/// with much else; ITIMER_PROF ends it.
void end_if_it_waits(int signal) {
  static std::clock_t before = 0;
  const std::clock_t now = std::clock();
  if (now - std::exchange(before, now) > CLOCKS_PER_SEC) {
    alarm(kMostWait_s);
  } else {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

void run_case(const std::string& bytes, const testing::TrialOptions& options, bool is_filled_one,
              Progress& progress) {
  const itimerval limit = {.it_interval = {}, .it_value = {.tv_sec = kMostCpu_s, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  struct sigaction waits = {};
  waits.sa_handler = end_if_it_waits;
  waits.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &waits, nullptr);
  alarm(kMostWait_s);
  const auto graph = wire::decode<wire::GraphDef>(bytes);
  const testing::Trial trial = testing::try_graph(graph, options);
  if (is_filled_one) {
    if (const auto node = testing::node_that_is_not_written(graph, options))
      throw std::logic_error(fmt::format("{} is not wholly written", graph.node[*node].op.view()));
  }
  progress.ran += static_cast<uint64_t>(trial.num_run);
  progress.failed += static_cast<uint64_t>(trial.num_failed);
}

/// Of this process, what the sanitizer has reserved included.
rlim_t mapped_bytes() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void run_child(const Cases& cases, const Options& options, Child& child,
                            std::chrono::steady_clock::time_point end) {
  const int log = open(child.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log >= 0) dup2(log, STDERR_FILENO);
  // The sanitizer has limits of its own for what it hands out, but arrays of gigabytes are mappings.
  const rlim_t most = kMostMemory + (kAddressSanitizer ? mapped_bytes() : 0);
  const rlimit limit = {most, most};
  setrlimit(RLIMIT_AS, &limit);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO);  // of Print
  try {
    for (uint64_t number = child.next;
         number - options.seed < options.cases && std::chrono::steady_clock::now() < end;
         number += static_cast<uint64_t>(options.jobs)) {
      child.progress->seed = number;
      run_case(cases.bytes(number), cases.options(number), cases.is_filled_one(number), *child.progress);
      ++child.progress->done;
      if (log >= 0 && ftruncate(log, 0) == 0) lseek(log, 0, SEEK_SET);
    }
  } catch (const std::exception& error) {
    int status = 0;
    char* name = abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status);
    std::fprintf(stderr, "uncaught %s: %s\n", name != nullptr ? name : "exception", error.what());
    std::fflush(stderr);
    _exit(kUncaught);
  }
  _exit(kDone);
}

/// Whether it ended because a sanitizer gives no more memory, where the system's would have thrown.
bool lacked_memory(const std::string& log) {
  if (!kAddressSanitizer) return false;
  std::ifstream lines(log);
  std::string line;
  bool lacked = false;
  while (std::getline(lines, line)) {
    // A warning of it does not excuse a wrong value: an op that got no memory may have gone on, wrongly.
    if (line.find("runtime error: ") != std::string::npos || line.starts_with("uncaught ")) return false;
    const bool is_rss = line.find("hard rss limit exhausted") != std::string::npos;
    if (!is_rss && line.find("ERROR: AddressSanitizer") == std::string::npos) continue;
    bool is_of_memory = is_rss;
    for (const char* words :
         {"out of memory", "out-of-memory", "allocation-size-too-big", "failed to allocate"})
      is_of_memory = is_of_memory || line.find(words) != std::string::npos;
    if (!is_of_memory) return false;
    lacked = true;
  }
  return lacked;
}

/// One line that is the same for the same fault: a sanitizer's summary, or how the process ended.
std::string kind_of(int status, const std::string& log) {
  std::ifstream lines(log);
  std::string line;
  std::string kind;
  std::string place;  // the first of our sources on the stack
  while (std::getline(lines, line)) {
    if (const size_t at = line.find("/src/");
        place.empty() && line.find("    #") == 0 && at != std::string::npos)
      place = line.substr(at + 1);
    if (const size_t at = line.find("runtime error: "); at != std::string::npos) {
      const size_t slash = line.rfind("/src/", at);
      return line.substr(slash == std::string::npos ? 0 : slash + 1).substr(0, 200);
    }
    if (line.starts_with("uncaught ")) return line.substr(0, 200);
    if (const size_t at = line.find("AddressSanitizer: "); at != std::string::npos && kind.empty())
      kind = line.substr(at, 60);
    if (line.starts_with("terminate called") || line.find("Assertion") != std::string::npos) kind = line;
  }
  if (!kind.empty() || !place.empty()) return fmt::format("{} at {}", kind, place).substr(0, 300);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF))
    return "does not end";
  return WIFSIGNALED(status) ? fmt::format("killed by {}", strsignal(WTERMSIG(status)))
                             : fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string ops_of(const std::string& bytes) {
  std::string text;
  for (const std::string& name : ops_in(wire::decode<wire::GraphDef>(bytes))) {
    if (name != "Const" && name != "Placeholder" && name != "NoOp") text += (text.empty() ? "" : ",") + name;
  }
  return text.substr(0, 100);
}

class Hunt {
 public:
  explicit Hunt(Options options) : options_(std::move(options)), cases_(options_) {
    if (!options_.op.empty() && ops::op_table().find(options_.op) == nullptr) {
      std::fprintf(stderr, "hostile: there is no op '%s'\n", options_.op.c_str());
      std::exit(2);
    }
    folder_ = std::filesystem::temp_directory_path() / fmt::format("flowray-hostile-{}", getpid());
    std::filesystem::create_directory(folder_);
    if (const EdgeCases* edges = cases_.edges())
      options_.cases =
          std::min(options_.cases, 2 * edges->size() - std::min(options_.seed, 2 * edges->size()));
    std::filesystem::current_path(folder_);  // what is written goes there
  }
  ~Hunt() {
    std::error_code error;
    std::filesystem::current_path("/", error);
    std::filesystem::remove_all(folder_, error);
  }

  int run() {
    end_ = std::chrono::steady_clock::now() +
           std::chrono::milliseconds(static_cast<int64_t>(options_.seconds * 1000));
    std::vector<Child> children(static_cast<size_t>(options_.jobs));
    for (size_t i = 0; i < children.size(); ++i) {
      void* memory =
          mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      children[i].progress = new (memory) Progress();
      children[i].log = (folder_ / fmt::format("log{}", i)).string();
      children[i].next = options_.seed + i;
      start(children[i]);
    }
    watch(children);
    return tell(children);
  }

 private:
  void start(Child& child) {
    constexpr int kMostTries = 30;
    for (int tries = 0; tries < kMostTries; ++tries) {
      std::fflush(stdout);
      child.pid = fork();
      if (child.pid == 0) run_child(cases_, options_, child, end_);
      if (child.pid > 0) {
        ++living_;
        return;
      }
      usleep(100'000);  // others' processes end
    }
    std::perror("hostile: fork");
    is_complete_ = false;
  }

  void watch(std::vector<Child>& children) {
    while (living_ > 0) {
      int status = 0;
      const pid_t pid = wait(&status);
      if (pid < 0) {
        std::perror("hostile: wait");
        is_complete_ = false;
        return;
      }
      for (Child& child : children) {
        if (child.pid != pid) continue;
        --living_;
        if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) continue;
        report(child, status);
        child.next = child.progress->seed + static_cast<uint64_t>(options_.jobs);
        start(child);
      }
    }
  }

  int tell(const std::vector<Child>& children) {
    uint64_t done = 0, ran = 0, failed = 0, found = 0;
    for (const Child& child : children) {
      done += child.progress->done;
      ran += child.progress->ran;
      failed += child.progress->failed;
    }
    for (const auto& [kind, count] : counts_) {
      std::printf("%6d times  %s\n", count, kind.c_str());
      found += static_cast<uint64_t>(count);
    }
    if (const EdgeCases* edges = cases_.edges())
      std::printf("hostile: %zu edges of %zu ops\n", edges->size(), edges->num_ops());
    std::printf(
        "hostile: %llu graphs from %zu seeds, %llu nodes ran, %llu failed as they should, %zu kinds of "
        "findings, %llu graphs lacked memory\n",
        static_cast<unsigned long long>(done), cases_.num_seeds(), static_cast<unsigned long long>(ran),
        static_cast<unsigned long long>(failed), counts_.size(), static_cast<unsigned long long>(lacking_));
    const uint64_t tried = done + found + lacking_;
    if (!is_complete_ || (options_.cases != UINT64_MAX && tried != options_.cases)) {
      std::printf("hostile: only %llu graphs were tried, though there were to be more\n",
                  static_cast<unsigned long long>(tried));
      return kTooFew;
    }
    return counts_.empty() ? 0 : options_.status_of_findings;
  }

  void report(const Child& child, int status) {
    if (lacked_memory(child.log)) {
      ++lacking_;
      return;
    }
    const uint64_t number = child.progress->seed;
    const std::string kind = kind_of(status, child.log);
    if (++counts_[kind] > 1) return;
    const std::string bytes = cases_.bytes(number);
    const std::string what = fmt::format("--seed {} --cases 1{}  [{}]\n       {}\n", number,
                                         cases_.name(number), ops_of(bytes), kind);
    std::printf("found  %s", what.c_str());
    if (options_.out.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(options_.out, error);
    const std::string base = fmt::format("{}/{}", options_.out, number);
    std::ofstream(base + ".graph", std::ios::binary) << bytes;
    std::filesystem::copy_file(child.log, base + ".log", error);
    std::ofstream(options_.out + "/findings.txt", std::ios::app)
        << fmt::format("hostile --replay {}.graph\n       {}", base, what);
  }

  Options options_;
  const Cases cases_;
  std::filesystem::path folder_;
  std::chrono::steady_clock::time_point end_;
  std::map<std::string, int> counts_;
  uint64_t lacking_ = 0;  // memory
  size_t living_ = 0;
  bool is_complete_ = true;
};

int replay(const std::vector<std::string>& files) {
  Progress progress;
  for (const std::string& file : files) {
    const std::string bytes = files::read_file(file, files::FileAccess::all());
    for (uint64_t number = 0; number < 6; ++number)
      run_case(bytes, options_of(number), is_filled(number), progress);
  }
  return 0;
}

Options parse(int argc, char** argv) {
  Options options;
  const bool nightly = std::getenv("FLOWRAY_NIGHTLY") != nullptr;
  double nightly_seconds = 0;
  std::optional<uint64_t> seed;
  std::optional<int> by_day;  // the status that it ends with
  const std::vector<std::string> args(argv + 1, argv + argc);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--edges") {
      options.edges = true;
      continue;
    }
    if (i + 1 == args.size()) {
      std::fprintf(stderr, "hostile: %s needs a value; the head of hostile.cpp lists the options\n",
                   args[i].c_str());
      std::exit(2);
    }
    const std::string& value = args[++i];
    const std::string& name = args[i - 1];
    if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--nightly-seconds")
      nightly_seconds = std::stod(value);
    else if (name == "--cases")
      options.cases = std::stoull(value);
    else if (name == "--seed")
      seed = std::stoull(value);
    else if (name == "--jobs")
      options.jobs = std::max(1, std::stoi(value));
    else if (name == "--op")
      options.op = value;
    else if (name == "--out")
      options.out = std::filesystem::absolute(value);
    else if (name == "--unsteady-one-in")
      the_unsteady_one_in = std::max<uint64_t>(1, std::stoull(value));
    else if (name == "--filled-one-in")
      the_filled_one_in = std::max<uint64_t>(1, std::stoull(value));
    else if (name == "--found-by-day")
      options.status_of_findings = nightly ? 1 : std::stoi(value);
    else if (name == "--by-night-only")
      by_day = nightly ? std::nullopt : std::optional<int>(std::stoi(value));
    else if (name == "--replay")
      options.replay.push_back(std::filesystem::absolute(value));
    else {
      std::fprintf(stderr, "hostile: unknown option '%s'; the head of hostile.cpp lists them\n",
                   name.c_str());
      std::exit(2);
    }
  }
  if (by_day.has_value()) std::exit(*by_day);
  if (options.edges || seed.has_value()) options.seed = seed.value_or(0);
  if (nightly_seconds > 0 && nightly) options.seconds = nightly_seconds;
  if (options.cases != UINT64_MAX || options.edges) options.seconds = 1e6;
  return options;
}

}  // namespace
}  // namespace flowray::hostile

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--untried") return flowray::hostile::print_untried();
  const flowray::hostile::Options options = flowray::hostile::parse(argc, argv);
  if (!options.replay.empty()) return flowray::hostile::replay(options.replay);
  return flowray::hostile::Hunt(options).run();
}
