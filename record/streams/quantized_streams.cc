#include "record/streams/quantized_streams.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// True if two quantized sides share most of their integers, scales and zero points.
bool QuantizedAlike(const ResultStream& left, const ResultStream& right) {
  absl::flat_hash_set<Hash128> theirs;
  for (const StreamResult& result : left.results) theirs.insert(result.fingerprint.elements);
  int64_t constants = 0;
  int64_t common = 0;
  absl::flat_hash_set<int> seen;
  for (const StreamNode& node : right.nodes) {
    if (!Quantizes(node.op_type)) continue;
    for (const int input : node.inputs) {
      if (input == kNone || !seen.insert(input).second) continue;
      const StreamResult& result = right.results[Index(input)];
      if (result.kind != ResultKind::kInitializer) continue;
      // Most zero points are 0.
      if (result.fingerprint.size == 1 && IsInteger(result.dtype)) continue;
      ++constants;
      common += theirs.contains(result.fingerprint.elements) ? 1 : 0;
    }
  }
  return 2 * common >= constants;
}

}  // namespace

bool AnyOperator(const ResultStream& stream, absl::FunctionRef<bool(absl::string_view)> asked) {
  absl::flat_hash_set<absl::string_view> seen;
  return std::any_of(stream.nodes.begin(), stream.nodes.end(), [&](const StreamNode& node) {
    return seen.insert(node.op_type).second && asked(node.op_type);
  });
}

bool IsQuantized(const ResultStream& stream) { return AnyOperator(stream, Quantizes); }

bool DifferInQuantization(const ResultStream& left, const ResultStream& right) {
  const bool left_is = IsQuantized(left);
  const bool right_is = IsQuantized(right);
  return left_is != right_is || (left_is && !QuantizedAlike(left, right));
}

}  // namespace onnxcmp
