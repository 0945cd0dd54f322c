// Rows of tables that are not the same on both sides, and that no input has come to.
#ifndef ONNXCMP_COMPARE_COVERAGE_UNREAD_ROWS_H_
#define ONNXCMP_COMPARE_COVERAGE_UNREAD_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compare/pair/per_side.h"
#include "compare/streams/result_stream.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

struct UnreadRows {
  std::string left;  // the tables' names
  std::string right;
  int64_t last = 0;  // of the rows
  std::string rows;  // "rows 300 … 511"

  friend bool operator==(const UnreadRows&, const UnreadRows&) = default;
};

// Of constants of the main graphs that Gather, Slice and the like alone read, paired by name or
// else by the only shape: those that differ, while all that was taken out of them is the same.
std::vector<UnreadRows> FindUnreadRows(const ResultStream& left, const ResultStream& right,
                                       const PerSide<const Graph*>& graphs);

// "rows 300 … 511 of `pos` differ and were not read by any input that was tried".
std::string UnreadText(const UnreadRows& unread);

// Those that are in both: what several runs have left unread.
std::vector<UnreadRows> UnreadByBoth(const std::vector<UnreadRows>& one,
                                     const std::vector<UnreadRows>& other);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COVERAGE_UNREAD_ROWS_H_
