#include "ops/common/products/gemm_family.h"

#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {
namespace {

// C as it is added to an m x n product: strides are 0 where it is broadcast.
struct Addend {
  Tensor tensor;  // undefined if there is none
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

absl::StatusOr<Addend> AddendOf(const Tensor& c, int64_t m, int64_t n, bool broadcast) {
  const int rank = c.rank();
  const int64_t rows = rank == 2 ? c.dim(0) : 1;
  const int64_t columns = rank >= 1 ? c.dim(rank - 1) : 1;
  const bool same = rank == 2 && rows == m && columns == n;
  if (rank > 2 || (rows != m && rows != 1) || (columns != n && columns != 1) ||
      (!broadcast && !same)) {
    return absl::InvalidArgumentError(
        absl::StrCat("C is ", c.TypeString(), ", which cannot be added to a product of ", m, " x ",
                     n, broadcast ? "" : " without broadcast"));
  }
  return Addend{
      c, rank == 2 && rows == m && m != 1 ? c.strides()[0] : 0,
      rank >= 1 && columns == n && n != 1 ? c.strides()[static_cast<size_t>(rank - 1)] : 0};
}

// alpha * sum + beta * addend: exact if alpha and beta are 1, else through double.
template <typename T, typename Signed>
T CombineIntegers(T sum, float alpha, T addend, float beta) {
  if (alpha == 1.0f && (beta == 1.0f || addend == 0)) return sum + addend;
  const double value = static_cast<double>(alpha) * static_cast<double>(static_cast<Signed>(sum)) +
                       static_cast<double>(beta) * static_cast<double>(static_cast<Signed>(addend));
  // Casting a number that does not fit is undefined.
  constexpr double kLimit = 2.0 * (uint64_t{1} << (8 * sizeof(T) - 1));
  const double low = std::is_signed_v<Signed> ? -kLimit / 2 : 0;
  const double high = std::is_signed_v<Signed> ? kLimit / 2 : kLimit;
  if (!(value > low)) return static_cast<T>(std::numeric_limits<Signed>::min());
  if (value >= high) return static_cast<T>(std::numeric_limits<Signed>::max());
  return static_cast<T>(static_cast<Signed>(value));
}

template <typename T>
GemmFactor<T> FactorOf(const Tensor& tensor, bool transpose) {
  const T* data = reinterpret_cast<const T*>(tensor.raw_data());
  const int64_t row = tensor.strides()[0];
  const int64_t column = tensor.strides()[1];
  return transpose ? GemmFactor<T>{data, column, row} : GemmFactor<T>{data, row, column};
}

// Calls edit(row of Y, row of C or null, columns) for every row of every block.
template <typename T, typename Edit>
void Multiply(const KernelContext& ctx, const GemmShape& shape, const GemmFactor<T>& a,
              const GemmFactor<T>& b, const Addend& addend, T* y, const Edit& edit) {
  Gemm<T>(ctx.pool(), shape, a, b, {y, shape.n}, [&](const GemmBlock& block) {
    for (int64_t i = block.row_begin; i < block.row_end; ++i) {
      const T* c = nullptr;
      if (addend.tensor.defined()) {
        c = reinterpret_cast<const T*>(addend.tensor.raw_data()) + i * addend.row_stride +
            block.column_begin * addend.column_stride;
      }
      edit(y + i * shape.n + block.column_begin, c, block.column_end - block.column_begin);
    }
  });
}

template <typename T>
void MultiplyFloats(const KernelContext& ctx, const GemmAttributes& attributes,
                    const Activation& activation, const GemmShape& shape, const GemmFactor<T>& a,
                    const GemmFactor<T>& b, const Addend& addend, T* y) {
  const T alpha = static_cast<T>(attributes.alpha);
  const T beta = static_cast<T>(attributes.beta);
  const int64_t step = addend.column_stride;
  Multiply<T>(ctx, shape, a, b, addend, y, [&](T* row, const T* c, int64_t count) {
    if (alpha != T{1}) {
      for (int64_t j = 0; j < count; ++j) row[j] *= alpha;
    }
    if (c != nullptr && step == 1 && beta == T{1}) {
      for (int64_t j = 0; j < count; ++j) row[j] += c[j];
    } else if (c != nullptr) {
      for (int64_t j = 0; j < count; ++j) row[j] += beta * c[j * step];
    }
    activation.Apply(row, count);
  });
}

template <typename T, typename Signed>
void MultiplyIntegers(const KernelContext& ctx, const GemmAttributes& attributes,
                      const GemmShape& shape, const GemmFactor<T>& a, const GemmFactor<T>& b,
                      const Addend& addend, T* y) {
  Multiply<T>(ctx, shape, a, b, addend, y, [&](T* row, const T* c, int64_t count) {
    for (int64_t j = 0; j < count; ++j) {
      row[j] = CombineIntegers<T, Signed>(row[j], attributes.alpha,
                                          c == nullptr ? T{0} : c[j * addend.column_stride],
                                          attributes.beta);
    }
  });
}

}  // namespace

GemmAttributes::GemmAttributes(const KernelInit& node)
    : alpha(node.Float("alpha")),
      beta(node.Float("beta")),
      transpose_a(node.Flag("transA")),
      transpose_b(node.Flag("transB")),
      broadcast(node.node().domain != kOnnxDomain || node.version() >= 7 ||
                node.Int("broadcast", 0) != 0) {}

absl::StatusOr<Activation> ReadActivation(const KernelInit& node, absl::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("activation is required");
  // Selu has no beta, but a gamma.
  std::vector<float> parameters;
  for (const char* attribute :
       {"activation_alpha", name == "Selu" ? "activation_gamma" : "activation_beta"}) {
    if (!node.Has(attribute)) break;
    parameters.push_back(node.Float(attribute));
  }
  return Activation::Make(name, parameters);
}

absl::Status RunGemm(KernelContext& ctx, const GemmAttributes& attributes,
                     const Activation& activation) {
  const DType dtype = ctx.Input(0).dtype();
  const bool narrow = IsNarrowFloat(dtype);
  const auto load = [&](int index) {
    return narrow ? LoadStridedTensor<float>(ctx, ctx.Input(index))
                  : absl::StatusOr<Tensor>(ctx.Input(index));
  };
  OC_ASSIGN_OR_RETURN(const Tensor a, load(0));
  OC_ASSIGN_OR_RETURN(const Tensor b, load(1));
  if (a.rank() != 2 || b.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("A and B must be matrices, not ", a.TypeString(), " and ", b.TypeString()));
  }
  const int64_t m = a.dim(attributes.transpose_a ? 1 : 0);
  const int64_t k = a.dim(attributes.transpose_a ? 0 : 1);
  const int64_t n = b.dim(attributes.transpose_b ? 0 : 1);
  if (b.dim(attributes.transpose_b ? 1 : 0) != k) {
    return absl::InvalidArgumentError(
        absl::StrCat("A, ", a.TypeString(), attributes.transpose_a ? " transposed" : "", ", has ",
                     k, " columns, but B, ", b.TypeString(),
                     attributes.transpose_b ? " transposed" : "", ", has not as many rows"));
  }
  Addend addend;
  // With beta 0 the values of C do not count, not even NaN.
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(const Tensor c, load(2));
    OC_ASSIGN_OR_RETURN(addend, AddendOf(c, m, n, attributes.broadcast));
    if (attributes.beta == 0.0f) addend = {};
  }
  const GemmShape shape = {m, n, k};
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(a.dtype(), {m, n}));
  std::byte* data = y.mutable_raw_data();
  const auto floats = [&]<typename T>(T) {
    MultiplyFloats<T>(ctx, attributes, activation, shape, FactorOf<T>(a, attributes.transpose_a),
                      FactorOf<T>(b, attributes.transpose_b), addend, reinterpret_cast<T*>(data));
  };
  const auto integers = [&]<typename Signed>(Signed) {
    using T = std::make_unsigned_t<Signed>;
    MultiplyIntegers<T, Signed>(ctx, attributes, shape, FactorOf<T>(a, attributes.transpose_a),
                                FactorOf<T>(b, attributes.transpose_b), addend,
                                reinterpret_cast<T*>(data));
  };
  if (!IsFloatingPoint(dtype) && !activation.is_identity()) {
    return absl::UnimplementedError("activations of integers are not supported");
  }
  switch (a.dtype()) {
    case DType::kFloat:
      floats(float{});
      break;
    case DType::kDouble:
      floats(double{});
      break;
    case DType::kInt32:
      integers(int32_t{});
      break;
    case DType::kInt64:
      integers(int64_t{});
      break;
    case DType::kUint32:
      integers(uint32_t{});
      break;
    case DType::kUint64:
      integers(uint64_t{});
      break;
    default:
      return absl::UnimplementedError(
          absl::StrCat("Gemm of ", DTypeName(dtype), " is not supported"));
  }
  if (narrow) {
    OC_ASSIGN_OR_RETURN(y, StoreTensor<float>(ctx, y, dtype));
  }
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace onnxcmp
