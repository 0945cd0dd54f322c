// One pair of results in depth, as plain data for a renderer.
#ifndef ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_
#define ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/alignment/claim.h"
#include "compare/in_double/shadow.h"
#include "compare/pictures/decades.h"
#include "record/base/per_side.h"
#include "record/differences/tensor_difference.h"
#include "record/streams/result_stream.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {

struct ExplainedInput {
  int left = kNone;  // results
  int right = kNone;
  // They are not paired by the alignment.
  bool not_paired = false;
  bool same_bits = false;
  std::optional<TensorDifference> difference;
};

struct ExplainedElement {
  std::string index, left, right;
  std::string in_double;  // "" if it is not known
  double absolute = 0;
};

struct Explanation {
  size_t row = 0;
  int left = kNone;  // the pair; kNone if there is no partner
  int right = kNone;
  std::vector<AttributePair> attributes;
  std::vector<ExplainedInput> inputs;
  std::optional<TensorDifference> difference;  // nothing if the bits are the same
  int64_t equal = 0;                           // elements, including NaN on both sides
  int64_t not_finite = 0;                      // number of differences
  std::vector<DecadeCount> decades;            // the greatest first
  std::vector<ExplainedElement> worst;
  // Local and propagated error: the distance of the right's node from the left's result on the
  // left's inputs, and how far it moves on its own inputs.
  std::optional<double> own, inherited;
  // Distances of both from the left model in double.
  std::optional<TruthDistance> left_truth, right_truth;
  // Distance of one side's result from the same one with all sums before it in reverse order, and
  // how many these are: of the left if it runs in our interpreter, else of the right.
  std::optional<double> order;
  SideId order_side = SideId::kLeft;
  int64_t order_sums = 0;
  // Claims on the two, the surest first.
  std::vector<Claim> claims;
  std::vector<int> left_readers, right_readers;  // results of the nodes that read it
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_
