// Colours and signs of the table.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_STYLE_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_STYLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "compare/outputs/compared_row.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

enum class Color : uint8_t { kPlain, kDim, kBold, kGood, kNear, kBad, kOneSided };

// Columns of a label before what it names, with the space after it.
inline constexpr int kLabelWidth = 11;

class TableStyle {
 public:
  explicit TableStyle(const TableOptions& options) : color_(options.color), ascii_(options.ascii) {}

  // Call it before widths are measured.
  std::string Text(absl::string_view text) const;
  absl::string_view Ellipsis() const { return ascii_ ? ".." : "…"; }
  // Call it after widths are measured. Colour only repeats the text.
  std::string Paint(absl::string_view text, Color color) const;

  // "=", "≈", "≠", "-", "+".
  std::string Sign(Relation relation) const;
  // "✓", "∴", "?", "!", " ".
  std::string ProofMark(RowProof proof) const;
  std::vector<std::string> ProofMarks() const;  // by RowProof
  static Color ColorOf(Relation relation);
  static Color ColorOf(Verdict verdict);

 private:
  bool color_;
  bool ascii_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_STYLE_H_
