#include "cli/process/heap.h"

namespace onnxcmp::cli {

void GrowHeap(uint64_t /*bytes*/) {}

void KeepLargeBlocksOutOfTheHeap() {}

}  // namespace onnxcmp::cli
