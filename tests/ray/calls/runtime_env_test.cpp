#include <flowray/ray/runtime_env.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const RayRuntimeEnvException& error) {
    return error.what();
  }
  return "no error";
}

TEST(RuntimeEnv, KeepsFieldsAsJson) {
  RuntimeEnv env;
  EXPECT_TRUE(env.Empty());
  env.Set("working_dir", "/tmp/\"x\"\n");
  env.Set("pip", std::vector<std::string>{"a", "b==1"});
  env.Set("count", 3);
  env.Set("share", 0.5);
  env.Set("eager", true);
  EXPECT_EQ(env.GetJsonStr("working_dir"), R"("/tmp/\"x\"\n")");
  EXPECT_EQ(env.Serialize(),
            R"({"count":3,"eager":true,"pip":["a","b==1"],"share":0.5,"working_dir":"/tmp/\"x\"\n"})");
  const RuntimeEnv read = RuntimeEnv::Deserialize(env.Serialize());
  EXPECT_EQ(read.Get<std::string>("working_dir"), "/tmp/\"x\"\n");
  EXPECT_EQ(read.Get<std::vector<std::string>>("pip"), (std::vector<std::string>{"a", "b==1"}));
  EXPECT_EQ(read.Get<int>("count"), 3);
  EXPECT_EQ(read.Get<double>("share"), 0.5);
  EXPECT_TRUE(read.Get<bool>("eager"));
  EXPECT_TRUE(env.Remove("count"));
  EXPECT_FALSE(env.Remove("count"));
  EXPECT_FALSE(env.Contains("count"));
  EXPECT_THAT(env.SerializeToRuntimeEnvInfo(), HasSubstr(R"({"serialized_runtime_env":"{\"eager\":true)"));
}

TEST(RuntimeEnv, ReadsJson) {
  RuntimeEnv env;
  env.SetJsonStr("x", R"( {"a" : [1, -2.5e3, null, true], "b": "\u00e4\ud83d\ude00", "c": {}} )");
  EXPECT_EQ(env.GetJsonStr("x"), "{\"a\":[1,-2.5e3,null,true],\"b\":\"\xC3\xA4\xF0\x9F\x98\x80\",\"c\":{}}");
  for (const char* const wrong : {"", "{", "[1,]", "{1:2}", "\"a", "01x", "tru", "[1] 2", "\"\\x\"", "-"})
    EXPECT_THAT(error_of([&] { env.SetJsonStr("x", wrong); }), HasSubstr("Failed to set the field x"))
        << wrong;
  EXPECT_THAT(error_of([&] { env.SetJsonStr("x", std::string(100'000, '[')); }), HasSubstr("as deep"));
}

TEST(RuntimeEnv, RefusesWhatIsNotThere) {
  RuntimeEnv env;
  EXPECT_EQ(error_of([&] { env.Get<int>("x"); }), "The field x not found.");
  env.Set("x", "text");
  EXPECT_THAT(error_of([&] { env.Get<int>("x"); }), HasSubstr("Failed to get the field x: it is \"text\""));
  env.Set("x", 1000);
  EXPECT_THAT(error_of([&] { env.Get<int8_t>("x"); }), HasSubstr("an integer of the type's range"));
  EXPECT_THAT(error_of([] { RuntimeEnv::Deserialize("[1]"); }), HasSubstr("a map of fields"));
}

TEST(RuntimeEnv, HasVariables) {
  RuntimeEnv env;
  env.Set("env_vars", std::map<std::string, std::string>{{"A", "1"}, {"B", "x=y"}});
  EXPECT_EQ(internal::environment_text(env), std::string("A=1\0B=x=y\0", 10));
  env.Set("env_vars", std::map<std::string, int>{{"A", 1}});
  EXPECT_THAT(error_of([&] { internal::environment_text(env); }),
              HasSubstr("Failed to get the field env_vars"));
  env.Set("env_vars", std::map<std::string, std::string>{{"A=", "1"}});
  EXPECT_THAT(error_of([&] { internal::environment_text(env); }),
              HasSubstr("'A=' cannot be a variable's name"));
  env.Set("env_vars", std::map<std::string, std::string>{{"A", std::string(20'000, 'x')}});
  EXPECT_THAT(error_of([&] { internal::environment_text(env); }), HasSubstr("at most 16384 are possible"));
}

TEST(RuntimeEnv, TellsOnceOfWhatIsNotFollowed) {
  RuntimeEnv env;
  env.Set("conda_of_this_test", "x");
  ::testing::internal::CaptureStderr();
  internal::environment_text(env);
  internal::environment_text(env);
  EXPECT_EQ(
      ::testing::internal::GetCapturedStderr(),
      "flowray: RuntimeEnv: 'conda_of_this_test' is not followed: workers run this program as it is. Only "
      "'env_vars' is.\n");
}

}  // namespace
}  // namespace flowray::ray
