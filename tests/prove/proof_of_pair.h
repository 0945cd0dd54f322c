// Proofs of two models written down in a test.
#ifndef ONNXCMP_TESTS_PROVE_PROOF_OF_PAIR_H_
#define ONNXCMP_TESTS_PROVE_PROOF_OF_PAIR_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/tensor/tensor.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {

// Of two bodies of a model from float[2,4] x to y, with other random numbers for each seed.
ProofReport ProofOfBodies(const std::string& left, const std::string& right, uint64_t seed = 0);

// Of two whole models' texts, each fed its x as its first input.
ProofReport ProofOfModels(const std::string& left, const std::string& right,
                          const Tensor& x = GivenX(), uint64_t seed = 0);

// A node of a body that is a number.
std::string Constant(const std::string& name, const std::string& number);

// Two bodies that are the same, and one that is not the same as the first.
struct ProofCase {
  std::string left, right, faulty;
};
void ExpectProofs(absl::Span<const ProofCase> cases);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_PROVE_PROOF_OF_PAIR_H_
