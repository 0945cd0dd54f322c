// The scale or bias of a normalization over the last axes.
#ifndef ONNXCMP_OPS_NN_LANE_PARAMETER_H_
#define ONNXCMP_OPS_NN_LANE_PARAMETER_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {

// A row of C for every lane.
template <typename C>
class LaneParameter {
 public:
  // Input `index`, which must broadcast to x_shape; lanes begin at `axis`. `name` is for errors.
  absl::Status Load(const KernelContext& ctx, int index, absl::string_view name,
                    const Shape& x_shape, int axis) {
    const Tensor& parameter = ctx.Input(index);
    const int rank = static_cast<int>(x_shape.size());
    Shape strides(x_shape.size(), 0);
    const int missing = rank - parameter.rank();
    bool broadcasts = missing >= 0;
    bool per_lane = false;
    for (int i = std::max(missing, 0); broadcasts && i < rank; ++i) {
      const size_t at = static_cast<size_t>(i);
      const int64_t dim = parameter.dim(i - missing);
      if (dim != 1) {
        broadcasts = dim == x_shape[at];
        strides[at] = parameter.strides()[static_cast<size_t>(i - missing)];
        per_lane |= i < axis;
      }
    }
    if (!broadcasts) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " of shape [", ShapeToString(parameter.shape()),
                       "] does not broadcast to [", ShapeToString(x_shape), "]"));
    }
    const size_t first = per_lane ? 0 : static_cast<size_t>(axis);
    const Tensor rows =
        parameter.Strided(absl::MakeConstSpan(x_shape).subspan(first),
                          absl::MakeConstSpan(strides).subspan(first), parameter.offset());
    OC_ASSIGN_OR_RETURN(rows_, LoadTensor<C>(ctx, rows));
    stride_ = per_lane ? LanesFrom(x_shape, axis).length : 0;
    return absl::OkStatus();
  }
  // Null for an input that is absent.
  const C* Row(int64_t lane) const {
    return rows_.defined() ? rows_.template data<C>() + lane * stride_ : nullptr;
  }

 private:
  Tensor rows_;
  int64_t stride_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_NN_LANE_PARAMETER_H_
