// Compiled for any processor of its architecture (cli/CMakeLists.txt), and therefore without parts
// of the standard library that the linker may take from another file.
#include "cli/process/processor.h"

namespace onnxcmp::cli {
namespace {

constexpr const char* kNames[] = {"sse4.2", "popcnt",  "avx",      "avx2",     "fma",     "bmi",
                                  "bmi2",   "avx512f", "avx512bw", "avx512dq", "avx512vl"};

}  // namespace

InstructionSets PresentInstructions() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool present[] = {
      __builtin_cpu_supports("sse4.2") != 0,   __builtin_cpu_supports("popcnt") != 0,
      __builtin_cpu_supports("avx") != 0,      __builtin_cpu_supports("avx2") != 0,
      __builtin_cpu_supports("fma") != 0,      __builtin_cpu_supports("bmi") != 0,
      __builtin_cpu_supports("bmi2") != 0,     __builtin_cpu_supports("avx512f") != 0,
      __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0,
      __builtin_cpu_supports("avx512vl") != 0};
  static_assert(sizeof(present) == sizeof(kNames) / sizeof(kNames[0]));
  InstructionSets sets = 0;
  for (unsigned i = 0; i < sizeof(present); ++i) {
    if (present[i]) sets |= 1U << i;
  }
  return sets;
#else
  return ~InstructionSets{0};
#endif
}

bool NamesOfMissing(InstructionSets needed, InstructionSets present, char* text, size_t size) {
  const InstructionSets missing = needed & ~present;
  size_t length = 0;
  const auto append = [&](const char* part) {
    for (; *part != '\0' && length + 1 < size; ++part) text[length++] = *part;
  };
  for (unsigned i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
    if ((missing >> i & 1U) == 0) continue;
    if (length > 0) append(", ");
    append(kNames[i]);
  }
  text[length] = '\0';
  return missing != 0;
}

}  // namespace onnxcmp::cli
