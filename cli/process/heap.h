// Controls how the program's heap grows.
#ifndef ONNXCMP_CLI_PROCESS_HEAP_H_
#define ONNXCMP_CLI_PROCESS_HEAP_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace onnxcmp::cli {

// Reserves heap for these models, if they are small files: those may have many nodes and tensors,
// each of several small blocks, and a third of a comparison's time went into page faults. Must be
// called first of all, and once.
void ExpectModels(absl::Span<const std::string> paths);

// Parts that the C library has to have; nothing happens where it lacks them. Lets the heap grow by
// that much at once, and requests large pages there: they are filled as the heap is, and cause few
// faults.
void GrowHeap(uint64_t bytes);
// Large results are reused as long as that pays (evaluator/base/spare_memory.h). Others return to
// the system, unless they lie in malloc's heap below small blocks: glibc puts blocks of up to 32 MB
// there after a while unless it is given a limit.
void KeepLargeBlocksOutOfTheHeap();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_HEAP_H_
