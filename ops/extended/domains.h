// The domains of onnx-extended's custom kernels, and of yaourt, which took them over.
#ifndef ONNXCMP_OPS_EXTENDED_DOMAINS_H_
#define ONNXCMP_OPS_EXTENDED_DOMAINS_H_

#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {

inline constexpr absl::string_view kOptimCpuDomain = "onnx_extended.ortops.optim.cpu";
inline constexpr absl::string_view kOptimCudaDomain = "onnx_extended.ortops.optim.cuda";
inline constexpr absl::string_view kTutorialCpuDomain = "onnx_extended.ortops.tutorial.cpu";
inline constexpr absl::string_view kTutorialCudaDomain = "onnx_extended.ortops.tutorial.cuda";
inline constexpr absl::string_view kYaourtCudaDomain = "yaourt.ortops.fused_kernel.cuda";
inline constexpr absl::string_view kYaourtSparseDomain = "yaourt.ortops.sparse.cpu";

// A CUDA kernel under both of its names.
template <typename K>
void AddFusedKernel(OpRegistry& registry, absl::string_view op_type, const K& kernel) {
  registry.Add(kOptimCudaDomain, op_type, {1}, kernel);
  registry.Add(kYaourtCudaDomain, op_type, {1}, kernel);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_EXTENDED_DOMAINS_H_
