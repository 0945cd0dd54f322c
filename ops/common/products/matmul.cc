#include "ops/common/products/matmul.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

// Offsets of the matrices of one factor in every batch of the output.
absl::StatusOr<Tensor> BatchOffsets(const KernelContext& ctx, absl::Span<const int64_t> batch,
                                    int64_t count, absl::Span<const int64_t> shape,
                                    absl::Span<const int64_t> strides) {
  const size_t own = shape.size() - 2;
  OC_ASSIGN_OR_RETURN(Tensor offsets, ctx.Allocate(DType::kInt64, {count}));
  Shape index(batch.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    offsets.mutable_data<int64_t>()[i] = offset;
    for (size_t d = batch.size(); d-- > 0;) {
      const size_t skipped = batch.size() - own;
      const int64_t stride = d < skipped || shape[d - skipped] == 1 ? 0 : strides[d - skipped];
      offset += stride;
      if (++index[d] < batch[d]) break;
      offset -= stride * batch[d];
      index[d] = 0;
    }
  }
  return offsets;
}

bool AllEqual(absl::Span<const int64_t> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// True if matrix i begins where row i * rows would.
bool AreRowsOfOneMatrix(const MatMulLayout::Factor& factor, int64_t rows) {
  const absl::Span<const int64_t> offsets = factor.batch_offsets();
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<int64_t>(i) * rows * factor.row_stride) return false;
  }
  return true;
}

template <typename T>
GemmFactor<T> FactorOf(const Tensor& tensor, const MatMulLayout::Factor& layout) {
  return {reinterpret_cast<const T*>(tensor.raw_data()), layout.row_stride, layout.column_stride, 0,
          layout.batch_offsets()};
}

// multiply(layout, factor A, product, epilogue). A is stored as T.
template <typename T, typename Multiply>
absl::StatusOr<Tensor> ScaledProduct(const KernelContext& ctx, const Tensor& a, const Tensor& b,
                                     float alpha, const Multiply& multiply) {
  OC_ASSIGN_OR_RETURN(MatMulLayout layout,
                      LayOutMatMul(ctx, a.shape(), a.strides(), b.shape(), b.strides()));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(a.dtype(), layout.output));
  T* data = reinterpret_cast<T*>(y.mutable_raw_data());
  const GemmProduct<T> product = {data, layout.shape.n, layout.shape.m * layout.shape.n};
  const auto scale = [&](const GemmBlock& block) {
    for (int64_t i = block.row_begin; i < block.row_end; ++i) {
      T* row = product.Batch(block.batch) + i * product.row_stride;
      for (int64_t j = block.column_begin; j < block.column_end; ++j) {
        row[j] *= static_cast<T>(alpha);
      }
    }
  };
  std::optional<GemmEpilogue> epilogue;
  if (alpha != 1.0f) epilogue.emplace(scale);
  multiply(layout, FactorOf<T>(a, layout.a), product, epilogue);
  return y;
}

template <typename T>
absl::StatusOr<Tensor> Product(const KernelContext& ctx, const Tensor& a, const Tensor& b,
                               float alpha) {
  return ScaledProduct<T>(ctx, a, b, alpha,
                          [&](const MatMulLayout& layout, const auto& factor, const auto& product,
                              const auto& epilogue) {
                            Gemm<T>(ctx.pool(), layout.shape, factor, FactorOf<T>(b, layout.b),
                                    product, epilogue);
                          });
}

// B as it is stored, made floats panel by panel: all of a layer's weights as floats would take
// twice the memory of the weights, of which there may be more than memory.
class NarrowPacker final : public GemmPacker<float> {
 public:
  NarrowPacker(const Tensor& b, const MatMulLayout::Factor& layout) : b_(b), layout_(layout) {}

  void Pack(int64_t batch, int64_t k, int64_t depth, int64_t column, int64_t columns,
            float* panel) const override {
    constexpr int64_t kWidth = kGemmPanelColumns<float>;
    const absl::Span<const int64_t> offsets = layout_.batch_offsets();
    const int64_t corner = (offsets.empty() ? 0 : offsets[static_cast<size_t>(batch)]) +
                           k * layout_.row_stride + column * layout_.column_stride;
    if (layout_.row_stride != 1) {
      for (int64_t i = 0; i < depth; ++i) {
        LoadStrided(b_.dtype(), b_.raw_data(), corner + i * layout_.row_stride,
                    layout_.column_stride, columns, panel + i * kWidth);
      }
      return;
    }
    for (int64_t j = 0; j < columns; ++j) {
      float values[kGemmDepth];
      LoadElements(b_.dtype(), b_.raw_data(), corner + j * layout_.column_stride, depth, values);
      for (int64_t i = 0; i < depth; ++i) panel[i * kWidth + j] = values[i];
    }
  }

 private:
  const Tensor& b_;
  const MatMulLayout::Factor& layout_;
};

// A is made floats as a whole: it is a layer's input.
absl::StatusOr<Tensor> NarrowProduct(const KernelContext& ctx, const Tensor& a, const Tensor& b,
                                     float alpha) {
  OC_ASSIGN_OR_RETURN(const Tensor left, LoadTensor<float>(ctx, a));
  OC_ASSIGN_OR_RETURN(const Tensor y,
                      ScaledProduct<float>(ctx, left, b, alpha,
                                           [&](const MatMulLayout& layout, const auto& factor,
                                               const auto& product, const auto& epilogue) {
                                             GemmPacked<float>(ctx.pool(), layout.shape, factor,
                                                               NarrowPacker(b, layout.b), product,
                                                               epilogue);
                                           }));
  return StoreTensor<float>(ctx, y, a.dtype());
}

}  // namespace

absl::StatusOr<MatMulLayout> LayOutMatMul(const KernelContext& ctx,
                                          absl::Span<const int64_t> a_shape,
                                          absl::Span<const int64_t> a_strides,
                                          absl::Span<const int64_t> b_shape,
                                          absl::Span<const int64_t> b_strides) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot multiply [", ShapeToString(a_shape),
                                                   "] and [", ShapeToString(b_shape), "]: ", why));
  };
  if (a_shape.empty() || b_shape.empty()) return refuse("a scalar is no matrix");
  // A vector is a row on the left and a column on the right.
  Shape a(a_shape.begin(), a_shape.end());
  Shape a_steps(a_strides.begin(), a_strides.end());
  Shape b(b_shape.begin(), b_shape.end());
  Shape b_steps(b_strides.begin(), b_strides.end());
  if (a_shape.size() == 1) {
    a.insert(a.begin(), 1);
    a_steps.insert(a_steps.begin(), a_shape[0]);
  }
  if (b_shape.size() == 1) {
    b.push_back(1);
    b_steps.push_back(1);
  }
  const size_t a_rank = a.size();
  const size_t b_rank = b.size();
  MatMulLayout layout;
  layout.shape = {a[a_rank - 2], b[b_rank - 1], a[a_rank - 1]};
  if (layout.shape.k != b[b_rank - 2]) {
    return refuse(absl::StrCat(layout.shape.k, " columns meet ", b[b_rank - 2], " rows"));
  }
  layout.a.row_stride = a_steps[a_rank - 2];
  layout.a.column_stride = a_steps[a_rank - 1];
  layout.b.row_stride = b_steps[b_rank - 2];
  layout.b.column_stride = b_steps[b_rank - 1];

  const size_t rank = std::max(a_rank, b_rank);
  Shape batch;
  for (size_t d = rank; d > 2; --d) {
    const int64_t left = d > a_rank ? 1 : a[a_rank - d];
    const int64_t right = d > b_rank ? 1 : b[b_rank - d];
    if (left != right && left != 1 && right != 1) {
      return refuse(absl::StrCat("batches of ", left, " and ", right, " do not broadcast"));
    }
    batch.push_back(left == 1 ? right : left);
  }
  layout.output = batch;
  if (a_shape.size() > 1) layout.output.push_back(layout.shape.m);
  if (b_shape.size() > 1) layout.output.push_back(layout.shape.n);
  const std::optional<int64_t> elements = NumElements(layout.output);
  if (!elements.has_value()) return refuse("the product is too large");
  if (*elements == 0) {
    layout.shape.batch = 0;
    return layout;
  }
  layout.shape.batch = *NumElements(batch);
  if (layout.shape.batch == 1) return layout;

  OC_ASSIGN_OR_RETURN(layout.a.offsets, BatchOffsets(ctx, batch, layout.shape.batch, a, a_steps));
  OC_ASSIGN_OR_RETURN(layout.b.offsets, BatchOffsets(ctx, batch, layout.shape.batch, b, b_steps));
  if (AllEqual(layout.b.batch_offsets()) && AreRowsOfOneMatrix(layout.a, layout.shape.m)) {
    layout.shape.m *= layout.shape.batch;
    layout.shape.batch = 1;
    layout.a.offsets = Tensor();
    layout.b.offsets = Tensor();
  }
  return layout;
}

absl::StatusOr<Tensor> MatMulTensors(const KernelContext& ctx, const Tensor& a, const Tensor& b,
                                     float alpha) {
  switch (a.dtype()) {
    case DType::kFloat:
      return Product<float>(ctx, a, b, alpha);
    case DType::kDouble:
      return Product<double>(ctx, a, b, alpha);
    case DType::kInt32:
    case DType::kUint32:
      return Product<uint32_t>(ctx, a, b, 1.0f);
    case DType::kInt64:
    case DType::kUint64:
      return Product<uint64_t>(ctx, a, b, 1.0f);
    default:
      break;
  }
  if (!IsNarrowFloat(a.dtype())) {
    return absl::UnimplementedError(
        absl::StrCat("products of ", DTypeName(a.dtype()), " are not supported"));
  }
  return NarrowProduct(ctx, a, b, alpha);
}

}  // namespace onnxcmp
