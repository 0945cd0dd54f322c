// Threads as the system has them.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_THREADS_H_
#define ONNXCMP_EVALUATOR_BASE_OS_THREADS_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace onnxcmp {

// The processor time of this thread: others that run meanwhile do not count.
absl::Duration ThreadTime();

// The lowest address of this thread's stack; nullopt where that is not known.
std::optional<uintptr_t> EndOfStack();

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_THREADS_H_
