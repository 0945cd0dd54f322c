// The findings of a proof that two models are equal for all inputs, as plain data.
#ifndef ONNXCMP_COMPARE_OUTCOME_PROOF_REPORT_H_
#define ONNXCMP_COMPARE_OUTCOME_PROOF_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/causes/repro.h"

namespace onnxcmp {

// kProved: equal for all inputs. kProvedOn: equal for all inputs if the rows before it that are not
// proved are. kNotProved: nothing is known. kDiffers: unequal in exact arithmetic, at almost all
// inputs, though the rows before it are equal. kNotLookedAt: no pair, or of other shapes.
enum class RowProof : uint8_t { kProved, kProvedOn, kNotProved, kDiffers, kNotLookedAt };

// A node at which a proof ends, or that counts as an unknown function.
struct ProofEnd {
  std::string node;
  std::string op_type;
  std::string why;

  friend bool operator==(const ProofEnd&, const ProofEnd&) = default;
};

// An output, or a row at which the two models part.
struct ProofRow {
  std::string left;
  std::string right;
  RowProof proof = RowProof::kNotProved;
  std::string why;  // "" if proved
};

// A constant of one side that the other computes: in the proof it is what is computed.
struct ProofFold {
  std::string left;
  std::string right;
  int64_t ulp = 0;  // how far the constant is from the other's float
};

// The finding at other sizes of free dimensions.
struct ProofSizes {
  std::string sizes;  // "batch 2, sequence 5"
  bool proved = false;
  std::string why;  // why nothing was proved there, or what is not proved; "" if proved
};

// Places of a rewrite that differ by themselves, on inputs that no run reached.
struct RewriteFault {
  std::string what;          // as Rewrite::what
  std::vector<size_t> rows;  // the first row of each place
  std::string counterexample;
  // Only on NaN, infinities and overflow, which exact arithmetic does not have: no mistake.
  bool at_ends = false;
  std::shared_ptr<const Repro> repro;  // both sides alone; null if there are no values to show
  std::string folder;                  // where that was written; "" if it was not
};

// A constant that one side has in fewer digits: each of its elements is the nearest number of the
// type to the other side's.
struct ProofConversion {
  std::string constant;  // of the side that has it exactly
  std::string type;      // "float16", "int8"
  int64_t elements = 0;
  int64_t zeros = 0;         // of these, so small that they became 0, or nearly
  int64_t out_of_range = 0;  // of these, beyond the greatest number of the type: they became that
};

// Results that a side rounds to a type's codes.
struct ProofRoundedResults {
  std::string type;
  std::vector<std::string> nodes;  // each cuts what lies beyond the codes
};

// The finding if constants and results that one side has in fewer digits are the exact numbers that
// they were rounded from.
struct ProofConversions {
  // All outputs of both sides are the same with exact numbers, but not without.
  bool proved = false;
  std::string side;  // the one that has fewer digits
  std::vector<ProofConversion> constants;
  std::vector<ProofRoundedResults> results;
  std::vector<std::string> outputs;  // of another type than the other side's: "y: float16"
  std::string parts_at;  // if not proved: the first pair that differs with exact numbers, too
};

// A proof is as many runs, which have to agree. In each of them functions of degree d that are not
// the same are so by accident with a chance of d / 2^43: 2^-23 up to a degree of 2^20.
inline constexpr int kProofRuns = 3;
inline constexpr int kProofChanceBits = 23 * kProofRuns;

struct ProofReport {
  // All outputs of both sides are proved.
  bool proved = false;
  std::string failure;       // why the comparison fails by it, if that was asked for; else ""
  std::string not_possible;  // why there was no proof at all; "" if there was one
  std::vector<ProofRow> outputs;
  std::vector<RowProof> rows;  // by row of the alignment
  // Rows at which the sides part, in order: what is before them is equal.
  std::vector<ProofRow> parted;
  std::vector<ProofEnd> left_ends, right_ends;
  std::vector<ProofEnd> left_functions, right_functions;
  std::vector<std::string> given;    // inputs that did not vary: whole numbers, text
  std::vector<std::string> guessed;  // inputs whose pairing was guessed: "x = input0"
  bool given_shapes = false;         // shapes that depend on values are as they were in the run
  // Functions that jump, of which the arguments are the same, but rounded in other ways: "Floor f".
  std::vector<std::string> rounded_jumps;
  bool masks = false;                  // -10000 and less count as -infinity in a Softmax
  std::vector<std::string> constants;  // "1/3", "sqrt(2)": numbers that floats stand for
  std::vector<ProofFold> folds;
  ProofConversions conversions;
  std::vector<RewriteFault> rewrite_faults;
  std::vector<ProofSizes> sizes;  // none: no dimension is free
  int64_t results = 0;            // pairs that were looked at
  int64_t proved_results = 0;     // of these, kProved or kProvedOn
  double seconds = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_PROOF_REPORT_H_
