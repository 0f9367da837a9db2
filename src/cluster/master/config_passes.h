#pragma once
/// What a client's ConfigProto says of the passes of its steps.

#include "engine/step/pass_options.h"
#include "wire/session_config.h"

namespace flowray::cluster {

/// The passes that stand for TensorFlow's optimisations, as the client switches those:
///
///     optimizer_options.opt_level L0           nothing is folded or shared
///     rewrite_options.constant_folding         fold
///     rewrite_options.dependency_optimization  drop
///     rewrite_options.common_subgraph_elimination  share
///     rewrite_options.remapping                fuse
///     rewrite_options.disable_meta_optimizer   nothing is fused or dropped
///
/// A rewrite that is OFF turns its pass off; none of them turns one on.
engine::PassOptions passes_of(const wire::ConfigProto& config);

}  // namespace flowray::cluster
