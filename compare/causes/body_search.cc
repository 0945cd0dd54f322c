#include "compare/causes/body_search.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/bodies/body_iterations.h"
#include "compare/causes/bodies/body_models.h"
#include "compare/causes/bodies/body_pair.h"
#include "compare/causes/branches.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/iteration_search.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {
namespace {

// Iterations that take the same branches and are searched: the first that diverges, and more if
// it does not tell clearly.
constexpr int kMaxSearches = 3;

// All attributes but the graphs.
bool SameSettings(const Node& left, const Node& right) {
  const std::vector<std::string> names = AttributeNames(&left, &right);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    for (const Node* node : {&left, &right}) {
      const std::vector<Body> bodies = BodiesOf(*node);
      if (std::any_of(bodies.begin(), bodies.end(), [&](const Body& body) {
            return body.attribute == name || absl::StartsWith(body.attribute, name + "[");
          })) {
        return true;
      }
    }
    return AttributeDifferenceText(left, right, name).empty();
  });
}

class BodySearcher {
 public:
  BodySearcher(const ForcedRun& run, const ForcedState& state, const NodesWithBodies& nodes,
               const CauseOptions& options)
      : run_(run),
        state_(state),
        left_(nodes.left),
        right_(nodes.right),
        left_node_(*run.left().graph().node(left_).node),
        right_node_(*run.right().node(right_).node),
        options_(options) {}

  absl::StatusOr<BodyFindings> Search() {
    OC_ASSIGN_OR_RETURN(branches_, CompareBranches(run_, state_, left_, right_));
    if (branches_.cause.has_value()) {
      findings_.causes.push_back(*branches_.cause);
      if (branches_.explains_all) return std::move(findings_);
    }
    OC_RETURN_IF_ERROR(ForEachIteration(
        run_.left().graph(), left_, [&](int r) -> const Value& { return run_.left().value_of(r); },
        [&](const Iteration& iteration) { return Visit(iteration); }));
    if (order_.empty() && farthest_.has_value()) {
      OC_RETURN_IF_ERROR(Search(*farthest_).status());
    }
    if (!order_.empty() && first_near_.has_value()) {
      OC_RETURN_IF_ERROR(SearchEarlier(*first_near_));
    }
    Collect();
    // If a schema's body ran instead, no iteration was visited.
    findings_.rounding = visited_ && findings_.causes.empty() && findings_.notes.empty() &&
                         explained_ && SameSettings(left_node_, right_node_) && ReadTheSame();
    return std::move(findings_);
  }

 private:
  // Null if the pair cannot be made and the reason is already noted.
  absl::StatusOr<BodyPair*> PairFor(const Body& left) {
    const std::string attribute =
        branches_.right_branch.empty() ? left.attribute : branches_.right_branch;
    const auto it = pairs_.find(left.attribute);
    if (it != pairs_.end()) return &it->second;
    for (const Body& right : BodiesOf(right_node_)) {
      if (right.attribute != attribute) continue;
      OC_ASSIGN_OR_RETURN(BodyPair pair,
                          BodyPair::Create(run_, state_, left_, left, right_, right));
      return &pairs_.emplace(left.attribute, std::move(pair)).first->second;
    }
    return absl::InvalidArgumentError(absl::StrCat("the right's node has no '", attribute, "'"));
  }

  // State of the iterations that take the same branches.
  struct Way {
    std::string first;  // the label of the first that diverges
    IterationReport best;
    // The iteration that `best` comes from: its path, unless it is the first, and whether one of
    // its inputs is flat. A loop that begins with zeros hides differences that show later.
    std::string shown_by;
    bool flat = false;
    int searches = 0;
    bool settled = false;
  };

  // True if the visits should go on.
  absl::StatusOr<bool> Visit(const Iteration& iteration) {
    visited_ = true;
    OC_ASSIGN_OR_RETURN(BodyPair * pair, PairFor(iteration.body));
    OC_RETURN_IF_ERROR(pair->Feed(iteration));
    OC_ASSIGN_OR_RETURN(const BodyPair::Step step, pair->RunRight(iteration));
    if (step.near) {
      if (order_.empty() && !first_near_.has_value()) first_near_ = iteration;
      if (step.distance > farthest_distance_) {
        farthest_distance_ = step.distance;
        farthest_ = iteration;
      }
      return true;
    }
    return Search(iteration);
  }

  absl::StatusOr<bool> Search(const Iteration& iteration) {
    std::vector<const Graph*> graphs = iteration.inner;
    std::sort(graphs.begin(), graphs.end());
    Way& way = ways_[{iteration.body.attribute, graphs}];
    if (way.settled) {
      explained_ = explained_ && !way.best.causes.empty();
      return true;
    }
    if (--*options_.body_searches < 0) {
      findings_.notes.push_back(
          absl::StrCat("the search for causes inside nodes reached a limit at ", iteration.path));
      return false;
    }
    if (way.searches == 0) {
      way.first = iteration.label;
      order_.push_back(&way);
    }
    OC_ASSIGN_OR_RETURN(BodyPair * pair, PairFor(iteration.body));
    const auto right_label = [&](const std::string& label) {
      return branches_.right_branch.empty() ? label
                                            : absl::StrCat("[", branches_.right_branch, "]");
    };
    OC_ASSIGN_OR_RETURN(
        IterationReport report,
        SearchIteration(iteration, {left_node_, right_node_, way.first, right_label(way.first)},
                        run_.left().graph(), run_.right(), options_, pair));
    if (way.searches == 0 || TellsMore(report, way)) {
      way.best = std::move(report);
      way.flat = IsFlat(iteration);
      way.shown_by = iteration.label == way.first ? "" : iteration.path;
    }
    ++way.searches;
    const bool clear = !way.best.causes.empty() && way.best.notes.empty();
    way.settled = way.searches == kMaxSearches || (clear && (way.searches > 1 || !way.flat));
    // Without branches inside all iterations are alike.
    const bool alike = iteration.inner.empty() && BodiesOf(left_node_).size() == 1;
    if (ways_.size() > work_bounds::kFewTrials) explained_ = false;
    return explained_ && !(way.settled && alike && !way.best.causes.empty());
  }

  // Takes what the first iteration tells whose outputs still agree: a choice of the greatest or a
  // token hides what differs before, and later iterations read other values.
  absl::Status SearchEarlier(const Iteration& iteration) {
    if (--*options_.body_searches < 0) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(BodyPair * pair, PairFor(iteration.body));
    OC_RETURN_IF_ERROR(pair->Feed(iteration));
    OC_ASSIGN_OR_RETURN(
        IterationReport report,
        SearchIteration(iteration, {left_node_, right_node_, iteration.label, iteration.label},
                        run_.left().graph(), run_.right(), options_, pair));
    Way& way = *order_.front();
    // A constant differs in every step, and first shows in the one that diverges.
    const auto is_constant = [](const Cause& cause) {
      return cause.kind == CauseKind::kInitializer;
    };
    if (absl::c_none_of(report.causes, IsWrong) ||
        (absl::c_all_of(report.causes, is_constant) && NamesIn(report) == NamesIn(way.best))) {
      return absl::OkStatus();
    }
    way.best = std::move(report);
    way.shown_by.clear();
    return absl::OkStatus();
  }

  // True if a further iteration of this way reports more clearly than the best one so far.
  static bool TellsMore(const IterationReport& report, const Way& way) {
    const auto unclear = [](const IterationReport& of) {
      return std::pair(of.causes.empty(), of.notes.size());
    };
    if (unclear(report) != unclear(way.best)) return unclear(report) < unclear(way.best);
    return way.flat && report.causes.size() <= way.best.causes.size() &&
           NamesIn(report) != NamesIn(way.best);
  }

  static std::set<std::string> NamesIn(const IterationReport& report) {
    std::set<std::string> all;
    for (const Cause& cause : report.causes) {
      if (cause.in_body.has_value()) all.insert(cause.in_body->left_name);
    }
    return all;
  }

  // True if all elements of one of the iteration's inputs are the same number.
  static bool IsFlat(const Iteration& iteration) {
    return std::any_of(iteration.inputs.begin(), iteration.inputs.end(), [](const Value& value) {
      if (!IsMeasurable(value) || value.tensor().num_elements() < 2) return false;
      const std::vector<double> elements = ElementsOf(value.tensor());
      return std::adjacent_find(elements.begin(), elements.end(), std::not_equal_to<>()) ==
             elements.end();
    });
  }

  // Merges the findings of all ways, each cause once.
  void Collect() {
    std::set<std::tuple<int, int, std::string, std::string>> named;
    for (Way* way : order_) {
      explained_ = explained_ && way->best.explained;
      for (std::string& note : way->best.notes) findings_.notes.push_back(std::move(note));
      for (Cause& cause : way->best.causes) {
        const CauseInBody place = cause.in_body.value_or(CauseInBody());
        if (!named.emplace(cause.left, cause.right, place.left_name, place.right_name).second) {
          continue;
        }
        if (!way->shown_by.empty()) absl::StrAppend(&cause.text, "; shown by ", way->shown_by);
        findings_.causes.push_back(std::move(cause));
      }
    }
  }

  // True if both nodes read the same values, in any order.
  bool ReadTheSame() const {
    std::multiset<std::pair<uint64_t, uint64_t>> ours;
    std::multiset<std::pair<uint64_t, uint64_t>> theirs;
    for (const int r : run_.left().graph().node(left_).made->inputs) {
      if (r == kNone) continue;
      const Hash128& content = run_.left().graph().result(r).fingerprint.content;
      ours.insert({content.low, content.high});
    }
    for (const int r : run_.right().node(right_).made->inputs) {
      if (r == kNone) continue;
      const int c = state_.at(r).match;
      if (c == kNone) return false;
      const Hash128& content = run_.left().result(c).fingerprint.content;
      theirs.insert({content.low, content.high});
    }
    return ours == theirs;
  }

  const ForcedRun& run_;
  const ForcedState& state_;
  const int left_;
  const int right_;
  const Node& left_node_;
  const Node& right_node_;
  const CauseOptions& options_;
  BranchFindings branches_;
  BodyFindings findings_;
  std::map<std::string, BodyPair> pairs_;  // by the left's attribute
  // Keyed by the body's attribute and the graphs that ran inside an iteration.
  std::map<std::pair<std::string, std::vector<const Graph*>>, Way> ways_;
  std::vector<Way*> order_;              // in the order of discovery
  std::optional<Iteration> first_near_;  // before any that diverges
  std::optional<Iteration> farthest_;    // the farthest one that is still near
  double farthest_distance_ = 0;
  bool visited_ = false;   // any iteration
  bool explained_ = true;  // false once something that may be at fault was left out
};

bool RunsGraphs(const SideGraph& graph, int n) {
  const Node* node = graph.node(n).node;
  return node != nullptr && !BodiesOf(*node).empty();
}

// The only node of a region that runs graphs; kNone if there is none, or several.
int OnlyWithBodies(const SideGraph& graph, const Region& region) {
  int found = kNone;
  for (const int n : region.nodes) {
    if (!RunsGraphs(graph, n)) continue;
    if (found != kNone) return kNone;
    found = n;
  }
  return found;
}

bool SameOperator(const ForcedRun& run, const NodesWithBodies& nodes) {
  const StreamNode& ours = *run.left().graph().node(nodes.left).made;
  const StreamNode& theirs = *run.right().node(nodes.right).made;
  return ours.op_type == theirs.op_type && ours.domain == theirs.domain;
}

}  // namespace

std::optional<NodesWithBodies> NodesAfter(const ForcedRun& run, const ForcedState& state,
                                          const RegionNoise& noise, int right) {
  const ValueClasses& left = run.left();
  const int c = state.at(right).match;
  if (c == kNone || !left.computed(c) || !run.right().IsComputed(right)) return std::nullopt;
  NodesWithBodies nodes;
  nodes.left_result = left.representative(c);
  nodes.right_result = right;
  nodes.left = left.graph().producer(nodes.left_result);
  nodes.right = run.right().producer(right);
  if (!RunsGraphs(left.graph(), nodes.left) || !RunsGraphs(run.right(), nodes.right)) {
    nodes.left = OnlyWithBodies(left.graph(), noise.LeftRegion(c));
    nodes.right = OnlyWithBodies(run.right(), noise.RightRegion(right));
  }
  if (nodes.left == kNone || nodes.right == kNone || !SameOperator(run, nodes)) return std::nullopt;
  return nodes;
}

std::vector<NodesWithBodies> UnmatchedNodes(const ForcedRun& run, const ForcedState& state) {
  const SideGraph& left = run.left().graph();
  std::vector<NodesWithBodies> found;
  for (int n = 0; n < static_cast<int>(run.right().nodes().size()); ++n) {
    if (!RunsGraphs(run.right(), n)) continue;
    const std::vector<int> reads = run.right().Reads(n);
    if (std::any_of(reads.begin(), reads.end(),
                    [&](int r) { return state.at(r).match == kNone; })) {
      continue;
    }
    for (const int r : run.right().node(n).made->outputs) {
      if (r == kNone || state.at(r).match != kNone || state.at(r).own.empty()) continue;
      const int partner = run.aligned(r);
      if (partner == kNone || left.result(partner).depth > 0 || left.producer(partner) == kNone) {
        continue;
      }
      const NodesWithBodies nodes = {left.producer(partner), n, partner, r};
      if (!RunsGraphs(left, nodes.left) || !SameOperator(run, nodes)) continue;
      found.push_back(nodes);
      break;
    }
  }
  return found;
}

absl::StatusOr<BodyFindings> SearchBodies(const ForcedRun& run, const ForcedState& state,
                                          const NodesWithBodies& nodes,
                                          const CauseOptions& options) {
  return BodySearcher(run, state, nodes, options).Search();
}

}  // namespace onnxcmp
