// Tensors of several branches (streams): (..., C, H), or (..., C * H) where an attribute
// num_branches says how many. BranchwiseRMSNorm, HyperConnectionPreMix, HyperConnectionPostMix.
#ifndef ONNXCMP_OPS_CONTRIB_HYPER_CONNECTIONS_BRANCHES_H_
#define ONNXCMP_OPS_CONTRIB_HYPER_CONNECTIONS_BRANCHES_H_

#include <cstdint>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct Branches {
  Shape outer;       // the dimensions before C
  int64_t rows = 0;  // their product
  int64_t count;     // C
  int64_t size;      // H
  bool flattened;

  // outer, then these.
  Shape WithOuter(std::initializer_list<int64_t> inner) const {
    Shape shape = outer;
    shape.insert(shape.end(), inner);
    return shape;
  }
};

inline absl::StatusOr<Branches> BranchesOf(const Tensor& x, int64_t num_branches) {
  Branches branches;
  branches.flattened = num_branches != 0;
  const int inner = branches.flattened ? 1 : 2;
  if (num_branches < 0 || x.rank() < inner ||
      (branches.flattened && x.shape().back() % num_branches != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(x.TypeString(), " does not hold branches with num_branches ", num_branches));
  }
  branches.outer.assign(x.shape().begin(), x.shape().end() - inner);
  branches.count = branches.flattened ? num_branches : x.dim(x.rank() - 2);
  branches.size = branches.flattened ? x.shape().back() / num_branches : x.shape().back();
  const int64_t row = branches.count * branches.size;
  branches.rows = row == 0 ? 0 : x.num_elements() / row;
  return branches;
}

// How many elements of `gates` (..., C), (..., C, 1), (..., C, H) or, for flattened streams if
// `may_be_flat`, (..., C * H) a branch has: 1 or H.
inline absl::StatusOr<int64_t> GateWidth(absl::string_view name, const Tensor& gates,
                                         const Branches& branches, bool may_be_flat) {
  const Shape& shape = gates.shape();
  const int64_t count = branches.count;
  const int64_t size = branches.size;
  if (shape == branches.WithOuter({count}) || shape == branches.WithOuter({count, 1})) return 1;
  if (shape == branches.WithOuter({count, size})) return size;
  if (may_be_flat && branches.flattened && shape == branches.WithOuter({count * size})) return size;
  return absl::InvalidArgumentError(absl::StrCat(name, " has shape [", ShapeToString(shape),
                                                 "], which does not fit ", count, " branches of ",
                                                 size, " elements each"));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_HYPER_CONNECTIONS_BRANCHES_H_
