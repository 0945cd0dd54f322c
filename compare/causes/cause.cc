#include "compare/causes/cause.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace onnxcmp {

absl::string_view CauseKindName(CauseKind kind) {
  switch (kind) {
    case CauseKind::kOperator:
      return "operator";
    case CauseKind::kInitializer:
      return "initializer";
    case CauseKind::kInput:
      return "input";
    case CauseKind::kPrecision:
      return "precision";
    case CauseKind::kApproximation:
      return "approximation";
    case CauseKind::kQuantization:
      return "quantization";
  }
  return "";
}

double Mending::gain() const { return before == after ? 0 : before - after; }

std::string CertificateText(const Cause& cause) {
  if (!cause.mending.has_value()) {
    return cause.not_tried.empty()
               ? ""
               : absl::StrCat("suspected: it cannot be tried, because ", cause.not_tried);
  }
  const Mending& mending = *cause.mending;
  const auto said = [&](absl::string_view what) {
    return absl::StrCat(mending.others ? "with the others mended, " : "", what);
  };
  if (mending.agreed) return said("the outputs agree without mending it");
  if (mending.agree) return said("mending it makes the outputs agree");
  if (!(mending.gain() > 0))
    return said(mending.others ? "mending it gains nothing" : "mending it alone gains nothing");
  return said(ShrinkingText(mending.before, mending.after));
}

std::string ShrinkingText(double before, double after) {
  return absl::StrFormat("mending it shrinks the difference from %.2g to %.2g", before, after);
}

}  // namespace onnxcmp
