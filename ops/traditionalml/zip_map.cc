#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

// The positions of the keys in ascending order; of equal ones the last.
template <typename T>
std::vector<int64_t> Ascending(absl::Span<const T> keys) {
  std::map<T, int64_t> position;
  for (size_t i = 0; i < keys.size(); ++i) position[keys[i]] = static_cast<int64_t>(i);
  std::vector<int64_t> order;
  for (const auto& [key, i] : position) order.push_back(i);
  return order;
}

// ZipMap (ai.onnx.ml 1): for each row of X a map from the class labels to its elements. A vector is
// one row. The maps' keys ascend.
absl::StatusOr<Kernel> ZipMap(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Tensor labels,
                      ReadRequiredLabels(node, "classlabels_int64s", "classlabels_strings"));
  const std::vector<int64_t> order = labels.dtype() == DType::kString
                                         ? Ascending(labels.AsSpan<std::string>())
                                         : Ascending(labels.AsSpan<int64_t>());
  return [labels, order](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
    if (shape.columns != labels.num_elements()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "rows have ", shape.columns, " elements, there are ", labels.num_elements(), " labels"));
    }
    OC_ASSIGN_OR_RETURN(const Tensor keys, PickLabels(ctx, labels, order));
    const int64_t size = keys.num_elements();
    OC_ASSIGN_OR_RETURN(Tensor values, ctx.Allocate(DType::kFloat, {shape.rows, size}));
    GatherBlocks(x, shape.rows, shape.columns, order, 1, ctx.pool(), &values);
    Sequence maps;
    for (int64_t r = 0; r < shape.rows; ++r) {
      Tensor row = values.Strided({size}, {1}, r * size);
      maps.elements.push_back(
          Map{.keys = keys, .values = std::make_shared<const Value>(std::move(row))});
    }
    return ctx.SetOutput(0, std::move(maps));
  };
}

}  // namespace

void RegisterMlZipMap(OpRegistry& registry) { registry.Add(kMlDomain, "ZipMap", {1}, ZipMap); }

}  // namespace onnxcmp
