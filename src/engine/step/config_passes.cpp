#include "engine/step/config_passes.h"

namespace flowray::engine {

PassOptions passes_of(const std::optional<wire::GraphOptions>& options) {
  PassOptions passes;
  if (!options.has_value()) return passes;
  if (const auto& optimizer = options->optimizer_options) {
    const bool optimises = optimizer->opt_level != wire::OptimizerOptions::Level::kL0;
    passes.fold = optimises || optimizer->do_constant_folding;
    passes.share = optimises || optimizer->do_common_subexpression_elimination;
  }
  if (const auto& rewrites = options->rewrite_options) {
    using Toggle = wire::RewriterConfig::Toggle;
    if (rewrites->constant_folding == Toggle::kOff) passes.fold = false;
    if (rewrites->common_subgraph_elimination == Toggle::kOff) passes.share = false;
    if (rewrites->disable_meta_optimizer || rewrites->dependency_optimization == Toggle::kOff)
      passes.drop = false;
    if (rewrites->disable_meta_optimizer || rewrites->remapping == Toggle::kOff) passes.fuse = false;
  }
  return passes;
}

}  // namespace flowray::engine
