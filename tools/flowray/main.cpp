#include "command.h"

int main(int argc, char** argv) { return flowray::tools::run_command(argc, argv); }
