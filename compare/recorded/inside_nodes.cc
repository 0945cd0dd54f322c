#include "compare/recorded/inside_nodes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/alignment/weights.h"
#include "compare/inside/folded_weights.h"
#include "compare/inside/inner_results.h"
#include "compare/inside/made_of_constants.h"
#include "compare/inside/part_of_constant.h"
#include "compare/recorded/evidence.h"
#include "compare/recorded/recording_view.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/graphs/replay.h"
#include "record/graphs/side_graph.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostStepElements = int64_t{1} << 28;  // of inputs of operators with steps

class InnerFinder {
 public:
  explicit InnerFinder(const RecordingView& view)
      : view_(view),
        side_(view.side()),
        model_(view.other()),
        own_(view.own()),
        graph_(view.graph()),
        partners_(view.partners()) {
    for (size_t r = 0; r < own_.results.size() && looked_.size() < work_bounds::kLooks; ++r) {
      if (!MayBeInside(static_cast<int>(r))) continue;
      looked_[own_.results[r].fingerprint.size].push_back(static_cast<int>(r));
    }
  }

  absl::StatusOr<std::vector<Claim>> Find(PairingRuns& runs) {
    if (looked_.empty()) return std::vector<Claim>();
    OC_RETURN_IF_ERROR(LookAtConstants(runs));
    LookInsideOfNodes(runs);
    // A result that is found here disagrees with nothing, which may be what another one waits for.
    size_t before = 0;
    do {
      before = best_.size();
      TakeConfirmed();
    } while (best_.size() < before);
    return std::move(claims_);
  }

 private:
  struct Step {
    int of = kNone;
    std::string how;
    double distance = 0;
  };

  // A result of the same name is its partner, however wrong.
  bool MayBeInside(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    if (view_.Stays(r) || result.kind != ResultKind::kResult || !result.shape.has_value() ||
        result.fingerprint.kind != ElementKind::kFloat || result.fingerprint.size <= kHandful) {
      return false;
    }
    const int partner = partners_[Index(r)];
    return partner == kNone ||
           (graph_.result(partner).fingerprint.bits != result.fingerprint.bits &&
            !view_.IsNameOf(r, partner));
  }

  // The distance that a step has to be nearer than.
  double MostOf(int r, const StreamResult& read) const {
    const double most = NoiseOfDerived(own_.results[Index(r)], read);
    const int partner = partners_[Index(r)];
    if (partner == kNone) return most;
    const double now =
        SketchDistance(own_.results[Index(r)].fingerprint, graph_.result(partner).fingerprint);
    return now > weights::kMovedFrom ? std::min(most, now / weights::kTimesNearer) : 0;
  }

  // Looks at the steps of the model's operators.
  class InnerReplay : public WholeReplay {
   public:
    explicit InnerReplay(InnerFinder* finder)
        : WholeReplay(finder->graph_, LeavesOf(finder->graph_, *finder->model_.side->feeds())),
          finder_(*finder) {}

   private:
    Outputs Compute(int n) override {
      if (finder_.HasSteps(n)) {
        std::vector<Value> inputs;
        for (const int read : graph().node(n).made->inputs) {
          inputs.push_back(read == kNone ? Value() : graph().ForModel(read, Read(read)));
        }
        finder_.LookInside(n, inputs);
      }
      return WholeReplay::Compute(n);
    }

    InnerFinder& finder_;
  };

  bool HasSteps(int n) const {
    const SideGraph::GraphNode& node = graph_.node(n);
    return node.node != nullptr && HasInnerResults(*node.node) && !node.made->outputs.empty() &&
           node.made->outputs.front() != kNone;
  }

  void LookInsideOfNodes(PairingRuns& runs) {
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      if (!HasSteps(static_cast<int>(n))) continue;
      InnerReplay replay(this);
      runs.Replay(replay);
      return;
    }
  }

  void LookInside(int n, const std::vector<Value>& inputs) {
    for (const Value& input : inputs) {
      if (input.is_tensor()) elements_left_ -= input.tensor().num_elements();
    }
    if (elements_left_ < 0) return;
    const SideGraph::GraphNode& node = graph_.node(n);
    for (const Value& step : InnerResultsOf(*node.node, inputs, *model_.evaluator())) {
      Look(step, node.made->outputs.front(), InsideOf(*node.node));
    }
  }

  // Moves the steps that other recorded results confirm.
  void TakeConfirmed() {
    const size_t first = claims_.size();
    const RecordedEvidence evidence(own_, *model_.stream, partners_);
    for (auto& [r, inside] : best_) {
      const bool stands = graph_.IsConstant(inside.of) || evidence.Confirms(inside.of, r);
      if (stands) Propose(r, inside.of, std::move(inside.how));
    }
    for (size_t i = first; i < claims_.size(); ++i) {
      const int r = OfSide(claims_[i], side_);
      best_.erase(r);
      partners_[Index(r)] = kNone;
    }
  }

  void Propose(int r, int of, std::string how) {
    claims_.push_back(ClaimOf(Rule::kInside, side_, r, of));
    claims_.back().how = std::move(how);
  }

  void Look(const Value& step, int of, const std::string& how) {
    if (!step.is_tensor()) return;
    const auto looked = looked_.find(step.tensor().num_elements());
    if (looked == looked_.end()) return;
    const Fingerprint fingerprint = FingerprintOf(step);
    if (fingerprint.kind != ElementKind::kFloat) return;
    for (const int r : looked->second) {
      // A mask of one number is near others like it.
      const Fingerprint& own = own_.results[Index(r)].fingerprint;
      if ((!fingerprint.rich || !own.rich) && fingerprint.bits != own.bits) continue;
      const double distance = SketchDistance(own_.results[Index(r)].fingerprint, fingerprint);
      if (!(distance <= MostOf(r, graph_.result(of)))) continue;
      const auto [it, added] = best_.try_emplace(r, Step{of, how, distance});
      if (!added && distance < it->second.distance) it->second = {of, how, distance};
    }
  }

  absl::Status LookAtConstants(PairingRuns& runs) {
    PerSide<std::vector<int>> wanted;
    for (const auto& [size, results] : looked_) {
      for (const int r : results) {
        if (partners_[Index(r)] == kNone) wanted[side_].push_back(r);
      }
    }
    if (wanted[side_].empty()) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(PerSide<ValuesOfResults> values, runs.Values(wanted));
    std::vector<std::pair<int, Value>> open(values[side_].begin(), values[side_].end());
    absl::c_sort(open, [](const auto& a, const auto& b) { return a.first < b.first; });
    const Graph& graph = model_.evaluator()->model().graph;
    for (const FoldedWeight& folded : FoldedWeightsOf(graph)) {
      LookAtFolded(folded, open);
    }
    for (const Initializer& constant : graph.initializers) {
      if (!constant.value.is_tensor()) continue;
      const auto of = ConstantOf(constant.name);
      if (of == graph_.results().end()) continue;
      for (const auto& [r, value] : open) {
        if (!value.is_tensor() || best_.contains(r)) continue;
        const Tensor& held = constant.value.tensor();
        if (IsPartOfConstant(value.tensor(), held)) {
          best_[r] = {*of, "a part of a constant", 0};
        } else if (!own_.results[Index(r)].fingerprint.rich &&
                   held.num_elements() > kEnoughElements &&
                   IsPartOfConstant(held, value.tensor())) {
          best_[r] = {*of, "a mask, of which the model has a part", 0};
        }
      }
    }
    TakeMadeOfConstants(open);
    return absl::OkStatus();
  }

  // Shapes of what the model computes and nothing recorded is yet.
  absl::flat_hash_set<Shape> ShapesWithoutPartner() const {
    const absl::flat_hash_set<int> taken(partners_.begin(), partners_.end());
    absl::flat_hash_set<Shape> shapes;
    for (const int m : graph_.results()) {
      const std::optional<Shape>& shape = graph_.result(m).shape;
      if (graph_.IsComputed(m) && !taken.contains(m) && shape.has_value()) shapes.insert(*shape);
    }
    return shapes;
  }

  // Results that are computed before any input is read, of which the model keeps the last alone, if
  // any: each follows from places, or leads to a constant or to another such result.
  void TakeMadeOfConstants(const std::vector<std::pair<int, Value>>& open) {
    std::vector<std::pair<int, Tensor>> ends;
    for (const Initializer& constant : model_.evaluator()->model().graph.initializers) {
      const auto of = ConstantOf(constant.name);
      if (of != graph_.results().end() && constant.value.is_tensor()) {
        ends.emplace_back(*of, constant.value.tensor());
      }
    }
    const absl::flat_hash_set<Shape> waiting = ShapesWithoutPartner();
    std::vector<std::pair<int, Tensor>> left;
    for (const auto& [r, value] : open) {
      const bool is_open = value.is_tensor() && !best_.contains(r);
      if (!is_open || waiting.contains(value.tensor().shape())) continue;
      left.emplace_back(r, value.tensor());
    }
    for (size_t before = left.size() + 1; left.size() < before;) {
      before = left.size();
      std::erase_if(left, [&](const std::pair<int, Tensor>& one) {
        const auto end = absl::c_find_if(
            ends, [&](const auto& to) { return LeadsToConstant(one.second, to.second); });
        if (end == ends.end() && !FollowsFromPlaces(one.second)) return false;
        const int of = end == ends.end() ? kNone : end->first;
        Propose(one.first, of, "made of constants alone");
        ends.emplace_back(of, one.second);
        return true;
      });
    }
  }

  std::vector<int>::const_iterator ConstantOf(absl::string_view name) const {
    return absl::c_find_if(graph_.results(), [&](int m) {
      return graph_.result(m).name == name && graph_.IsConstant(m);
    });
  }

  void LookAtFolded(const FoldedWeight& folded, const std::vector<std::pair<int, Value>>& open) {
    const auto of = ConstantOf(folded.of);
    if (of == graph_.results().end()) return;
    const Fingerprint fingerprint = FingerprintOf(Value(folded.value));
    for (const auto& [r, value] : open) {
      const StreamResult& own = own_.results[Index(r)];
      if (!own.fingerprint.rich || own.fingerprint.size != fingerprint.size) continue;
      const double distance = SketchDistance(own.fingerprint, fingerprint);
      if (!(distance <= NoiseOfDerived(own, graph_.result(*of)))) continue;
      const auto [it, added] =
          best_.try_emplace(r, Step{*of, "with a folded BatchNormalization", distance});
      if (!added && distance < it->second.distance) {
        it->second = {*of, "with a folded BatchNormalization", distance};
      }
    }
  }

  const RecordingView& view_;
  const SideId side_;
  const RecordedSide& model_;
  const ResultStream& own_;
  const SideGraph& graph_;
  std::vector<int> partners_;
  std::vector<Claim> claims_;
  absl::flat_hash_map<int64_t, std::vector<int>> looked_;  // recorded results by their size
  absl::btree_map<int, Step> best_;                        // by recorded result
  int64_t elements_left_ = kMostStepElements;
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimInsideNodes(const RecordingView& view, PairingRuns& runs) {
  if (!view.has_model()) return std::vector<Claim>();
  return InnerFinder(view).Find(runs);
}

}  // namespace onnxcmp
