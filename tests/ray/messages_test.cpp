// What errors say of programs' own mistakes and of what their functions throw.

#include <flowray/ray.h>
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

#ifdef __x86_64__
/// A function at an odd address, as compilers place some where they do not optimise.
extern "C" int oddly_placed(int x);
asm(R"(
    .text
    .balign 16
    nop
    .globl oddly_placed
    .type oddly_placed, @function
oddly_placed:
    movl %edi, %eax
    ret
    .size oddly_placed, .-oddly_placed
)");
#endif

namespace flowray {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kGuardMs = 60'000;

int throws_string() { throw std::string("the water is cold"); }
int throws_letters() { throw "the water is deep"; }
int throws_number() { throw 42; }
int throws_wide_number() { throw 1'000'000'000'000ULL; }
struct Wet {};
int throws_struct() { throw Wet(); }
int throws_nothing_said() { throw std::runtime_error(""); }
const std::string kWithNul("the water\0 is cold", 18);
int throws_nul() { throw kWithNul; }
int throws_error_with_nul() { throw ValueError(kWithNul); }
int throws_in_step() {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  tf::Session().run(tf::add(x, {1.0, 2.0}, {.name = "total"}), {{x, {1.0f, 2.0f, 3.0f}}});
  return 0;
}
int throws_with_node() { throw errors::AbortedError("out of breath", "total"); }
int forgotten(int x) { return x; }

class Swimmer {
 public:
  static Swimmer* Create() { return new Swimmer; }
  static Swimmer* Sink() { std::abort(); }
  int Swim() { return 1; }
  int Dive() { std::abort(); }
  int Float() { return 2; }
};
class Drowning {
 public:
  static Drowning* ThrowNumber() { throw 42; }
  static Drowning* ThrowStruct() { throw Wet(); }
  static Drowning* ThrowError() { throw ValueError("no air"); }
  int Swim() { return 1; }
};
RAY_REMOTE(throws_string, throws_letters, throws_number, throws_wide_number, throws_struct,
           throws_nothing_said, throws_nul, throws_error_with_nul, throws_in_step, throws_with_node);
RAY_REMOTE(Drowning::ThrowNumber, Drowning::ThrowStruct, Drowning::ThrowError, &Drowning::Swim);
RAY_REMOTE(Swimmer::Create, Swimmer::Sink, &Swimmer::Swim, &Swimmer::Dive);

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class Messages : public ::testing::TestWithParam<bool> {
 protected:
  Messages() { ray::Init({.num_cpus = 1, .local_mode = GetParam(), .shutdown_timeout_ms = 100}); }
  ~Messages() override { ray::Shutdown(); }
};
INSTANTIATE_TEST_SUITE_P(InProcessesAndLocal, Messages, ::testing::Bool(),
                         [](const auto& run) { return std::string(run.param ? "Local" : "Processes"); });

TEST_P(Messages, KeepTheTextOfWhatIsThrown) {
  EXPECT_THAT(error_of([] { ray::Task(throws_string).Remote().Get(kGuardMs); }),
              HasSubstr("with std::string: the water is cold"));
  EXPECT_THAT(error_of([] { ray::Task(throws_letters).Remote().Get(kGuardMs); }),
              HasSubstr(": the water is deep"));
  EXPECT_THAT(error_of([] { ray::Task(throws_number).Remote().Get(kGuardMs); }), HasSubstr("with int: 42"));
  try {
    ray::Task(throws_string).Remote().Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THROW(error.rethrow_cause(), std::string);
  }
}

/// What the task's failure is.
ray::RayTaskException failure_of(int (*function)()) {
  try {
    ray::Task(function).Remote().Get(kGuardMs);
  } catch (const ray::RayTaskException& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

TEST_P(Messages, KeepWhatStandsBehindANulByte) {
  const ray::RayTaskException thrown = failure_of(throws_nul);
  EXPECT_EQ(thrown.failure().message, kWithNul);
  EXPECT_THAT(thrown.what(), HasSubstr("with std::string: the water\\0 is cold"));
  try {
    thrown.rethrow_cause();
  } catch (const std::string& text) {
    EXPECT_EQ(text, kWithNul);
  }
  try {
    failure_of(throws_error_with_nul).rethrow_cause();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.message(), kWithNul);
  }
}

TEST_P(Messages, NameTheTypeOfWhateverIsThrown) {
  EXPECT_THAT(failure_of(throws_wide_number).what(), HasSubstr("with unsigned long long: 1000000000000"));
  const ray::RayTaskException thrown = failure_of(throws_struct);
  EXPECT_THAT(thrown.what(),
              AllOf(HasSubstr("failed in process"), HasSubstr("::Wet\nWhat was thrown has no text")));
  for (int (*const function)() : {throws_number, throws_struct}) {
    const ray::RayTaskException task = failure_of(function);
    EXPECT_EQ(error_of([&] { task.rethrow_cause(); }), task.what());
  }
  EXPECT_THAT(failure_of(throws_nothing_said).what(), HasSubstr("with std::runtime_error\nWhat was thrown"));
  EXPECT_THROW(failure_of(throws_nothing_said).rethrow_cause(), std::runtime_error);
}

TEST_P(Messages, NameTheTypeOfWhatAConstructorThrows) {
  const auto death_of = [](Drowning* (*create)()) {
    const auto actor = ray::Actor(create).Remote();
    return error_of([&] { actor.Task(&Drowning::Swim).Remote().Get(kGuardMs); });
  };
  EXPECT_THAT(death_of(Drowning::ThrowNumber), AllOf(HasSubstr("is dead"), HasSubstr("with int: 42")));
  EXPECT_THAT(death_of(Drowning::ThrowStruct), AllOf(HasSubstr("is dead"), HasSubstr("::Wet\n")));
  EXPECT_THAT(death_of(Drowning::ThrowError), HasSubstr("with flowray::ValueError: no air"));
}

TEST_P(Messages, NameANodeOnce) {
  const std::string of_step = failure_of(throws_in_step).what();
  EXPECT_THAT(of_step, AllOf(HasSubstr("{{node total}}"), HasSubstr("The node was made at"),
                             Not(HasSubstr("The node was 'total'"))));
  EXPECT_THAT(failure_of(throws_with_node).what(), HasSubstr("out of breath\nThe node was 'total'.\n"));
}

TEST_P(Messages, NameAFunctionThatIsNotRegistered) {
  EXPECT_THAT(error_of([] { ray::Task(forgotten).Remote(1); }),
              AllOf(StartsWith("Function not found: 'flowray::forgotten(int)' was not registered."),
                    HasSubstr("RAY_REMOTE")));
  const auto swimmer = ray::Actor(Swimmer::Create).Remote();
  EXPECT_THAT(error_of([&] { swimmer.Task(&Swimmer::Float).Remote(); }),
              HasSubstr("'flowray::Swimmer::Float()'"));
}

#ifdef __x86_64__
TEST_P(Messages, NameAFunctionAtWhateverAddress) {
  EXPECT_EQ(oddly_placed(3), 3);
  EXPECT_THAT(error_of([] { ray::Task(oddly_placed).Remote(1); }),
              StartsWith("Function not found: 'oddly_placed' was not registered."));
}
#endif

TEST_P(Messages, NameTheActorThatIsDead) {
  const auto swimmer = ray::Actor(Swimmer::Create).Remote();
  swimmer.Kill();
  EXPECT_THAT(
      error_of([&] { swimmer.Task(&Swimmer::Swim).Remote().Get(kGuardMs); }),
      AllOf(StartsWith("The actor Swimmer"), HasSubstr("is dead: it was killed"), Not(HasSubstr("Swim "))));
}

class MessagesOfProcesses : public Messages {};
INSTANTIATE_TEST_SUITE_P(InProcesses, MessagesOfProcesses, ::testing::Values(false));

TEST_P(MessagesOfProcesses, TellHowAProcessEndedInASentence) {
  const auto swimmer = ray::Actor(Swimmer::Create).Remote();
  EXPECT_THAT(error_of([&] { swimmer.Task(&Swimmer::Dive).Remote().Get(kGuardMs); }),
              HasSubstr("is dead: its process was killed by SIGABRT"));
}

TEST_P(MessagesOfProcesses, NameTheActorWhereNothingIsKnownOfIt) {
  const auto swimmer = ray::Actor(Swimmer::Create).Remote();
  ray::Shutdown();
  ray::Init({.num_cpus = 1});
  EXPECT_THAT(error_of([&] { swimmer.Task(&Swimmer::Swim).Remote().Get(kGuardMs); }),
              StartsWith("The actor Swimmer is dead: there is no such actor in this runtime"));
}

}  // namespace
}  // namespace flowray
