// Controls how the program's heap grows.
#ifndef ONNXCMP_CLI_PROCESS_HEAP_H_
#define ONNXCMP_CLI_PROCESS_HEAP_H_

#include <string>

#include "absl/types/span.h"

namespace onnxcmp::cli {

// Reserves heap for these models, if they are small files: those may have many nodes and tensors,
// each of several small blocks, and a third of a comparison's time went into page faults. Must be
// called first of all, and once.
void ExpectModels(absl::Span<const std::string> paths);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_HEAP_H_
