#include "evaluator/base/instructions.h"

#include <cstdlib>
#include <cstring>

namespace onnxcmp {

bool HasInstructions(Instructions instructions) {
  if (instructions == Instructions::kBase) return true;
#ifdef ONNXCMP_HAS_AVX512
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (instructions == Instructions::kAvx512) return has_avx512;
  return has_avx512 && __builtin_cpu_supports("avx512vnni");
#else
  return false;
#endif
}

Instructions BestInstructions() {
  static const Instructions kBest = [] {
    const char* wish = std::getenv("ONNXCMP_AVX512");
    if (wish != nullptr && std::strcmp(wish, "0") == 0) return Instructions::kBase;
    if (HasInstructions(Instructions::kAvx512Vnni)) return Instructions::kAvx512Vnni;
    return HasInstructions(Instructions::kAvx512) ? Instructions::kAvx512 : Instructions::kBase;
  }();
  return kBest;
}

}  // namespace onnxcmp
