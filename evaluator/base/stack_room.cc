#include "evaluator/base/stack_room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "evaluator/base/os/threads.h"

namespace onnxcmp {
namespace {

// Bytes that a level takes, measured with bodies 60 deep in a comparison: 9 KiB.
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr size_t kLevel = size_t{64} << 10;
#else
constexpr size_t kLevel = size_t{12} << 10;
#endif
constexpr size_t kReserve = size_t{112} << 10;  // for a model without subgraphs

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
