#include "compare/causes/cause.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace onnxcmp {
namespace {

struct CauseKindRow {
  CauseKind kind;
  absl::string_view name;
  bool mistake;
};

constexpr CauseKindRow kKinds[] = {
    {CauseKind::kOperator, "operator", /*mistake=*/true},
    {CauseKind::kInitializer, "initializer", /*mistake=*/true},
    {CauseKind::kInput, "input", /*mistake=*/true},
    {CauseKind::kPrecision, "precision", /*mistake=*/true},
    {CauseKind::kApproximation, "approximation", /*mistake=*/false},
    {CauseKind::kQuantization, "quantization", /*mistake=*/false},
};

const CauseKindRow& RowInTable(CauseKind kind) {
  return *absl::c_find_if(kKinds, [&](const CauseKindRow& row) { return row.kind == kind; });
}

struct VetoRow {
  Veto veto;
  absl::string_view name;
  absl::string_view text;
};

constexpr VetoRow kRows[] = {
    {Veto::kAfterOverflow, "after_overflow", "it is computed from another result that overflows"},
    {Veto::kBesideFailure, "beside_failure", "the node that fails does not depend on it"},
    {Veto::kAgreesWithAnother, "agrees_with_another",
     "the right's result agrees with another result of the left"},
    {Veto::kNoGain, "no_gain", "correcting it brings the outputs no nearer"},
    {Veto::kInMistakenLayer, "in_mistaken_layer", "a mistake in its layer explains it"},
    {Veto::kSameShape, "same_shape", "it requests the same shape with a -1"},
    {Veto::kCounterpart, "counterpart",
     "its node gives the other side's result on the other side's values"},
    {Veto::kHonestConversion, "honest_conversion",
     "it is no farther off than the coarser type explains"},
};

const VetoRow& RowInTable(Veto veto) {
  return *absl::c_find_if(kRows, [&](const VetoRow& row) { return row.veto == veto; });
}

}  // namespace

absl::string_view CauseKindName(CauseKind kind) { return RowInTable(kind).name; }

bool IsMistake(CauseKind kind) { return RowInTable(kind).mistake; }

absl::string_view VetoName(Veto veto) { return RowInTable(veto).name; }

absl::string_view VetoText(Veto veto) { return RowInTable(veto).text; }

void Dismiss(const CauseReview& review, std::vector<Cause>* causes,
             std::vector<DismissedCause>* dismissed) {
  std::vector<Cause> kept;
  for (Cause& cause : *causes) {
    if (const std::optional<Veto> veto = review(cause)) {
      dismissed->push_back({std::move(cause), *veto});
    } else {
      kept.push_back(std::move(cause));
    }
  }
  *causes = std::move(kept);
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
