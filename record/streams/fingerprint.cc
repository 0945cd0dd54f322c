#include "record/streams/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "record/differences/map_order.h"
#include "record/differences/tensor_runs.h"
#include "record/streams/multiset_hash.h"
#include "record/streams/numeric_pass.h"
#include "record/streams/tensor_scan.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Kind of data in a hash, so that values of different structure differ.
enum Tag : uint64_t { kAbsent, kBits, kElements, kTensor, kSequence, kOptional, kMap, kSparse };

Hash128 ContentOfTensor(const Hash128& bits, absl::Span<const int64_t> shape) {
  std::vector<uint64_t> words = {kTensor, bits.low, bits.high};
  words.insert(words.end(), shape.begin(), shape.end());
  return HashOf(words);
}

ElementKind KindOf(DType dtype) {
  if (IsFloatingPoint(dtype)) return ElementKind::kFloat;
  if (IsInteger(dtype)) return ElementKind::kInteger;
  return dtype == DType::kBool ? ElementKind::kBool : ElementKind::kOther;
}

Hash128 HashPieces(DType dtype, int64_t size, const std::vector<Hash128>& pieces) {
  std::vector<uint64_t> words = {kBits, static_cast<uint64_t>(dtype), static_cast<uint64_t>(size)};
  words.reserve(words.size() + pieces.size() * 2);
  for (const Hash128& piece : pieces) {
    words.push_back(piece.low);
    words.push_back(piece.high);
  }
  return HashOf(words);
}

Hash128 HashMultiset(DType dtype, int64_t size, const MultisetSum& sum) {
  return HashOf(
      {kElements, static_cast<uint64_t>(dtype), static_cast<uint64_t>(size), sum.low, sum.high});
}

void FillFromStrings(const Tensor& tensor, Fingerprint* fingerprint) {
  const int64_t size = tensor.num_elements();
  std::vector<Hash128> hashes;
  MultisetSum sum;
  const TensorRuns runs(tensor);
  const std::string* strings = size > 0 ? tensor.string_data() : nullptr;
  runs.ForEach(0, size, [&](int64_t position, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const std::string& string = strings[position + i * stride];
      hashes.push_back(ToHash128(XXH3_128bits(string.data(), string.size())));
      sum.Add(SumOfHashed(hashes.back().low));
    }
  });
  fingerprint->bits = HashPieces(tensor.dtype(), size, hashes);
  fingerprint->elements = HashMultiset(tensor.dtype(), size, sum);
  std::vector<uint64_t> distinct;
  const size_t step = std::max<size_t>(1, hashes.size() / 64);
  for (size_t i = 0; i < std::min<size_t>(hashes.size(), 64); ++i) {
    distinct.push_back(hashes[i * step].low);
  }
  std::sort(distinct.begin(), distinct.end());
  fingerprint->rich = std::unique(distinct.begin(), distinct.end()) - distinct.begin() >= 8;
}

Hash128 BitsOf(const Tensor& tensor, const std::vector<TensorPiece>& pieces) {
  std::vector<Hash128> hashes;
  hashes.reserve(pieces.size());
  for (const TensorPiece& piece : pieces) hashes.push_back(piece.bits);
  return HashPieces(tensor.dtype(), tensor.num_elements(), hashes);
}

Numbers NumbersFrom(const Tensor& tensor, const TensorScan& scan,
                    const std::vector<TensorPiece>& pieces) {
  NumericSums sums;
  NumericSums magnitudes;
  for (const TensorPiece& piece : pieces) {
    sums.Add(piece.numbers);
    magnitudes.Add(piece.magnitudes);
  }
  Numbers numbers;
  numbers.plain = sums.Plain();
  numbers.squashed = sums.Squashed();
  numbers.moments = sums.Moments();
  numbers.statistics = (IsComplex(tensor.dtype()) ? magnitudes : sums).ToStatistics(scan.shift());
  return numbers;
}

// Without the memory for a temporary copy, it makes one that stays.
Letters LettersInMemory(const Tensor& tensor, const ThreadPool* pool) {
  return LettersOf(tensor.InMemory(pool).value_or(tensor), pool);
}

void FillFromNumbers(const Tensor& tensor, const FingerprintOptions& options, const Hash128* bits,
                     Fingerprint* fingerprint) {
  const int64_t size = tensor.num_elements();
  TensorScan scan(tensor);
  const bool later = options.lazy && TensorScan::ReadsFile(tensor);
  const ScanParts parts = {
      .bits = bits == nullptr, .elements = true, .finite = true, .numbers = !later};
  const std::vector<TensorPiece> pieces = scan.Pieces(parts, options.pool);
  MultisetSum elements;
  for (const TensorPiece& piece : pieces) {
    elements.Add(piece.elements);
    fingerprint->finite = fingerprint->finite && piece.finite;
  }
  fingerprint->bits = bits != nullptr ? *bits : BitsOf(tensor, pieces);
  fingerprint->elements = HashMultiset(tensor.dtype(), size, elements);
  fingerprint->rich = scan.IsRich();
  fingerprint->has_sketch = true;
  if (later) {
    fingerprint->lazy_numbers = std::make_shared<const LazyNumbers>(tensor, options.letters);
    return;
  }
  Numbers numbers = NumbersFrom(tensor, scan, pieces);
  if (options.letters) numbers.letters = LettersInMemory(tensor, options.pool);
  fingerprint->lazy_numbers = std::make_shared<const LazyNumbers>(numbers);
}

// Hash of the contents of values that are no tensors.
class StructureHash {
 public:
  StructureHash(uint64_t tag, uint64_t type, const ThreadPool* pool)
      : pool_(pool), words_({tag, type}) {}
  void Add(uint64_t word) { words_.push_back(word); }
  void Add(const Value& value) {
    const Hash128 hash = ContentOf(value, pool_);
    words_.push_back(hash.low);
    words_.push_back(hash.high);
  }
  Hash128 Get() const { return HashOf(words_); }

 private:
  const ThreadPool* pool_;
  std::vector<uint64_t> words_;
};

Hash128 ContentOfStructure(const Value& value, const ThreadPool* pool, int64_t* size) {
  if (value.is_sequence()) {
    const Sequence& sequence = value.sequence();
    StructureHash hash(kSequence, static_cast<uint64_t>(sequence.element_dtype), pool);
    for (const Value& element : sequence.elements) hash.Add(element);
    *size = static_cast<int64_t>(sequence.elements.size());
    return hash.Get();
  }
  if (value.is_optional()) {
    const Optional& optional = value.optional();
    StructureHash hash(kOptional, static_cast<uint64_t>(optional.element_dtype), pool);
    if (optional.element != nullptr) hash.Add(*optional.element);
    *size = optional.element != nullptr ? 1 : 0;
    return hash.Get();
  }
  if (value.is_map()) {
    StructureHash hash(kMap, 0, pool);
    const Map map = SortedByKey(value.map());
    hash.Add(map.keys);
    if (map.values != nullptr) hash.Add(*map.values);
    *size = value.map().keys.num_elements();
    return hash.Get();
  }
  if (value.is_sparse()) {
    StructureHash hash(kSparse, 0, pool);
    for (int64_t dim : value.sparse().dims) hash.Add(static_cast<uint64_t>(dim));
    hash.Add(value.sparse().values);
    hash.Add(value.sparse().indices);
    *size = value.sparse().values.num_elements();
    return hash.Get();
  }
  return HashOf({kAbsent});
}

double SketchDistance(const Sketch& left, const Sketch& right) {
  if (left.non_finite != right.non_finite) return 1;
  const double scale = std::max(left.rms, right.rms);
  // Squares beyond the range of double are no evidence; the squashed sketch is.
  if (scale == 0 || !std::isfinite(scale)) return 0;
  double squares = 0;
  for (size_t k = 0; k < kProjections; ++k) {
    const double difference = (left.projections[k] - right.projections[k]) / scale;
    squares += difference * difference;
  }
  return std::max(std::sqrt(squares / kProjections), std::abs(left.rms - right.rms) / scale);
}

}  // namespace

const Numbers& LazyNumbers::Get() const {
  std::call_once(once_, [this] {
    if (stored_ == nullptr) return;
    const Tensor& tensor = *stored_;
    TensorScan scan(tensor);
    numbers_ = NumbersFrom(tensor, scan, scan.Pieces({.numbers = true}, nullptr));
    if (letters_) numbers_.letters = LettersInMemory(tensor, nullptr);
    stored_ = nullptr;
  });
  return numbers_;
}

const Numbers& Fingerprint::numbers() const {
  static const Numbers kNoNumbers;
  return lazy_numbers != nullptr ? lazy_numbers->Get() : kNoNumbers;
}

Fingerprint FingerprintOf(const Value& value, const FingerprintOptions& options,
                          const Hash128* bits) {
  Fingerprint fingerprint;
  if (!value.is_tensor() || !value.tensor().defined()) {
    fingerprint.content = ContentOfStructure(value, options.pool, &fingerprint.size);
    fingerprint.bits = fingerprint.elements = fingerprint.content;
    return fingerprint;
  }
  const Tensor& tensor = value.tensor();
  fingerprint.kind = KindOf(tensor.dtype());
  fingerprint.size = tensor.num_elements();
  if (tensor.dtype() == DType::kString) {
    FillFromStrings(tensor, &fingerprint);
  } else {
    FillFromNumbers(tensor, options, bits, &fingerprint);
  }
  fingerprint.content = ContentOfTensor(fingerprint.bits, tensor.shape());
  return fingerprint;
}

Fingerprint UnseenFingerprint(const Tensor& tensor, const Hash128& content) {
  Fingerprint fingerprint;
  fingerprint.content = fingerprint.bits = fingerprint.elements = content;
  fingerprint.kind = KindOf(tensor.dtype());
  fingerprint.size = tensor.num_elements();
  return fingerprint;
}

Hash128 ContentOf(const Value& value, const ThreadPool* pool) {
  if (!value.is_tensor() || !value.tensor().defined()) {
    int64_t size;
    return ContentOfStructure(value, pool, &size);
  }
  const Tensor& tensor = value.tensor();
  if (tensor.dtype() == DType::kString) {
    Fingerprint fingerprint;
    FillFromStrings(tensor, &fingerprint);
    return ContentOfTensor(fingerprint.bits, tensor.shape());
  }
  return ContentOfTensor(BitsOf(tensor, pool), tensor.shape());
}

Hash128 BitsOf(const Tensor& tensor, const ThreadPool* pool) {
  return BitsOf(tensor, TensorScan(tensor).Pieces({.bits = true}, pool));
}

Fingerprint Reshaped(const Fingerprint& fingerprint, absl::Span<const int64_t> shape) {
  Fingerprint reshaped = fingerprint;
  reshaped.content = ContentOfTensor(fingerprint.bits, shape);
  return reshaped;
}

double SketchDistance(const Fingerprint& left, const Fingerprint& right) {
  if (left.bits == right.bits) return 0;
  if (left.size != right.size || !left.has_sketch || !right.has_sketch) return 9;
  return std::max(SketchDistance(left.numbers().plain, right.numbers().plain),
                  SketchDistance(left.numbers().squashed, right.numbers().squashed));
}

double SquashedSketchDistance(const Fingerprint& left, const Fingerprint& right) {
  if (left.bits == right.bits) return 0;
  if (left.size != right.size || !left.has_sketch || !right.has_sketch) return 9;
  return SketchDistance(left.numbers().squashed, right.numbers().squashed);
}

}  // namespace onnxcmp
