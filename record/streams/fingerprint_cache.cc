#include "record/streams/fingerprint_cache.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/tensor/stored_value.h"
#include "record/base/timings.h"
#include "record/streams/tensor_scan.h"

namespace onnxcmp {
namespace {

// From this many bytes on, if a tensor's ends were seen before, its bits are hashed first: that
// takes a twentieth of the rest.
constexpr int64_t kWorthHashing = int64_t{1} << 16;

// True if both are one buffer, and the first has not been released since.
bool IsSame(const std::weak_ptr<Buffer>& before, const std::shared_ptr<Buffer>& now) {
  return !before.owner_before(now) && !now.owner_before(before);
}

bool HasMemory(const Value& value) {
  return value.is_tensor() && value.tensor().defined() && value.tensor().buffer() != nullptr;
}

// The value in a readable form: in memory, unless it is read in its file.
Value Readable(const Value& value, const ThreadPool* pool) {
  return TensorScan::ReadsFile(value.tensor()) ? value : InMemory(value, pool).value_or(value);
}

}  // namespace

class FingerprintCache::Looking {
 public:
  explicit Looking(FingerprintCache* cache) : cache_(*cache) {
    if (cache_.counts_) watch_.emplace();
  }
  ~Looking() {
    if (watch_.has_value()) cache_.seconds_ += watch_->seconds();
  }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;

 private:
  FingerprintCache& cache_;
  std::optional<Stopwatch> watch_;
};

FingerprintCache::Shared FingerprintCache::Find(const Tensor& tensor) const {
  const auto it = seen_.find({tensor.buffer().get(), tensor.offset()});
  if (it == seen_.end()) return nullptr;
  const Seen& seen = it->second;
  if (!IsSame(seen.buffer, tensor.buffer()) || seen.dtype != tensor.dtype() ||
      seen.size != tensor.num_elements() || (seen.layout == nullptr) != tensor.is_contiguous()) {
    return nullptr;
  }
  const bool same = tensor.is_contiguous() || (seen.layout->shape == tensor.shape() &&
                                               seen.layout->strides == tensor.strides());
  return same ? seen.fingerprint : nullptr;
}

void FingerprintCache::Remember(const Tensor& tensor, Shared fingerprint) {
  Seen& seen = seen_[{tensor.buffer().get(), tensor.offset()}];
  seen.buffer = tensor.buffer();
  seen.dtype = tensor.dtype();
  seen.size = tensor.num_elements();
  seen.fingerprint = std::move(fingerprint);
  seen.layout = tensor.is_contiguous()
                    ? nullptr
                    : std::make_unique<const Layout>(Layout{tensor.shape(), tensor.strides()});
}

Fingerprint FingerprintCache::Get(const Value& value, const ThreadPool* pool, bool lazy) {
  const Looking looking(this);
  const FingerprintOptions options = {.pool = pool, .letters = letters_, .lazy = lazy};
  if (!HasMemory(value)) return FingerprintOf(value, options);
  const Tensor& tensor = value.tensor();
  const bool large = tensor.dtype() != DType::kString && tensor.byte_size() >= kWorthHashing;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Shared seen = Find(tensor)) return Reshaped(*seen, tensor.shape());
  }
  const Value readable = Readable(value, pool);
  // Weights that several models share are one buffer, so bits add nothing for those in files.
  const Hash128 ends = large ? TensorScan(readable.tensor()).EndsHash() : Hash128();
  bool bits_first = large && !TensorScan::ReadsFile(tensor);
  if (bits_first) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bits_first = ends_.contains(ends);
  }
  Hash128 bits;
  if (bits_first) {
    bits = BitsOf(readable.tensor(), pool);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = large_.find(bits);
    if (it != large_.end()) {
      Remember(tensor, it->second);
      return Reshaped(*it->second, tensor.shape());
    }
  }
  const auto fingerprint = std::make_shared<const Fingerprint>(
      FingerprintOf(readable, options, bits_first ? &bits : nullptr));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (large) {
    large_.emplace(fingerprint->bits, fingerprint);
    ends_[ends] = fingerprint->bits;
  }
  Remember(tensor, fingerprint);
  return *fingerprint;
}

bool FingerprintCache::IsFinite(const Tensor& tensor, const ThreadPool* pool) {
  if (!IsFloatingPoint(tensor.dtype())) return true;
  const bool large = tensor.byte_size() >= kWorthHashing;
  if (large) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = finite_.find(tensor.buffer().get());
    if (it != finite_.end() && IsSame(it->second, tensor.buffer())) return true;
  }
  const bool finite = TensorScan(tensor).IsFinite(pool);
  if (finite && large && tensor.byte_size() == tensor.buffer()->size()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    finite_[tensor.buffer().get()] = tensor.buffer();
  }
  return finite;
}

Fingerprint FingerprintCache::Glance(const Value& value, const Hash128& content,
                                     const ThreadPool* pool) {
  if (!HasMemory(value) || value.tensor().dtype() == DType::kString ||
      IsComplex(value.tensor().dtype())) {
    return Get(value, pool);
  }
  {
    const Looking looking(this);
    const Value readable = Readable(value, pool);
    if (IsFinite(readable.tensor(), pool)) return UnseenFingerprint(readable.tensor(), content);
  }
  return Get(value, pool);
}

Hash128 FingerprintCache::Content(const Value& value, const ThreadPool* pool) {
  const Looking looking(this);
  if (!HasMemory(value)) return ContentOf(value, pool);
  const Tensor& tensor = value.tensor();
  const bool large = tensor.byte_size() >= kWorthHashing;
  const std::pair place(static_cast<const Buffer*>(tensor.buffer().get()), tensor.offset());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Shared seen = Find(tensor)) return Reshaped(*seen, tensor.shape()).content;
    const auto it = large ? contents_.find(place) : contents_.end();
    if (it != contents_.end() && IsSame(it->second.buffer, tensor.buffer()) &&
        it->second.dtype == tensor.dtype() && it->second.shape == tensor.shape() &&
        it->second.strides == tensor.strides()) {
      return it->second.content;
    }
  }
  const Hash128 content = ContentOf(Readable(value, pool), pool);
  if (!large) return content;
  const std::lock_guard<std::mutex> lock(mutex_);
  contents_[place] = {tensor.buffer(), tensor.dtype(), tensor.shape(), tensor.strides(), content};
  return content;
}

void FingerprintCache::Know(const Value& value, const Fingerprint& fingerprint) {
  if (!HasMemory(value)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Remember(value.tensor(), std::make_shared<const Fingerprint>(fingerprint));
}

void FingerprintCache::ForgetTheGone() {
  const std::lock_guard<std::mutex> lock(mutex_);
  large_.clear();
  finite_.clear();
  absl::erase_if(contents_, [](const auto& entry) { return entry.second.buffer.expired(); });
  absl::erase_if(seen_, [&](const auto& entry) {
    const Seen& seen = entry.second;
    if (seen.buffer.expired()) return true;
    large_.emplace(seen.fingerprint->bits, seen.fingerprint);
    return false;
  });
  absl::erase_if(ends_, [&](const auto& entry) { return !large_.contains(entry.second); });
}

}  // namespace onnxcmp
