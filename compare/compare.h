// Compares two sides: the whole way from what they are to plain data that a renderer prints.
//
//   auto left = onnxcmp::ModelSide::Open("a.onnx", registry);
//   auto right = onnxcmp::ModelSide::Open("b.onnx", registry);
//   (*left)->SetFeeds(feeds);
//   (*right)->SetFeeds(feeds);
//   auto comparison = onnxcmp::Compare(**left, **right);
//   comparison->verdict
#ifndef ONNXCMP_COMPARE_COMPARE_H_
#define ONNXCMP_COMPARE_COMPARE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/comparison/comparison.h"
#include "compare/differences/tolerance.h"
#include "compare/differences/value_difference.h"
#include "compare/pair/timings.h"
#include "compare/repair/repair_limits.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/side.h"
#include "evaluator/run/result.h"

namespace onnxcmp {

// Bytes of values that a comparison keeps besides what the runs themselves need.
inline constexpr int64_t kDefaultKeepValues = int64_t{256} << 20;

struct CompareOptions {
  // Names in it may be ends of names, as long as they tell.
  ToleranceOptions tolerance;
  // Results that are pairs whatever their values say, "LEFT=RIGHT".
  std::vector<std::string> pairs;
  // Inputs were made up: they are nothing that scales and zero points were calibrated for.
  bool made_up = false;
  // They reach as far into these as what was calibrated with, as far as anybody can tell.
  bool calibrated = false;
  // Beside a recording: those inputs of the model of which it says nothing.
  std::vector<std::string> made_up_inputs;
  // What was recorded, or is an output, of one side alone does not make a difference.
  bool partial = false;
  // Nor do recorded rows (entries of the first axis) that are in another order.
  bool any_row_order = false;
  // Nor do indices and labels that differ where their scores tie within rounding.
  bool ties_agree = false;
  FailOn fail_on = FailOn::kDifferent;
  // Results of deeper subgraphs are left out.
  int max_depth = std::numeric_limits<int>::max();
  // Bytes of values of pairs whose bits differ that are kept. What does not fit is computed again,
  // in as many further runs of both sides as it takes. What is kept no longer counts against the
  // max_memory of the run that it is from (EvaluatorOptions).
  int64_t keep_values = kDefaultKeepValues;
  // Some steps need all results at once: the search for causes the left's, the look at quantized
  // layers both sides', the run in double those of one node. What takes more bytes than this is not
  // searched, and a note says so. So this bounds what is found, and keep_values never does.
  int64_t search_memory = int64_t{4} << 30;
  int threads = 0;  // of fingerprints and differences; 0: one for each core
  // Fingerprints have letters, which RenderJson prints and which take a pass of their own, and all
  // of them have numbers, even of a model that is compared with itself.
  bool letters = true;
  // What both sides compute alike is computed once, and looked at once.
  bool share = true;
  bool causes = true;
  // Where outputs agree within rounding, what is looked into is bounded by a quarter of the run.
  bool quick_causes = true;
  RepairLimits cause_limits;
  // Each cause's regions are made models of their own (Cause::repro).
  bool repro = false;
  // Both sides also run in double, beside their own run.
  bool shadow = false;
  // Bytes that elements of pairs whose bits differ may take (ComparedRow::picture); 0: no report
  // will show any.
  int64_t pictures = 0;
  // The layers of a quantized side are measured, and what each costs the outputs.
  bool quantization = false;
  // The blocks of both sides that runtimes fuse are looked for, and what breaks them.
  bool blocks = false;
  // A result's name or a row's number (FindRow): that pair is looked at in depth. "": none.
  std::string explain;
  // Of comparisons of the same sides on other inputs, or of others on the same: weights that were
  // looked at are not looked at again, and of nodes that read nothing else most do not run again.
  // Its letters are those of `letters`; may be null.
  SeenConstants* seen = nullptr;
  // Where to count time and memory; may be null.
  Timings* timings = nullptr;
  // Makes an observer for each run, told what it is ("left and right", "left", "left again"); may
  // be empty.
  std::function<std::unique_ptr<Observer>(absl::string_view run)> watch;
  // Once it is true the comparison ends soon: Cancelled. Sides whose evaluators have the same flag
  // (EvaluatorOptions) end at their next node. May be null.
  std::shared_ptr<const std::atomic<bool>> stop = nullptr;
};

// Runs both sides, or reads them. A side that fails is no error here: what it gave up to then is
// compared, and the verdict is kFailed. Errors: what could be computed once could not be again;
// InvalidArgument or NotFound for a name in the options that is no result's; Cancelled.
absl::StatusOr<Comparison> Compare(Side& left, Side& right, const CompareOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARE_H_
