#include "cli/process/at_once.h"

#include <thread>

#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp::cli {

absl::Status AtOnce(int threads, absl::FunctionRef<absl::Status()> left,
                    absl::FunctionRef<absl::Status()> right) {
  if (ThreadCount(threads) == 1) {
    OC_RETURN_IF_ERROR(left());
    return right();
  }
  absl::Status of_right;
  std::thread thread([&] { of_right = right(); });
  const absl::Status of_left = left();
  thread.join();
  return of_left.ok() ? of_right : of_left;
}

}  // namespace onnxcmp::cli
