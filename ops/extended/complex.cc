#include <complex>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kComplexDomain = "ai.onnx.complex";

// ToComplex (ai.onnx.complex 1): pairs (real, imaginary) along the last axis, or real parts alone,
// as complex numbers; the axis goes.
absl::Status ToComplex(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  if (x.rank() == 0 || (x.shape().back() != 1 && x.shape().back() != 2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the last axis of ", x.TypeString(), " has neither one element nor two"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor parts, ctx.ContiguousInput(0));
  const Shape shape(x.shape().begin(), x.shape().end() - 1);
  const auto convert = [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<std::complex<C>>, shape));
    const C* from = parts.data<C>();
    auto* to = y.mutable_data<std::complex<C>>();
    const int64_t step = x.shape().back();
    for (int64_t i = 0; i < y.num_elements(); ++i) {
      to[i] = {from[i * step], step == 2 ? from[i * step + 1] : C{0}};
    }
    return ctx.SetOutput(0, std::move(y));
  };
  return DispatchFloat(x.dtype(), convert);
}

// ComplexModule (ai.onnx.complex 1): |x|.
absl::Status ComplexModule(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const DType part = x.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
  OC_ASSIGN_OR_RETURN(Tensor y, Elementwise(Classes<std::complex<double>>{}, ctx,
                                            std::array<const Tensor*, 1>{&x}, part, [](auto v) {
                                              return v.unaryExpr([](std::complex<double> c) {
                                                return std::abs(c);
                                              });
                                            }));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterExtendedComplex(OpRegistry& registry) {
  registry.Add(kComplexDomain, "ToComplex", {1}, ToComplex);
  registry.Add(kComplexDomain, "ComplexModule", {1}, ComplexModule);
}

}  // namespace onnxcmp
