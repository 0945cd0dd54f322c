// Compares two sides: from models or recordings to plain data for a renderer.
//
//   auto left = onnxcmp::ModelSide::Open("a.onnx", registry);
//   auto right = onnxcmp::ModelSide::Open("b.onnx", registry);
//   (*left)->SetFeeds(feeds);
//   (*right)->SetFeeds(feeds);
//   auto comparison = onnxcmp::Compare(**left, **right);
//   comparison->verdict()
#ifndef ONNXCMP_COMPARE_COMPARE_H_
#define ONNXCMP_COMPARE_COMPARE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/causes/repair/repair_limits.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/side.h"
#include "evaluator/run/result.h"
#include "feed/longer_inputs.h"
#include "record/base/timings.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

// Bytes of values that a comparison keeps in addition to the runs' own.
inline constexpr int64_t kDefaultKeepValues = int64_t{256} << 20;

struct CompareOptions {
  // Names in it may be unique ends of names.
  ToleranceOptions tolerance;
  // Results that are pairs regardless of their values, "LEFT=RIGHT".
  std::vector<std::string> pairs;
  // True if inputs were made up: scales and zero points were calibrated on others.
  bool made_up = false;
  // True if the made-up inputs span the calibrated ranges.
  bool calibrated = false;
  // Beside a recording: inputs of the model that the recording does not include.
  std::vector<std::string> made_up_inputs;
  // Inputs that one side was given with more positions than the other.
  std::vector<LongerInput> longer;
  // Ignore recorded results and outputs that only one side has.
  bool partial = false;
  // Accept recorded rows (entries of the first axis) in another order.
  bool any_row_order = false;
  // Accept indices and labels that differ where their scores tie within rounding.
  bool ties_agree = false;
  // Decibels of signal to noise that the outputs of a converted model must have; nothing: by type,
  // where inputs are given.
  std::optional<double> min_sqnr;
  FailOn fail_on = FailOn::kDifferent;
  // Results of deeper subgraphs are left out.
  int max_depth = std::numeric_limits<int>::max();
  // Bytes of kept values of pairs whose bits differ. Others are computed again, in as many further
  // runs of both sides as necessary. Kept values no longer count against the max_memory of the run
  // that they are from (EvaluatorOptions).
  int64_t keep_values = kDefaultKeepValues;
  // Limit for steps that need all results at once: the search for causes those of the left, the
  // review of quantized layers those of both sides, the run in double those of one node. A step
  // that needs more bytes is left out, with a note. So unlike keep_values, this limits the
  // findings.
  int64_t search_memory = int64_t{4} << 30;
  int threads = 0;  // for fingerprints and differences; 0: one for each core
  // Compute letters of all fingerprints, which RenderJson prints and which take a pass of their
  // own, and numbers of all, even for a model that is compared with itself.
  bool letters = true;
  // Compute nodes common to both sides once, and fingerprint their results once.
  bool share = true;
  bool causes = true;
  // If outputs agree within rounding, limit the search to a quarter of the run's cost.
  bool quick_causes = true;
  RepairLimits cause_limits;
  // Make each cause's regions models of their own (Cause::repro).
  bool repro = false;
  // Run both sides in double, too, beside their own run.
  bool shadow = false;
  // Bytes that elements of pairs whose bits differ may take (ComparedRow::picture); 0: no report
  // will show any.
  int64_t pictures = 0;
  // Measure the layers of a quantized side, and their cost at the outputs.
  bool quantization = false;
  // Find the fusions of both sides, and their obstacles.
  bool fusions = false;
  // A result's name or a row's number (FindRow): examine that pair in depth. "": none.
  std::string explain;
  // Findings of comparisons of the same sides on other inputs, or of other sides on the same: known
  // weights are not read again, and most nodes that depend on them alone do not run again. Its
  // letters are those of `letters`; may be null.
  SeenConstants* seen = nullptr;
  // Records time and memory; may be null.
  Timings* timings = nullptr;
  // Makes an observer for each run, called with "left and right", "left", "left again", ...; may be
  // empty.
  std::function<std::unique_ptr<Observer>(absl::string_view run)> watch;
  // Once it is true the comparison ends soon: Cancelled. Sides whose evaluators have the same flag
  // (EvaluatorOptions) end at their next node. May be null.
  std::shared_ptr<const std::atomic<bool>> stop = nullptr;
};

// Runs both sides, or reads them. A side that fails is no error here: its results up to then are
// compared, and the verdict is kFailed. Errors: a run could not be repeated; InvalidArgument or
// NotFound if a name in the options belongs to no result; Cancelled.
absl::StatusOr<Comparison> Compare(Side& left, Side& right, const CompareOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARE_H_
