// A program outside the project that uses its installed libraries; see run.cmake.
#include <cstdio>

#include "evaluator/version.h"
#include "ops/operators.h"

int main() {
  const auto operators = onnxcmp::AllOperators().Entries();
  std::printf("onnxcmp %s with %zu operators\n", onnxcmp::kVersion, operators.size());
  return operators.empty() ? 1 : 0;
}
