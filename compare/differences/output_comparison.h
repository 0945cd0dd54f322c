// Whether the outputs of two models agree.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_OUTPUT_COMPARISON_H_
#define ONNXCMP_COMPARE_DIFFERENCES_OUTPUT_COMPARISON_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compare/differences/value_difference.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

struct NamedOutput {
  std::string name;
  Value value;
  // What is known of how it was computed, which decides the tolerance; null: its type alone does.
  const StreamResult* result = nullptr;
};

struct OutputPair {
  std::string left;
  std::string right;
  std::string type;  // of the left value
  bool same_bits = false;
  ValueDifference difference;
};

struct OutputComparison {
  bool agree = true;
  std::vector<OutputPair> pairs;  // in the left model's order
  std::vector<std::string> only_left;
  std::vector<std::string> only_right;
};

// Outputs are paired by name; those that are left over, by position.
OutputComparison CompareOutputs(absl::Span<const NamedOutput> left,
                                absl::Span<const NamedOutput> right,
                                const ToleranceOptions& options);

// A pair in a line or two.
std::vector<std::string> DescribeOutput(const OutputPair& pair);

// That for each pair, and the verdict as the last line.
std::vector<std::string> DescribeOutputs(const OutputComparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_OUTPUT_COMPARISON_H_
