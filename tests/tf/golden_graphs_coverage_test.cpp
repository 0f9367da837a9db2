// Every recorded program is either built by a test or stands here with the reason why not.
#include "support/coverage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace flowray {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string> kLeftOut = {
    {"variable_from_initialized_value", "the public headers have no initialized_value"},
    {"variable_initialized_value", "the same"},
    {"template_with_a_custom_getter", "custom getters of C++ give variables, and no tensors"},
    {"custom_getter_of_one_call", "the same"},
    {"partitioned_through_a_custom_getter", "the same"},
    {"partitioned_initializers", "an initializer of Python's is told of the whole variable"},
    {"resource_variable_assign_alone", "assignments of C++ always read, too"},
    {"resource_variable_assigned_used", "what an assignment gives is read once"},
    {"resource_variable_assigned_in_branches", "the same"},
    {"gradients_of_dynamic_rnn", "the axis of a concatenation in a loop is a constant by another name"},
    {"gradients_of_gather", "gradients of gathers are summed where they are made"},
    {"gradients_of_gather_from_variable", "the sum of the rows is made, too, which nothing runs"},
    {"embeddings_of_sparse_ids_trained", "the same"},
    {"embeddings_of_safe_ids", "an import does not infer all of its shapes; tests/python builds it"},
    {"parsed_one_of_any_rank", "the same"},
    {"resource_variable_sparse_gradient_descent",
     "the same; ResourceVariable.IsUpdatedRowByRow looks at the rest"},
    {"resource_variable_sparse_momentum", "the same; ResourceVariable.IsUpdatedRowByRow looks at the rest"},
    {"resource_variable_sparse_adam", "the same; ResourceVariable.IsUpdatedRowByRow looks at the rest"},
    {"resource_variable_sparse_ftrl", "the same; ResourceVariable.IsUpdatedRowByRow looks at the rest"},
};

std::set<std::string> recorded_programs() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(FLOWRAY_SOURCE_DIR "/tests/golden/graphs")) {
    if (entry.path().extension() == ".txt") names.insert(entry.path().stem());
  }
  return names;
}

TEST(GoldenGraphsCoverage, EveryRecordedProgramIsTestedOrLeftOutForAReason) {
  testing::expect_covered(recorded_programs(), "GOLDEN_PROGRAM(?:_WITHOUT)?", kLeftOut);
}

}  // namespace
}  // namespace flowray
