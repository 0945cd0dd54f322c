// Options of comparisons that are judged and not shown.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_BRIEF_OPTIONS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_BRIEF_OPTIONS_H_

#include "compare/compare.h"

namespace onnxcmp {

// The same without causes and other work that only reports need.
inline CompareOptions BriefOptions(CompareOptions options) {
  options.causes = false;
  options.repro = false;
  options.shadow = false;
  options.quantization = false;
  options.explain.clear();
  options.pictures = 0;
  return options;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_BRIEF_OPTIONS_H_
