#pragma once
/// Holds what was recorded against what is tested: nothing recorded is forgotten, no test has lost
/// its recording.

#include <map>
#include <set>
#include <string>

namespace flowray::testing {

/// Fails for each of `recorded` that neither stands in MACRO(name...) in a source below tests/tf nor, with
/// the reason why not, in `left_out`; for each that is both; and for each tested or left out that is not
/// recorded. `macro` is a regular expression.
void expect_covered(const std::set<std::string>& recorded, const std::string& macro,
                    const std::map<std::string, std::string>& left_out);

}  // namespace flowray::testing
