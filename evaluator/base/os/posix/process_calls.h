// Calls on processes that Linux has and other systems of POSIX have in another form.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_POSIX_PROCESS_CALLS_H_
#define ONNXCMP_EVALUATOR_BASE_OS_POSIX_PROCESS_CALLS_H_

#include <spawn.h>

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// Descriptors that programs that we start do not have. False, with errno set.
bool MakePipe(std::array<int, 2>* ends);
bool MakeSockets(std::array<int, 2>* ends);
// A file that no folder has; -1, with errno set.
int MakeMemoryFile(const char* name);

// send(), by which writing to a socket whose other end is gone is an error and no signal.
int64_t SendQuietly(int socket, absl::string_view bytes);

// Flags for posix_spawn, and its part that closes what is behind standard error.
extern const int kSpawnFlags;
void CloseOthers(posix_spawn_file_actions_t* actions);

// To be called between fork and exec: the system kills this process once its parent is gone, if it
// can; closes all descriptors from that one on.
void EndWithParent();
void CloseFrom(int first);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_POSIX_PROCESS_CALLS_H_
