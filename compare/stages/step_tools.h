// Resources of steps that need values again.
#ifndef ONNXCMP_COMPARE_STAGES_STEP_TOOLS_H_
#define ONNXCMP_COMPARE_STAGES_STEP_TOOLS_H_

#include <cstdint>

#include "compare/pictures/value_picture.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/timings.h"

namespace onnxcmp {

struct StepTools {
  int64_t keep_values = 0;    // bytes of values held at a time besides kept ones
  int64_t search_memory = 0;  // bytes that a step may need at once; beyond that it is left out
  PairValues::Watch watch;    // may be empty
  const ThreadPool* pool = nullptr;
  Timings* timings = nullptr;        // null: not requested
  PictureAlbum* pictures = nullptr;  // pictures of measured pairs; null: not requested
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_STEP_TOOLS_H_
