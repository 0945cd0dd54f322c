#include "ops/common/products/gemm_kernels.h"

#include <type_traits>

#ifdef ONNXCMP_AVX512
#include "ops/common/products/gemm_tile_avx512.h"
#else
#include "ops/common/products/gemm_tile.h"
#endif

namespace onnxcmp::gemm_internal {
namespace ONNXCMP_INSTRUCTIONS {

// Vectors of a panel.
inline constexpr int kPanelVectors = 64 / kVectorBytes;
// A tile is so many rows by two vectors of C: with AVX2 they take 12 of 16 registers, with AVX-512
// 24 of 32. Few rows take four vectors, or their sums would wait for each other.
inline constexpr int kTileRows = kVectorBytes == 64 ? 12 : 6;
inline constexpr int kTileVectors = 2;
inline constexpr int kFewRows = kVectorBytes == 64 ? 5 : 3;
inline constexpr int kVectorsOfFewRows = 4;

#ifndef ONNXCMP_AVX512
// The vectors of a tile lie in one panel, or side by side.
template <typename T, int kRows, int kVectors>
inline void Tile(int64_t depth, const T* a, int64_t a_row, const T* b, int64_t b_row,
                 int64_t /*b_panel*/, Accumulator<T>* c, int64_t c_row, bool add) {
  gemm_internal::Tile<T, kRows, kVectors>(depth, a, a_row, b, b_row, c, c_row, add);
}
#endif

template <typename T, int kRows, int kVectors>
inline void TileOfRows(int64_t rows, int64_t depth, const T* a, int64_t a_row, const T* b,
                       int64_t b_row, int64_t b_panel, Accumulator<T>* c, int64_t c_row, bool add) {
  if constexpr (kRows > 1) {
    if (rows < kRows) {
      return TileOfRows<T, kRows - 1, kVectors>(rows, depth, a, a_row, b, b_row, b_panel, c, c_row,
                                                add);
    }
  }
  Tile<T, kRows, kVectors>(depth, a, a_row, b, b_row, b_panel, c, c_row, add);
}

// Rows of the next tile. What does not fill two tiles is spread over them, since a tile of one or
// two rows waits for its own sums.
inline int64_t NextRows(int64_t left) {
  if (left <= kTileRows) return left;
  return left < 2 * kTileRows ? (left + 1) / 2 : kTileRows;
}

// All rows of kVectors vectors, of which `columns` columns are in C.
template <typename T, int kVectors, int kMostRows = kTileRows>
void Strip(int64_t rows, int64_t columns, int64_t depth, const T* a, int64_t a_row, const T* b,
           int64_t b_row, int64_t b_panel, Accumulator<T>* c, int64_t c_row, bool add) {
  constexpr int64_t kWidth = kVectors * kLanes<T>;
  for (int64_t i = 0; i < rows;) {
    const int64_t tile = NextRows(rows - i);
    const T* a_tile = a + i * a_row;
    Accumulator<T>* c_tile = c + i * c_row;
    i += tile;
    if (columns == kWidth) {
      TileOfRows<T, kMostRows, kVectors>(tile, depth, a_tile, a_row, b, b_row, b_panel, c_tile,
                                         c_row, add);
      continue;
    }
    alignas(64) Accumulator<T> part[kMostRows * kWidth];
    TileOfRows<T, kMostRows, kVectors>(tile, depth, a_tile, a_row, b, b_row, b_panel, part, kWidth,
                                       false);
    using Sum = std::conditional_t<std::is_same_v<T, Int16Pair>, uint32_t, Accumulator<T>>;
    for (int64_t r = 0; r < tile; ++r) {
      for (int64_t j = 0; j < columns; ++j) {
        Accumulator<T>& to = c_tile[r * c_row + j];
        const Accumulator<T> sum = part[r * kWidth + j];
        to = add ? static_cast<Accumulator<T>>(Sum(to) + Sum(sum)) : sum;
      }
    }
  }
}

template <typename T>
void Multiply(int64_t rows, int64_t columns, int64_t depth, const T* a, int64_t a_row, const T* b,
              int64_t b_row, int64_t b_panel, Accumulator<T>* c, int64_t c_row, bool add) {
  constexpr int64_t kFewRowsWidth = kVectorsOfFewRows * kLanes<T>;
  constexpr int64_t kWidth = kTileVectors * kLanes<T>;
  int64_t j = 0;
  const auto panel = [&] { return b + j / kPanelColumns<T> * b_panel; };
  if (rows <= kFewRows && (kPanelVectors == 1 || b_panel == kPanelColumns<T>)) {
    for (; columns - j >= kFewRowsWidth; j += kFewRowsWidth) {
      Strip<T, kVectorsOfFewRows, kFewRows>(rows, kFewRowsWidth, depth, a, a_row, panel(), b_row,
                                            b_panel, c + j, c_row, add);
    }
  }
  for (; columns - j > kLanes<T>; j += kWidth) {
    const int64_t width = columns - j < kWidth ? columns - j : kWidth;
    Strip<T, kTileVectors>(rows, width, depth, a, a_row, panel(), b_row, b_panel, c + j, c_row,
                           add);
  }
  if (j < columns) {
    Strip<T, 1>(rows, columns - j, depth, a, a_row, panel(), b_row, b_panel, c + j, c_row, add);
  }
}

// The same sums as a tile's, over long runs of a few rows of B at a time, because reading it is all
// that such a product takes.
template <typename T>
int64_t MultiplyRow(int64_t depth, const T* a, const T* b, int64_t b_row, Accumulator<T>* c,
                    int64_t begin, int64_t end, bool add) {
  constexpr int64_t kWidth = kLanes<T>;
  constexpr int64_t kStrip = 4096 / kVectorBytes;  // vectors: runs of a page
  Vector<T> sums[kStrip];
  while (end - begin >= kPanelColumns<T>) {
    const int64_t panels = (end - begin) / kPanelColumns<T>;
    const int64_t vectors = kPanelVectors * panels < kStrip ? kPanelVectors * panels : kStrip;
    for (int64_t j = 0; j < vectors; ++j) sums[j] = Vector<T>();
    const auto add_rows = [&]<int kRows>(std::integral_constant<int, kRows>, int64_t k) {
      Vector<T> factors[kRows];
      for (int i = 0; i < kRows; ++i) Broadcast<T>(a + k + i, factors[i]);
      const T* row = b + k * b_row + begin;
      for (int64_t j = 0; j < vectors; ++j) {
        Vector<T> sum = sums[j];
#pragma GCC unroll 4
        for (int i = 0; i < kRows; ++i) {
          Vector<T> column;
          LoadVector<T>(row + i * b_row + j * kWidth, column);
          MultiplyAdd<T>(factors[i], column, sum);
        }
        sums[j] = sum;
      }
    };
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) add_rows(std::integral_constant<int, 4>(), k);
    for (; k < depth; ++k) add_rows(std::integral_constant<int, 1>(), k);
    for (int64_t j = 0; j < vectors; ++j) StoreSum<T>(sums[j], c + begin + j * kWidth, add);
    begin += vectors * kWidth;
  }
  return begin;
}

template <typename T>
GemmKernels<T> Kernels() {
  return {Multiply<T>, MultiplyRow<T>};
}

#ifndef ONNXCMP_AVX512_VNNI
template GemmKernels<float> Kernels();
template GemmKernels<double> Kernels();
template GemmKernels<uint32_t> Kernels();
template GemmKernels<uint64_t> Kernels();
#endif
template GemmKernels<Int16Pair> Kernels();

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp::gemm_internal
