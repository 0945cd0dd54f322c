#include "ops/common/products/byte_pairs.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace onnxcmp {
namespace {

using gemm_internal::Int16Pair;

constexpr int64_t kColumns = kGemmPanelColumns<Int16Pair>;
constexpr int64_t kGrain = int64_t{1} << 16;
// Rows of a right factor that are added to sums at a time, and columns of them that make a task.
constexpr int64_t kRowsAtATime = 8;
constexpr int64_t kTaskColumns = 512;

#ifdef __AVX2__
// 16 bytes as int16.
inline __m256i LoadWidened(const uint8_t* from) {
  return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline __m256i LoadWidened(const int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
// 8 of 16 int16 as float.
inline __m256 ToFloats(__m128i whole) { return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(whole)); }
#endif

template <typename Byte, typename T>
void Widen(const Byte* from, int64_t count, int16_t zero, T* to) {
#ifdef __AVX2__
  const __m256i zeros = _mm256_set1_epi16(zero);
  for (; count >= 16; count -= 16, from += 16, to += 16) {
    const __m256i whole = _mm256_sub_epi16(LoadWidened(from), zeros);
    if constexpr (std::is_same_v<T, int16_t>) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), whole);
    } else {
      _mm256_storeu_ps(to, ToFloats(_mm256_castsi256_si128(whole)));
      _mm256_storeu_ps(to + 8, ToFloats(_mm256_extracti128_si256(whole, 1)));
    }
  }
#endif
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i] - zero);
}

template <typename T>
void Widen(Bytes from, int64_t first, int64_t count, int16_t zero, T* to) {
  if (from.is_signed) {
    Widen(reinterpret_cast<const int8_t*>(from.data) + first, count, zero, to);
  } else {
    Widen(from.data + first, count, zero, to);
  }
}

// Rows first and second of a whole panel; `mask` is 0 where there is no second row, else -1.
template <typename Byte>
void PackRow(const Byte* first, const Byte* second, int16_t mask, const int16_t* zeros,
             Int16Pair* panel) {
#ifdef __AVX2__
  static_assert(kColumns == 16);
  const __m256i zero = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(zeros));
  const __m256i a = _mm256_sub_epi16(LoadWidened(first), zero);
  const __m256i b =
      _mm256_and_si256(_mm256_sub_epi16(LoadWidened(second), zero), _mm256_set1_epi16(mask));
  const __m256i low = _mm256_unpacklo_epi16(a, b);  // columns 0 to 3 and 8 to 11
  const __m256i high = _mm256_unpackhi_epi16(a, b);
  auto* to = reinterpret_cast<__m256i*>(panel);
  _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
  _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
#else
  for (int64_t j = 0; j < kColumns; ++j) {
    panel[j] = {static_cast<int16_t>(first[j] - zeros[j]),
                static_cast<int16_t>((second[j] - zeros[j]) & mask)};
  }
#endif
}

// Pairs [k, k + depth) of rows of `pitch` elements, the matrix having `rows` of them.
template <typename Byte>
void PackBytes(const Byte* matrix, int64_t pitch, int64_t rows, int64_t k, int64_t depth,
               int64_t columns, const int16_t* zeros, Int16Pair* panel) {
  for (int64_t row = 2 * k; row < 2 * (k + depth); row += 2, panel += kColumns) {
    const bool has_second = row + 1 < rows;
    const Byte* first = matrix + row * pitch;
    const Byte* second = has_second ? first + pitch : first;
    const auto mask = static_cast<int16_t>(has_second ? -1 : 0);
    if (columns == kColumns) {
      PackRow(first, second, mask, zeros, panel);
      continue;
    }
    Byte edges[2][kColumns] = {};
    std::copy_n(first, columns, edges[0]);
    std::copy_n(second, columns, edges[1]);
    PackRow(edges[0], edges[1], mask, zeros, panel);
  }
}

// sums[j] += the products of `rows` neighbouring elements of a and column j of b, which is `pitch`
// elements wide and read as it lies in memory.
template <typename Byte>
void AddRows(const int16_t* a, const Byte* b, int64_t pitch, int64_t rows, int64_t columns,
             uint32_t* sums) {
  int64_t j = 0;
#ifdef __AVX2__
  if (rows == kRowsAtATime) {
    __m256i factors[kRowsAtATime / 2];
    for (int p = 0; p < kRowsAtATime / 2; ++p) {
      int32_t pair;
      std::memcpy(&pair, a + 2 * p, sizeof(pair));
      factors[p] = _mm256_set1_epi32(pair);
    }
    for (; j + kColumns <= columns; j += kColumns) {
      __m256i low = _mm256_setzero_si256();
      __m256i high = _mm256_setzero_si256();
#pragma GCC unroll 8
      for (int p = 0; p < kRowsAtATime / 2; ++p) {
        const __m256i first = LoadWidened(b + 2 * p * pitch + j);
        const __m256i second = LoadWidened(b + (2 * p + 1) * pitch + j);
        low = _mm256_add_epi32(low,
                               _mm256_madd_epi16(_mm256_unpacklo_epi16(first, second), factors[p]));
        high = _mm256_add_epi32(
            high, _mm256_madd_epi16(_mm256_unpackhi_epi16(first, second), factors[p]));
      }
      auto* to = reinterpret_cast<__m256i*>(sums + j);
      _mm256_storeu_si256(
          to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm256_permute2x128_si256(low, high, 0x20)));
      _mm256_storeu_si256(to + 1, _mm256_add_epi32(_mm256_loadu_si256(to + 1),
                                                   _mm256_permute2x128_si256(low, high, 0x31)));
    }
  }
#endif
  for (; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      sums[j] += static_cast<uint32_t>(int32_t{a[i]} * b[i * pitch + j]);
    }
  }
}

// Columns [begin, end) of a product of m rows, their zero points taken off in the end.
template <typename Byte>
void MultiplyColumns(const int16_t* a, int64_t a_pitch, int64_t m, const Byte* b, int64_t depth,
                     int64_t pitch, int64_t columns, int32_t* y, int64_t y_pitch) {
  for (int64_t i = 0; i < m; ++i) std::fill_n(y + i * y_pitch, columns, 0);
  for (int64_t k = 0; k < depth; k += kRowsAtATime) {
    const int64_t rows = std::min(kRowsAtATime, depth - k);
    for (int64_t i = 0; i < m; ++i) {
      AddRows(a + i * a_pitch + k, b + k * pitch, pitch, rows, columns,
              reinterpret_cast<uint32_t*>(y + i * y_pitch));
    }
  }
}

}  // namespace

template <typename T>
void WidenBytes(const ThreadPool& pool, Bytes from, int64_t count, int16_t zero, T* to) {
  pool.ParallelRanges(count, kGrain, [&](int64_t begin, int64_t end) {
    Widen(from, begin, end - begin, zero, to + begin);
  });
}
template void WidenBytes<int16_t>(const ThreadPool&, Bytes, int64_t, int16_t, int16_t*);
template void WidenBytes<float>(const ThreadPool&, Bytes, int64_t, int16_t, float*);

void WidenRows(const ThreadPool& pool, Bytes from, int64_t rows, int64_t depth,
               absl::Span<const int16_t> zeros, int16_t* to) {
  const int64_t pitch = 2 * PairsOf(depth);
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, depth));
  pool.ParallelRanges(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Widen(from, row * depth, depth, zeros[zeros.size() == 1 ? 0 : static_cast<size_t>(row)],
            to + row * pitch);
      if (depth < pitch) to[row * pitch + depth] = 0;
    }
  });
}

void BytePairPacker::Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
                          Int16Pair* panel) const {
  const int64_t size = depth_ * columns_;
  const int64_t offset =
      batch_offsets_.empty() ? batch * size : batch_offsets_[static_cast<size_t>(batch)];
  int16_t zeros[kColumns] = {};
  if (zeros_.size() == 1) {
    std::fill_n(zeros, kColumns, zeros_[0]);
  } else {
    std::copy_n(zeros_.data() + offset / size * columns_ + column, columns, zeros);
  }
  if (bytes_.is_signed) {
    PackBytes(reinterpret_cast<const int8_t*>(bytes_.data) + offset + column, columns_, depth_, k,
              depth, columns, zeros, panel);
  } else {
    PackBytes(bytes_.data + offset + column, columns_, depth_, k, depth, columns, zeros, panel);
  }
}

void MultiplyFewRows(const ThreadPool& pool, const GemmShape& shape, const int16_t* a,
                     absl::Span<const int64_t> a_rows, Bytes b, absl::Span<const int64_t> b_offsets,
                     absl::Span<const int16_t> b_zeros, int32_t* y,
                     const std::optional<GemmEpilogue>& epilogue) {
  const int64_t a_pitch = 2 * PairsOf(shape.k);
  const int64_t strips = shape.n / kTaskColumns + (shape.n % kTaskColumns != 0 ? 1 : 0);
  pool.ParallelFor(shape.batch * strips, [&](int64_t task) {
    const int64_t batch = task / strips;
    const int64_t begin = task % strips * kTaskColumns;
    const int64_t columns = std::min(kTaskColumns, shape.n - begin);
    const int64_t size = shape.k * shape.n;
    const int64_t offset = b_offsets.empty() ? batch * size : b_offsets[static_cast<size_t>(batch)];
    const int16_t* rows =
        a + (a_rows.empty() ? batch * shape.m : a_rows[static_cast<size_t>(batch)]) * a_pitch;
    int32_t* to = y + batch * shape.m * shape.n + begin;
    if (b.is_signed) {
      MultiplyColumns(rows, a_pitch, shape.m,
                      reinterpret_cast<const int8_t*>(b.data) + offset + begin, shape.k, shape.n,
                      columns, to, shape.n);
    } else {
      MultiplyColumns(rows, a_pitch, shape.m, b.data + offset + begin, shape.k, shape.n, columns,
                      to, shape.n);
    }
    // a * (b - zero) = a * b - zero * a
    for (int64_t i = 0; i < shape.m; ++i) {
      uint32_t total = 0;
      for (int64_t k = 0; k < shape.k; ++k) total += static_cast<uint32_t>(rows[i * a_pitch + k]);
      const int16_t* zeros =
          b_zeros.data() + (b_zeros.size() == 1 ? 0 : offset / size * shape.n + begin);
      const int64_t step = b_zeros.size() == 1 ? 0 : 1;
      auto* sums = reinterpret_cast<uint32_t*>(to + i * shape.n);
      for (int64_t j = 0; j < columns; ++j) {
        sums[j] -= total * static_cast<uint32_t>(zeros[j * step]);
      }
    }
    if (epilogue.has_value()) (*epilogue)({batch, 0, shape.m, begin, begin + columns});
  });
}

}  // namespace onnxcmp
