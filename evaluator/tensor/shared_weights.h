// The weights of models that are loaded together: what several of them hold is there once.
#ifndef ONNXCMP_EVALUATOR_TENSOR_SHARED_WEIGHTS_H_
#define ONNXCMP_EVALUATOR_TENSOR_SHARED_WEIGHTS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/aligned_copies.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Given to the loading of two models (LoadOptions::weights), one after the other or at once, it
// lets them have the same buffer for the same bytes, so that they are hashed once, and the other
// file's are not looked at any more. Large ones are stored(): see Buffer. Thread-safe. It may go
// when the models are loaded.
class SharedWeights {
 public:
  // Bytes are compared by so many threads. `spare`: where copies that go again get their memory
  // from, as EvaluatorOptions::spare_memory; null: from some of their own.
  explicit SharedWeights(int threads = 1, std::shared_ptr<SpareMemory> spare = nullptr);
  ~SharedWeights();

  // The file, the same object for the same file.
  absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path);

  // A buffer that holds these bytes: one that was taken for the same bytes of any file, else one
  // over the bytes where they are, or over a copy if their address is no multiple of `alignment`.
  absl::StatusOr<std::shared_ptr<Buffer>> Take(const FileBytes& bytes, uintptr_t alignment);

  // FailedPrecondition, naming it, if a file was written to since it was opened: weights are read
  // each time that a node needs them.
  absl::Status CheckUnchanged();

  // How many bytes have been taken or compared so far, for those who show how far loading is.
  int64_t bytes_seen() const { return bytes_seen_.load(std::memory_order_relaxed); }

 private:
  struct Entry;

  bool Same(const FileBytes& a, const FileBytes& b);

  const ThreadPool pool_;
  std::atomic<int64_t> bytes_seen_ = 0;

  std::mutex mutex_;  // of files and entries
  std::vector<std::shared_ptr<const MappedFile>> files_;
  // By size and a few of the bytes.
  absl::flat_hash_map<std::string, std::vector<std::shared_ptr<Entry>>> entries_;
  const std::shared_ptr<AlignedCopies> copies_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_SHARED_WEIGHTS_H_
