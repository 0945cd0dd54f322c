// The recurrences of linear attention: a state S (keys x values) for every head, and at every step
//   linear:       S = S + k (x) v                  gated:       S = exp(g) S + k (x) v
//   delta:        S = S + b k (x) (v - S^T k)      gated_delta: delta with exp(g) S in place of S
// with o = scale S^T q.
#ifndef ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_RECURRENCE_H_
#define ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_RECURRENCE_H_

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {

struct UpdateRule {
  bool gated = false;  // the state decays
  bool delta = false;  // the part of a value that the state has already is not added
};
inline absl::StatusOr<UpdateRule> ParseUpdateRule(const std::string& name) {
  if (name == "linear") return UpdateRule{};
  if (name == "gated") return UpdateRule{.gated = true};
  if (name == "delta") return UpdateRule{.delta = true};
  if (name == "gated_delta") return UpdateRule{.gated = true, .delta = true};
  return absl::InvalidArgumentError(
      absl::StrCat("update_rule \"", name, "\" is none of linear, gated, delta and gated_delta"));
}

// The operands of one step of one head.
template <typename C>
struct RecurrenceStep {
  int64_t key_size;
  int64_t value_size;
  const C* key;
  const C* value;
  const C* decay = nullptr;    // g; null: none
  bool decay_by_head = false;  // else a number for each element of the key
  const C* beta = nullptr;     // b; null: no delta rule
};

// Updates the state (key_size x value_size); `added` is left with what was added times the key.
template <typename C>
void UpdateState(const RecurrenceStep<C>& step, C* state, C* added) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const int64_t columns = step.value_size;
  if (step.decay != nullptr) {
    for (int64_t i = 0; i < step.key_size; ++i) {
      C factor = 0;
      vec::Exp(step.decay + (step.decay_by_head ? 0 : i), 1, &factor);
      Row(state + i * columns, columns) *= factor;
    }
  }
  Row residual(added, columns);
  residual = ConstRow(step.value, columns);
  if (step.beta != nullptr) {
    for (int64_t i = 0; i < step.key_size; ++i) {
      residual -= step.key[i] * ConstRow(state + i * columns, columns);
    }
    residual *= *step.beta;
  }
  for (int64_t i = 0; i < step.key_size; ++i) {
    Row(state + i * columns, columns) += step.key[i] * residual;
  }
}

// out = scale * state^T * query.
template <typename C>
void ReadState(const C* state, const C* query, int64_t key_size, int64_t value_size, C scale,
               C* out) {
  Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>> y(out, value_size);
  y.setZero();
  for (int64_t i = 0; i < key_size; ++i) {
    y += query[i] *
         Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>(state + i * value_size, value_size);
  }
  y *= scale;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ATTENTION_LINEAR_RECURRENCE_H_
