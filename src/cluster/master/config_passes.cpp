#include "cluster/master/config_passes.h"

namespace flowray::cluster {

engine::PassOptions passes_of(const wire::ConfigProto& config) {
  engine::PassOptions passes;
  if (!config.graph_options.has_value()) return passes;
  if (const auto& optimizer = config.graph_options->optimizer_options) {
    const bool optimises = optimizer->opt_level != wire::OptimizerOptions::Level::kL0;
    passes.fold = passes.share = optimises;
  }
  if (const auto& rewrites = config.graph_options->rewrite_options) {
    using Toggle = wire::RewriterConfig::Toggle;
    if (rewrites->constant_folding == Toggle::kOff) passes.fold = false;
    if (rewrites->common_subgraph_elimination == Toggle::kOff) passes.share = false;
    if (rewrites->disable_meta_optimizer || rewrites->dependency_optimization == Toggle::kOff)
      passes.drop = false;
    if (rewrites->disable_meta_optimizer || rewrites->remapping == Toggle::kOff) passes.fuse = false;
  }
  return passes;
}

}  // namespace flowray::cluster
