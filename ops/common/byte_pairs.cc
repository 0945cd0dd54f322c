#include "ops/common/byte_pairs.h"

#include <algorithm>

namespace onnxcmp {
namespace {

using gemm_internal::Int16Pair;

constexpr int64_t kColumns = kGemmPanelColumns<Int16Pair>;
constexpr int64_t kGrain = int64_t{1} << 16;

template <typename Byte, typename T>
void Widen(const Byte* from, int64_t count, int16_t zero, T* to) {
  constexpr int64_t kStrip = 32;  // a fixed count is what the compiler vectorises
  for (; count >= kStrip; count -= kStrip, from += kStrip, to += kStrip) {
    for (int64_t i = 0; i < kStrip; ++i) to[i] = static_cast<T>(from[i] - zero);
  }
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

// Rows first and second of a whole panel; `scale` is 0 where there is no second row.
template <typename Byte>
void PackRow(const Byte* first, const Byte* second, int16_t scale, const int16_t* zeros,
             Int16Pair* panel) {
  for (int64_t j = 0; j < kColumns; ++j) {
    panel[j] = {static_cast<int16_t>(first[j] - zeros[j]),
                static_cast<int16_t>((second[j] - zeros[j]) * scale)};
  }
}

// Pairs [k, k + depth) of rows of `pitch` elements, the matrix having `rows` of them.
template <typename Byte>
void PackBytes(const Byte* matrix, int64_t pitch, int64_t rows, int64_t k, int64_t depth,
               int64_t columns, const int16_t* zeros, Int16Pair* panel) {
  for (int64_t row = 2 * k; row < 2 * (k + depth); row += 2, panel += kColumns) {
    const bool has_second = row + 1 < rows;
    const Byte* first = matrix + row * pitch;
    const Byte* second = has_second ? first + pitch : first;
    const auto scale = static_cast<int16_t>(has_second ? 1 : 0);
    if (columns == kColumns) {
      PackRow(first, second, scale, zeros, panel);
      continue;
    }
    Byte edges[2][kColumns] = {};
    std::copy_n(first, columns, edges[0]);
    std::copy_n(second, columns, edges[1]);
    PackRow(edges[0], edges[1], scale, zeros, panel);
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

}  // namespace onnxcmp
