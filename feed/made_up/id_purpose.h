// Ids as the rows that they select.
#ifndef ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_
#define ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_

#include <optional>

#include "evaluator/model/model.h"
#include "feed/made_up/index_form.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// Makes the limit of `found`, which counts rows, one of ids, and keeps the form with its tables.
// `exact`: nothing is computed after the form's remainder or sum; else only the remainder counts.
void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found);

// Takes a size as the limit.
void SetLimit(const std::optional<TracedSize>& size, InputPurpose* found);

// Takes the length of a sequence, which is mostly along the second axis.
void GuessLimit(const Graph& graph, InputPurpose* found);

// Makes the limit of `found`, which is a cache's size, the last place where an update still fits.
void LeaveRoom(const GraphScope& scope, const Graph& graph, const Node& node, InputPurpose* found);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_ID_PURPOSE_H_
