#include "ray/functions/python_functions.h"

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ray/local_runtime.h"

namespace flowray {
namespace {

using ray::internal::PythonCall;
using ::testing::HasSubstr;

class PythonFunctions : public ray::LocalRuntime {};

template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const ray::RayException& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(PythonFunctions, AreToldFromThoseOfCpp) {
  for (const PythonCall call : {PythonCall::kTask, PythonCall::kMakeActor, PythonCall::kMethod}) {
    for (const uint64_t key : {uint64_t{1}, ~uint64_t{0}, uint64_t{0x123456789ABCDEF0}})
      EXPECT_EQ(ray::python_call_of(ray::python_function_id(call, key)), call);
  }
  EXPECT_NE(ray::python_function_id(PythonCall::kTask, 1), ray::python_function_id(PythonCall::kTask, 2));
  EXPECT_EQ(ray::python_call_of({1}), std::nullopt);
}

TEST_F(PythonFunctions, AreNotFoundInLocalMode) {
  const auto sum = ray::Task(ray::PyFunction<int>{"numbers", "plus"}).Remote(1, "two");
  EXPECT_THROW(sum.Get(), ray::RayFunctionNotFound);
  EXPECT_THAT(error_of([&] { sum.Get(); }), HasSubstr("Function not found: it is one of Python's"));
}

TEST_F(PythonFunctions, HaveNames) {
  EXPECT_THAT(error_of([] { ray::Task(ray::PyFunction<int>{"", "plus"}).Remote(); }),
              HasSubstr("called by its module and its name. Given: module '', name 'plus'."));
  EXPECT_THAT(error_of([] { ray::Actor(ray::PyActorClass{"numbers", ""}).Remote(); }),
              HasSubstr("module 'numbers', name ''"));
  EXPECT_THAT(error_of([] { ray::ActorHandleXlang().Task(ray::PyActorMethod<int>{"add"}).Remote(); }),
              HasSubstr("The ActorHandle is of no actor"));
}

}  // namespace
}  // namespace flowray
