// Lines that replace hidden rows and count them.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_FOLDS_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_FOLDS_H_

#include <array>
#include <cstddef>
#include <string>

#include "compare/outcome/comparison.h"
#include "compare/outputs/compared_row.h"
#include "reports/table/table_lines.h"
#include "reports/words/row_selection.h"

namespace onnxcmp {

class TableFolds {
 public:
  TableFolds(const Comparison& comparison, const RowFacts& facts)
      : comparison_(comparison), facts_(facts) {}

  // A row of this relation was shown: further ones are "more".
  void Saw(Relation relation) { seen_[static_cast<size_t>(relation)] = true; }

  // The line for rows [begin, end): "19 initializers, 1 input have the same bits", "1234 more
  // results differ, in 400 iterations of loop_1".
  TableLine Fold(size_t begin, size_t end);

 private:
  std::string Where(size_t begin, size_t end, bool different_only) const;

  const Comparison& comparison_;
  const RowFacts& facts_;
  std::array<bool, 5> seen_ = {};
};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_FOLDS_H_
