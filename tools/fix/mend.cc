#include "tools/fix/mend.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/cause.h"
#include "compare/causes/cause_class.h"
#include "compare/outcome/exit_status.h"
#include "evaluator/base/status_macros.h"
#include "tools/fix/equivalent_forms.h"
#include "tools/fix/guess_edits.h"
#include "tools/fix/keep_in_float_edits.h"
#include "tools/fix/pair_index.h"
#include "tools/fix/propose_edits.h"
#include "tools/fix/requantize.h"
#include "tools/parts/checked_model.h"

namespace onnxcmp {
namespace {

// How far the outputs are apart.
struct Apart {
  bool within = false;
  int not_measured = 0;  // outputs that are missing, or of another type or shape
  double sum = 0;        // over those that differ, relative to their size

  double shown() const {
    return not_measured > 0 ? std::numeric_limits<double>::infinity() : within ? 0 : sum;
  }
  bool NearerThan(const Apart& other) const {
    if (within != other.within) return within;
    if (not_measured != other.not_measured) return not_measured < other.not_measured;
    return sum < other.sum;
  }
};

Apart ApartOf(const Comparison& comparison) {
  Apart apart;
  const Verdict judged = comparison.verdict();
  apart.within = judged == Verdict::kSame || judged == Verdict::kClose;
  if (judged == Verdict::kFailed || judged == Verdict::kUntested) {
    apart.not_measured = std::numeric_limits<int>::max();
    return apart;
  }
  const OutputComparison& outputs = comparison.outputs;
  apart.not_measured = static_cast<int>(outputs.only_left.size() + outputs.only_right.size());
  for (const OutputPair& pair : outputs.pairs) {
    if (IsAccepted(outputs, pair)) continue;
    if (!pair.difference.reason.empty() || !std::isfinite(pair.difference.apart)) {
      ++apart.not_measured;
    } else {
      apart.sum += pair.difference.apart;
    }
  }
  return apart;
}

bool RightFails(const Comparison& comparison) {
  return comparison.left_summary.status.ok() && !comparison.right_summary.status.ok();
}

bool MayBeMended(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kDifferent || RightFails(comparison);
}

class Mender {
 public:
  Mender(const Model& left, const OpRegistry& registry, const Judge& judge, EditsFrom from,
         const onnx::ModelProto& given)
      : left_(left),
        registry_(registry),
        judge_(judge),
        from_(from),
        given_(given),
        checks_(ChecksPassedBy(registry, given)) {}

  absl::StatusOr<FixReport> Run(onnx::ModelProto* model) {
    OC_ASSIGN_OR_RETURN(current_, judge_(given_, /*causes=*/true));
    model_ = given_;
    apart_ = ApartOf(current_.comparison);
    report_.nothing_to_mend = apart_.within;
    for (const Cause& cause : current_.comparison.causes) {
      if (IsWrong(cause)) named_.push_back(NamesOf(cause, current_.comparison).right);
    }
    if (MayBeMended(current_.comparison)) {
      while (!apart_.within && Step()) {
      }
      if (apart_.within) DropWhatIsNotNeeded();
    }
    report_.agrees = apart_.within;
    Conclude();
    *model = std::move(model_);
    return std::move(report_);
  }

 private:
  struct Trial {
    Edit edit;
    onnx::ModelProto model;
    Apart apart;
  };

  // A mistake among the causes, by the right's result.
  struct Wrong {
    std::string left, result, text;
    std::vector<Edit> edits;
  };

  // Keeps the best edit of the first cause that has any. False if none is left.
  bool Step() {
    const Comparison& comparison = current_.comparison;
    const PairIndex pairs({&left_, current_.right.get()}, comparison);
    const FixScene scene = {pairs, registry_, model_};
    if (RightFails(comparison) && from_ == EditsFrom::kEquivalentForms) {
      for (const Edit& edit :
           ProposeForRefusal(scene, std::string(comparison.right_summary.status.message()))) {
        if (Keep(Best({edit}), edit.lines[0], "the runtime does not run it")) return true;
      }
      return false;
    }
    if (RightFails(comparison)) {
      for (const PerSide<std::string>& names : PairsBeforeFailure(pairs, comparison)) {
        if (Keep(Best(ProposeEdits(scene, names)), names.right, "the right model does not run")) {
          return true;
        }
      }
      return false;
    }
    std::vector<Wrong> wrong;
    for (const Cause& cause : comparison.causes) {
      if (!IsWrong(cause)) continue;
      const PerSide<std::string> names = NamesOf(cause, comparison);
      wrong.push_back({names.left, names.right, cause.text, EditsOf(scene, names)});
      if (!wrong.back().edits.empty()) tried_.insert(names.right);
    }
    if (from_ == EditsFrom::kLeft && (KeepGrid(scene, wrong) || KeepFloat(scene))) return true;
    // Edits that add nodes may cover several causes that smaller ones take away one by one.
    for (const bool adds : {false, true}) {
      for (const Wrong& each : wrong) {
        std::vector<Edit> edits;
        absl::c_copy_if(each.edits, std::back_inserter(edits),
                        [&](const Edit& edit) { return (edit.added() > 0) == adds; });
        if (Keep(Best(edits), each.result, each.text)) return true;
      }
    }
    if (wrong.empty() || from_ != EditsFrom::kLeft) return false;
    for (const OutputPair& pair : comparison.outputs.pairs) {
      if (IsAccepted(comparison.outputs, pair)) continue;
      const std::vector<Edit> region = ProposeRegion(scene, {pair.left, pair.right});
      if (Keep(Best(region), pair.right, "the output differs")) return true;
    }
    return false;
  }

  std::vector<Edit> EditsOf(const FixScene& scene, const PerSide<std::string>& names) const {
    if (from_ == EditsFrom::kEquivalentForms) return ProposeEquivalents(scene, names);
    std::vector<Edit> edits = ProposeEdits(scene, names);
    if (from_ != EditsFrom::kRecording) return edits;
    for (Edit& guess : ProposeGuesses(scene, names.right)) edits.push_back(std::move(guess));
    return edits;
  }

  // Keeps nodes in float that a conversion to 16 bits made overflow, or lose their digits.
  bool KeepFloat(const FixScene& scene) {
    const std::vector<Edit> edits = ProposeFloat(scene, current_.comparison);
    if (edits.empty()) return false;
    const KeptNode& first = current_.comparison.keep_in_float->nodes.front();
    const std::string& result = current_.comparison.left.results[Index(first.result)].name;
    return Keep(Best(edits), result, "these nodes need more digits than 16 bits have");
  }

  // Keeps the best grid of quantized numbers, by the name of the cause that it is about.
  bool KeepGrid(const FixScene& scene, const std::vector<Wrong>& wrong) {
    absl::flat_hash_map<std::string, std::string> causes;
    for (const Wrong& each : wrong) causes.emplace(each.result, each.left);
    for (const WrongGrid& grid : ProposeGrids(scene, causes)) {
      const auto about = absl::c_find_if(
          wrong, [&](const Wrong& each) { return absl::c_linear_search(grid.names, each.result); });
      const std::string result = about == wrong.end() ? grid.names[0] : about->result;
      if (Keep(Best(grid.edits), result, about == wrong.end() ? grid.text : about->text)) {
        return true;
      }
    }
    return false;
  }

  // The first with which the outputs agree, else that with which they are nearest to each other.
  std::optional<Trial> Best(const std::vector<Edit>& edits) {
    std::optional<Trial> best;
    for (const Edit& edit : edits) {
      std::optional<Trial> trial = Try(edit);
      if (!trial.has_value()) continue;
      if (best.has_value() && !trial->apart.NearerThan(best->apart)) continue;
      best = std::move(trial);
      if (best->apart.within) break;
    }
    return best;
  }

  std::optional<Trial> Try(Edit edit) {
    Trial trial;
    trial.model = model_;
    if (!ApplyAndClean(&edit, &trial.model).ok() || !Settle(&trial.model)) return std::nullopt;
    ++report_.tried;
    absl::StatusOr<Judged> judged = judge_(trial.model, /*causes=*/false);
    if (!judged.ok()) return std::nullopt;
    trial.apart = ApartOf(judged->comparison);
    trial.edit = std::move(edit);
    return trial;
  }

  // Types of results may have changed: shape inference finds them anew. False if ONNX's checks, as
  // far as the given model passes them, find anything.
  bool Settle(onnx::ModelProto* model) const {
    model->mutable_graph()->clear_value_info();
    return CheckModel(registry_, checks_, *model).ok();
  }

  bool IsMended(const std::string& result) const {
    return absl::c_any_of(report_.steps,
                          [&](const FixStep& step) { return step.result == result; });
  }

  static int64_t CountWrong(const Comparison& comparison) {
    return absl::c_count_if(comparison.causes, IsWrong);
  }

  static bool IsNamed(const std::string& result, const Comparison& comparison) {
    return absl::c_any_of(comparison.causes, [&](const Cause& cause) {
      return IsWrong(cause) && NamesOf(cause, comparison).right == result;
    });
  }

  // Each result is mended once, so that this ends.
  bool Keep(std::optional<Trial> trial, const std::string& result, const std::string& cause) {
    if (!trial.has_value() || IsMended(result)) return false;
    absl::StatusOr<Judged> judged = judge_(trial->model, /*causes=*/true);
    if (!judged.ok()) return false;
    const Apart after = ApartOf(judged->comparison);
    if (!after.within) {
      // Nearer outputs alone do not show that the edit is right.
      const bool fewer = CountWrong(judged->comparison) < CountWrong(current_.comparison);
      const bool nearer = from_ != EditsFrom::kRecording && after.NearerThan(apart_);
      if (IsNamed(result, judged->comparison) || !(fewer || nearer)) return false;
      if (after.not_measured > apart_.not_measured) return false;
    }
    report_.steps.push_back({std::move(trial->edit), result, cause, apart_.shown(), after.shown()});
    current_ = *std::move(judged);
    model_ = std::move(trial->model);
    apart_ = after;
    return true;
  }

  void DropWhatIsNotNeeded() {
    for (size_t i = report_.steps.size(); i-- > 0 && report_.steps.size() > 1;) {
      onnx::ModelProto without = given_;
      bool applies = true;
      for (size_t j = 0; j < report_.steps.size() && applies; ++j) {
        if (j != i) applies = ApplyEdit(report_.steps[j].edit, &without).ok();
      }
      if (!applies || !Settle(&without)) continue;
      absl::StatusOr<Judged> judged = judge_(without, /*causes=*/true);
      if (!judged.ok() || !ApartOf(judged->comparison).within) continue;
      report_.steps.erase(report_.steps.begin() + static_cast<ptrdiff_t>(i));
      current_ = *std::move(judged);
      model_ = std::move(without);
    }
  }

  std::string CertificateOf(const std::string& result) const {
    for (const FixStep& step : report_.steps) {
      if (step.result != result) continue;
      return step.after == 0 ? "mending it makes the outputs agree"
                             : ShrinkingText(step.before, step.after);
    }
    if (tried_.contains(result)) return "mending it gains nothing";
    return report_.agrees ? "the outputs agree without mending it"
                          : "suspected: no edit of it can be tried";
  }

  void Conclude() {
    const Comparison& comparison = current_.comparison;
    for (const std::string& result : named_) {
      report_.certificates.push_back(absl::StrCat(
          result.empty() ? "a result inside of a node" : result, ": ", CertificateOf(result)));
    }
    if (report_.agrees) return;
    if (comparison.verdict() == Verdict::kFailed) {
      report_.notes.emplace_back(RightFails(comparison)
                                     ? "no edit makes the model run"
                                     : "the other model does not run: nothing can be tried");
      return;
    }
    const bool wrong = absl::c_any_of(comparison.causes, IsWrong);
    if (wrong && from_ == EditsFrom::kEquivalentForms) {
      report_.notes.push_back(
          absl::StrCat("no form of ", NamesOf(comparison.causes[0], comparison).right,
                       " is known that ", comparison.right_summary.ran_in, " computes right"));
      return;
    }
    report_.notes.push_back(
        comparison.causes.empty() ? "no cause is named for the difference that remains"
        : wrong ? absl::StrCat("no edit takes away what remains: ", comparison.causes[0].text)
                : absl::StrCat("what remains is no mistake: ", comparison.causes[0].text));
  }

  const Model& left_;
  const OpRegistry& registry_;
  const Judge& judge_;
  const EditsFrom from_;
  const onnx::ModelProto& given_;
  const OnnxChecks checks_;
  Judged current_;
  onnx::ModelProto model_;
  Apart apart_;
  FixReport report_;
  std::vector<std::string> named_;          // the right's results of the causes of the pair
  absl::flat_hash_set<std::string> tried_;  // those of which an edit was tried
};

}  // namespace

absl::StatusOr<FixReport> Mend(const Model& left, const OpRegistry& registry, const Judge& judge,
                               EditsFrom from, onnx::ModelProto* model) {
  const onnx::ModelProto given = *model;
  return Mender(left, registry, judge, from, given).Run(model);
}

}  // namespace onnxcmp
