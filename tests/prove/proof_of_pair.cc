#include "tests/prove/proof_of_pair.h"

#include <gtest/gtest.h>

#include <memory>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "prove/prove.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {

ProofReport ProofOfBodies(const std::string& left, const std::string& right, uint64_t seed) {
  const auto text = [](const std::string& body) {
    return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
  };
  return ProofOfModels(text(left), text(right), GivenX(), seed);
}

ProofReport ProofOfModels(const std::string& left, const std::string& right, const Tensor& x,
                          uint64_t seed) {
  const std::unique_ptr<ModelSide> a = SideFedWith(x, left);
  const std::unique_ptr<ModelSide> b = SideFedWith(x, right);
  if (a == nullptr || b == nullptr) return {};
  const absl::StatusOr<Comparison> comparison = Compare(*a, *b);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  const ThreadPool pool(2);
  return ProveEqual({a.get(), b.get()}, *comparison, {.seed = seed, .pool = &pool});
}

std::string Constant(const std::string& name, const std::string& number) {
  return name + " = Constant<value_float = " + number + ">() ";
}

void ExpectProofs(absl::Span<const ProofCase> cases) {
  for (const ProofCase& one : cases) {
    EXPECT_TRUE(ProofOfBodies(one.left, one.right).proved) << one.right;
    EXPECT_FALSE(ProofOfBodies(one.left, one.faulty).proved) << one.faulty;
  }
}

}  // namespace onnxcmp::testing
