// Functions and actors of Python's, called by a C++ program. Skipped where the package is not built.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;

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
    static const bool has_interpreter =
        std::system(("PYTHONPATH='" + package_folder().string() + "' '" + interpreter() +
                     "' -c 'import numpy, flowray.ray' 2>/dev/null")
                        .c_str()) == 0;
    if (!has_interpreter)
      GTEST_SKIP() << interpreter() << " has no NumPy, or is not the one that the package is built for: "
                   << "FLOWRAY_PYTHON_FOR_TESTS names another one";
    ray::Init(config());
  }
  void TearDown() override { ray::Shutdown(); }

  static std::string interpreter() {
    const char* const python = std::getenv("FLOWRAY_PYTHON_FOR_TESTS");
    return python == nullptr ? "python3" : python;
  }
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
  unsetenv("PYTHONPATH");
  ray::RayConfig config;
  config.python_interpreter = "python3";
  EXPECT_THAT(failure(config), HasSubstr("it has no package flowray. Install it there"));
}

TEST_F(PythonCallsInVain, SayThatThePackageIsOfAnotherVersion) {
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "other_version";
  std::filesystem::create_directories(folder / "flowray");
  std::ofstream(folder / "flowray" / "__init__.py") << "__version__ = '9.9'\n";
  ray::RayConfig config;
  config.python_interpreter = "python3";
  config.python_path = {folder};
  EXPECT_THAT(failure(config),
              HasSubstr("its package flowray is of version 9.9, and the program was linked with"));
  std::filesystem::remove_all(folder);
}

TEST_F(PythonCallsInVain, EndTheInterpreterWithTheRuntime) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "slow_package";
  if (std::system("python3 -I -c pass 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  std::filesystem::create_directories(folder / "flowray");
  std::ofstream(folder / "flowray" / "__init__.py") << "import time\ntime.sleep(600)\n";
  ray::RayConfig config;
  config.python_interpreter = "python3";
  config.python_path = {folder};
  ray::Init(config);
  const auto sum = ray::Task(ray::PyFunction<int>{"python_side", "plus"}).Remote(1, 2);
  const auto start = std::chrono::steady_clock::now();
  ray::Shutdown();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(300));
  std::filesystem::remove_all(folder);
}

}  // namespace

RAY_REMOTE(half, plus_in_python, count_in_python);

}  // namespace flowray
