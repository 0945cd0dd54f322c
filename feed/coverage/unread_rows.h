// Finds rows of tables that differ between the sides and that no input selected.
#ifndef ONNXCMP_FEED_COVERAGE_UNREAD_ROWS_H_
#define ONNXCMP_FEED_COVERAGE_UNREAD_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct UnreadRows {
  std::string left;  // the tables' names
  std::string right;
  int64_t last = 0;  // index of the last of these rows
  std::string rows;  // "rows 300 … 511"

  friend bool operator==(const UnreadRows&, const UnreadRows&) = default;
};

// Constants of the main graphs that only Gather, Slice and the like read, paired by name or else by
// a unique shape: those that differ although all selected rows are equal.
std::vector<UnreadRows> FindUnreadRows(const ResultStream& left, const ResultStream& right,
                                       const PerSide<const Graph*>& graphs);

// "rows 300 … 511 of `pos` differ and were not read by any input that was tried".
std::string UnreadText(const UnreadRows& unread);

// The rows that are in both: unread in several runs.
std::vector<UnreadRows> UnreadByBoth(const std::vector<UnreadRows>& one,
                                     const std::vector<UnreadRows>& other);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_COVERAGE_UNREAD_ROWS_H_
