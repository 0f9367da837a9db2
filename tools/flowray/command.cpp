// The command flowray: `flowray server` runs graphs for TensorFlow clients, `flowray run` one from a file,
// which `flowray explain` takes apart and `flowray trace` traces on a cluster, and `flowray cluster` all
// tasks of a cluster; `flowray status` and its like look into a running driver of tasks and actors, `flowray
// microbenchmark` measures these.

#include "command.h"

#include <flowray/errors.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>

#include "cluster.h"
#include "driver.h"
#include "explain.h"
#include "microbenchmark.h"
#include "run.h"
#include "server.h"
#include "trace.h"

namespace flowray::tools {

int run_command(int argc, char** argv) {
  CLI::App app("Flowray from the shell");
  app.require_subcommand(1);
  app.set_version_flag("--version", "flowray " FLOWRAY_VERSION);
  ServerCommand server(app);
  const RunCommand run(app);
  const ExplainCommand explain(app);
  const TraceCommand trace(app);
  const ClusterCommand cluster(app);
  const DriverCommand driver(app);
  const MicrobenchmarkCommand microbenchmark(app);
  try {
    app.parse(argc, argv);
    if (run.is_chosen()) return run.run();
    if (explain.is_chosen()) return explain.run();
    if (trace.is_chosen()) return trace.run();
    if (cluster.is_chosen()) return cluster.run();
    if (driver.is_chosen()) return driver.run();
    if (microbenchmark.is_chosen()) return microbenchmark.run();
    return server.run(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help is not an error
  } catch (const Error& error) {
    fmt::print(stderr, "flowray {}: {}\n", cluster.is_chosen() ? "cluster" : "server", error.message());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "flowray server: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "flowray server: {}\n", error.what());
    return 1;
  }
}

}  // namespace flowray::tools
