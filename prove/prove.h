// Proves that two models are equal for all inputs of these shapes, as far as that is so and can be
// proved: docs/proof.md.
#ifndef ONNXCMP_PROVE_PROVE_H_
#define ONNXCMP_PROVE_PROVE_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/side.h"
#include "evaluator/base/thread_pool.h"
#include "feed/input_mapping.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct ProofOptions {
  uint64_t seed = 0;  // of random numbers and functions
  const ThreadPool* pool = nullptr;
  const InputMapping* mapping = nullptr;  // of the sides' inputs: the report tells what it guessed
};

// The sides have the inputs of the comparison, which is of the two. `options.pool` is given.
ProofReport ProveEqual(const PerSide<Side*>& sides, const Comparison& comparison,
                       const ProofOptions& options);

// The same piece by piece: what both sides compute alike is equal as it is, and only the nodes that
// differ run over a field, on unknown values. Nothing unless it proves all outputs and all rows.
// One run over a field for each of `seeds`.
//
// Claims are pairs of values, one of each side. Everything that reads a claimed value reads an
// unknown tensor instead, the same on both sides. If the two values of each claim are the same
// function of the inputs and of all unknown tensors, then they are equal: the left's values solve
// the right's equations, which have one solution. So each claim needs only the nodes between it and
// the next claims, at the least sizes of axes along which these nodes do the same everywhere.
std::optional<ProofReport> ProveByPieces(const PerSide<Side*>& sides, const Comparison& comparison,
                                         const ProofOptions& options,
                                         absl::Span<const uint64_t> seeds);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_PROVE_H_
