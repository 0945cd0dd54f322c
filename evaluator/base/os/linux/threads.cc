#include "evaluator/base/os/threads.h"

#include <pthread.h>

#include <cstddef>

namespace onnxcmp {

std::optional<uintptr_t> EndOfStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return std::nullopt;
  void* lowest = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<uintptr_t>(lowest);
  if (failed == 0 && here > end && here - end <= size) return end;
  return std::nullopt;
}

}  // namespace onnxcmp
