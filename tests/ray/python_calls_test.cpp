// Functions and actors of Python's, called by a C++ program. Skipped where the package is not built.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

int half(int x) { return x / 2; }
int plus_in_python(int a, int b) {
  return *ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(a, b).Get();
}
int count_in_python(const ray::ActorHandleXlang& counter, int x) {
  return *counter.Task(ray::PyActorMethod<int>{"add"}).Remote(x).Get();
}

struct Row {
  int number = 0;
  std::string text;
  FLOWRAY_FIELDS(number, text);
};

/// The folder that holds the built package, beside the test's own.
std::filesystem::path package_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "python";
}

bool is_package_built() {
  const std::filesystem::path folder = package_folder() / "flowray";
  if (!std::filesystem::exists(folder / "__init__.py")) return false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("_native") && entry.path().extension() == ".so")
      return true;
  }
  return false;
}

/// FLOWRAY_PYTHON_FOR_TESTS, or the first of these that has what the built package needs; empty: none has.
std::string interpreter() {
  if (const char* const named = std::getenv("FLOWRAY_PYTHON_FOR_TESTS")) return named;
  for (const std::string python : {FLOWRAY_SOURCE_DIR "/build/python-venv/bin/python", "python3"}) {
    const std::string command =
        "'" + python + "' -c 'import sys, numpy, cloudpickle; from importlib.machinery import PathFinder; " +
        "sys.exit(PathFinder.find_spec(\"_native\", sys.argv[1:]) is None)' '" +
        (package_folder() / "flowray").string() + "' 2>/dev/null";
    if (std::system(command.c_str()) == 0) return python;
  }
  return {};
}

/// A folder that is there as long as this is.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/python_calls.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// As if it were Flowray's.
  void write_package(const std::string& code) const {
    std::filesystem::create_directories(path_ / "flowray");
    std::ofstream(path_ / "flowray" / "__init__.py") << code;
  }

 private:
  std::filesystem::path path_;
};

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class PythonCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_package_built()) GTEST_SKIP() << "the Python package is not built: -DFLOWRAY_PYTHON=ON";
    if (interpreter().empty()) GTEST_SKIP() << "no python3 has what the package needs: numpy, cloudpickle";
    ray::Init(config());
  }
  void TearDown() override { ray::Shutdown(); }

  static ray::RayConfig config() {
    ray::RayConfig config;
    config.num_cpus = 2;
    config.python_interpreter = interpreter();
    config.python_path = {package_folder(), FLOWRAY_SOURCE_DIR "/tests/ray/modules"};
    return config;
  }
  template <class R, class... A>
  static R call(const char* name, const A&... arguments) {
    return *ray::Task(ray::PyFunction<R>{"python_side", name}).Remote(arguments...).Get();
  }
};

TEST_F(PythonCalls, GiveValuesOfBothLanguages) {
  EXPECT_EQ(call<int>("plus", 1, 2), 3);
  EXPECT_EQ(call<std::string>("plus", "one, ", std::string("two")), "one, two");
  const Array values(std::vector<float>{1.5f, -2.0f});
  const Array result = call<Array>("doubled", values);
  EXPECT_EQ(result.span<float>()[0], 3.0f);
  EXPECT_EQ(result.span<float>()[1], -4.0f);
  EXPECT_EQ(call<std::string>("describe", Row{1, "a"}), "list");
  EXPECT_EQ(call<double>("mean", std::map<std::string, Array>{{"w", values}, {"b", result}}), -0.375);
}

TEST_F(PythonCalls, AndCppTakeReferencesToEachOthersResults) {
  const auto sum = ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(40, 44);
  const auto halved = ray::Task(half).Remote(sum);
  EXPECT_EQ(*ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(halved, ray::Put(1)).Get(), 43);
}

TEST_F(PythonCalls, AreMadeByWorkersToo) {
  EXPECT_EQ(*ray::Task(plus_in_python).Remote(20, 22).Get(), 42);
  const ray::ActorHandleXlang counter = ray::Actor(ray::PyActorClass{"python_side", "Counter"}).Remote(10);
  EXPECT_EQ(*counter.Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), 11);
  EXPECT_EQ(*ray::Task(count_in_python).Remote(counter, 5).Get(), 16);
}

TEST_F(PythonCalls, MakeActors) {
  const ray::ActorHandleXlang counter =
      ray::Actor(ray::PyActorClass{"python_side", "Counter"}).SetName("counter").Remote(10);
  for (int i = 1; i <= 100; ++i)
    ASSERT_EQ(*counter.Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), 10 + i);
  ASSERT_TRUE(ray::GetActor("counter").has_value());
  EXPECT_EQ(*ray::GetActor("counter")->Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), 111);
  const auto failed = counter.Task(ray::PyActorMethod<int>{"fail"}).Remote();
  EXPECT_THAT(error_of([&] { failed.Get(); }), HasSubstr("IndexError: out of it"));
  counter.Kill();
  EXPECT_THROW(counter.Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), ray::RayActorException);
}

TEST_F(PythonCalls, OfAnActorRunSideBySideInItsThreads) {
  const auto meeting = ray::Actor(ray::PyActorClass{"python_side", "Meeting"}).SetMaxConcurrency(2).Remote();
  const auto first = meeting.Task(ray::PyActorMethod<int>{"meet"}).Remote();
  const auto second = meeting.Task(ray::PyActorMethod<int>{"meet"}).Remote();
  EXPECT_EQ(*first.Get(60'000), *second.Get(60'000));
  EXPECT_THROW(ray::Actor(ray::PyActorClass{"python_side", "Meeting"}).SetMaxConcurrency(0).Remote(),
               ray::RayException);
}

TEST_F(PythonCalls, OfClassesMakeObjectsByTheirConstructors) {
  const ray::PyActorClass named{"python_side", "Counter", "__init__"};
  EXPECT_TRUE(named.IsPython());
  EXPECT_EQ(*ray::Actor(named).Remote(1).Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), 2);
  EXPECT_THAT(error_of([] { (void)ray::Actor(ray::PyActorClass{"python_side", "Counter", "made"}); }),
              HasSubstr("only __init__ does"));
}

TEST_F(PythonCalls, HandOnWhatPythonRaised) {
  const auto failed = ray::Task(ray::PyFunction<int>{"python_side", "fails"}).Remote();
  try {
    failed.Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("ValueError: no such row"));
    EXPECT_THAT(error.what(), HasSubstr("python_side.py"));  // its traceback
    EXPECT_THROW(error.rethrow_cause(), ValueError);
  }
  EXPECT_THAT(error_of([] { call<int>("no_such"); }), HasSubstr("AttributeError"));
  EXPECT_THAT(error_of([] { ray::Task(ray::PyFunction<int>{"no_such_module", "f"}).Remote().Get(); }),
              HasSubstr("No module named 'no_such_module'"));
  const auto broken = ray::Actor(ray::PyActorClass{"python_side", "Broken"}).Remote();
  EXPECT_THAT(error_of([&] { broken.Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(); }),
              HasSubstr("cannot be made"));
}

TEST_F(PythonCalls, FindTheirVariablesInTheirEnvironment) {
  const auto seen = [](const std::string& value) {
    ray::RuntimeEnv env;
    if (!value.empty()) env.Set("env_vars", std::map<std::string, std::string>{{"FLOWRAY_TEST", value}});
    return *ray::Task(ray::PyFunction<std::string>{"python_side", "variable"})
                .SetRuntimeEnv(env)
                .Remote("FLOWRAY_TEST")
                .Get();
  };
  EXPECT_EQ(seen("one"), "one");
  EXPECT_EQ(seen("two"), "two");
  EXPECT_EQ(seen(""), "none");
}

TEST_F(PythonCalls, SurviveTheirProcesses) {
  EXPECT_THROW(ray::Task(ray::PyFunction<int>{"python_side", "die"}).SetMaxRetries(1).Remote().Get(),
               ray::RayWorkerException);
  EXPECT_NE(call<int>("pid"), getpid());
  EXPECT_EQ(call<int>("plus", 1, 2), 3);
}

TEST_F(PythonCalls, ManyAtOnceEndWithTheirValues) {
  std::vector<ray::ObjectRef<int>> sums;
  for (int i = 0; i < 500; ++i) {
    sums.push_back(i % 2 == 0 ? ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(i, 1)
                              : ray::Task(half).Remote(i));
  }
  for (int i = 0; i < 500; ++i) ASSERT_EQ(*sums[static_cast<size_t>(i)].Get(), i % 2 == 0 ? i + 1 : i / 2);
}

TEST_F(PythonCalls, GoOnAfterTheDeathOfTheInterpreter) {
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(kill(call<int>("parent"), SIGKILL), 0);
    EXPECT_EQ(call<int>("plus", 1, 2), 3);
  }
}

TEST_F(PythonCalls, FindTheirModulesWhereTheyWereWhenTheRuntimeBegan) {
  ray::Shutdown();
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(FLOWRAY_SOURCE_DIR "/tests/ray");
  ray::RayConfig relative = config();
  relative.python_path[1] = "modules";
  ray::Init(relative);
  std::filesystem::current_path("/");
  EXPECT_EQ(call<int>("plus", 1, 2), 3);
  std::filesystem::current_path(before);
}

TEST_F(PythonCalls, KnowTheSession) {
  const auto session = call<std::string>("session");
  EXPECT_THAT(session, MatchesRegex("session_[0-9]{4}(-[0-9]{2}){2}_[0-9]{2}(-[0-9]{2}){2}_[0-9]{6}_" +
                                    std::to_string(getpid())));
  ASSERT_EQ(kill(call<int>("parent"), SIGKILL), 0);
  EXPECT_EQ(call<std::string>("session"), session);
}

/// Neither those that run them, nor the interpreter.
TEST_F(PythonCalls, AreNoChildrenOfTheProgram) {
  ASSERT_EQ(call<int>("plus", 1, 2), 3);
  const pid_t child = fork();
  if (child == 0) _exit(3);
  EXPECT_EQ(wait(nullptr), child);
  EXPECT_EQ(wait(nullptr), -1);
  EXPECT_EQ(errno, ECHILD);
  ASSERT_EQ(kill(call<int>("parent"), SIGKILL), 0);
  EXPECT_EQ(call<int>("plus", 1, 2), 3);
  EXPECT_EQ(wait(nullptr), -1);
}

TEST_F(PythonCalls, HoldNoFileOfTheStart) {
  EXPECT_EQ(call<std::vector<std::string>>("files_of_the_start"), std::vector<std::string>());
}

TEST_F(PythonCalls, StartTheInterpreterAgainThatCouldNotStart) {
  ray::Shutdown();
  const Folder folder;
  folder.write_package("raise ImportError('not yet')\n");
  ray::RayConfig with_folder = config();
  with_folder.python_path[0] = folder.path();
  ray::Init(with_folder);
  EXPECT_THAT(error_of([] { call<int>("plus", 1, 2); }), HasSubstr("ImportError: not yet"));
  std::filesystem::remove_all(folder.path() / "flowray");
  std::filesystem::create_symlink(package_folder() / "flowray", folder.path() / "flowray");
  EXPECT_EQ(call<int>("plus", 1, 2), 3);
}

// ---- where there is no Python

class PythonCallsInVain : public testing::Test {
 protected:
  void TearDown() override { ray::Shutdown(); }
  static std::string failure(const ray::RayConfig& config) {
    ray::Init(config);
    std::string first;
    for (int i = 0; i < 4; ++i) {
      const auto sum = ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(1, 2);
      EXPECT_THROW(sum.Get(), ray::RayWorkerException);
      if (i == 0) first = error_of([&] { sum.Get(); });
    }
    const auto actor = ray::Actor(ray::PyActorClass{"python_side", "Counter"}).Remote(1);
    EXPECT_THROW(actor.Task(ray::PyActorMethod<int>{"add"}).Remote(1).Get(), ray::RayActorException);
    EXPECT_EQ(*ray::Task(half).Remote(6).Get(), 3);  // C++ goes on
    return first;
  }
};

TEST_F(PythonCallsInVain, SayThatThereIsNoInterpreter) {
  ray::RayConfig config;
  config.python_interpreter = "/no/such/python";
  EXPECT_THAT(failure(config), HasSubstr("Python's functions cannot be called with the interpreter "
                                         "'/no/such/python': No such file or directory. Install Python 3"));
}

TEST_F(PythonCallsInVain, SayThatTheInterpreterIsNone) {
  ray::RayConfig config;
  config.python_interpreter = "/bin/false";
  EXPECT_THAT(failure(config), HasSubstr("'/bin/false': it exited with status 1 before it was ready."));
}

TEST_F(PythonCallsInVain, SayThatThePackageIsNotThere) {
  if (std::system("python3 -I -c 'import flowray' 2>/dev/null") == 0)
    GTEST_SKIP() << "python3 has the package flowray";
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  std::optional<std::string> before;
  if (const char* const path = std::getenv("PYTHONPATH")) before = path;
  unsetenv("PYTHONPATH");
  ray::RayConfig config;
  config.python_interpreter = "python3";
  EXPECT_THAT(failure(config), HasSubstr("it has no package flowray. Install it there"));
  if (before) setenv("PYTHONPATH", before->c_str(), 1);
}

TEST_F(PythonCallsInVain, SayThatThePackageIsOfAnotherVersion) {
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const Folder folder;
  folder.write_package("__version__ = '9.9'\n");
  ray::RayConfig config;
  config.python_interpreter = "python3";
  config.python_path = {folder.path()};
  EXPECT_THAT(failure(config),
              HasSubstr("its package flowray is of version 9.9, and the program was linked with"));
}

TEST_F(PythonCallsInVain, SayThatTheInterpreterTakesTooLong) {
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const Folder folder;
  folder.write_package("import signal\nsignal.pause()\n");
  ray::RayConfig config;
  config.python_interpreter = "python3";
  config.python_path = {folder.path()};
  config.worker_startup_timeout_ms = 100;
  EXPECT_THAT(failure(config), HasSubstr("'python3': it was not ready after 100 ms "
                                         "(RayConfig::worker_startup_timeout_ms) and was killed."));
}

TEST_F(PythonCallsInVain, EndTheInterpreterWithTheRuntime) {
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const Folder folder;
  const std::filesystem::path pipe = folder.path() / "pid";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  folder.write_package("import os, signal\nwith open('" + pipe.string() +
                       "', 'w') as pipe: pipe.write(str(os.getpid()))\nsignal.pause()\n");
  ray::RayConfig config;
  config.python_interpreter = "python3";
  config.python_path = {folder.path()};
  ray::Init(config);
  const auto sum = ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(1, 2);
  pid_t interpreter = 0;
  std::ifstream(pipe) >> interpreter;
  ASSERT_GT(interpreter, 0);
  ray::Shutdown();
  EXPECT_EQ(kill(interpreter, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace

RAY_REMOTE(half, plus_in_python, count_in_python);

}  // namespace flowray
