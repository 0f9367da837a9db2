#pragma once
/// What several hooks need.

#include <flowray/tf/session_run_hooks.h>

#include <string>
#include <string_view>

namespace flowray::tf::train {

/// The graph's global step. Throws RuntimeError "Global step should be created to use
/// <hook>." where there is none.
Fetch global_step_for(std::string_view hook);

/// What it is now.
int64_t step_number(Session& session, const Fetch& step);
int64_t step_number(const Array& value);

/// A line for the log; on stderr where there is none.
void tell(const LogFunction& log, const std::string& line);

/// What writes for a hook: the one that it was given, or the folder's; null without both.
std::shared_ptr<summary::FileWriter> writer_of(const std::shared_ptr<summary::FileWriter>& given,
                                               const std::filesystem::path& folder);

}  // namespace flowray::tf::train
