// What errors say of programs' own mistakes and of what their functions throw.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
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
int forgotten(int x) { return x; }

class Swimmer {
 public:
  static Swimmer* Create() { return new Swimmer; }
  static Swimmer* Sink() { std::abort(); }
  int Swim() { return 1; }
  int Dive() { std::abort(); }
  int Float() { return 2; }
};
RAY_REMOTE(throws_string, throws_letters, throws_number);
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
