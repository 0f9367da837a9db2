#include <flowray/glue.h>

#include "graph/graph.h"

namespace flowray::ray::experimental {

SessionState::SessionState() = default;
SessionState::SessionState(SessionState&&) noexcept = default;
SessionState& SessionState::operator=(SessionState&&) noexcept = default;
SessionState::~SessionState() = default;

void SessionState::hold(tf::Session& session, tf::Input::Where where) {
  const tf::Graph graph = session.graph();
  const auto scope = graph.as_default();
  variables_ = std::make_unique<TensorFlowVariables>(std::vector<tf::Operation>(), session,
                                                     tf::global_variables(), where);
}

SavedSession SessionState::checkpoint() const {
  return variables_ == nullptr ? SavedSession() : SavedSession{variables_->get_weights()};
}

void SessionState::restore(const SavedSession& saved) {
  const bool is_empty = variables_ == nullptr || variables_->variables.empty();
  if (is_empty && saved.variables.empty()) return;
  if (variables_ == nullptr)
    throw ValueError(
        "A state is to be restored, and there is no session. Call hold(session) in the constructor.");
  if (const std::string difference = variables_->difference(saved.variables); !difference.empty()) {
    throw ValueError("The state is that of another network:\n" + difference +
                     "\nThe constructor must build the same graph in each process.");
  }
  variables_->set_weights(saved.variables);
}

}  // namespace flowray::ray::experimental
