// The body of the table as lines of cells, before they are fitted to a width.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_LINES_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_LINES_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/outcome/fused_rows.h"
#include "compare/outcome/proof_report.h"
#include "compare/outputs/compared_row.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

// A heading pays if it stands for so many rows at least.
inline constexpr int kRowsOfHeading = 3;

enum class TableColumn : uint8_t {
  kLeftOp,
  kLeftName,
  kRightOp,
  kRightName,
  kType,
  kAbsolute,
  kTruth,  // distances of both sides from double
  kRelative,
  kUlp,
  kBeyond,
  kNotes,
};
// In the order of TableColumn.
struct Column {
  const char* title;
  int gap;     // spaces before it
  bool right;  // right-aligned, for numbers
};
inline constexpr Column kColumns[] = {
    {"left", 0, false}, {"", 1, false},       {"right", 2, false},      {"", 1, false},
    {"type", 2, false}, {"max abs", 2, true}, {"from double", 2, true}, {"max rel", 2, true},
    {"", 2, true},      {"beyond", 2, true},  {"", 2, false},
};
inline constexpr size_t kTableColumns = std::size(kColumns);

struct TableLine {
  enum class Kind : uint8_t {
    kRow,
    kInner,    // a result absorbed by a row below
    kFold,     // represents hidden rows
    kHeading,  // the call path of the rows below
  };
  Kind kind = Kind::kRow;
  int64_t number = -1;  // for kRow: as in Comparison::rows, by which it can be asked for
  std::optional<Relation> sign;
  std::optional<RowProof> proof;  // nothing: no proof, or rows with several findings
  bool cause = false;
  std::array<std::string, kTableColumns> cells;  // for kRow and kInner
  std::string text;                              // for kFold and kHeading
  std::string& cell(TableColumn column) { return cells[static_cast<size_t>(column)]; }
};

std::vector<TableLine> MakeTableLines(const Comparison& comparison,
                                      const std::vector<FusedRows>& fusions,
                                      TableOptions::Rows rows);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_LINES_H_
