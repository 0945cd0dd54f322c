#include "testing/agreement.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/input_sets/compare_on_inputs.h"
#include "compare/outcome/exit_status.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "feed/input_mapping.h"
#include "feed/input_sets.h"
#include "ops/operators.h"
#include "prove/trials/prove_sizes.h"
#include "record/differences/mismatch_text.h"
#include "record/differences/value_difference.h"
#include "reports/render_table.h"

namespace onnxcmp::testing {
namespace {

// Two models that are loaded, and how they are compared.
class Pair {
 public:
  // `prove`: they are also to be proved equal.
  Pair(const AgreeOptions& options, bool prove) : options_(options), prove_(prove) {
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
    return Judge(std::move(result.comparison), inputs, result.fed.notes);
  }

  absl::Status Judge(Comparison comparison, InputSets* inputs,
                     const std::vector<std::string>& notes) const {
    if (ExitStatusOf(comparison) == 0 && (!prove_ || IsProved(inputs, &comparison))) {
      return absl::OkStatus();
    }
    // A model that is no file has no other name.
    if (comparison.left_summary.source.empty()) comparison.left_summary.source = "before";
    if (comparison.right_summary.source.empty()) comparison.right_summary.source = "after";
    AddMappingNotes(inputs->mapping(), &comparison.notes);
    comparison.notes.insert(comparison.notes.end(), notes.begin(), notes.end());
    return absl::FailedPreconditionError(RenderTable(comparison));
  }

  // The conditions of a proof that the options do not accept by name; "": there are none.
  std::string NotAccepted(const ProofReport& proof) const {
    std::vector<std::string> told;
    for (const std::string& input : proof.given) {
      if (!absl::c_linear_search(options_.as_fed, input)) {
        told.push_back(absl::StrCat(input, " as fed (as_fed)"));
      }
    }
    if (!proof.guessed.empty() && !options_.guessed_inputs) {
      told.push_back(absl::StrCat(absl::StrJoin(proof.guessed, ", "), " (guessed_inputs)"));
    }
    if (proof.given_shapes && !options_.given_shapes) {
      told.push_back("shapes that depend on values (given_shapes)");
    }
    if (proof.masks && !options_.large_masks) {
      told.push_back("-10000 and less as -infinity in Softmax (large_masks)");
    }
    if (!proof.rounded_jumps.empty() && !options_.rounded_jumps) {
      told.push_back(absl::StrCat("roundings before ", absl::StrJoin(proof.rounded_jumps, ", "),
                                  " (rounded_jumps)"));
    }
    return absl::StrJoin(told, "; ");
  }

  // With the proof in the comparison.
  bool IsProved(InputSets* inputs, Comparison* comparison) const {
    const ThreadPool pool(ThreadCount(options_.run.evaluator.threads));
    const bool other_sizes = inputs->made_up() && !inputs->ramp();
    ProofReport proof = ProveOnSizes(
        {left_.get(), right_.get()}, *comparison, other_sizes ? inputs : nullptr, compare_,
        {.seed = options_.run.evaluator.seed, .pool = &pool, .mapping = &inputs->mapping()});
    const bool everywhere = std::all_of(proof.sizes.begin(), proof.sizes.end(),
                                        [](const ProofSizes& sizes) { return sizes.proved; });
    const bool holds = proof.proved || (options_.conversions && proof.conversions.proved);
    bool proved = holds && everywhere;
    if (const std::string told = NotAccepted(proof); proved && !told.empty()) {
      comparison->notes.push_back(absl::StrCat("the proof rests on what is not accepted: ", told));
      proved = false;
    }
    comparison->proof = std::make_shared<const ProofReport>(std::move(proof));
    return proved;
  }

  const AgreeOptions& options_;
  const bool prove_;
  std::optional<OpRegistry> all_;
  CompareOptions compare_;
  InputOptions input_;
  std::unique_ptr<ModelSide> left_;
  std::unique_ptr<ModelSide> right_;
};

}  // namespace

std::string WhyNotClose(const Value& got, const Value& want, const ToleranceOptions& tolerance) {
  const ValueDifference difference = DifferenceOf(want, got, tolerance);
  if (difference.agree()) return "";
  return MismatchText(want, got, difference, difference.tolerance);
}

namespace {

absl::Status OnMadeUpInputs(Pair pair, const TestModel& before, const TestModel& after) {
  OC_RETURN_IF_ERROR(pair.Load(before, after));
  return pair.AgreeOnMadeUpInputs();
}

absl::Status OnSets(Pair pair, const TestModel& before, const TestModel& after,
                    absl::Span<const Feeds> sets) {
  if (sets.empty()) return absl::FailedPreconditionError("there is no set of inputs to compare on");
  OC_RETURN_IF_ERROR(pair.Load(before, after));
  for (size_t i = 0; i < sets.size(); ++i) {
    if (absl::Status status = pair.AgreeOn(sets[i]); !status.ok()) {
      return sets.size() == 1 ? status : Annotate(status, absl::StrCat("set ", i));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ModelsAgree(const TestModel& before, const TestModel& after,
                         const AgreeOptions& options) {
  return OnMadeUpInputs(Pair(options, /*prove=*/false), before, after);
}

absl::Status ModelsAgreeOn(const TestModel& before, const TestModel& after,
                           absl::Span<const Feeds> sets, const AgreeOptions& options) {
  return OnSets(Pair(options, /*prove=*/false), before, after, sets);
}

absl::Status ModelsEqualForAllInputs(const TestModel& before, const TestModel& after,
                                     const AgreeOptions& options) {
  return OnMadeUpInputs(Pair(options, /*prove=*/true), before, after);
}

absl::Status ModelsEqualForAllInputsOf(const TestModel& before, const TestModel& after,
                                       absl::Span<const Feeds> sets, const AgreeOptions& options) {
  return OnSets(Pair(options, /*prove=*/true), before, after, sets);
}

}  // namespace onnxcmp::testing
