// Rewrites: results that one side computes in another way, and the proof of them.
#ifndef ONNXCMP_PROVE_REWRITES_H_
#define ONNXCMP_PROVE_REWRITES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"

namespace onnxcmp {

// The proof's finding on a row. kNotLookedAt, too, if there is no proof.
RowProof RowProofOf(const Comparison& comparison, size_t row);
// "proved", "proved given those before", "not proved", ...; "" for kNotLookedAt.
absl::string_view RowProofName(RowProof proof);

// From the worst.
enum class RewriteState : uint8_t {
  kDiffersExactly,  // differs in exact arithmetic
  kDifferent,       // not proved, and numbers differ
  kDiffersAlone,    // not proved, and differs by itself on inputs that no run reached
  kTested,          // not proved; numbers agree
  kProved,          // given that all pairs before it are the same
};
absl::string_view RewriteStateName(RewriteState state);  // "proved", "tested", ...

// A place of a rewrite: its rows, and its nodes on both sides; none for a constant.
struct RewritePlace {
  std::vector<size_t> rows;
  std::vector<int> left, right;
};

// Places with the same rewrite and the same finding.
struct Rewrite {
  std::string what;  // "Div+Erf+Add+Mul+Mul → Gelu"
  RewriteState state = RewriteState::kTested;
  std::vector<RewritePlace> places;
  const RewriteFault* fault = nullptr;  // of kDiffersAlone, or one at ends; the proof's
};

// Each distinct one once, those that are not proved first; none without a proof. If all outputs are
// proved, pairs inside that are not are pairs by chance, and no rewrites.
std::vector<Rewrite> FindRewrites(const Comparison& comparison);

// The first finding by which `--fail-on rewrites` fails, "Relu → Clip: differs alone ..."; "" if
// there is none.
std::string RewriteFaultOf(const Comparison& comparison);

// "proved", "differs alone: 8.5 | 6 at a[0,0]", "proved, but overflows: 1 | nan at a[0,0]".
std::string FindingText(const Rewrite& rewrite);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_REWRITES_H_
