#include "compare/causes/repro/make_repro.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/repro/region_model.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/graphs/region.h"
#include "record/recordings/recorded_values.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

bool Contains(const std::vector<int>& sorted, int r) {
  return std::binary_search(sorted.begin(), sorted.end(), r);
}

// True if everything that the region's nodes read is available.
bool IsWhole(const SideGraph& graph, const Region& region) {
  absl::flat_hash_set<int> known(region.entries.begin(), region.entries.end());
  for (const int n : region.nodes) {
    for (const int read : graph.Reads(n)) {
      if (!known.contains(read)) return false;
    }
    for (const int output : graph.node(n).made->outputs) known.insert(output);
  }
  return true;
}

class ReproMaker {
 public:
  // `feed_left`: constants of the left become inputs, too.
  ReproMaker(const FoundCause& found, const Cause& cause, bool feed_left)
      : found_(found),
        feed_left_(feed_left),
        left_(found.run.left()),
        right_(found.run.right()),
        judged_(cause.judged),
        changed_(right_.IsComputed(judged_) ? kNone : judged_) {}

  absl::StatusOr<Repro> Make() {
    OC_RETURN_IF_ERROR(FindEnd());
    Repro repro;
    const int c = State(end_).match;
    const int l = left_.representative(c);
    repro.left_name = left_.graph().result(l).name;
    repro.left_result = ValueOf(c);
    repro.expected = right_.ForModel(end_, found_.run.ValueFor(c, end_));
    if (repro.expected.empty()) repro.expected = repro.left_result;
    repro.right_result = right_.ForModel(end_, changed_ == kNone ? State(end_).own : with_change_);
    OC_RETURN_IF_ERROR(SortEntries(l));

    const RegionModel right(right_, found_.right.model(), right_region_, end_);
    absl::flat_hash_set<std::string> taken = right.Names(right_constants_);
    std::optional<RegionModel> left;
    if (left_.graph().runs()) {
      left.emplace(left_.graph(), found_.left->model(), left_region_, l);
      taken.merge(left->Names(left_constants_));
    }
    NameInputs(taken, &repro);
    OC_ASSIGN_OR_RETURN(Model right_model, right.Make(repro.inputs, right_inputs_, right_constants_,
                                                      repro.right_result));
    repro.right = std::make_shared<const Model>(std::move(right_model));
    if (!left.has_value()) return repro;
    OC_ASSIGN_OR_RETURN(Model left_model,
                        left->Make(repro.inputs, left_inputs_, left_constants_, repro.left_result));
    repro.left = std::make_shared<const Model>(std::move(left_model));
    return repro;
  }

 private:
  const ForcedResult& State(int r) const { return found_.state.at(r); }

  // The value of an entry for the right's nodes.
  const Value& Given(int r) const { return r == changed_ ? State(r).own : State(r).held; }

  // A class's value in the form of the left's model.
  Value ValueOf(int c) const {
    return left_.graph().ForModel(left_.representative(c), left_.value(c));
  }

  const CommonForm& FormOf(int c) const {
    return left_.graph().result(left_.representative(c)).form;
  }

  bool IsChangedClass(int c) const { return changed_ != kNone && c == State(changed_).match; }

  // Finds the result at which the regions end.
  absl::Status FindEnd() {
    if (changed_ == kNone) {
      SetEnd(judged_);
    } else if (!FindReader()) {
      return absl::NotFoundError(
          absl::StrCat("nothing that both sides have reads '", right_.result(judged_).name, "'"));
    }
    const bool whole = IsWhole(right_, right_region_) &&
                       (!left_.graph().runs() || IsWhole(left_.graph(), left_region_));
    if (whole) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("what has no partner around '",
                                                     right_.result(judged_).name, "' is over ",
                                                     work_bounds::kLooks, " nodes"));
  }

  void SetEnd(int r) {
    end_ = r;
    right_region_ = found_.noise.RightRegion(r, work_bounds::kLooks);
    left_region_ = found_.noise.LeftRegion(State(r).match, work_bounds::kLooks);
  }

  // Takes the first result after the constant that shows the difference and also depends on it on
  // the left; else the first with either property.
  bool FindReader() {
    int best = kNone;
    int most = -1;
    int looked_at = 0;
    for (const int r : right_.results()) {
      const ForcedResult& result = State(r);
      // A copy of the constant does not show its effect.
      if (result.match == kNone || !right_.IsComputed(r) || IsChangedClass(result.match)) continue;
      if (!Contains(found_.noise.RightRegion(r).entries, changed_)) continue;
      SetEnd(r);
      Value with_change = RunRegion(right_, right_region_, r,
                                    [&](int read) -> const Value& { return Given(read); });
      if (with_change.empty()) continue;
      const bool on_left = std::any_of(left_region_.entries.begin(), left_region_.entries.end(),
                                       [&](int read) { return IsChangedClass(left_.of(read)); });
      const bool differs = ContentOf(with_change) != result.held_content;
      const int points = (on_left ? 2 : 0) + (differs ? 1 : 0);
      if (points > most) {
        most = points;
        best = r;
        with_change_ = std::move(with_change);
      }
      if (points == 3 || ++looked_at == work_bounds::kFewTrials) break;
    }
    if (best != kNone) SetEnd(best);
    return best != kNone;
  }

  // Selects the entries that are inputs: those of classes that either side computes or is fed. `l`:
  // the left's result.
  absl::Status SortEntries(int l) {
    const SideGraph& left = left_.graph();
    absl::flat_hash_set<int> fed;  // classes
    // A constant of either side is a constant here: weights may come through copies of them.
    const auto is_constant = [this](int c) {
      return left_.constant(c) || absl::c_any_of(right_region_.entries, [&](int r) {
               return State(r).match == c && right_.IsConstant(r);
             });
    };
    const auto is_fed = [&](const SideGraph& graph, int r, int c) {
      if (IsChangedClass(c) || graph.IsConstant(r)) return false;
      return graph.result(r).kind == ResultKind::kInput || !is_constant(c);
    };
    std::vector<int> left_entries;
    if (left.runs()) left_entries = left_region_.entries;
    // The result may just be an input or a constant.
    if (left.runs() && left_region_.nodes.empty()) left_entries.push_back(l);
    for (const int r : right_region_.entries) {
      const int c = State(r).match;
      if (c != kNone && is_fed(right_, r, c)) fed.insert(c);
    }
    for (const int r : left_entries) {
      const int c = left_.of(r);
      if (c == kNone) {
        return absl::NotFoundError(
            absl::StrCat("no value is known for the left's '", left.result(r).name, "'"));
      }
      if (is_fed(left, r, c) || (feed_left_ && !IsChangedClass(c))) fed.insert(c);
    }
    for (const int r : right_region_.entries) {
      const int c = State(r).match;
      const Value given = right_.ForModel(r, Given(r));
      if (given.empty()) {
        return absl::NotFoundError(
            absl::StrCat("no value is known for the right's '", right_.result(r).name, "'"));
      }
      if (c != kNone && fed.contains(c)) {
        right_inputs_.push_back({r, "", ValueOf(c), given, FormOf(c), right_.result(r).form});
      } else if (r != changed_ && !right_.IsConstant(r) && (c == kNone || IsChangedClass(c))) {
        right_inputs_.push_back({r, "", given, given, {}, {}});
      } else {
        const bool own = r == changed_ || State(r).held_content == State(r).own_content;
        right_constants_.push_back({r, given, own});
      }
    }
    for (const int r : left_entries) {
      const int c = left_.of(r);
      if (fed.contains(c)) {
        left_inputs_.push_back(
            {r, "", ValueOf(c), left.ForModel(r, left_.value(c)), FormOf(c), left.result(r).form});
      } else {
        left_constants_.push_back({r, left.ForModel(r, left_.value(c)), true});
      }
    }
    return absl::OkStatus();
  }

  // An input for each fed class, and for each fed input of the right without a class; with the
  // left's name unless that is taken.
  void NameInputs(absl::flat_hash_set<std::string> taken, Repro* repro) {
    std::map<int, std::string> by_class;
    for (const RegionModel::Input& input : left_inputs_) {
      std::string& name = by_class[left_.of(input.result)];
      if (name.empty()) name = NewName(left_.graph().result(input.result).name, &taken);
    }
    for (RegionModel::Input& input : right_inputs_) {
      const int c = State(input.result).match;
      if (c == kNone) {
        input.name = NewName(right_.result(input.result).name, &taken);
        repro->inputs.push_back({input.name, input.value});
        continue;
      }
      std::string& name = by_class[c];
      if (name.empty()) name = NewName(left_.result(c).name, &taken);
      input.name = name;
    }
    for (const auto& [c, name] : by_class) repro->inputs.push_back({name, ValueOf(c)});
    for (RegionModel::Input& input : left_inputs_) {
      input.name = by_class[left_.of(input.result)];
    }
  }

  const FoundCause& found_;
  const bool feed_left_;
  const ValueClasses& left_;
  const SideGraph& right_;
  const int judged_;
  const int changed_;  // a constant or an input with its own value; kNone
  int end_ = kNone;    // the right's result
  Value with_change_;
  Region right_region_, left_region_;
  std::vector<RegionModel::Input> right_inputs_, left_inputs_;
  std::vector<RegionModel::Constant> right_constants_, left_constants_;
};

}  // namespace

absl::StatusOr<Repro> MakeRepro(const FoundCause& found, const Cause& cause) {
  absl::StatusOr<Repro> repro = ReproMaker(found, cause, /*feed_left=*/false).Make();
  // Otherwise it would be taken for a recording.
  if (repro.ok() && repro->left != nullptr && HoldsConstantsOnly(repro->left->graph)) {
    return ReproMaker(found, cause, /*feed_left=*/true).Make();
  }
  return repro;
}

}  // namespace onnxcmp
