#pragma once
/// Functions of the program that steps call: C++ ones by their token, and those of a Python process.

#include <flowray/array.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// A C++ function that the nodes with its token call, as long as this is there; a call in progress goes on.
class ProgramFunction {
 public:
  using Function = std::function<std::vector<Array>(const std::vector<Array>&)>;

  explicit ProgramFunction(Function function);
  ProgramFunction(const ProgramFunction&) = delete;
  ProgramFunction& operator=(const ProgramFunction&) = delete;
  ~ProgramFunction();

  const std::string& token() const { return token_; }

 private:
  const std::string token_;
};

/// Calls the Python function that is registered as `token`. Throws errors::OpError for what it raises, and
/// where there is none.
using PythonFunctionCaller = std::vector<Array> (*)(const std::string& token,
                                                    const std::vector<Array>& inputs);

/// Whether nodes of that op call functions of the program.
bool calls_program(std::string_view op);

/// Set once, by the Python door; without it there are no functions but the C++ ones.
void set_python_function_caller(PythonFunctionCaller caller);

}  // namespace flowray::ops
