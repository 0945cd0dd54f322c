// What steps that look at values once more do it with.
#ifndef ONNXCMP_COMPARE_STEPS_STEP_TOOLS_H_
#define ONNXCMP_COMPARE_STEPS_STEP_TOOLS_H_

#include <cstdint>

#include "compare/pictures/value_picture.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

struct StepTools {
  int64_t keep_values = 0;    // bytes of values that are held at a time besides what was kept
  int64_t search_memory = 0;  // of what a step needs at once, or it does without
  PairValues::Watch watch;    // may be empty
  const ThreadPool* pool = nullptr;
  PictureAlbum* pictures = nullptr;  // of pairs that are measured; null: nobody wants them
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STEPS_STEP_TOOLS_H_
