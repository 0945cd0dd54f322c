// Traces of the values of a run over a field, pairs of them, and values of inputs there.
#ifndef ONNXCMP_PROVE_VALUE_TRACE_H_
#define ONNXCMP_PROVE_VALUE_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field_value.h"
#include "record/base/per_side.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

class ConstantFacts;

// The residues of a value.
struct ResidueTrace {
  Hash128 hash;
  bool known = true;  // no element is NaN, or unknown, in exact arithmetic
};

// The summary of a value that outlives it.
struct ValueTrace {
  // Its residues; of a constant, they are computed when somebody asks.
  const ResidueTrace& residues() const;

  Value constant;  // a tensor that is known by its content; empty: a value of residues
  Hash128 content;
  std::vector<int64_t> shape;
  bool exact = true;
  bool shaped = false;
  bool fixed = false;
  bool wraps = false;
  bool real = false;
  DType dtype = DType::kUndefined;
  const PrimeField* field = nullptr;  // it outlives the trace
  mutable std::optional<ResidueTrace> made;
};
using Traces = absl::flat_hash_map<std::string, ValueTrace>;

// A pair of values of the two main graphs, from a row of the alignment.
struct ProofPair {
  size_t row = 0;
  std::string left;
  std::string right;
  uint64_t key = 0;
  bool may_be_fold = false;  // a constant of one side against what the other computes
  bool left_is_leaf = false;
  bool both_are_leaves = false;
};

std::vector<ProofPair> PairsOf(const Comparison& comparison);

absl::StatusOr<ValueTrace> TraceOf(const PrimeField& field, ConstantFacts* constants,
                                   const FieldValue& value);

// True if the values are known to be equal.
bool AreEqual(const ValueTrace& a, const ValueTrace& b);
// The same of values by their names; false if one is not traced.
bool AreEqual(const PerSide<Traces>& traces, const std::string& left, const std::string& right);

bool IsRealTensor(const Value& value);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_VALUE_TRACE_H_
