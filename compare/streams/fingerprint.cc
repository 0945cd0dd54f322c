#include "compare/streams/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "compare/differences/element_reader.h"
#include "compare/differences/strided_runs.h"
#include "compare/streams/multiset_hash.h"
#include "compare/streams/numeric_pass.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/packed_bits.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onnxcmp {
namespace {

// Elements of a piece, which one thread scans, and the pieces that are worth waking other threads
// for. The hash of the bits is one of the hashes of the pieces.
constexpr int64_t kPiece = int64_t{1} << 16;
constexpr int64_t kParallelPieces = 4;

// What a hash is of, so that values of different structure differ.
enum Tag : uint64_t { kAbsent, kBits, kElements, kTensor, kSequence, kOptional, kMap, kSparse };

Hash128 ToHash128(const XXH128_hash_t& hash) { return {hash.low64, hash.high64}; }

Hash128 HashOf(const std::vector<uint64_t>& words) {
  return ToHash128(XXH3_128bits(words.data(), words.size() * sizeof(uint64_t)));
}

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

struct Piece {
  Hash128 bits;
  MultisetSum elements;
  NumericSums numbers;
  NumericSums magnitudes;  // of complex numbers
};

// Reads a numeric tensor in chunks of raw elements.
class TensorScan {
 public:
  explicit TensorScan(const Tensor& tensor)
      : tensor_(tensor),
        runs_(tensor),
        dtype_(tensor.dtype()),
        size_(tensor.num_elements()),
        packed_(IsSubByte(dtype_)),
        complex_(IsComplex(dtype_)),
        width_(packed_ ? 1 : BitWidth(dtype_) / 8) {
    for (int64_t i = 0; i < std::min<int64_t>(size_, NumericPass::kChunk) && !complex_; ++i) {
      double number;
      Load(i, 1, &number);
      if (std::isfinite(number)) {
        shift_ = number;
        break;
      }
    }
  }

  double shift() const { return shift_; }

  // `hash`, `numbers`: what of a piece is wanted.
  void ScanPiece(int64_t index, bool hash, bool numbers, Piece* piece) const {
    if (FitsFloat(dtype_)) {
      ScanPieceAs<float>(index, hash, numbers, piece);
    } else {
      ScanPieceAs<double>(index, hash, numbers, piece);
    }
  }

  // See Fingerprint::rich.
  bool IsRich() const {
    constexpr int64_t kSamples = 64;
    const int64_t samples = std::min(size_, kSamples);
    const size_t needed = complex_ || IsFloatingPoint(dtype_) ? 4 : 8;
    std::array<std::array<uint64_t, 2>, 8> found;
    size_t distinct = 0;
    for (int64_t i = 0; i < samples; ++i) {
      std::array<uint64_t, 2> sample = {};
      std::array<std::byte, 16> buffer;
      const int64_t place = size_ <= kSamples ? i : size_ / kSamples * i;
      const std::byte* raw = InPlace() ? Place(place) : Gather(place, 1, buffer.data());
      std::memcpy(sample.data(), raw, Bytes(1));
      if (std::find(found.begin(), found.begin() + distinct, sample) == found.begin() + distinct) {
        found[distinct++] = sample;
        if (distinct == needed) return true;
      }
    }
    return false;
  }

 private:
  template <typename T>
  void ScanPieceAs(int64_t index, bool hash, bool numbers, Piece* piece) const {
    const int64_t begin = index * kPiece;
    const int64_t end = std::min(size_, begin + kPiece);
    XXH3_state_t state;
    if (InPlace()) {
      if (hash) piece->bits = ToHash128(XXH3_128bits(Place(begin), Bytes(end - begin)));
      if (!numbers) return;
    } else if (hash) {
      XXH3_128bits_reset(&state);
    }
    const int64_t parts = complex_ ? 2 : 1;
    NumericPass pass(size_ * parts, complex_ ? 0 : shift_);
    NumericPass magnitudes(size_, shift_);
    // A chunk's numbers fill the pass's; its elements may be wide.
    const int64_t chunk = NumericPass::kChunk / parts;
    alignas(64) std::array<std::byte, NumericPass::kChunk * 8> buffer;
    alignas(64) std::array<T, NumericPass::kChunk> values;
    for (int64_t first = begin; first < end; first += chunk) {
      const int64_t count = std::min(chunk, end - first);
      const std::byte* raw = InPlace() ? Place(first) : Gather(first, count, buffer.data());
      if (hash && !InPlace()) XXH3_128bits_update(&state, raw, Bytes(count));
      if (!numbers) continue;
      piece->elements.Add(SumOfElements(raw, count, width_));
      if constexpr (std::is_same_v<T, double>) {
        if (complex_) LoadParts(raw, first, count, values.data(), &magnitudes);
      }
      if (packed_) {
        LoadElements(dtype_, tensor_.raw_data(), first, count, values.data());
      } else if (!complex_) {
        LoadElements(dtype_, raw, 0, count, values.data());
      }
      pass.AddChunk(first * parts, count * parts, values.data());
    }
    if (hash && !InPlace()) piece->bits = ToHash128(XXH3_128bits_digest(&state));
    piece->numbers = pass.Finish();
    piece->magnitudes = magnitudes.Finish();
  }

  // Real and imaginary parts in turn; the magnitudes are added.
  void LoadParts(const std::byte* raw, int64_t first, int64_t count, double* parts,
                 NumericPass* magnitudes) const {
    std::array<std::complex<double>, NumericPass::kChunk / 2> loaded;
    LoadElements(dtype_, raw, 0, count, loaded.data());
    std::transform(loaded.begin(), loaded.begin() + count, parts,
                   [](const std::complex<double>& z) { return std::abs(z); });
    magnitudes->AddChunk(first, count, parts);
    std::memcpy(parts, loaded.data(), static_cast<size_t>(count) * sizeof(loaded[0]));
  }

  // Whether the elements can be hashed where they are. Packed ones are unpacked to bytes, so that
  // bits after the last one do not count.
  bool InPlace() const { return !packed_ && runs_.contiguous(); }
  const std::byte* Place(int64_t index) const { return tensor_.raw_data() + index * width_; }
  size_t Bytes(int64_t count) const { return static_cast<size_t>(count * width_); }

  void Load(int64_t first, int64_t count, double* out) const {
    const std::byte* data = tensor_.raw_data();
    runs_.ForEach(first, count, [&](int64_t position, int64_t stride, int64_t n) {
      LoadStrided(dtype_, data, position, stride, n, out);
      out += n;
    });
  }

  template <typename Word>
  static void CopyStrided(const std::byte* data, int64_t position, int64_t stride, int64_t n,
                          std::byte* out) {
    const std::byte* from = data + position * static_cast<int64_t>(sizeof(Word));
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(out + i * static_cast<int64_t>(sizeof(Word)),
                  from + i * stride * static_cast<int64_t>(sizeof(Word)), sizeof(Word));
    }
  }

  const std::byte* Gather(int64_t first, int64_t count, std::byte* buffer) const {
    const std::byte* data = tensor_.raw_data();
    if (packed_) {
      const int bits = BitWidth(dtype_);
      const auto* bytes = reinterpret_cast<const uint8_t*>(data);
      for (int64_t i = 0; i < count; ++i) {
        buffer[i] = std::byte{PackedElement(bytes, first + i, bits)};
      }
      return buffer;
    }
    std::byte* out = buffer;
    runs_.ForEach(first, count, [&](int64_t position, int64_t stride, int64_t n) {
      if (stride == 1) {
        std::memcpy(out, data + position * width_, Bytes(n));
      } else if (width_ == 1) {
        CopyStrided<uint8_t>(data, position, stride, n, out);
      } else if (width_ == 2) {
        CopyStrided<uint16_t>(data, position, stride, n, out);
      } else if (width_ == 4) {
        CopyStrided<uint32_t>(data, position, stride, n, out);
      } else if (width_ == 8) {
        CopyStrided<uint64_t>(data, position, stride, n, out);
      } else {
        CopyStrided<std::array<uint64_t, 2>>(data, position, stride, n, out);
      }
      out += n * width_;
    });
    return buffer;
  }

  const Tensor& tensor_;
  StridedRuns runs_;
  DType dtype_;
  int64_t size_;
  bool packed_;
  bool complex_;
  int64_t width_;     // bytes of an element as it is hashed
  double shift_ = 0;  // a finite element, if one is soon found
};

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
  const StridedRuns runs(tensor);
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

// The pieces of a numeric tensor. Their cut depends on its size alone.
std::vector<Piece> ScanPieces(const TensorScan& scan, int64_t size, bool hash, bool numbers,
                              const ThreadPool* pool) {
  const int64_t count = size / kPiece + (size % kPiece != 0 ? 1 : 0);
  std::vector<Piece> pieces(static_cast<size_t>(count));
  const auto task = [&](int64_t i) {
    scan.ScanPiece(i, hash, numbers, &pieces[static_cast<size_t>(i)]);
  };
  if (pool != nullptr && count >= kParallelPieces) {
    pool->ParallelFor(count, task);
  } else {
    for (int64_t i = 0; i < count; ++i) task(i);
  }
  return pieces;
}

Hash128 BitsOf(const Tensor& tensor, const std::vector<Piece>& pieces) {
  std::vector<Hash128> hashes;
  hashes.reserve(pieces.size());
  for (const Piece& piece : pieces) hashes.push_back(piece.bits);
  return HashPieces(tensor.dtype(), tensor.num_elements(), hashes);
}

void FillFromNumbers(const Tensor& tensor, const ThreadPool* pool, const Hash128* bits,
                     Fingerprint* fingerprint) {
  const int64_t size = tensor.num_elements();
  const TensorScan scan(tensor);
  const std::vector<Piece> pieces = ScanPieces(scan, size, bits == nullptr, /*numbers=*/true, pool);
  MultisetSum elements;
  NumericSums numbers;
  NumericSums magnitudes;
  for (const Piece& piece : pieces) {
    elements.Add(piece.elements);
    numbers.Add(piece.numbers);
    magnitudes.Add(piece.magnitudes);
  }
  fingerprint->bits = bits != nullptr ? *bits : BitsOf(tensor, pieces);
  fingerprint->elements = HashMultiset(tensor.dtype(), size, elements);
  fingerprint->rich = scan.IsRich();
  fingerprint->has_sketch = true;
  fingerprint->plain = numbers.Plain();
  fingerprint->squashed = numbers.Squashed();
  fingerprint->moments = numbers.Moments();
  fingerprint->statistics =
      (IsComplex(tensor.dtype()) ? magnitudes : numbers).ToStatistics(scan.shift());
  fingerprint->letters = LettersOf(tensor, pool);
}

// Values that are no tensors: a hash of what they hold.
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
    hash.Add(value.map().keys);
    if (value.map().values != nullptr) hash.Add(*value.map().values);
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
  // Squares beyond the range of double say nothing; the squashed sketch does.
  if (scale == 0 || !std::isfinite(scale)) return 0;
  double squares = 0;
  for (size_t k = 0; k < kProjections; ++k) {
    const double difference = (left.projections[k] - right.projections[k]) / scale;
    squares += difference * difference;
  }
  return std::max(std::sqrt(squares / kProjections), std::abs(left.rms - right.rms) / scale);
}

}  // namespace

Fingerprint FingerprintOf(const Value& value, const ThreadPool* pool, const Hash128* bits) {
  Fingerprint fingerprint;
  if (!value.is_tensor() || !value.tensor().defined()) {
    fingerprint.content = ContentOfStructure(value, pool, &fingerprint.size);
    fingerprint.bits = fingerprint.elements = fingerprint.content;
    return fingerprint;
  }
  const Tensor& tensor = value.tensor();
  fingerprint.kind = KindOf(tensor.dtype());
  fingerprint.size = tensor.num_elements();
  if (tensor.dtype() == DType::kString) {
    FillFromStrings(tensor, &fingerprint);
  } else {
    FillFromNumbers(tensor, pool, bits, &fingerprint);
  }
  fingerprint.content = ContentOfTensor(fingerprint.bits, tensor.shape());
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
  return BitsOf(tensor, ScanPieces(TensorScan(tensor), tensor.num_elements(), /*hash=*/true,
                                   /*numbers=*/false, pool));
}

Fingerprint Reshaped(const Fingerprint& fingerprint, absl::Span<const int64_t> shape) {
  Fingerprint reshaped = fingerprint;
  reshaped.content = ContentOfTensor(fingerprint.bits, shape);
  return reshaped;
}

double SketchDistance(const Fingerprint& left, const Fingerprint& right) {
  if (left.bits == right.bits) return 0;
  if (left.size != right.size || !left.has_sketch || !right.has_sketch) return 9;
  return std::max(SketchDistance(left.plain, right.plain),
                  SketchDistance(left.squashed, right.squashed));
}

}  // namespace onnxcmp
