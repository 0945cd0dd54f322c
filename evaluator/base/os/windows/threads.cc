#include "evaluator/base/os/threads.h"

#include <windows.h>

namespace onnxcmp {
namespace {

// 100 nanoseconds each.
int64_t Ticks(const FILETIME& time) {
  return static_cast<int64_t>((uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime);
}

}  // namespace

absl::Duration ThreadTime() {
  FILETIME begin = {};
  FILETIME end = {};
  FILETIME kernel = {};
  FILETIME user = {};
  GetThreadTimes(GetCurrentThread(), &begin, &end, &kernel, &user);
  return absl::Nanoseconds(100) * (Ticks(kernel) + Ticks(user));
}

std::optional<uintptr_t> EndOfStack() {
  MEMORY_BASIC_INFORMATION info = {};
  if (VirtualQuery(__builtin_frame_address(0), &info, sizeof(info)) == 0) return std::nullopt;
  return reinterpret_cast<uintptr_t>(info.AllocationBase);
}

}  // namespace onnxcmp
