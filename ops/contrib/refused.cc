#include "ops/contrib/refused.h"

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kCompiled =
    "it holds a model that was compiled for one device, in a format of that device's vendor";
constexpr absl::string_view kPlugin =
    "it stands for a TensorRT plugin, which is defined by code of TensorRT's alone";
constexpr absl::string_view kShapeless =
    "the shape of its result is in none of its inputs, only in the graph's shape information";
constexpr absl::string_view kBlockFloat =
    "the format of its block floating point numbers is open in onnxruntime, which has no kernel";

constexpr absl::string_view kSparse =
    "the way it selects keys is defined by onnxruntime's CUDA kernels alone";

constexpr absl::string_view kSelected =
    "the codes of its validation, and what it makes of selections that no query may see, are "
    "defined by onnxruntime's CUDA kernels alone";
constexpr absl::string_view kRing =
    "it writes records into a ring in the memory of a device, and neither what they hold nor how "
    "the lengths of its control words advance is documented";

constexpr RefusedOperator kRefused[] = {
    {kMicrosoftDomain, "DequantizeBFP", 1, kBlockFloat},
    {kMicrosoftDomain, "DynamicSparseAttention", 1, kSelected},
    {kMicrosoftDomain, "EPContext", 1, kCompiled},
    {kMicrosoftDomain, "PackedSparseAttentionIndexer", 1, kSparse},
    {kMicrosoftDomain, "QuantizeBFP", 1, kBlockFloat},
    {kMicrosoftDomain, "Snpe", 1, kCompiled},
    {kMicrosoftDomain, "SparseAttentionIndexer", 1, kSparse},
    {kMicrosoftDomain, "SparsePagedAttention", 1, kSparse},
    {kMicrosoftDomain, "SpeculativePrefixCommit", 1, kRing},
    {kOnnxDomain, "AveragePoolGrad", 9, kShapeless},
    {kOnnxDomain, "DisentangledAttention_TRT", 1, kPlugin},
    {kOnnxDomain, "EfficientNMS_TRT", 1, kPlugin},
    {kOnnxDomain, "MaxPoolGrad", 9, kShapeless},
    {kOnnxDomain, "MultilevelCropAndResize_TRT", 1, kPlugin},
    {kOnnxDomain, "PyramidROIAlign_TRT", 1, kPlugin},
    {"org.pytorch.aten", "ATen", 1, "it calls an operator of PyTorch's by its name"},
};

// The operators of RefusedOperators(): the plan fails, and says which node it is and why.
void RegisterAsRefused(OpRegistry& registry, const RefusedOperator& refused) {
  registry.Add(refused.domain, refused.op_type, {refused.version},
               [reason = refused.reason](const KernelInit&) {
                 return absl::UnimplementedError(absl::StrCat("cannot be evaluated: ", reason));
               });
}

}  // namespace

absl::Span<const RefusedOperator> RefusedOperators() { return kRefused; }

void RegisterContribRefused(OpRegistry& registry) {
  for (const RefusedOperator& refused : kRefused) RegisterAsRefused(registry, refused);
}

}  // namespace onnxcmp
