// How much memory one tensor from outside may take.
#ifndef ONNXCMP_COMPARE_MEMORY_LIMIT_H_
#define ONNXCMP_COMPARE_MEMORY_LIMIT_H_

#include <cstdint>

namespace onnxcmp {

// Three quarters of the machine's memory, in bytes.
int64_t MemoryLimit();

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_MEMORY_LIMIT_H_
