#include "evaluator/tensor/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <Eigen/Core>

#include "absl/container/inlined_vector.h"

namespace onnxcmp {
namespace {

// An element of kSize bytes that may lie anywhere and alias anything.
template <int kSize>
struct __attribute__((may_alias)) Raw {
  std::byte bytes[kSize];
};

// One loop of a copy. Strides are in bytes, so that a run of neighbours can become one wide
// element.
struct Loop {
  int64_t size;
  int64_t src_stride;
  int64_t dst_stride;
};
using Loops = absl::InlinedVector<Loop, 6>;

constexpr int64_t kPieceBytes = 1 << 17;  // of one task, about
constexpr int64_t kLineBytes = 64;

// The loops of the copy, without those of one iteration and with neighbours that are one loop on
// both sides merged.
Loops Collapse(int64_t element_size, absl::Span<const int64_t> shape,
               absl::Span<const int64_t> src_strides, absl::Span<const int64_t> dst_strides) {
  Loops loops;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    Loop loop{shape[i], src_strides[i] * element_size, dst_strides[i] * element_size};
    if (!loops.empty() && loops.back().src_stride == loop.src_stride * loop.size &&
        loops.back().dst_stride == loop.dst_stride * loop.size) {
      loop.size *= loops.back().size;
      loops.back() = loop;
    } else {
      loops.push_back(loop);
    }
  }
  return loops;
}

template <typename T>
const T* At(const std::byte* base, int64_t offset) {
  return reinterpret_cast<const T*>(base + offset);
}
template <typename T>
T* At(std::byte* base, int64_t offset) {
  return reinterpret_cast<T*>(base + offset);
}

// A plane of rows x columns that is dst[r][c] = src[r][c].
struct Plane {
  Loop row;
  Loop column;
};

template <typename T>
void CopyRows(const Plane& plane, const std::byte* src, std::byte* dst) {
  for (int64_t r = 0; r < plane.row.size; ++r) {
    std::copy_n(At<T>(src, r * plane.row.src_stride), plane.column.size,
                At<T>(dst, r * plane.row.dst_stride));
  }
}

template <typename T>
void FillRows(const Plane& plane, const std::byte* src, std::byte* dst) {
  for (int64_t r = 0; r < plane.row.size; ++r) {
    std::fill_n(At<T>(dst, r * plane.row.dst_stride), plane.column.size,
                *At<T>(src, r * plane.row.src_stride));
  }
}

template <typename T>
void CopyStridedPlane(const Plane& plane, const std::byte* src, std::byte* dst) {
  for (int64_t r = 0; r < plane.row.size; ++r) {
    const std::byte* from = src + r * plane.row.src_stride;
    std::byte* to = dst + r * plane.row.dst_stride;
    for (int64_t c = 0; c < plane.column.size; ++c) {
      *At<T>(to, c * plane.column.dst_stride) = *At<T>(from, c * plane.column.src_stride);
    }
  }
}

// GCC warns that the alignment of Eigen's packet types plays no part in the choice of a template.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"
// Transposes a square as large as a vector register is long. F: a float type of T's size.
template <typename F>
inline void TransposeSquare(const std::byte* src, int64_t src_stride, std::byte* dst,
                            int64_t dst_stride) {
  using Packet = typename Eigen::internal::packet_traits<F>::type;
  constexpr int kSize = Eigen::internal::packet_traits<F>::size;
  Eigen::internal::PacketBlock<Packet, kSize> block;
  for (int i = 0; i < kSize; ++i) {
    block.packet[i] = Eigen::internal::ploadu<Packet>(At<F>(src, i * src_stride));
  }
  Eigen::internal::ptranspose(block);
  for (int i = 0; i < kSize; ++i) {
    Eigen::internal::pstoreu(At<F>(dst, i * dst_stride), block.packet[i]);
  }
}
#pragma GCC diagnostic pop

// The plane's rows are neighbours in src and its columns are neighbours in dst. Squares of one
// cache line by one are moved, so that every line of either side is touched while it is in the
// cache.
template <typename T>
void TransposePlane(const Plane& plane, const std::byte* src, std::byte* dst) {
  constexpr int64_t kSize = sizeof(T);
  constexpr int64_t kSquare = std::max<int64_t>(kLineBytes / kSize, 4);
  constexpr int64_t kTile = 4 * kSquare;
  const int64_t src_stride = plane.column.src_stride;
  const int64_t dst_stride = plane.row.dst_stride;
  auto move = [&](int64_t r, int64_t rows, int64_t c, int64_t columns) {
    const std::byte* from = src + c * src_stride + r * kSize;
    std::byte* to = dst + r * dst_stride + c * kSize;
    if constexpr (kSize == 4 || kSize == 8) {
      using F = std::conditional_t<kSize == 4, float, double>;
      constexpr int64_t kStep = Eigen::internal::packet_traits<F>::size;
      if (rows == kSquare && columns == kSquare) {
        for (int64_t i = 0; i < kSquare; i += kStep) {
          for (int64_t j = 0; j < kSquare; j += kStep) {
            TransposeSquare<F>(from + j * src_stride + i * kSize, src_stride,
                               to + i * dst_stride + j * kSize, dst_stride);
          }
        }
        return;
      }
    }
    if constexpr (kSize <= 2) {
      if (columns >= 8) {
        // By way of a block of neighbours: lines that are a power of two apart share their place in
        // the cache, and would throw each other out before all of their elements are moved.
        T block[kSquare * kSquare];
        for (int64_t j = 0; j < columns; ++j) {
          std::copy_n(At<T>(from, j * src_stride), rows, block + j * kSquare);
        }
        for (int64_t i = 0; i < rows; ++i) {
          T* row = At<T>(to, i * dst_stride);
          for (int64_t j = 0; j < columns; ++j) row[j] = block[j * kSquare + i];
        }
        return;
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      T* row = At<T>(to, i * dst_stride);
      for (int64_t j = 0; j < columns; ++j) row[j] = *At<T>(from, j * src_stride + i * kSize);
    }
  };
  const int64_t rows = plane.row.size;
  const int64_t columns = plane.column.size;
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const int64_t r_end = std::min(rows, r0 + kTile);
    for (int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const int64_t c_end = std::min(columns, c0 + kTile);
      for (int64_t r = r0; r < r_end; r += kSquare) {
        for (int64_t c = c0; c < c_end; c += kSquare) {
          move(r, std::min(kSquare, r_end - r), c, std::min(kSquare, c_end - c));
        }
      }
    }
  }
}

template <typename T>
void CopyPlane(const Plane& plane, const std::byte* src, std::byte* dst) {
  constexpr int64_t kSize = sizeof(T);
  if (plane.column.dst_stride == kSize) {
    if (plane.column.src_stride == kSize) return CopyRows<T>(plane, src, dst);
    if (plane.column.src_stride == 0) return FillRows<T>(plane, src, dst);
    if (plane.row.src_stride == kSize && plane.row.size >= 4) {
      return TransposePlane<T>(plane, src, dst);
    }
  }
  CopyStridedPlane<T>(plane, src, dst);
}

// Copies pieces of `rows_per_piece` rows of the plane at each position of the outer loops.
template <typename T>
void CopyPlanes(absl::Span<const Loop> outer, const Plane& plane, const std::byte* src,
                std::byte* dst, const ThreadPool* pool) {
  int64_t planes = 1;
  for (const Loop& loop : outer) planes *= loop.size;
  // The planes from `begin` to `end`, of each the rows from `first_row` on.
  auto run = [&](int64_t begin, int64_t end, int64_t first_row, int64_t rows) {
    absl::InlinedVector<int64_t, 6> index(outer.size());
    int64_t from = first_row * plane.row.src_stride;
    int64_t to = first_row * plane.row.dst_stride;
    int64_t rest = begin;
    for (size_t i = outer.size(); i-- > 0;) {
      index[i] = rest % outer[i].size;
      rest /= outer[i].size;
      from += index[i] * outer[i].src_stride;
      to += index[i] * outer[i].dst_stride;
    }
    Plane part = plane;
    part.row.size = rows;
    for (int64_t p = begin; p < end; ++p) {
      CopyPlane<T>(part, src + from, dst + to);
      for (size_t i = outer.size(); i-- > 0;) {
        from += outer[i].src_stride;
        to += outer[i].dst_stride;
        if (++index[i] < outer[i].size) break;
        from -= outer[i].size * outer[i].src_stride;
        to -= outer[i].size * outer[i].dst_stride;
        index[i] = 0;
      }
    }
  };
  const int64_t row_bytes = plane.column.size * static_cast<int64_t>(sizeof(T));
  const int64_t plane_bytes = plane.row.size * row_bytes;
  if (pool == nullptr || planes * plane_bytes < 2 * kPieceBytes) {
    run(0, planes, 0, plane.row.size);
  } else if (plane_bytes <= kPieceBytes) {
    pool->ParallelRanges(planes, kPieceBytes / plane_bytes,
                         [&](int64_t begin, int64_t end) { run(begin, end, 0, plane.row.size); });
  } else {
    // A multiple of a cache line's elements, so that transposed squares stay whole.
    const int64_t rows = std::max<int64_t>(kPieceBytes / row_bytes / kLineBytes, 1) * kLineBytes;
    const int64_t pieces = (plane.row.size + rows - 1) / rows;
    pool->ParallelFor(planes * pieces, [&](int64_t task) {
      const int64_t first = task % pieces * rows;
      run(task / pieces, task / pieces + 1, first, std::min(rows, plane.row.size - first));
    });
  }
}

template <typename T>
void CopyLoops(Loops loops, const std::byte* src, std::byte* dst, const ThreadPool* pool) {
  constexpr int64_t kSize = sizeof(T);
  if (loops.empty()) {
    *At<T>(dst, 0) = *At<T>(src, 0);
    return;
  }
  Plane plane{{1, 0, 0}, loops.back()};
  loops.pop_back();
  if (!loops.empty()) {
    // The columns go with the innermost loop; the rows with the loop that walks src in the smallest
    // steps if the columns do not, else with the next one.
    size_t row = loops.size() - 1;
    if (plane.column.src_stride != kSize && plane.column.src_stride != 0) {
      for (size_t i = 0; i < loops.size(); ++i) {
        if (loops[i].src_stride == kSize) row = i;
      }
    }
    plane.row = loops[row];
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(row));
  } else if (plane.column.src_stride == kSize && plane.column.dst_stride == kSize &&
             plane.column.size * kSize > kPieceBytes) {
    // One long run: rows of it, and what is left over, so that it can be cut into pieces.
    const int64_t columns = kPieceBytes / kSize / kLineBytes;
    const int64_t rows = plane.column.size / columns;
    const int64_t done = rows * columns;
    CopyRows<T>({{1, 0, 0}, {plane.column.size - done, kSize, kSize}}, src + done * kSize,
                dst + done * kSize);
    plane = {{rows, columns * kSize, columns * kSize}, {columns, kSize, kSize}};
  }
  CopyPlanes<T>(loops, plane, src, dst, pool);
}

bool Empty(absl::Span<const int64_t> shape) {
  return std::any_of(shape.begin(), shape.end(), [](int64_t dim) { return dim == 0; });
}

}  // namespace

void CopyRegion(int64_t element_size, absl::Span<const int64_t> shape, const std::byte* src,
                absl::Span<const int64_t> src_strides, std::byte* dst,
                absl::Span<const int64_t> dst_strides, const ThreadPool* pool) {
  if (Empty(shape)) return;
  Loops loops = Collapse(element_size, shape, src_strides, dst_strides);
  // A run of neighbours on both sides is one wide element, or a run of bytes.
  if (!loops.empty() && loops.back().src_stride == element_size &&
      loops.back().dst_stride == element_size) {
    element_size *= loops.back().size;
    loops.pop_back();
  }
  switch (element_size) {
    case 1:
      return CopyLoops<Raw<1>>(std::move(loops), src, dst, pool);
    case 2:
      return CopyLoops<Raw<2>>(std::move(loops), src, dst, pool);
    case 4:
      return CopyLoops<Raw<4>>(std::move(loops), src, dst, pool);
    case 8:
      return CopyLoops<Raw<8>>(std::move(loops), src, dst, pool);
    case 16:
      return CopyLoops<Raw<16>>(std::move(loops), src, dst, pool);
    default:
      loops.push_back({element_size, 1, 1});
      return CopyLoops<Raw<1>>(std::move(loops), src, dst, pool);
  }
}

void CopyRegion(absl::Span<const int64_t> shape, const std::string* src,
                absl::Span<const int64_t> src_strides, std::string* dst,
                absl::Span<const int64_t> dst_strides, const ThreadPool* pool) {
  if (Empty(shape)) return;
  CopyLoops<std::string>(
      Collapse(static_cast<int64_t>(sizeof(std::string)), shape, src_strides, dst_strides),
      reinterpret_cast<const std::byte*>(src), reinterpret_cast<std::byte*>(dst), pool);
}

void CopyToContiguous(const Tensor& src, Tensor* dst, const ThreadPool* pool) {
  if (src.num_elements() == 0) return;
  if (src.dtype() == DType::kString) {
    CopyRegion(src.shape(), src.string_data(), src.strides(), dst->mutable_string_data(),
               dst->strides(), pool);
  } else if (IsSubByte(src.dtype())) {
    std::memcpy(dst->mutable_raw_data(), src.raw_data(), static_cast<size_t>(src.byte_size()));
  } else {
    CopyRegion(BitWidth(src.dtype()) / 8, src.shape(), src.raw_data(), src.strides(),
               dst->mutable_raw_data(), dst->strides(), pool);
  }
}

}  // namespace onnxcmp
