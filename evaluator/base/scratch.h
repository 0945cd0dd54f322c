// Memory that a kernel needs while it runs.
#ifndef ONNXCMP_EVALUATOR_BASE_SCRATCH_H_
#define ONNXCMP_EVALUATOR_BASE_SCRATCH_H_

#include <cstddef>
#include <cstdint>

#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

// `size` elements with anything in them, for as long as this lives; the next ones get the same
// memory from the pool, whose pages are there.
template <typename T>
class Scratch {
 public:
  Scratch(const ThreadPool& pool, int64_t size)
      : from_(pool.scratch()), block_(from_.Take(static_cast<size_t>(size) * sizeof(T))) {}
  ~Scratch() {
    if (block_.data != nullptr) from_.Give(block_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Null if the system has none left.
  T* data() const { return reinterpret_cast<T*>(block_.data); }

 private:
  SpareMemory& from_;
  const SpareMemory::Block block_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_SCRATCH_H_
