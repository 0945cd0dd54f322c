#include "evaluator/base/os/threads.h"

#include <time.h>

namespace onnxcmp {

absl::Duration ThreadTime() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace onnxcmp
