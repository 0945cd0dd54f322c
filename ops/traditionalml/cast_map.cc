#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/number_text.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// The elements of a contiguous tensor as dtype, the way Cast does it.
absl::StatusOr<Tensor> CastElements(const KernelContext& ctx, const Tensor& from, DType dtype) {
  if (from.dtype() == dtype) return from;
  OC_ASSIGN_OR_RETURN(Tensor to, ctx.Allocate(dtype, from.shape()));
  if (dtype == DType::kString) {
    FormatElements(from, to.mutable_string_data());
  } else if (from.dtype() == DType::kString) {
    OC_RETURN_IF_ERROR(ParseElements(from.string_data(), Overflow::kIeee, &to));
  } else {
    LoadElements(from.dtype(), from.raw_data(), 0, from.num_elements(), to.mutable_data<int64_t>());
  }
  return to;
}

// CastMap (ai.onnx.ml 1): the values of a map as one row, cast as Cast casts: in the order of the
// keys (DENSE), or each at its key among max_map elements, which are 0 or "" otherwise (SPARSE). A
// key below 0 or from max_map on is an error there.
absl::StatusOr<Kernel> CastMap(const KernelInit& node) {
  const std::string cast_to = node.String("cast_to");
  const std::string form = node.String("map_form");
  const int64_t length = node.Int("max_map");
  DType dtype = DType::kUndefined;
  if (cast_to == "TO_FLOAT") dtype = DType::kFloat;
  if (cast_to == "TO_STRING") dtype = DType::kString;
  if (cast_to == "TO_INT64") dtype = DType::kInt64;
  if (dtype == DType::kUndefined) {
    return absl::InvalidArgumentError(absl::StrCat("cast_to '", cast_to, "' is unknown"));
  }
  if (form != "DENSE" && form != "SPARSE") {
    return absl::InvalidArgumentError(absl::StrCat("map_form '", form, "' is unknown"));
  }
  const bool sparse = form == "SPARSE";
  if (sparse && length < 1) {
    return absl::InvalidArgumentError(absl::StrCat("max_map is ", length));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Map* map, ctx.MapInput(0));
    OC_ASSIGN_OR_RETURN(const Tensor keys, ctx.Contiguous(map->keys));
    OC_ASSIGN_OR_RETURN(Tensor values, ctx.Contiguous(map->values->tensor()));
    OC_ASSIGN_OR_RETURN(values, CastElements(ctx, values, dtype));
    const absl::Span<const int64_t> key = keys.AsSpan<int64_t>();
    const int64_t size = std::ssize(key);
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(dtype, {1, sparse ? length : size}));
    if (sparse) {
      if (dtype != DType::kString) {
        std::memset(y.mutable_raw_data(), 0, static_cast<size_t>(y.byte_size()));
      }
      for (size_t i = 0; i < key.size(); ++i) {
        if (key[i] < 0 || key[i] >= length) {
          return absl::InvalidArgumentError(
              absl::StrCat("key ", key[i], " has no place among ", length, " elements"));
        }
        if (dtype == DType::kString) {
          y.mutable_string_data()[key[i]] = values.string_data()[i];
        } else if (dtype == DType::kFloat) {
          y.mutable_data<float>()[key[i]] = values.data<float>()[i];
        } else {
          y.mutable_data<int64_t>()[key[i]] = values.data<int64_t>()[i];
        }
      }
      return ctx.SetOutput(0, std::move(y));
    }
    std::vector<int64_t> order(key.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return key[static_cast<size_t>(a)] < key[static_cast<size_t>(b)];
    });
    GatherBlocks(values, 1, 0, order, 1, ctx.pool(), &y);
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlCastMap(OpRegistry& registry) { registry.Add(kMlDomain, "CastMap", {1}, CastMap); }

}  // namespace onnxcmp
