#include "ops/common/products/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "evaluator/base/scratch.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/products/gemm_by.h"
#include "ops/common/products/gemm_kernels.h"

namespace onnxcmp {
namespace {

using gemm_internal::Accumulator;
using gemm_internal::GemmKernels;
using gemm_internal::Int16Pair;

// Rows of a tile, whatever the vectors, or a multiple.
constexpr int64_t kTileRows = 12;
// Tasks that a large product is cut into at least, where its shape allows it.
constexpr int64_t kTasks = 16;
// Products below this many multiplications are not worth another thread, nor is a task below.
constexpr double kSmallWork = 65536;

// Columns of B that a task packs for itself: 128 KiB of its stack, half of a common second-level
// cache with the block of A beside it.
template <typename T>
constexpr int64_t kTaskColumns = 512 / static_cast<int64_t>(sizeof(T));
// Rows of A that meet a panel of B in turn: these and the panel stay in the caches.
template <typename T>
constexpr int64_t kBlockRows = 384 / static_cast<int64_t>(sizeof(T));
// The rows of a copied block begin in different cache sets.
constexpr int64_t kCopiedRow = kGemmDepth + 8;
// Bytes of B that are packed for all threads at a time.
constexpr int64_t kSharedBytes = int64_t{4} << 20;

int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

#ifdef __AVX2__
// to[i * to_row + j] = from[j * from_row + i] for i, j < 8.
inline void Transpose8x8(const float* from, int64_t from_row, float* to, int64_t to_row) {
  __m256 r[8], s[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * from_row);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    s[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    s[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(s[i], s[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(s[i], s[i + 2], 0xEE);
    r[i + 2] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(s[i + 1], s[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_row, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
#endif

template <typename T>
void PackPanel(const T* from, int64_t row_stride, int64_t column_stride, int64_t depth,
               int64_t columns, T* panel) {
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  if (column_stride == 1 && columns == kWidth) {
    for (int64_t k = 0; k < depth; ++k) {
      std::memcpy(panel + k * kWidth, from + k * row_stride, kWidth * sizeof(T));
    }
    return;
  }
  if (columns < kWidth) std::fill_n(panel, depth * kWidth, T());
  int64_t done = 0;  // rows of the panel
#ifdef __AVX2__
  if constexpr (sizeof(T) == 4) {
    if (row_stride == 1 && columns == kWidth) {
      for (; done + 8 <= depth; done += 8) {
        const float* corner = reinterpret_cast<const float*>(from + done);
        float* to = reinterpret_cast<float*>(panel + done * kWidth);
        Transpose8x8(corner, column_stride, to, kWidth);
        Transpose8x8(corner + 8 * column_stride, column_stride, to + 8, kWidth);
      }
    }
  }
#endif
  if (std::abs(row_stride) < std::abs(column_stride)) {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = done; k < depth; ++k) {
        panel[k * kWidth + j] = from[k * row_stride + j * column_stride];
      }
    }
  } else {
    for (int64_t k = done; k < depth; ++k) {
      for (int64_t j = 0; j < columns; ++j) {
        panel[k * kWidth + j] = from[k * row_stride + j * column_stride];
      }
    }
  }
}

template <typename T>
class MatrixPacker final : public GemmPacker<T> {
 public:
  explicit MatrixPacker(const GemmFactor<T>& b) : b_(b) {}
  void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
            T* panel) const override {
    PackPanel(b_.Batch(batch) + k * b_.row_stride + column * b_.column_stride, b_.row_stride,
              b_.column_stride, depth, columns, panel);
  }

 private:
  const GemmFactor<T>& b_;
};

// A block of A with rows that are contiguous in k: in place, or copied if they are not.
template <typename T>
class RowsOfA {
 public:
  explicit RowsOfA(const GemmFactor<T>& a) : a_(a) {}

  const T* Get(const T* matrix, int64_t row, int64_t rows, int64_t k, int64_t depth) {
    const T* from = matrix + row * a_.row_stride + k * a_.column_stride;
    if (a_.column_stride == 1) return from;
    // A few rows at a time, so that the lines of a transposed A are still there for the next row.
    constexpr int64_t kStep = 16;
    for (int64_t begin = 0; begin < rows; begin += kStep) {
      const int64_t end = std::min(rows, begin + kStep);
      for (int64_t j = 0; j < depth; ++j) {
        for (int64_t i = begin; i < end; ++i) {
          copy_[i * kCopiedRow + j] = from[i * a_.row_stride + j * a_.column_stride];
        }
      }
    }
    return copy_;
  }
  int64_t stride() const { return a_.column_stride == 1 ? a_.row_stride : kCopiedRow; }

 private:
  const GemmFactor<T>& a_;
  alignas(64) T copy_[kBlockRows<T> * kCopiedRow];
};

static_assert(gemm_internal::kPanelColumns<float> == kGemmPanelColumns<float>);

template <typename T>
GemmKernels<T> KernelsOf([[maybe_unused]] Instructions instructions) {
#ifdef ONNXCMP_HAS_AVX512
  if constexpr (std::is_same_v<T, Int16Pair>) {
    if (instructions == Instructions::kAvx512Vnni) return gemm_internal::avx512_vnni::Kernels<T>();
  }
  if (instructions != Instructions::kBase) return gemm_internal::avx512::Kernels<T>();
#endif
  return gemm_internal::base::Kernels<T>();
}

template <typename T>
struct Problem {
  Problem(const GemmShape& shape, const GemmFactor<T>& a, const GemmProduct<Accumulator<T>>& c,
          const std::optional<GemmEpilogue>& epilogue, Instructions instructions)
      : shape(shape), a(a), c(c), epilogue(epilogue), kernels(KernelsOf<T>(instructions)) {}

  const GemmShape& shape;
  const GemmFactor<T>& a;
  const GemmProduct<Accumulator<T>>& c;
  const std::optional<GemmEpilogue>& epilogue;
  const GemmKernels<T> kernels;

  void Finish(const GemmBlock& block) const {
    if (epilogue.has_value()) (*epilogue)(block);
  }
};

// rows x columns of C with the panels of one block of k: panel p begins at panels + p * distance.
template <typename T>
void PanelsOfBlock(const Problem<T>& problem, const GemmBlock& block, int64_t k, int64_t depth,
                   const T* panels, int64_t distance, RowsOfA<T>& rows_of_a) {
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  const T* a = problem.a.Batch(block.batch);
  Accumulator<T>* c = problem.c.Batch(block.batch);
  for (int64_t i = block.row_begin; i < block.row_end; i += kBlockRows<T>) {
    const int64_t rows = std::min(kBlockRows<T>, block.row_end - i);
    const T* a_block = rows_of_a.Get(a, i, rows, k, depth);
    problem.kernels.multiply(rows, block.column_end - block.column_begin, depth, a_block,
                             rows_of_a.stride(), panels, kWidth, distance,
                             c + i * problem.c.row_stride + block.column_begin,
                             problem.c.row_stride, k > 0 || problem.c.accumulate);
  }
}

// A block of C over all of k; the task packs the columns of B that it needs on its stack.
template <typename T>
void PackAndMultiply(const Problem<T>& problem, const GemmPacker<T>& b, const GemmBlock& block) {
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  alignas(64) T panels[kGemmDepth * kTaskColumns<T>];
  RowsOfA<T> rows_of_a(problem.a);
  for (int64_t k = 0; k < problem.shape.k; k += kGemmDepth) {
    const int64_t depth = std::min(kGemmDepth, problem.shape.k - k);
    T* panel = panels;
    for (int64_t j = block.column_begin; j < block.column_end; j += kWidth) {
      b.Pack(block.batch, k, depth, j, std::min(kWidth, block.column_end - j), panel);
      panel += depth * kWidth;
    }
    PanelsOfBlock(problem, block, k, depth, panels, depth * kWidth, rows_of_a);
  }
  problem.Finish(block);
}

// C over the rows of B as they lie in memory, for products that would not repay packing. Requires
// b.column_stride == 1. Only a last panel that is not full is packed.
template <typename T>
void MultiplyInPlace(const Problem<T>& problem, const GemmFactor<T>& b, const GemmBlock& block) {
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  const int64_t rows = block.row_end - block.row_begin;
  const GemmFactor<T>& a = problem.a;
  const int64_t c_row = problem.c.row_stride;
  const T* a_rows = a.Batch(block.batch) + block.row_begin * a.row_stride;
  const T* b_rows = b.Batch(block.batch);
  Accumulator<T>* c = problem.c.Batch(block.batch) + block.row_begin * c_row;
  for (int64_t k = 0; k < problem.shape.k; k += kGemmDepth) {
    const int64_t depth = std::min(kGemmDepth, problem.shape.k - k);
    const bool add = k > 0 || problem.c.accumulate;
    const T* a_block = a_rows + k;
    const T* b_block = b_rows + k * b.row_stride;
    int64_t j = block.column_begin;
    if (rows == 1) {
      j = problem.kernels.multiply_row(depth, a_block, b_block, b.row_stride, c, j,
                                       block.column_end, add);
    }
    const int64_t whole = (block.column_end - j) / kWidth * kWidth;
    problem.kernels.multiply(rows, whole, depth, a_block, a.row_stride, b_block + j, b.row_stride,
                             kWidth, c + j, c_row, add);
    j += whole;
    if (j < block.column_end) {
      alignas(64) T panel[kGemmDepth * kWidth];
      PackPanel(b_block + j, b.row_stride, int64_t{1}, depth, block.column_end - j, panel);
      problem.kernels.multiply(rows, block.column_end - j, depth, a_block, a.row_stride, panel,
                               kWidth, 0, c + j, c_row, add);
    }
  }
  problem.Finish(block);
}

// How C is cut: a function of the shape alone.
struct Cut {
  int64_t batch = 1;  // matrices of a task
  int64_t rows;       // of a block
  int64_t columns;
};

double Work(const GemmShape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

template <typename Body>
void ForEachBlock(const ThreadPool& pool, const GemmShape& shape, const Cut& cut,
                  const Body& body) {
  const int64_t row_blocks = CeilDiv(shape.m, cut.rows);
  const int64_t column_blocks = CeilDiv(shape.n, cut.columns);
  const int64_t blocks = row_blocks * column_blocks;
  pool.ParallelFor(CeilDiv(shape.batch, cut.batch) * blocks, [&](int64_t task) {
    const int64_t first = task / blocks * cut.batch;
    const int64_t row = task % blocks % row_blocks * cut.rows;
    const int64_t column = task % blocks / row_blocks * cut.columns;
    for (int64_t i = first; i < std::min(first + cut.batch, shape.batch); ++i) {
      body(GemmBlock{i, row, std::min(row + cut.rows, shape.m), column,
                     std::min(column + cut.columns, shape.n)});
    }
  });
}

// Whole matrices to a task, as many as make it worth while.
Cut CutBatch(const GemmShape& shape) {
  const double matrices = kSmallWork / std::max(Work(shape), 1.0);
  return {static_cast<int64_t>(std::min(matrices, static_cast<double>(shape.batch))) + 1, shape.m,
          shape.n};
}

// Few columns and many rows: B is packed by all threads together, then the rows are shared out.
template <typename T>
void PackThenMultiply(const ThreadPool& pool, const Problem<T>& problem, const GemmPacker<T>& b) {
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  const GemmShape& shape = problem.shape;
  const int64_t panels = CeilDiv(shape.n, kWidth);
  const int64_t block_size = panels * kWidth * kGemmDepth;  // elements of one block of k
  const int64_t chunk =
      std::max<int64_t>(1, kSharedBytes / (block_size * static_cast<int64_t>(sizeof(T))));
  const int64_t blocks = CeilDiv(shape.k, kGemmDepth);
  const Scratch<T> packed(pool, block_size * std::min(chunk, blocks));
  OC_CHECK(packed.data() != nullptr);  // some megabytes
  const int64_t row_tasks = CeilDiv(kTasks, shape.batch);
  const int64_t rows =
      std::clamp<int64_t>(RoundUp(CeilDiv(shape.m, row_tasks), kTileRows), 2 * kTileRows, 480);

  for (int64_t batch = 0; batch < shape.batch; ++batch) {
    for (int64_t first = 0; first < blocks; first += chunk) {
      const int64_t last = std::min(blocks, first + chunk);
      const auto depth_of = [&](int64_t block) {
        return std::min(kGemmDepth, shape.k - block * kGemmDepth);
      };
      pool.ParallelRanges((last - first) * panels, 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t block = first + i / panels;
          const int64_t column = i % panels * kWidth;
          b.Pack(batch, block * kGemmDepth, depth_of(block), column,
                 std::min(kWidth, shape.n - column),
                 packed.data() + (block - first) * block_size + column * depth_of(block));
        }
      });
      pool.ParallelRanges(shape.m, rows, [&](int64_t begin, int64_t end) {
        RowsOfA<T> rows_of_a(problem.a);
        const GemmBlock part = {batch, begin, end, 0, shape.n};
        for (int64_t block = first; block < last; ++block) {
          PanelsOfBlock(problem, part, block * kGemmDepth, depth_of(block),
                        packed.data() + (block - first) * block_size, kWidth * depth_of(block),
                        rows_of_a);
        }
        if (last == blocks) problem.Finish(part);
      });
    }
  }
}

// Products that pack B.
template <typename T>
void Multiply(const ThreadPool& pool, const Problem<T>& problem, const GemmPacker<T>& b) {
  const GemmShape& shape = problem.shape;
  const auto body = [&](const GemmBlock& block) { PackAndMultiply(problem, b, block); };
  if (Work(shape) < kSmallWork && shape.n <= kTaskColumns<T>) {
    ForEachBlock(pool, shape, CutBatch(shape), body);
    return;
  }
  const int64_t wanted = CeilDiv(kTasks, shape.batch);
  constexpr int64_t kWidth = kGemmPanelColumns<T>;
  const int64_t columns =
      std::clamp(RoundUp(CeilDiv(shape.n, wanted), kWidth), 2 * kWidth, kTaskColumns<T>);
  if (shape.batch * CeilDiv(shape.n, columns) >= kTasks * 3 / 4 || shape.m <= 48) {
    ForEachBlock(pool, shape, {1, shape.m, columns}, body);
  } else {
    PackThenMultiply(pool, problem, b);
  }
}

template <typename T>
bool IsTrivial(const Problem<T>& problem) {
  const GemmShape& shape = problem.shape;
  if (shape.m == 0 || shape.n == 0 || shape.batch == 0) return true;
  if (shape.k > 0) return false;
  for (int64_t batch = 0; batch < shape.batch; ++batch) {
    for (int64_t i = 0; i < shape.m && !problem.c.accumulate; ++i) {
      std::fill_n(problem.c.Batch(batch) + i * problem.c.row_stride, shape.n, Accumulator<T>());
    }
    problem.Finish({batch, 0, shape.m, 0, shape.n});
  }
  return true;
}

}  // namespace

template <typename T>
void GemmBy(Instructions instructions, const ThreadPool& pool, const GemmShape& shape,
            const GemmFactor<T>& a, const GemmFactor<T>& b, const GemmProduct<T>& c,
            std::optional<GemmEpilogue> epilogue) {
  const Problem<T> problem(shape, a, c, epilogue, instructions);
  if (IsTrivial(problem)) return;
  // Packing repays itself from some rows on, unless B is in the first-level cache anyway.
  constexpr double kFewElements = 16384.0 / sizeof(T);
  const bool small_b = static_cast<double>(shape.n) * static_cast<double>(shape.k) <= kFewElements;
  if (a.column_stride == 1 && b.column_stride == 1 && (shape.m <= 8 || small_b)) {
    const auto body = [&](const GemmBlock& block) { MultiplyInPlace(problem, b, block); };
    if (Work(shape) < kSmallWork) {
      ForEachBlock(pool, shape, CutBatch(shape), body);
      return;
    }
    const int64_t wanted = CeilDiv(kTasks, shape.batch);
    const int64_t rows =
        std::max<int64_t>(small_b ? RoundUp(CeilDiv(shape.m, wanted), 4 * kTileRows) : shape.m, 1);
    // A single row reads B in runs of a page.
    const int64_t columns =
        small_b        ? shape.n
        : shape.m == 1 ? 4096 / static_cast<int64_t>(sizeof(T))
                       : std::clamp<int64_t>(RoundUp(CeilDiv(shape.n, wanted), 64), 64, 512);
    ForEachBlock(pool, shape, {1, rows, columns}, body);
    return;
  }
  Multiply<T>(pool, problem, MatrixPacker<T>(b));
}

template <typename T>
void GemmPackedBy(Instructions instructions, const ThreadPool& pool, const GemmShape& shape,
                  const GemmFactor<T>& a, const GemmPacker<T>& b,
                  const GemmProduct<Accumulator<T>>& c, std::optional<GemmEpilogue> epilogue) {
  const Problem<T> problem(shape, a, c, epilogue, instructions);
  if (!IsTrivial(problem)) Multiply<T>(pool, problem, b);
}

template <typename T>
void Gemm(const ThreadPool& pool, const GemmShape& shape, const GemmFactor<T>& a,
          const GemmFactor<T>& b, const GemmProduct<T>& c, std::optional<GemmEpilogue> epilogue) {
  GemmBy<T>(BestInstructions(), pool, shape, a, b, c, epilogue);
}

template <typename T>
void GemmPacked(const ThreadPool& pool, const GemmShape& shape, const GemmFactor<T>& a,
                const GemmPacker<T>& b, const GemmProduct<Accumulator<T>>& c,
                std::optional<GemmEpilogue> epilogue) {
  GemmPackedBy<T>(BestInstructions(), pool, shape, a, b, c, epilogue);
}

template void Gemm(const ThreadPool&, const GemmShape&, const GemmFactor<float>&,
                   const GemmFactor<float>&, const GemmProduct<float>&,
                   std::optional<GemmEpilogue>);
template void GemmBy(Instructions, const ThreadPool&, const GemmShape&, const GemmFactor<float>&,
                     const GemmFactor<float>&, const GemmProduct<float>&,
                     std::optional<GemmEpilogue>);
template void Gemm(const ThreadPool&, const GemmShape&, const GemmFactor<double>&,
                   const GemmFactor<double>&, const GemmProduct<double>&,
                   std::optional<GemmEpilogue>);
template void GemmBy(Instructions, const ThreadPool&, const GemmShape&, const GemmFactor<double>&,
                     const GemmFactor<double>&, const GemmProduct<double>&,
                     std::optional<GemmEpilogue>);
template void Gemm(const ThreadPool&, const GemmShape&, const GemmFactor<uint32_t>&,
                   const GemmFactor<uint32_t>&, const GemmProduct<uint32_t>&,
                   std::optional<GemmEpilogue>);
template void GemmBy(Instructions, const ThreadPool&, const GemmShape&, const GemmFactor<uint32_t>&,
                     const GemmFactor<uint32_t>&, const GemmProduct<uint32_t>&,
                     std::optional<GemmEpilogue>);
template void Gemm(const ThreadPool&, const GemmShape&, const GemmFactor<uint64_t>&,
                   const GemmFactor<uint64_t>&, const GemmProduct<uint64_t>&,
                   std::optional<GemmEpilogue>);
template void GemmBy(Instructions, const ThreadPool&, const GemmShape&, const GemmFactor<uint64_t>&,
                     const GemmFactor<uint64_t>&, const GemmProduct<uint64_t>&,
                     std::optional<GemmEpilogue>);
template void GemmPacked(const ThreadPool&, const GemmShape&, const GemmFactor<float>&,
                         const GemmPacker<float>&, const GemmProduct<float>&,
                         std::optional<GemmEpilogue>);
template void GemmPackedBy(Instructions, const ThreadPool&, const GemmShape&,
                           const GemmFactor<float>&, const GemmPacker<float>&,
                           const GemmProduct<float>&, std::optional<GemmEpilogue>);
template void GemmPacked(const ThreadPool&, const GemmShape&, const GemmFactor<double>&,
                         const GemmPacker<double>&, const GemmProduct<double>&,
                         std::optional<GemmEpilogue>);
template void GemmPackedBy(Instructions, const ThreadPool&, const GemmShape&,
                           const GemmFactor<double>&, const GemmPacker<double>&,
                           const GemmProduct<double>&, std::optional<GemmEpilogue>);
template void GemmPacked(const ThreadPool&, const GemmShape&, const GemmFactor<Int16Pair>&,
                         const GemmPacker<Int16Pair>&, const GemmProduct<int32_t>&,
                         std::optional<GemmEpilogue>);
template void GemmPackedBy(Instructions, const ThreadPool&, const GemmShape&,
                           const GemmFactor<Int16Pair>&, const GemmPacker<Int16Pair>&,
                           const GemmProduct<int32_t>&, std::optional<GemmEpilogue>);

}  // namespace onnxcmp
