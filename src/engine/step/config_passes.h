#pragma once
/// What the graph options of a session's ConfigProto say of the passes of its steps.

#include "engine/step/pass_options.h"
#include "wire/session_config.h"

#include <optional>

namespace flowray::engine {

/// The passes that stand for TensorFlow's optimisations, as the client switches those:
///
///     optimizer_options.opt_level L0           nothing is folded or shared, unless do_constant_folding
///                                              or do_common_subexpression_elimination says so
///     rewrite_options.constant_folding         fold
///     rewrite_options.dependency_optimization  drop
///     rewrite_options.common_subgraph_elimination  share
///     rewrite_options.remapping                fuse
///     rewrite_options.disable_meta_optimizer   nothing is fused or dropped
///
/// A rewrite that is OFF turns its pass off; none of them turns one on.
PassOptions passes_of(const std::optional<wire::GraphOptions>& options);

}  // namespace flowray::engine
