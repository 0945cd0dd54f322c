#include "cli/process/processor.h"

namespace onnxcmp::cli {

// The order is that of processor.cc.
InstructionSets NeededInstructions() {
  InstructionSets needed = 0;
#ifdef __SSE4_2__
  needed |= 1U << 0;
#endif
#ifdef __POPCNT__
  needed |= 1U << 1;
#endif
#ifdef __AVX__
  needed |= 1U << 2;
#endif
#ifdef __AVX2__
  needed |= 1U << 3;
#endif
#ifdef __FMA__
  needed |= 1U << 4;
#endif
#ifdef __BMI__
  needed |= 1U << 5;
#endif
#ifdef __BMI2__
  needed |= 1U << 6;
#endif
#ifdef __AVX512F__
  needed |= 1U << 7;
#endif
#ifdef __AVX512BW__
  needed |= 1U << 8;
#endif
#ifdef __AVX512DQ__
  needed |= 1U << 9;
#endif
#ifdef __AVX512VL__
  needed |= 1U << 10;
#endif
  return needed;
}

}  // namespace onnxcmp::cli
