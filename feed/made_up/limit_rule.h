// Limits of an input's numbers, by what reads them.
#ifndef ONNXCMP_FEED_MADE_UP_LIMIT_RULE_H_
#define ONNXCMP_FEED_MADE_UP_LIMIT_RULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// The limit of an input's numbers.
struct LimitRule {
  enum class From : uint8_t {
    kNone,
    kAxis,       // the size of input `input` along the axis in `attribute`, `axis` by default
    kAttribute,  // the attribute itself
    kValue,      // the constant in that input
    kTuple,      // the axes of that input that tuples select from
    kRoom,       // as kAxis, the last place where an update fits
  };
  From from = From::kNone;
  size_t input = 0;
  int64_t axis = 0;
  absl::string_view attribute = {};
};

// Name of a node's input; "" if it has none in that slot.
absl::string_view InputOf(const Node& node, size_t slot);

// Takes a size as the limit.
void SetLimit(const std::optional<TracedSize>& size, InputPurpose* found);

// Takes the length of a sequence, which is mostly along the second axis.
void GuessLimit(const Graph& graph, InputPurpose* found);

// Takes the limit that a rule says for a node in `scope`; `root` is the graph of the input.
void TakeLimit(const GraphScope& scope, const Graph& root, const Node& node, const LimitRule& rule,
               InputPurpose* found);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_LIMIT_RULE_H_
