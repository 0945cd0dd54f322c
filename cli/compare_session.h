// One comparison of two sides over all sets of inputs, and resources shared by several.
#ifndef ONNXCMP_CLI_COMPARE_SESSION_H_
#define ONNXCMP_CLI_COMPARE_SESSION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/compare_arguments.h"
#include "cli/process/interruption.h"
#include "compare/compare.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/side.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/shared_weights.h"
#include "feed/feeds.h"
#include "feed/input_sets.h"
#include "record/base/per_side.h"
#include "record/base/timings.h"
#include "record/runtimes/runtime.h"
#include "tools/fix/fix_report.h"
#include "tools/repro/write_repro.h"

namespace onnxcmp::cli {

// Resources shared by the comparisons of one program run.
struct ComparisonTools {
  ComparisonTools(const RunOptions& run, Interruption& interruption);

  OpRegistry registry;
  Interruption& interruption;
  // In the place of a line of progress: makes an observer for each run, told what it is.
  std::function<std::unique_ptr<Observer>(absl::string_view run)> watch;
  std::shared_ptr<const std::atomic<bool>> stop;  // as CompareOptions
  // For temporary memory: results of both sides, and weights while a node reads them.
  std::shared_ptr<SpareMemory> spare = std::make_shared<SpareMemory>();
  std::shared_ptr<SharedWeights> weights;
  // Findings about nodes in earlier comparisons; nothing if they are not needed.
  std::optional<SeenConstants> seen;
  Timings timings;
};

class CompareSession {
 public:
  // Shows or takes the comparison of set `set` of `sets`, called `name`. False if writing to
  // standard output failed (already reported).
  using Show = std::function<absl::StatusOr<bool>(Comparison& comparison, int64_t set, int64_t sets,
                                                  const std::string& name)>;

  // `opened`: sides of the same files that are already open, or null. All must outlive the object.
  CompareSession(const CompareArguments& arguments, ComparisonTools& tools,
                 PerSide<const Side*> opened = {nullptr, nullptr})
      : arguments_(arguments), tools_(tools), opened_(opened) {}

  // Before Run(): sides that are no files. Null: a file after all.
  void GiveSides(PerSide<std::unique_ptr<Side>> given) { given_ = std::move(given); }

  // Opens the sides and compares them on each set of inputs. False if Show() returned that.
  absl::StatusOr<bool> Run(const Show& show);

  // After Run() has failed: the failure as a comparison, for reports that programs read.
  Comparison FailedComparison(const absl::Status& status) const;

  // After Run(): the two sides, which must be held as long as others are opened from them.
  PerSide<std::unique_ptr<Side>> TakeSides() { return {std::move(left_), std::move(right_)}; }
  // During Show() and after Run(): the sides, with the inputs of the last set. Null: not opened.
  PerSide<Side*> sides() const { return {left_.get(), right_.get()}; }
  // During Show(): the model that was mended on this set; null: none.
  const FixReport* fix() const { return fix_.has_value() ? &*fix_ : nullptr; }
  // The options of Compare(), by the arguments as they are now.
  CompareOptions options();

 private:
  absl::StatusOr<SetsResult> CompareSet(int64_t set, std::optional<InputSets>* inputs);
  // `repro`: where rewrites that differ by themselves are written; no folder: nowhere.
  absl::Status Prove(int64_t set, std::optional<InputSets>* inputs, const ReproOptions& repro,
                     Comparison* comparison);
  // Mends a model on the first set whose outputs differ, else on the last.
  absl::Status Fix(int64_t set, int64_t sets, std::optional<InputSets>* inputs);
  // Made-up inputs: `inputs` themselves, or others in `made_up`. Null: none can be made up.
  InputSets* MadeUp(std::optional<InputSets>* inputs, std::optional<InputSets>* made_up) const;
  absl::Status SaveInputs(const std::string& path) const;
  absl::Status OpenSides();
  absl::Status InRuntime(SideId id, std::unique_ptr<Side>* side);
  absl::Status LookAgain(const FedInputs& fed, Comparison* comparison);
  void AddAssumptions(absl::string_view name, const Side& side,
                      std::vector<std::string>* notes) const;
  ReproOptions ReproOptionsOf(int64_t set, int64_t sets) const;
  absl::Status WriteReprosOf(int64_t set, int64_t sets, Comparison* comparison) const;
  std::string DefaultInputs();
  absl::Status ReadRecordedInputs();
  absl::StatusOr<int64_t> CountSets(const std::optional<InputSets>& inputs) const;
  absl::Status ChooseSet(int64_t set, std::optional<InputSets>* inputs);
  void NoteOtherInputs(Comparison* comparison) const;
  absl::StatusOr<std::optional<InputSets>> OpenInputs();
  absl::StatusOr<std::optional<InputSets>> OpenInputs(const std::string& file) const;
  Timings* timings() { return arguments_.timings ? &tools_.timings : nullptr; }

  const CompareArguments& arguments_;
  ComparisonTools& tools_;
  PerSide<const Side*> opened_;
  PerSide<std::unique_ptr<Side>> given_;
  bool all_files_ = true;
  std::string input_note_;      // source of inputs that the user did not give
  InputsOfRecording recorded_;  // the present set's
  std::unique_ptr<Side> left_;
  std::unique_ptr<Side> right_;
  std::unique_ptr<Side> fused_;        // the right as its runtime has optimized it
  PerSide<absl::Status> open_status_;  // why a side could not be opened
  SetsResult result_;                  // the last set's
  std::optional<FixReport> fix_;       // of this set
  bool fixed_ = false;                 // of any set
};

// True if a report shows the letters of fingerprints, which SeenConstants must then have.
bool WantsLetters(const CompareArguments& arguments);
// True if this report is asked for.
bool WantsReport(const CompareArguments& arguments, absl::string_view format);

// "report.json" for the second of several sets of inputs: "report.1.json".
std::string FileOfSet(const std::string& path, int64_t set, int64_t sets);

// Prints a line for each step to standard error: "run left        0.412 s   362 MB".
void PrintTimings(const Timings& timings);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_COMPARE_SESSION_H_
