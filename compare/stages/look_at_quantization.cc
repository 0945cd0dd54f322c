#include "compare/stages/look_at_quantization.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/quantization/find_quantization.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// Layers are in the order of their cost.
std::optional<Cause> CostliestOf(const QuantizationReport& report) {
  if (report.layers.empty() || report.layers.front().cost.value_or(0) <= 0) return std::nullopt;
  const QuantizedLayer& layer = report.layers.front();
  Cause cause;
  OfSide(cause, report.side) = layer.result;
  OfSide(cause, Other(report.side)) = layer.partner;
  cause.kind = CauseKind::kQuantization;
  cause.effect = layer.cost;
  cause.text = absl::StrFormat(
      "quantization: this layer (%s) costs most: with its error alone the outputs move by %.2g of "
      "their size",
      layer.made_by, *layer.cost);
  if (report.output_error.has_value()) {
    absl::StrAppendFormat(&cause.text, ", with that of all layers by %.2g", *report.output_error);
  }
  if (layer.own_sqnr.has_value()) {
    absl::StrAppendFormat(&cause.text, "; its own signal to noise is %.2g dB", *layer.own_sqnr);
  }
  return cause;
}

}  // namespace

absl::StatusOr<ReviewedCauses> LookAtQuantization(const PerSide<RecordedSide>& sides,
                                                  const Alignment& alignment,
                                                  const CauseReport& found,
                                                  const LookAtQuantizationOptions& options,
                                                  const StepTools& tools) {
  ReviewedCauses reviewed;
  reviewed.causes = found.causes;
  reviewed.dismissed = found.dismissed;
  if (!options.review && !options.layers && !options.differ) return reviewed;
  QuantizationOptions search;
  search.search_memory = tools.search_memory;
  search.costs = options.layers;
  search.cost_of_noisiest = options.differ;
  search.made_up = options.made_up;
  search.watch = tools.watch;
  search.pool = tools.pool;
  OC_ASSIGN_OR_RETURN(
      std::optional<QuantizationReport> report,
      FindQuantization(sides, alignment, search, options.review ? &reviewed.causes : nullptr,
                       &reviewed.dismissed));
  if (report.has_value() && options.differ) reviewed.costliest = CostliestOf(*report);
  if (options.review || options.layers) reviewed.quantization = std::move(report);
  return reviewed;
}

}  // namespace onnxcmp
