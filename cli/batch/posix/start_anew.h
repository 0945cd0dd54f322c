// Starts the process of a comparison where no copy of a starter can be made.
#ifndef ONNXCMP_CLI_BATCH_POSIX_START_ANEW_H_
#define ONNXCMP_CLI_BATCH_POSIX_START_ANEW_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace onnxcmp::cli {

// The exit status of a process that did not get so far as to compare, as a shell has it.
inline constexpr int kCannotStart = 126;

// Parts of the life of such a process, safe between fork and exec. A session of its own, so that
// Ctrl-C in a terminal is not for it; signals act as they do by default; it ends with its parent,
// be that killed, where the system can do so.
void LeadASession();
// Memory that it allocates, and not files that it maps: those the system takes back. 0: any.
void LimitPair(int64_t memory);

// PairStarter::StartPair for these words, the first one the program's path.
absl::StatusOr<pid_t> StartAnew(const std::vector<std::string>& words, const std::string& folder,
                                int64_t memory, int errors);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_POSIX_START_ANEW_H_
