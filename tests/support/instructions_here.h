// The sets of vector instructions that loops can be tried with on this processor.
#ifndef ONNXCMP_TESTS_SUPPORT_INSTRUCTIONS_HERE_H_
#define ONNXCMP_TESTS_SUPPORT_INSTRUCTIONS_HERE_H_

#include <vector>

#include "evaluator/base/instructions.h"

namespace onnxcmp::testing {

inline std::vector<Instructions> InstructionsHere() {
  std::vector<Instructions> here = {Instructions::kBase};
  for (const Instructions wide : {Instructions::kAvx512, Instructions::kAvx512Vnni}) {
    if (HasInstructions(wide)) here.push_back(wide);
  }
  return here;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_INSTRUCTIONS_HERE_H_
