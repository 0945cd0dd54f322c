// Memory that the system has left for us.
#ifndef ONNXCMP_CLI_PROCESS_FREE_MEMORY_H_
#define ONNXCMP_CLI_PROCESS_FREE_MEMORY_H_

#include <cstdint>

namespace onnxcmp::cli {

// In bytes, within what our control group and those around it may take; 0 if that is not known.
int64_t FreeMemory();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_FREE_MEMORY_H_
