// Every recorded error is either raised by a test (errors_*_test.cpp, nn/nn_errors_test.cpp) or stands here
// with the reason why not.
#include "support/coverage.h"
#include "support/recorded_error.h"

#include <set>

namespace flowray {
namespace {

const char* const kDoesNotCompile = "C++ refuses it: it does not compile";
const char* const kNoNone = "there is no None to write there in C++";

const std::map<std::string, std::string> kLeftOut = {
    // What Python finds out while it runs and a C++ compiler before.
    {"assign_to_a_constant", kDoesNotCompile},
    {"index_by_text", "text converts to an Input; tests/tf/functions/math_test.cpp has the TypeError"},
    {"tensor_as_bool", "a Tensor converts to bool explicitly: whether it is one or None"},
    {"tensor_iterated", kDoesNotCompile},
    {"variable_iterated", kDoesNotCompile},
    {"variable_as_bool", "a Variable converts to bool explicitly: whether it is one or none"},
    {"name_scope_number", kDoesNotCompile},
    {"control_dependency_on_a_number", kDoesNotCompile},
    {"fetch_a_number", kDoesNotCompile},
    {"fetch_none", kNoNone},
    {"fetch_list_with_none", kNoNone},
    {"feed_none", kNoNone},
    {"feed_a_tensor", kDoesNotCompile},
    {"feed_number_as_key", kDoesNotCompile},
    {"feed_an_operation", kDoesNotCompile},
    {"feed_not_a_dictionary", kDoesNotCompile},
    {"gradients_wrong_x", kDoesNotCompile},
    {"session_graph_is_not_a_graph", kDoesNotCompile},
    {"variable_scope_bad_reuse", kDoesNotCompile},
    {"variable_without_value", kNoNone},
    {"optimizer_apply_to_tensor", kDoesNotCompile},
    {"optimizer_var_list_of_numbers", kDoesNotCompile},
    {"get_variable_without_shape", "without a shape get_variable takes an initial value only"},
    {"get_variable_value_and_shape", "a shape and a value are two overloads; the value's shape is checked"},
    {"softmax_cross_entropy_positional", kDoesNotCompile},
    {"callable_too_few_values", "the number of values is checked first: ValueError"},
    {"session_closed_by_with", "a C++ session ends with its object, not with a scope"},
    {"session_entered_twice", "as_default may be entered twice, as TensorFlow's Session.as_default"},
    // What is said in other words, on purpose.
    {"feed_text_as_float", "NumPy's words"},
    {"placeholder_negative_shape", "the TensorShape is made before the call: 'Dimension -2 must be >= 0'"},
    {"run_int_truncated_division_by_zero",
     "TensorFlow calls it its own bug (INTERNAL); here it is as for other divisions"},
    // What needs parts that do not exist yet.
    {"unfetchable", "Graph.prevent_fetching is not written yet"},
    {"unfeedable", "Graph.prevent_feeding is not written yet"},
    {"session_unknown_target", "sessions have no targets before the cluster"},
    {"run_check_numerics", "tf::check_numerics is not written yet"},
    {"gradients_of_op_without_gradient", "tf::nn::in_top_k is not written yet"},
};

TEST(RecordedErrorsCoverage, EveryRecordedErrorIsTestedOrLeftOutForAReason) {
  std::set<std::string> recorded;
  for (const auto& [name, error] : testing::recorded_errors()) recorded.insert(name);
  testing::expect_covered(recorded, "RECORDED_ERROR", kLeftOut);
}

}  // namespace
}  // namespace flowray
