#include "evaluator/base/stack_room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace onnxcmp {
namespace {

// Bytes that a level takes, measured with bodies 60 deep in a comparison: 9 KiB.
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr size_t kLevel = size_t{64} << 10;
#else
constexpr size_t kLevel = size_t{12} << 10;
#endif
constexpr size_t kReserve = size_t{112} << 10;  // for a model without subgraphs

// The lowest address of this thread's stack; nullopt where that is not known.
std::optional<uintptr_t> EndOfStack() {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* lowest = nullptr;
    size_t size = 0;
    const int failed = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const auto end = reinterpret_cast<uintptr_t>(lowest);
    if (failed == 0 && here > end && here - end <= size) return end;
  }
#endif
  return std::nullopt;
}

// Bytes below this frame; as many as one could want where that is not known.
size_t StackRoom() {
  // For a process' first thread the system reads the map of all its memory.
  thread_local const std::optional<uintptr_t> kEnd = EndOfStack();
  if (!kEnd.has_value()) return SIZE_MAX;
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - *kEnd;
}

}  // namespace

int NestingThatFits(int most) {
  const size_t room = StackRoom();
  const size_t levels = room < kReserve ? 0 : (room - kReserve) / kLevel;
  return static_cast<int>(std::min(levels, static_cast<size_t>(std::max(most, 0))));
}

}  // namespace onnxcmp
