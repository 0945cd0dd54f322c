#include "testing/agreement.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/compare.h"
#include "compare/differences/mismatch_text.h"
#include "compare/differences/value_difference.h"
#include "compare/input_sets/compare_on_inputs.h"
#include "compare/inputs/input_mapping.h"
#include "compare/inputs/input_sets.h"
#include "compare/outcome/exit_status.h"
#include "compare/reports/render_table.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "ops/operators.h"

namespace onnxcmp::testing {
namespace {

// Two models that are loaded, and how they are compared.
class Pair {
 public:
  Pair(const AgreeOptions& options) : options_(options) {
    if (options.run.registry == nullptr) all_ = AllOperators();
    compare_.tolerance = options.tolerance;
    compare_.causes = options.causes;
    compare_.threads = options.run.evaluator.threads;
    input_.generated = options.generated;
    input_.generated.max_tensor = options.run.evaluator.max_tensor;
    input_.map_input = options.map_input;
  }

  absl::Status Load(const TestModel& before, const TestModel& after) {
    OC_RETURN_IF_ERROR(Load("before", before, &left_));
    return Load("after", after, &right_);
  }

  absl::Status AgreeOnMadeUpInputs() {
    OC_ASSIGN_OR_RETURN(InputSets inputs, InputSets::Open(left_->graph(), right_->graph(), input_));
    return AgreeOn(&inputs);
  }

  absl::Status AgreeOn(const Feeds& feeds) {
    std::vector<NamedValue> values;
    for (const auto& [name, value] : feeds) values.push_back({name, value});
    // Where names do not tell, the order does.
    std::sort(values.begin(), values.end(),
              [](const NamedValue& a, const NamedValue& b) { return a.name < b.name; });
    OC_ASSIGN_OR_RETURN(InputSets inputs,
                        InputSets::OpenGiven(left_->graph(), right_->graph(), input_,
                                             std::move(values), "the feeds"));
    return AgreeOn(&inputs);
  }

 private:
  const OpRegistry& registry() const { return all_.has_value() ? *all_ : *options_.run.registry; }

  absl::Status Load(absl::string_view name, const TestModel& model,
                    std::unique_ptr<ModelSide>* side) const {
    const auto load = [&]() -> absl::StatusOr<std::unique_ptr<ModelSide>> {
      OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> loaded,
                          model.Load(registry(), options_.run.load));
      return ModelSide::Create(std::move(loaded), registry(), options_.run.evaluator);
    };
    absl::StatusOr<std::unique_ptr<ModelSide>> loaded = load();
    if (!loaded.ok()) return Annotate(loaded.status(), absl::StrCat("the model `", name, "`"));
    *side = *std::move(loaded);
    return absl::OkStatus();
  }

  absl::Status AgreeOn(InputSets* inputs) {
    OC_ASSIGN_OR_RETURN(SetsResult result, CompareOnInputs(*left_, *right_, inputs, 0, compare_,
                                                           {.sets = options_.sets, .search = {}}));
    return Judge(std::move(result.comparison), inputs->mapping(), result.fed.notes);
  }

  static absl::Status Judge(Comparison comparison, const InputMapping& mapping,
                            const std::vector<std::string>& notes) {
    if (ExitStatusOf(comparison) == 0) return absl::OkStatus();
    // A model that is no file has no other name.
    if (comparison.left_summary.source.empty()) comparison.left_summary.source = "before";
    if (comparison.right_summary.source.empty()) comparison.right_summary.source = "after";
    AddMappingNotes(mapping, &comparison.notes);
    comparison.notes.insert(comparison.notes.end(), notes.begin(), notes.end());
    return absl::FailedPreconditionError(RenderTable(comparison));
  }

  const AgreeOptions& options_;
  std::optional<OpRegistry> all_;
  CompareOptions compare_;
  InputOptions input_;
  std::unique_ptr<ModelSide> left_;
  std::unique_ptr<ModelSide> right_;
};

}  // namespace

std::string WhyNotClose(const Value& got, const Value& want, const ToleranceOptions& tolerance) {
  const ValueDifference difference = DifferenceOf(want, got, tolerance);
  if (difference.agree) return "";
  return MismatchText(want, got, difference, difference.tolerance);
}

absl::Status ModelsAgree(const TestModel& before, const TestModel& after,
                         const AgreeOptions& options) {
  Pair pair(options);
  OC_RETURN_IF_ERROR(pair.Load(before, after));
  return pair.AgreeOnMadeUpInputs();
}

absl::Status ModelsAgreeOn(const TestModel& before, const TestModel& after,
                           absl::Span<const Feeds> sets, const AgreeOptions& options) {
  if (sets.empty()) return absl::FailedPreconditionError("there is no set of inputs to compare on");
  Pair pair(options);
  OC_RETURN_IF_ERROR(pair.Load(before, after));
  for (size_t i = 0; i < sets.size(); ++i) {
    if (absl::Status status = pair.AgreeOn(sets[i]); !status.ok()) {
      return sets.size() == 1 ? status : Annotate(status, absl::StrCat("set ", i));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp::testing
