// One pair of results in depth: plain data that a renderer prints.
#ifndef ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_
#define ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/differences/tensor_difference.h"
#include "compare/pictures/decades.h"
#include "compare/shadow/shadow.h"
#include "compare/streams/result_stream.h"
#include "compare/text/attribute_text.h"

namespace onnxcmp {

struct ExplainedInput {
  int left = kNone;  // results
  int right = kNone;
  // They are no pair of the alignment.
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
  int64_t equal = 0;                           // elements; those that are NaN on both sides too
  int64_t not_finite = 0;                      // differences
  std::vector<DecadeCount> decades;            // the greatest first
  std::vector<ExplainedElement> worst;
  // How far the right's node is from the left's result when it is given the left's inputs, and how
  // far it moves when it is given its own.
  std::optional<double> own, inherited;
  // How far both are from the left model in double.
  std::optional<TruthDistance> left_truth, right_truth;
  std::vector<int> left_readers, right_readers;  // results of the nodes that read it
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_EXPLAIN_EXPLANATION_H_
