#include "ops/common/movement/movement.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/packed_bits.h"
#include "evaluator/tensor/strided_copy.h"

namespace onnxcmp {
namespace {

constexpr int64_t kPieceBytes = 1 << 16;  // of one task, about

template <int kSize>
struct Raw {
  std::byte bytes[kSize];
};

template <typename T>
void GatherElements(const T* src, int64_t outer, int64_t outer_stride,
                    absl::Span<const int64_t> offsets, int64_t block, const ThreadPool& pool,
                    T* dst) {
  const int64_t count = static_cast<int64_t>(offsets.size());
  const int64_t block_bytes = block * static_cast<int64_t>(sizeof(T));
  const int64_t* offset = offsets.data();
  // Neighbours that follow each other in the source, as between the ends of a padded axis, are
  // copied at once: for every block how many there are from it on.
  std::vector<int64_t> runs(static_cast<size_t>(count), 1);
  for (size_t i = runs.size() - 1; i-- > 0;) {
    if (offset[i + 1] == offset[i] + block) runs[i] = runs[i + 1] + 1;
  }
  const bool has_runs = std::count(runs.begin(), runs.end(), 1) < count / 4;
  // Blocks [begin, end) of those of one `from`.
  const auto gather_part = [&](const T* from, int64_t begin, int64_t end, T* to) {
    if (has_runs) {
      for (int64_t i = begin; i < end;) {
        const int64_t run = std::min(runs[static_cast<size_t>(i)], end - i);
        to = std::copy_n(from + offset[i], run * block, to);
        i += run;
      }
    } else if (block == 1) {
      for (int64_t i = begin; i < end; ++i) *to++ = from[offset[i]];
    } else {
      for (int64_t i = begin; i < end; ++i) to = std::copy_n(from + offset[i], block, to);
    }
  };
  // Gathers the elements [begin, end) of all blocks.
  const auto gather = [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end;) {
      const int64_t i = b % count;
      const int64_t part = std::min(count - i, end - b);
      gather_part(src + b / count * outer_stride, i, i + part, dst + b * block);
      b += part;
    }
  };
  const int64_t blocks = outer * count;
  const int64_t grain = std::max<int64_t>(kPieceBytes / block_bytes, 1);
  if (blocks <= 2 * grain) {
    gather(0, blocks);
  } else {
    pool.ParallelRanges(blocks, grain, gather);
  }
}

template <typename T>
void ScatterElements(const T* src, absl::Span<const int64_t> offsets, int64_t block, bool repeat,
                     T* dst) {
  for (const int64_t offset : offsets) {
    if (block == 1) {
      dst[offset] = *src;
    } else {
      std::copy_n(src, block, dst + offset);
    }
    if (!repeat) src += block;
  }
}

}  // namespace

void CopyIntoBlock(const Tensor& src, absl::Span<const int64_t> dst_strides, int64_t dst_offset,
                   const ThreadPool& pool, Tensor* dst) {
  if (src.num_elements() == 0) return;
  if (src.dtype() == DType::kString) {
    CopyRegion(src.shape(), src.string_data(), src.strides(),
               dst->mutable_string_data() + dst_offset, dst_strides, &pool);
  } else {
    const int64_t size = BitWidth(src.dtype()) / 8;
    CopyRegion(size, src.shape(), src.raw_data(), src.strides(),
               dst->mutable_raw_data() + dst_offset * size, dst_strides, &pool);
  }
}

void GatherBlocks(const Tensor& src, int64_t outer, int64_t outer_stride,
                  absl::Span<const int64_t> offsets, int64_t block, const ThreadPool& pool,
                  Tensor* dst) {
  if (outer == 0 || offsets.empty() || block == 0) return;
  if (src.dtype() == DType::kString) {
    return GatherElements(src.string_data(), outer, outer_stride, offsets, block, pool,
                          dst->mutable_string_data());
  }
  auto gather = [&](auto element) {
    using T = decltype(element);
    GatherElements(src.data<T>(), outer, outer_stride, offsets, block, pool,
                   dst->mutable_data<T>());
  };
  switch (BitWidth(src.dtype())) {
    case 8:
      return gather(Raw<1>());
    case 16:
      return gather(Raw<2>());
    case 32:
      return gather(Raw<4>());
    case 64:
      return gather(Raw<8>());
    default:
      return gather(Raw<16>());
  }
}

bool TakeElements(const Tensor& src, OffsetsFunction offsets, const ThreadPool& pool, Tensor* dst) {
  const auto take = [&]<typename T>(const T* from, T* to) {
    constexpr int64_t kChunk = 1024;
    std::atomic<bool> all_given{true};
    pool.ParallelRanges(dst->num_elements(), 16 * kChunk, [&](int64_t begin, int64_t end) {
      int64_t chunk[kChunk];
      for (; begin < end; begin += kChunk) {
        const int64_t count = std::min(kChunk, end - begin);
        if (!offsets(begin, count, chunk)) {
          all_given = false;
          return;
        }
        // Copies, which the compiler keeps in registers: a store of bytes may change anything else.
        const T* const source = from;
        T* const target = to + begin;
        for (int64_t i = 0; i < count; ++i) target[i] = source[chunk[i]];
      }
    });
    return all_given.load();
  };
  if (src.dtype() == DType::kString) return take(src.string_data(), dst->mutable_string_data());
  const auto take_raw = [&]<typename T>(T) { return take(src.data<T>(), dst->mutable_data<T>()); };
  switch (BitWidth(src.dtype())) {
    case 8:
      return take_raw(Raw<1>());
    case 16:
      return take_raw(Raw<2>());
    case 32:
      return take_raw(Raw<4>());
    case 64:
      return take_raw(Raw<8>());
    default:
      return take_raw(Raw<16>());
  }
}

void ScatterBlocks(const Tensor& src, absl::Span<const int64_t> offsets, int64_t block,
                   Tensor* dst) {
  if (offsets.empty() || block == 0) return;
  const bool repeat = src.num_elements() == block;
  if (src.dtype() == DType::kString) {
    return ScatterElements(src.string_data(), offsets, block, repeat, dst->mutable_string_data());
  }
  auto scatter = [&](auto element) {
    using T = decltype(element);
    ScatterElements(src.data<T>(), offsets, block, repeat, dst->mutable_data<T>());
  };
  switch (BitWidth(src.dtype())) {
    case 8:
      return scatter(Raw<1>());
    case 16:
      return scatter(Raw<2>());
    case 32:
      return scatter(Raw<4>());
    case 64:
      return scatter(Raw<8>());
    default:
      return scatter(Raw<16>());
  }
}

void FillWithZeros(Tensor* tensor) {
  if (tensor->dtype() == DType::kString) {
    std::fill_n(tensor->mutable_string_data(), tensor->num_elements(), std::string());
  } else if (tensor->byte_size() > 0) {
    std::memset(tensor->mutable_raw_data(), 0, static_cast<size_t>(tensor->byte_size()));
  }
}

absl::StatusOr<int64_t> NormalizeIndex(int64_t index, int axis, int64_t size) {
  OC_RETURN_IF_ERROR(NormalizeIndices(absl::MakeSpan(&index, 1), axis, size));
  return index;
}

absl::Status NormalizeIndices(absl::Span<int64_t> indices, int axis, int64_t size) {
  for (int64_t& index : indices) {
    if (index < -size || index >= size) {
      return absl::InvalidArgumentError(
          absl::StrCat("index ", index, " is out of range for axis ", axis, " of size ", size));
    }
    if (index < 0) index += size;
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> UnpackToBytes(const KernelContext& ctx, const Tensor& packed) {
  OC_ASSIGN_OR_RETURN(Tensor bytes, ctx.Allocate(DType::kUint8, packed.shape()));
  const int width = BitWidth(packed.dtype());
  const auto* from = packed.data<uint8_t>();
  auto* to = bytes.mutable_data<uint8_t>();
  for (int64_t i = 0; i < packed.num_elements(); ++i) {
    to[i] = PackedElement(from, i, width);
  }
  return bytes;
}

absl::StatusOr<Tensor> PackFromBytes(const KernelContext& ctx, const Tensor& bytes, DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor packed, ctx.Allocate(dtype, bytes.shape()));
  const int width = BitWidth(dtype);
  const auto* from = bytes.data<uint8_t>();
  auto* to = packed.mutable_data<uint8_t>();
  // The bits after the last element are 0, so that equal tensors have equal bytes.
  std::fill_n(to, packed.byte_size(), uint8_t{0});
  for (int64_t i = 0; i < bytes.num_elements(); ++i) {
    SetPackedElement(to, i, width, from[i]);
  }
  return packed;
}

}  // namespace onnxcmp
