#include "evaluator/base/os/threads.h"

#include <pthread.h>

namespace onnxcmp {

std::optional<uintptr_t> EndOfStack() {
  const pthread_t self = pthread_self();
  // It is told by its upper end.
  const auto begin = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(self));
  const uintptr_t end = begin - pthread_get_stacksize_np(self);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here > end && here <= begin) return end;
  return std::nullopt;
}

}  // namespace onnxcmp
