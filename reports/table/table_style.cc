#include "reports/table/table_style.h"

#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"

namespace onnxcmp {

std::string TableStyle::Text(absl::string_view text) const {
  return ascii_ ? AsciiText(text) : std::string(text);
}

std::string TableStyle::Paint(absl::string_view text, Color color) const {
  if (!color_ || color == Color::kPlain || text.empty()) return std::string(text);
  // From the sixteen colours that users configure themselves.
  const char* code = "";
  switch (color) {
    case Color::kPlain:
      break;
    case Color::kDim:
      code = "2";
      break;
    case Color::kBold:
      code = "1";
      break;
    case Color::kGood:
      code = "1;32";
      break;
    case Color::kNear:
      code = "36";
      break;
    case Color::kBad:
      code = "1;31";
      break;
    case Color::kOneSided:
      code = "33";
      break;
  }
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

std::string TableStyle::Sign(Relation relation) const {
  switch (relation) {
    case Relation::kSame:
      return "=";
    case Relation::kClose:
      return Text("≈");
    case Relation::kDifferent:
      return Text("≠");
    case Relation::kLeftOnly:
      return "-";
    case Relation::kRightOnly:
      return "+";
  }
  return " ";
}

std::string TableStyle::ProofMark(RowProof proof) const {
  switch (proof) {
    case RowProof::kProved:
      return ascii_ ? "*" : "✓";
    case RowProof::kProvedOn:
      return ascii_ ? ":" : "∴";
    case RowProof::kNotProved:
      return "?";
    case RowProof::kDiffers:
      return "!";
    case RowProof::kNotLookedAt:
      break;
  }
  return " ";
}

std::vector<std::string> TableStyle::ProofMarks() const {
  return {ProofMark(RowProof::kProved), ProofMark(RowProof::kProvedOn),
          ProofMark(RowProof::kNotProved), ProofMark(RowProof::kDiffers)};
}

Color TableStyle::ColorOf(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return Color::kPlain;
    case Relation::kClose:
      return Color::kNear;
    case Relation::kDifferent:
      return Color::kBad;
    case Relation::kLeftOnly:
    case Relation::kRightOnly:
      return Color::kOneSided;
  }
  return Color::kPlain;
}

Color TableStyle::ColorOf(Verdict verdict) {
  return verdict == Verdict::kSame || verdict == Verdict::kClose ? Color::kGood : Color::kBad;
}

}  // namespace onnxcmp
