#include "ops/contrib/block_quantized/block_quantization.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

using gemm_internal::kLanes;
using gemm_internal::Vector;

// As many int32 as a vector has lanes.
template <typename C>
struct CodesOf {
  using Type [[gnu::vector_size(kLanes<C> * sizeof(int32_t))]] = int32_t;
};
template <typename C>
using Codes = typename CodesOf<C>::Type;

// The first `bytes` of four.
inline int32_t LoadWord(const uint8_t* from, int64_t bytes = 4) {
  int32_t word = 0;
  std::memcpy(&word, from, static_cast<size_t>(bytes));
  return word;
}

// Whole words of neighbouring rows. They go into a vector one by one: an array of them would be
// written in pieces and read whole, which processors are slow at.
template <typename C>
inline __attribute__((always_inline)) Codes<C> LoadWords(const uint8_t* from, int64_t row_bytes) {
  const auto word = [&](int64_t j) { return LoadWord(from + j * row_bytes); };
  if constexpr (kLanes<C> == 8) {
    return Codes<C>{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
  } else {
    return Codes<C>{word(0), word(1), word(2), word(3)};
  }
}

// Reads the weights of as many rows as a panel has columns.
template <typename C>
class WeightReader {
 public:
  static constexpr int64_t kWidth = kGemmPanelColumns<C>;
  static constexpr int64_t kVectors = kWidth / kLanes<C>;
  struct Weights {
    Vector<C> of_rows[kVectors];
  };

  explicit WeightReader(const BlockWeights<C>& weights) : weights_(weights) {}

  // Calls use(i, weights) for columns k to k + depth - 1 of `rows` <= kWidth rows; what follows
  // the rows is 0. k is a multiple of kGemmDepth.
  template <typename Use>
  void Read(int64_t k, int64_t depth, int64_t row, int64_t rows, const Use& use) const {
    switch (weights_.bits) {
      case 2:
        return ReadBits<2>(k, depth, row, rows, use);
      case 4:
        return ReadBits<4>(k, depth, row, rows, use);
      default:
        return ReadBits<8>(k, depth, row, rows, use);
    }
  }

 private:
  struct Words {
    Codes<C> of_rows[kVectors];
  };
  struct Parameters {
    Vector<C> scales[kVectors];
    Vector<C> zeros[kVectors];
  };

  template <int kBits>
  static inline __attribute__((always_inline)) Weights Unpack(const Words& words, int number,
                                                              const Parameters& parameters) {
    Weights weights;
#pragma GCC unroll 2
    for (int64_t v = 0; v < kVectors; ++v) {
      const Codes<C> codes = (words.of_rows[v] >> (number * kBits)) & ((1 << kBits) - 1);
      weights.of_rows[v] =
          (__builtin_convertvector(codes, Vector<C>) - parameters.zeros[v]) * parameters.scales[v];
    }
    return weights;
  }

  template <int kBits, typename Use>
  void ReadBits(int64_t k, int64_t depth, int64_t row, int64_t rows, const Use& use) const {
    constexpr int kPerWord = 32 / kBits;
    const absl::Span<const int32_t> blocks = weights_.block_of_column;
    Parameters parameters = {};
    int64_t block = -1;
    const auto enter = [&](int64_t next) {
      if (next != block) parameters = LoadParameters(block = next, row, rows);
    };
    for (int64_t i = 0; i < depth; i += kPerWord) {
      const Words words = Load(k + i, row, rows);
      if (blocks.empty()) enter((k + i) / weights_.block_size);
      if (blocks.empty() && i + kPerWord <= depth) {
        // A word never crosses blocks of at least 16.
        const Parameters of_word = parameters;
#pragma GCC unroll 16
        for (int e = 0; e < kPerWord; ++e) use(i + e, Unpack<kBits>(words, e, of_word));
        continue;
      }
      for (int e = 0; e < std::min<int64_t>(kPerWord, depth - i); ++e) {
        if (!blocks.empty()) enter(blocks[static_cast<size_t>(k + i + e)]);
        use(i + e, Unpack<kBits>(words, e, parameters));
      }
    }
  }

  // 32 bits from column k on of every row; k begins a byte. The last word of a row may be short.
  Words Load(int64_t k, int64_t row, int64_t rows) const {
    const int64_t row_bytes = weights_.row_bytes;
    const int64_t offset = k * weights_.bits / 8;
    const int64_t bytes = std::min<int64_t>(4, row_bytes - offset);
    const uint8_t* from = weights_.codes + row * row_bytes + offset;
    Words words;
    if (rows == kWidth && bytes == 4) {
#pragma GCC unroll 2
      for (int64_t v = 0; v < kVectors; ++v) {
        words.of_rows[v] = LoadWords<C>(from + v * kLanes<C> * row_bytes, row_bytes);
      }
      return words;
    }
    int32_t single[kWidth] = {};
    for (int64_t j = 0; j < rows; ++j) single[j] = LoadWord(from + j * row_bytes, bytes);
    std::memcpy(words.of_rows, single, sizeof(single));
    return words;
  }

  Parameters LoadParameters(int64_t block, int64_t row, int64_t rows) const {
    C scales[kWidth] = {};
    C zeros[kWidth] = {};
    const C middle = static_cast<C>(int64_t{1} << (weights_.bits - 1));
    for (int64_t j = 0; j < rows; ++j) {
      const int64_t at = (row + j) * weights_.blocks + block;
      scales[j] = weights_.scales[at];
      zeros[j] = weights_.zeros == nullptr ? middle : weights_.zeros[at];
    }
    Parameters parameters = {};
    std::memcpy(parameters.scales, scales, sizeof(scales));
    std::memcpy(parameters.zeros, zeros, sizeof(zeros));
    return parameters;
  }

  const BlockWeights<C>& weights_;
};

// Packs the transposed weights: a column of a panel is a row of weights.
template <typename C>
class WeightPacker final : public GemmPacker<C> {
 public:
  explicit WeightPacker(const BlockWeights<C>& weights) : reader_(weights) {}

  void Pack(int64_t, int64_t k, int64_t depth, int64_t row, int64_t rows, C* panel) const override {
    using Reader = WeightReader<C>;
    reader_.Read(k, depth, row, rows, [&](int64_t i, const typename Reader::Weights& weights) {
      C* to = panel + i * Reader::kWidth;
#pragma GCC unroll 2
      for (int64_t v = 0; v < Reader::kVectors; ++v) {
        gemm_internal::StoreSum<C>(weights.of_rows[v], to + v * kLanes<C>, false);
      }
    });
  }

 private:
  WeightReader<C> reader_;
};

// y = a * weights^T for one row a, without panels: the same sums as those of the product.
template <typename C>
void MultiplyRow(const ThreadPool& pool, const C* a, const BlockWeights<C>& weights, C* y,
                 const std::optional<GemmEpilogue>& epilogue) {
  using Reader = WeightReader<C>;
  constexpr int64_t kWidth = Reader::kWidth;
  const Reader reader(weights);
  pool.ParallelRanges(weights.rows, 8 * kWidth, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kWidth) {
      const int64_t rows = std::min(kWidth, end - row);
      alignas(64) C total[kWidth] = {};
      for (int64_t k = 0; k < weights.columns; k += kGemmDepth) {
        Vector<C> sums[Reader::kVectors] = {};
        reader.Read(k, std::min(kGemmDepth, weights.columns - k), row, rows,
                    [&](int64_t i, const typename Reader::Weights& column) {
                      Vector<C> factor;
                      gemm_internal::Broadcast<C>(a + k + i, factor);
#pragma GCC unroll 2
                      for (int64_t v = 0; v < Reader::kVectors; ++v) {
                        gemm_internal::MultiplyAdd<C>(factor, column.of_rows[v], sums[v]);
                      }
                    });
#pragma GCC unroll 2
        for (int64_t v = 0; v < Reader::kVectors; ++v) {
          gemm_internal::StoreSum<C>(sums[v], total + v * kLanes<C>, k > 0);
        }
      }
      std::copy_n(total, rows, y + row);
    }
    if (epilogue.has_value()) (*epilogue)(GemmBlock{0, 0, 1, begin, end});
  });
}

}  // namespace

absl::StatusOr<DType> CodeType(int64_t bits) {
  switch (bits) {
    case 2:
      return DType::kUint2;
    case 4:
      return DType::kUint4;
    case 8:
      return DType::kUint8;
    default:
      return absl::InvalidArgumentError(absl::StrCat("bits is ", bits, ", not 2, 4 or 8"));
  }
}

absl::Status CheckBlockSize(int64_t block_size) {
  if (block_size >= 16 && (block_size & (block_size - 1)) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("block_size is ", block_size, ", not a power of two of at least 16"));
}

absl::StatusOr<Tensor> ViewBytesAs(const KernelContext& ctx, const Tensor& bytes, DType dtype,
                                   absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(bytes));
  return Tensor::FromBuffer(dtype, shape, contiguous.buffer(), contiguous.offset());
}

template <typename C>
absl::StatusOr<Tensor> LoadCodes(const KernelContext& ctx, const Tensor& bytes, DType codes,
                                 int64_t rows, int64_t count) {
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(bytes));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, {rows, count}));
  // Without codes there may be any number of rows.
  if (result.num_elements() == 0) return result;
  const int64_t row_bytes = contiguous.num_elements() / rows;
  for (int64_t i = 0; i < rows; ++i) {
    LoadElements(codes, contiguous.raw_data() + i * row_bytes, 0, count,
                 result.template mutable_data<C>() + i * count);
  }
  return result;
}

template <typename C>
void MultiplyByWeights(const ThreadPool& pool, int64_t m, const C* a,
                       const BlockWeights<C>& weights, C* y, std::optional<GemmEpilogue> epilogue) {
  if (m == 1) return MultiplyRow(pool, a, weights, y, epilogue);
  GemmPacked<C>(pool, {m, weights.rows, weights.columns}, {a, weights.columns},
                WeightPacker<C>(weights), {y, weights.rows}, epilogue);
}

template absl::StatusOr<Tensor> LoadCodes<float>(const KernelContext&, const Tensor&, DType,
                                                 int64_t, int64_t);
template absl::StatusOr<Tensor> LoadCodes<double>(const KernelContext&, const Tensor&, DType,
                                                  int64_t, int64_t);
template void MultiplyByWeights(const ThreadPool&, int64_t, const float*,
                                const BlockWeights<float>&, float*, std::optional<GemmEpilogue>);
template void MultiplyByWeights(const ThreadPool&, int64_t, const double*,
                                const BlockWeights<double>&, double*, std::optional<GemmEpilogue>);

}  // namespace onnxcmp
