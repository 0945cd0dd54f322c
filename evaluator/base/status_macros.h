// Early return on an error, for functions that return absl::Status or absl::StatusOr.
#ifndef ONNXCMP_EVALUATOR_BASE_STATUS_MACROS_H_
#define ONNXCMP_EVALUATOR_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define OC_CONCAT_INNER(a, b) a##b
#define OC_CONCAT(a, b) OC_CONCAT_INNER(a, b)

// OC_RETURN_IF_ERROR(CheckShape(x));
#define OC_RETURN_IF_ERROR(expr)                            \
  do {                                                      \
    if (absl::Status oc_status = (expr); !oc_status.ok()) { \
      return oc_status;                                     \
    }                                                       \
  } while (false)

// OC_ASSIGN_OR_RETURN(Tensor x, ContiguousInput(0));
#define OC_ASSIGN_OR_RETURN(lhs, expr) \
  OC_ASSIGN_OR_RETURN_INNER(OC_CONCAT(oc_statusor_, __LINE__), lhs, expr)
#define OC_ASSIGN_OR_RETURN_INNER(temporary, lhs, expr) \
  auto temporary = (expr);                              \
  if (!temporary.ok()) {                                \
    return std::move(temporary).status();               \
  }                                                     \
  lhs = *std::move(temporary)

#endif  // ONNXCMP_EVALUATOR_BASE_STATUS_MACROS_H_
