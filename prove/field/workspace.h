// Threads that compute with residues, and where new ones lie.
#ifndef ONNXCMP_PROVE_FIELD_WORKSPACE_H_
#define ONNXCMP_PROVE_FIELD_WORKSPACE_H_

#include <cstdint>
#include <limits>
#include <memory>

#include "absl/functional/function_ref.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

// Of all runs of a proof: they take the memory again that others have given back.
class Workspace {
 public:
  explicit Workspace(const ThreadPool& pool)
      : pool_(pool),
        memory_(std::make_shared<MemoryAccount>(std::numeric_limits<int64_t>::max(),
                                                std::make_shared<SpareMemory>())) {}

  const ThreadPool& pool() const { return pool_; }
  const std::shared_ptr<MemoryAccount>& memory() const { return memory_; }

 private:
  const ThreadPool& pool_;
  std::shared_ptr<MemoryAccount> memory_;
};

// Cuts [0, count) into pieces for the threads; one piece, where there is no workspace.
inline void ForRanges(const Workspace* workspace, int64_t count,
                      absl::FunctionRef<void(int64_t, int64_t)> body) {
  constexpr int64_t kPiece = int64_t{1} << 15;
  if (workspace == nullptr || count <= kPiece) {
    body(0, count);
    return;
  }
  workspace->pool().ParallelRanges(count, kPiece, body);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_WORKSPACE_H_
