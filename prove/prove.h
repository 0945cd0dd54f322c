// Proves that two models are equal for all inputs of these shapes, as far as that is so and can be
// proved: docs/proof.md.
#ifndef ONNXCMP_PROVE_PROVE_H_
#define ONNXCMP_PROVE_PROVE_H_

#include <cstdint>

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

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_PROVE_H_
