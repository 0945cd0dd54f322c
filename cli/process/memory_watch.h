// The memory that the whole process may hold.
#ifndef ONNXCMP_CLI_PROCESS_MEMORY_WATCH_H_
#define ONNXCMP_CLI_PROCESS_MEMORY_WATCH_H_

#include <cstdint>

namespace onnxcmp::cli {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kKeepsFreedMemory = true;
#else
inline constexpr bool kKeepsFreedMemory = false;
#endif
// Bytes that the program itself takes: the reports, a node's own vectors. A sanitizer keeps memory
// that was freed.
inline constexpr int64_t kOwnMemory = int64_t{kKeepsFreedMemory ? 2048 : 192} << 20;

// Ends the program with a message and this status as soon as it holds more than `limit` and
// kOwnMemory together. A run's account knows the values and names the node that asks for too much;
// this knows all else: tables, texts, messages, the vectors of kernels. Mapped files do not count.
// Does nothing on a system that does not tell what a process holds. To be called once.
void EndAbove(int64_t limit, int status);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_MEMORY_WATCH_H_
