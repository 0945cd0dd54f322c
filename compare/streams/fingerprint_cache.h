// Fingerprints of values that were looked at, so that nothing is looked at twice: neither memory
// that several values share nor elements that several tensors have.
#ifndef ONNXCMP_COMPARE_STREAMS_FINGERPRINT_CACHE_H_
#define ONNXCMP_COMPARE_STREAMS_FINGERPRINT_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// For several recorders, one after the other or at the same time. Holds no value.
class FingerprintCache {
 public:
  // `letters`: whether somebody wants them.
  explicit FingerprintCache(bool letters = true) : letters_(letters) {}

  // As FingerprintOf. `lazy`: as FingerprintOptions::lazy.
  Fingerprint Get(const Value& value, const ThreadPool* pool, bool lazy = true);
  // Of a tensor whose like is known without a look: what kind it is and whether it is finite.
  // `content` stands for its hashes; there are no numbers. The same as Get() for anything else, and
  // for what is not finite.
  Fingerprint Glance(const Value& value, const Hash128& content, const ThreadPool* pool);
  // As ContentOf: of what was looked at for nothing.
  Hash128 Content(const Value& value, const ThreadPool* pool);
  // `value` has the same bits as one that had this fingerprint.
  void Know(const Value& value, const Fingerprint& fingerprint);
  // Forgets memory that is no more, and what was found in it: of an earlier run.
  void ForgetTheGone();
  // What looking at values has taken since CountSeconds(): to read the clock takes as long as to
  // look at a small tensor.
  double seconds() const { return seconds_; }
  void CountSeconds() { counts_ = true; }

 private:
  using Shared = std::shared_ptr<const Fingerprint>;
  struct Layout {
    Shape shape, strides;
  };
  // Memory that was looked at. Many operators pass their input's on, or make views of it.
  struct Seen {
    std::weak_ptr<Buffer> buffer;
    DType dtype = DType::kUndefined;
    int64_t size = 0;
    std::unique_ptr<const Layout> layout;  // null if contiguous, as most are
    Shared fingerprint;
  };

  // Memory whose content alone was asked for, again and again: what a body begins with.
  struct SeenContent {
    std::weak_ptr<Buffer> buffer;
    DType dtype = DType::kUndefined;
    Shape shape, strides;
    Hash128 content;
  };

  // Whether its numbers are finite, as is all of the large buffers that were glanced at.
  bool IsFinite(const Tensor& tensor, const ThreadPool* pool);
  // Null if it was not looked at.
  Shared Find(const Tensor& tensor) const;
  void Remember(const Tensor& tensor, Shared fingerprint);

  // Counts the time from its beginning to its end if somebody wants to know.
  class Looking;

  const bool letters_;
  std::atomic<bool> counts_ = false;
  std::atomic<double> seconds_ = 0;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::pair<const Buffer*, int64_t>, Seen> seen_;  // by offset too
  absl::flat_hash_map<std::pair<const Buffer*, int64_t>, SeenContent> contents_;
  absl::flat_hash_map<Hash128, Shared> large_;  // by bits
  absl::flat_hash_map<Hash128, Hash128> ends_;  // by TensorScan::EndsHash(): bits of large ones
  absl::flat_hash_map<const Buffer*, std::weak_ptr<Buffer>> finite_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_FINGERPRINT_CACHE_H_
