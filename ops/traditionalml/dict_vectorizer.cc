#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/key_index.h"

namespace onnxcmp {
namespace {

// 0, or the empty string.
absl::StatusOr<Tensor> Zero(DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor zero, Tensor::Allocate(dtype, {}));
  if (dtype != DType::kString) {
    std::memset(zero.mutable_raw_data(), 0, static_cast<size_t>(zero.byte_size()));
  }
  return zero;
}

// DictVectorizer (ai.onnx.ml 1): Y[i] = X[vocabulary[i]], 0 or "" where the map X has no such key.
// Y has rank 1 as the text says (onnxruntime: one row). Keys that are not in the vocabulary are
// passed over, as everybody does, although the text forbids them.
absl::StatusOr<Kernel> DictVectorizer(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Tensor vocabulary,
                      ReadRequiredLabels(node, "int64_vocabulary", "string_vocabulary"));
  return [vocabulary = std::move(vocabulary)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Map* map, ctx.MapInput(0));
    OC_ASSIGN_OR_RETURN(const Tensor keys, ctx.Contiguous(map->keys));
    OC_ASSIGN_OR_RETURN(const Tensor values, ctx.Contiguous(map->values->tensor()));
    OC_ASSIGN_OR_RETURN(const Tensor zero, Zero(values.dtype()));
    OC_ASSIGN_OR_RETURN(const Tensor table, WithLast(values, zero));
    OC_ASSIGN_OR_RETURN(
        const std::vector<int64_t> found,
        KeyIndex(keys, FloatKeys::kByValue).Find(ctx, vocabulary, values.num_elements()));
    OC_ASSIGN_OR_RETURN(Tensor y, PickElements(ctx, table, found, vocabulary.shape()));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlDictVectorizer(OpRegistry& registry) {
  registry.Add(kMlDomain, "DictVectorizer", {1}, DictVectorizer);
}

}  // namespace onnxcmp
