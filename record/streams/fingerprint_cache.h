// Cache of fingerprints, so that nothing is read twice: neither memory that several values share
// nor elements that several tensors have.
#ifndef ONNXCMP_RECORD_STREAMS_FINGERPRINT_CACHE_H_
#define ONNXCMP_RECORD_STREAMS_FINGERPRINT_CACHE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// For several recorders, one after the other or at the same time. Holds no values.
class FingerprintCache {
 public:
  // `letters`: true if a caller needs them.
  explicit FingerprintCache(bool letters = true) : letters_(letters) {}

  // As FingerprintOf. `lazy`: as FingerprintOptions::lazy.
  Fingerprint Get(const Value& value, const ThreadPool* pool, bool lazy = true);
  // Prescreens a tensor whose equal is known to have been read: records only its kind and that it
  // is finite. `content` replaces its hashes; there are no numbers. The same as Get() for anything
  // else, and for tensors that are not finite.
  Fingerprint Glance(const Value& value, const Hash128& content, const ThreadPool* pool);
  // As ContentOf; free for values with a fingerprint.
  Hash128 Content(const Value& value, const ThreadPool* pool);
  // Records that `value` has the bits of one with this fingerprint.
  void Know(const Value& value, const Fingerprint& fingerprint);
  // Forgets memory of an earlier run that has been released, and its fingerprints.
  void ForgetTheGone();
  // Time spent on reading values since CountSeconds(). Counting is off by default, since reading
  // the clock takes as long as reading a small tensor.
  double seconds() const { return seconds_; }
  void CountSeconds() { counts_ = true; }

 private:
  using Shared = std::shared_ptr<const Fingerprint>;
  struct Layout {
    Shape shape, strides;
  };
  // Memory that was read. Many operators pass on their input's memory, or make views of it.
  struct Seen {
    std::weak_ptr<Buffer> buffer;
    DType dtype = DType::kUndefined;
    int64_t size = 0;
    std::unique_ptr<const Layout> layout;  // null if contiguous, as most are
    Shared fingerprint;
  };

  // Memory whose content alone was requested, repeatedly: the inputs of a body.
  struct SeenContent {
    std::weak_ptr<Buffer> buffer;
    DType dtype = DType::kUndefined;
    Shape shape, strides;
    Hash128 content;
  };

  // True if its numbers are finite; known for all of a large buffer once it was prescreened.
  bool IsFinite(const Tensor& tensor, const ThreadPool* pool);
  // Null if it was not read.
  Shared Find(const Tensor& tensor) const;
  void Remember(const Tensor& tensor, Shared fingerprint);

  // Counts the time of its own lifetime, if that is requested.
  class Looking;

  const bool letters_;
  std::atomic<bool> counts_ = false;
  std::atomic<double> seconds_ = 0;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::pair<const Buffer*, int64_t>, Seen> seen_;  // by buffer and offset
  absl::flat_hash_map<std::pair<const Buffer*, int64_t>, SeenContent> contents_;
  absl::flat_hash_map<Hash128, Shared> large_;  // by bits
  absl::flat_hash_map<Hash128, Hash128> ends_;  // by TensorScan::EndsHash(): bits of large ones
  absl::flat_hash_map<const Buffer*, std::weak_ptr<Buffer>> finite_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_FINGERPRINT_CACHE_H_
