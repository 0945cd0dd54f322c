#include "record/streams/tensor_scan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/packed_bits.h"
#include "evaluator/tensor/strided_copy.h"
#include "record/differences/element_reader.h"
#include "record/differences/number_strips.h"
#include "record/streams/fingerprint_loops.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

constexpr int64_t kParallelPieces = 4;

// Elements that are gathered at a time if they are not contiguous in memory.
constexpr int64_t kBlock = int64_t{1} << 14;

template <typename Word>
void CopyStrided(const std::byte* data, int64_t position, int64_t stride, int64_t n,
                 std::byte* out) {
  const std::byte* from = data + position * static_cast<int64_t>(sizeof(Word));
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(out + i * static_cast<int64_t>(sizeof(Word)),
                from + i * stride * static_cast<int64_t>(sizeof(Word)), sizeof(Word));
  }
}

}  // namespace

bool TensorScan::ReadsFile(const Tensor& tensor) {
  return tensor.stored() && tensor.is_contiguous() && !IsSubByte(tensor.dtype()) &&
         !IsComplex(tensor.dtype());
}

TensorScan::TensorScan(const Tensor& tensor)
    : file_(ReadsFile(tensor) ? &tensor.buffer()->file_bytes() : nullptr),
      runs_(tensor),
      dtype_(tensor.dtype()),
      size_(tensor.num_elements()),
      packed_(IsSubByte(dtype_)),
      complex_(IsComplex(dtype_)),
      width_(packed_ ? 1 : BitWidth(dtype_) / 8) {
  if (file_ != nullptr) {
    in_file_ = tensor.offset() * width_;
    data_ = nullptr;
  } else {
    data_ = tensor.raw_data();
  }
}

void TensorScan::ReadFile(int64_t first, int64_t count, std::byte* buffer) const {
  file_->CopyTo(in_file_ + first * width_, count * width_, buffer);
}

void TensorScan::FindShift() {
  if (complex_) return;
  const int64_t count = std::min<int64_t>(size_, NumericPass::kChunk);
  alignas(64) std::array<std::byte, NumericPass::kChunk * 8> read;
  if (file_ != nullptr) ReadFile(0, count, read.data());
  for (int64_t i = 0; i < count; ++i) {
    double number;
    if (file_ != nullptr) {
      LoadElements(dtype_, read.data(), i, 1, &number);
    } else {
      runs_.ForEach(i, 1, [&](int64_t position, int64_t stride, int64_t n) {
        LoadStrided(dtype_, data_, position, stride, n, &number);
      });
    }
    if (!std::isfinite(number)) continue;
    shift_ = number;
    return;
  }
}

Hash128 TensorScan::EndsHash() const {
  constexpr int64_t kEnd = 32;  // elements, of up to 16 bytes
  const int64_t count = std::min(size_, kEnd);
  std::vector<uint64_t> words = {static_cast<uint64_t>(dtype_), static_cast<uint64_t>(size_)};
  for (const int64_t first : {int64_t{0}, size_ - count}) {
    std::array<std::byte, kEnd * 16> buffer;
    const std::byte* raw = InPlace() ? Place(first) : Gather(first, count, buffer.data());
    const Hash128 end = ToHash128(XXH3_128bits(raw, Bytes(count)));
    words.insert(words.end(), {end.low, end.high});
  }
  return HashOf(words);
}

bool TensorScan::IsRich() const {
  constexpr int64_t kSamples = 64;
  constexpr int64_t kOdd = 2654435761;
  const int64_t samples = std::min(size_, kSamples);
  const size_t needed = complex_ || IsFloatingPoint(dtype_) ? 4 : 8;
  std::array<std::array<uint64_t, 2>, 8> found;
  size_t distinct = 0;
  for (int64_t i = 0; i < samples; ++i) {
    std::array<uint64_t, 2> sample = {};
    std::array<std::byte, 16> buffer;
    // Somewhere within each step: steps may be multiples of the number of channels, the last axis.
    const int64_t step = std::max<int64_t>(1, size_ / kSamples);
    const int64_t place = step * i + i * kOdd % step;
    const std::byte* raw = InPlace() ? Place(place) : Gather(place, 1, buffer.data());
    std::memcpy(sample.data(), raw, Bytes(1));
    if (std::find(found.begin(), found.begin() + distinct, sample) == found.begin() + distinct) {
      found[distinct++] = sample;
      if (distinct == needed) return true;
    }
  }
  return false;
}

std::vector<TensorPiece> TensorScan::Pieces(const ScanParts& parts, const ThreadPool* pool) {
  if (parts.numbers) FindShift();
  const int64_t count = NumberPieces(size_);
  std::vector<TensorPiece> pieces(static_cast<size_t>(count));
  const auto task = [&](int64_t i) {
    if (FitsFloat(dtype_)) {
      ScanPiece<float>(i, parts, &pieces[static_cast<size_t>(i)]);
    } else {
      ScanPiece<double>(i, parts, &pieces[static_cast<size_t>(i)]);
    }
  };
  if (pool != nullptr && count >= kParallelPieces) {
    pool->ParallelFor(count, task);
  } else {
    for (int64_t i = 0; i < count; ++i) task(i);
  }
  return pieces;
}

bool TensorScan::IsFinite(const ThreadPool* pool) {
  const std::vector<TensorPiece> pieces = Pieces({.finite = true}, pool);
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const TensorPiece& piece) { return piece.finite; });
}

template <typename T>
void TensorScan::ScanPiece(int64_t index, const ScanParts& parts, TensorPiece* piece) const {
  const int64_t begin = index * kNumberPiece;
  const int64_t end = std::min(size_, begin + kNumberPiece);
  // The numbers tell if all are finite, too.
  const bool finite = parts.finite && !parts.numbers && IsFloatingPoint(dtype_) && !complex_;
  if (InPlace() && !parts.elements && !finite && !parts.numbers) {
    if (parts.bits) piece->bits = ToHash128(XXH3_128bits(Place(begin), Bytes(end - begin)));
    return;
  }
  if (finite && !parts.bits && !parts.elements && InPlace() && IsArrayOf<T>(Place(begin))) {
    const auto* numbers = reinterpret_cast<const T*>(Place(begin));
    piece->finite = BestFingerprintLoops().Of<T>().find_ends(numbers, end - begin).finite;
    return;
  }
  // Chunk by chunk gives the same hash as at once, and memory is read while the processor computes.
  XXH3_state_t state;
  if (parts.bits) XXH3_128bits_reset(&state);
  const int64_t in_a_number = complex_ ? 2 : 1;
  NumericPass pass(size_ * in_a_number, complex_ ? 0 : shift_);
  NumericPass magnitudes(size_, shift_);
  // A chunk holds as many numbers as the pass takes; its elements may be wide.
  const int64_t chunk = NumericPass::kChunk / in_a_number;
  alignas(64) std::array<std::byte, NumericPass::kChunk> unpacked;
  alignas(64) std::array<T, NumericPass::kChunk> values;
  const bool in_blocks = !InPlace() && !packed_;
  const std::unique_ptr<std::byte[]> block(
      in_blocks ? new std::byte[Bytes(std::min(kBlock, end - begin))] : nullptr);
  for (int64_t first = begin; first < end; first += chunk) {
    const int64_t count = std::min(chunk, end - first);
    const std::byte* raw;
    if (in_blocks) {
      const int64_t place = (first - begin) % kBlock;
      if (place == 0) GatherBlock(first, std::min(kBlock, end - first), block.get());
      raw = block.get() + place * width_;
    } else if (packed_) {
      raw = Gather(first, count, unpacked.data());
    } else {
      raw = Place(first);
      Prefetch(first + count, std::min(chunk, end - first - count));
    }
    if (parts.bits) XXH3_128bits_update(&state, raw, Bytes(count));
    if (parts.elements) piece->elements.Add(SumOfElements(raw, count, width_));
    if constexpr (std::is_same_v<T, double>) {
      if (complex_ && parts.numbers) LoadParts(raw, first, count, values.data(), &magnitudes);
    }
    const T* numbers = values.data();
    if (IsArrayOf<T>(raw)) {
      numbers = reinterpret_cast<const T*>(raw);
    } else if (!complex_ && (finite || parts.numbers)) {
      LoadChunk(raw, first, count, values.data());
    }
    if (finite) {
      const NumberLoops<T>& loops = BestFingerprintLoops().Of<T>();
      piece->finite = piece->finite && loops.find_ends(numbers, count).finite;
    }
    if (parts.numbers) {
      pass.AddChunk(first * in_a_number, count * in_a_number, numbers, values.data());
    }
  }
  if (parts.bits) piece->bits = ToHash128(XXH3_128bits_digest(&state));
  piece->numbers = pass.Finish();
  if (parts.numbers) piece->finite = piece->numbers.finite == piece->numbers.count;
  piece->magnitudes = magnitudes.Finish();
}

void TensorScan::Prefetch(int64_t first, int64_t count) const {
  constexpr size_t kLine = 64;
  const std::byte* line = Place(first);
  const std::byte* end = line + Bytes(count);
  for (; line < end; line += kLine) __builtin_prefetch(line);
}

template <typename T>
void TensorScan::LoadChunk(const std::byte* raw, int64_t first, int64_t count, T* values) const {
  if (packed_) {
    LoadElements(dtype_, data_, first, count, values);
  } else {
    LoadElements(dtype_, raw, 0, count, values);
  }
}

void TensorScan::LoadParts(const std::byte* raw, int64_t first, int64_t count, double* parts,
                           NumericPass* magnitudes) const {
  std::array<std::complex<double>, NumericPass::kChunk / 2> loaded;
  LoadElements(dtype_, raw, 0, count, loaded.data());
  std::transform(loaded.begin(), loaded.begin() + count, parts,
                 [](const std::complex<double>& z) { return std::abs(z); });
  magnitudes->AddChunk(first, count, parts, parts);
  std::memcpy(parts, loaded.data(), static_cast<size_t>(count) * sizeof(loaded[0]));
}

void TensorScan::GatherBlock(int64_t first, int64_t count, std::byte* block) const {
  if (file_ != nullptr) {
    ReadFile(first, count, block);
    return;
  }
  runs_.ForEachBlock(
      first, count,
      [&](int64_t position, absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
        absl::InlinedVector<int64_t, 6> places(sizes.size());
        int64_t size = 1;
        for (size_t axis = sizes.size(); axis-- > 0; size *= sizes[axis]) {
          places[axis] = size;
        }
        CopyRegion(width_, sizes, data_ + position * width_, strides, block, places);
        block += size * width_;
      });
}

const std::byte* TensorScan::Gather(int64_t first, int64_t count, std::byte* buffer) const {
  if (file_ != nullptr) {
    ReadFile(first, count, buffer);
    return buffer;
  }
  if (packed_) {
    const int bits = BitWidth(dtype_);
    const auto* bytes = reinterpret_cast<const uint8_t*>(data_);
    for (int64_t i = 0; i < count; ++i) {
      buffer[i] = std::byte{PackedElement(bytes, first + i, bits)};
    }
    return buffer;
  }
  std::byte* out = buffer;
  runs_.ForEach(first, count, [&](int64_t position, int64_t stride, int64_t n) {
    if (stride == 1) {
      std::memcpy(out, data_ + position * width_, Bytes(n));
    } else if (width_ == 1) {
      CopyStrided<uint8_t>(data_, position, stride, n, out);
    } else if (width_ == 2) {
      CopyStrided<uint16_t>(data_, position, stride, n, out);
    } else if (width_ == 4) {
      CopyStrided<uint32_t>(data_, position, stride, n, out);
    } else if (width_ == 8) {
      CopyStrided<uint64_t>(data_, position, stride, n, out);
    } else {
      CopyStrided<std::array<uint64_t, 2>>(data_, position, stride, n, out);
    }
    out += n * width_;
  });
  return buffer;
}

}  // namespace onnxcmp
