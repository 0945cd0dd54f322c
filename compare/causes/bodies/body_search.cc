#include "compare/causes/bodies/body_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/bodies/body_iterations.h"
#include "compare/causes/bodies/body_models.h"
#include "compare/causes/bodies/body_pair.h"
#include "compare/causes/bodies/branches.h"
#include "compare/reports/attribute_text.h"
#include "compare/sides/value_bank.h"
#include "evaluator/status_macros.h"

namespace onnxcmp {
namespace {

// Iterations that are searched: the first that goes apart, and those that took other branches.
constexpr int kMaxSearched = 3;

// A side that ran one iteration.
struct RecordedIteration {
  explicit RecordedIteration(int64_t budget) : bank(budget) {}
  RecordedSide side(ModelSide& model) { return {&model, &stream, &bank}; }

  ResultStream stream;
  ValueBank bank;
};

absl::Status Record(ModelSide& model, FingerprintCache* cache, const ThreadPool* pool,
                    RecordedIteration* recorded) {
  RecordOptions options;
  options.max_depth = 0;
  options.pool = pool;
  options.cache = cache;
  recorded->stream =
      model.Record(options, [&](int number, const StreamResult& result, const Value& value) {
        recorded->bank.Keep(number, value, result.kind == ResultKind::kInitializer);
        return absl::OkStatus();
      });
  return model.summary().status;
}

// All attributes but the graphs, as far as the text shows them.
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
    return AttributeText(left, name) == AttributeText(right, name);
  });
}

class BodySearcher {
 public:
  BodySearcher(const ForcedRun& run, const ForcedState& state, std::pair<int, int> nodes,
               const CauseOptions& options)
      : run_(run),
        state_(state),
        left_(nodes.first),
        right_(nodes.second),
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
        run_.left().graph(), left_,
        [&](int r) -> const Value& { return run_.left().value(run_.left().of(r)); },
        [&](const Iteration& iteration) { return Visit(iteration); }));
    if (searched_ == 0 && farthest_.has_value()) {
      OC_RETURN_IF_ERROR(SearchIteration(*farthest_));
    }
    findings_.rounding = findings_.causes.empty() && findings_.notes.empty() && explained_ &&
                         SameSettings(left_node_, right_node_) && ReadTheSame();
    return std::move(findings_);
  }

 private:
  // Null if it is known why not.
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

  // Whether to go on.
  absl::StatusOr<bool> Visit(const Iteration& iteration) {
    OC_ASSIGN_OR_RETURN(BodyPair * pair, PairFor(iteration.body));
    OC_RETURN_IF_ERROR(pair->Feed(iteration));
    OC_ASSIGN_OR_RETURN(const BodyPair::Step step, pair->RunRight(iteration));
    if (step.near) {
      if (step.distance > farthest_distance_) {
        farthest_distance_ = step.distance;
        farthest_ = iteration;
      }
      return true;
    }
    std::vector<const Graph*> way = iteration.inner;
    std::sort(way.begin(), way.end());
    // What goes apart here has been named, unless other branches were taken.
    const bool is_new = ways_.insert({iteration.body.attribute, way}).second;
    if (!is_new && !findings_.causes.empty()) return true;
    if (searched_ == kMaxSearched) {
      explained_ = false;
      return false;
    }
    OC_RETURN_IF_ERROR(SearchIteration(iteration));
    // Without branches inside all iterations are alike.
    return findings_.causes.empty() || !iteration.inner.empty() || BodiesOf(left_node_).size() > 1;
  }

  absl::Status SearchIteration(const Iteration& iteration) {
    if (options_.body_searches != nullptr && --*options_.body_searches < 0) {
      findings_.notes.push_back(
          absl::StrCat("the search for causes inside nodes reached a limit at ", iteration.path));
      explained_ = false;
      return absl::OkStatus();
    }
    ++searched_;
    OC_ASSIGN_OR_RETURN(BodyPair * pair, PairFor(iteration.body));
    OC_RETURN_IF_ERROR(pair->Feed(iteration));
    FingerprintCache cache;
    RecordedIteration left(options_.max_memory);
    RecordedIteration right(options_.max_memory);
    OC_RETURN_IF_ERROR(Record(pair->left(), &cache, options_.pool, &left));
    OC_RETURN_IF_ERROR(Record(pair->right(), &cache, options_.pool, &right));
    CauseOptions options = options_;
    options.outputs_agree = false;
    options.watch = nullptr;
    OC_ASSIGN_OR_RETURN(CauseReport report,
                        FindCauses(left.side(pair->left()), right.side(pair->right()),
                                   Align(left.stream, right.stream), options));
    for (std::string& note : report.notes) {
      findings_.notes.push_back(absl::StrCat("in ", iteration.path, ": ", note));
    }
    for (Cause& cause : report.causes) {
      // What is read from around is looked at there.
      if (cause.kind == CauseKind::kInput && !cause.in_body.has_value()) {
        explained_ = false;
        continue;
      }
      Add(std::move(cause), iteration, *pair, left.stream, right.stream);
    }
    return absl::OkStatus();
  }

  struct Place {
    std::string path, name;
    int outer = kNone;  // the result, if it is read from around
  };

  // `label`: of the branch or the iteration.
  static Place PlaceOf(const std::string& path, const std::string& name, const std::string& label,
                       const Node& node, const SideGraph& graph,
                       const BodyPair::Captures& captures) {
    if (path.empty()) {
      const auto captured = captures.find(name);
      if (captured != captures.end()) {
        const StreamResult& result = graph.result(captured->second);
        return {result.path, result.name, captured->second};
      }
    }
    // The call path of a node in a body begins with that of the node around.
    absl::string_view own = path;
    if (!node.call_path.empty() && absl::ConsumePrefix(&own, node.call_path)) {
      absl::ConsumePrefix(&own, "/");
    }
    const std::string around = absl::StrCat(PathOfNode(node), label);
    return {own.empty() ? around : absl::StrCat(around, "/", own), name, kNone};
  }

  void Add(Cause cause, const Iteration& iteration, const BodyPair& pair, const ResultStream& left,
           const ResultStream& right) {
    CauseInBody inner;
    if (cause.in_body.has_value()) {
      inner = *cause.in_body;
      cause.text = std::string(absl::StripPrefix(cause.text, InBodyText(inner)));
    } else {
      std::tie(inner.left_path, inner.left_name) = NameIn(left, cause.left);
      std::tie(inner.right_path, inner.right_name) = NameIn(right, cause.right);
    }
    const std::string right_label = branches_.right_branch.empty()
                                        ? iteration.label
                                        : absl::StrCat("[", branches_.right_branch, "]");
    const Place ours = PlaceOf(inner.left_path, inner.left_name, iteration.label, left_node_,
                               run_.left().graph(), pair.left_captures());
    const Place others = PlaceOf(inner.right_path, inner.right_name, right_label, right_node_,
                                 run_.right(), pair.right_captures());
    if (!named_.insert({inner.left_name, inner.right_name}).second) return;
    cause.left = ours.outer;
    cause.right = others.outer;
    cause.in_body.reset();
    if (ours.outer == kNone || others.outer == kNone) {
      cause.in_body = CauseInBody{.left_path = ours.path,
                                  .left_name = ours.name,
                                  .right_path = others.path,
                                  .right_name = others.name};
      cause.text = absl::StrCat(InBodyText(*cause.in_body), cause.text);
    }
    cause.effect.reset();
    findings_.causes.push_back(std::move(cause));
  }

  static std::pair<std::string, std::string> NameIn(const ResultStream& stream, int result) {
    if (result == kNone) return {};
    const StreamResult& known = stream.results[Index(result)];
    return {known.path, known.name};
  }

  // Whether both nodes read the same values, in whatever order.
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
  // By body: the graphs that ran inside an iteration that was searched.
  std::set<std::pair<std::string, std::vector<const Graph*>>> ways_;
  absl::flat_hash_set<std::pair<std::string, std::string>> named_;
  std::optional<Iteration> farthest_;  // of those that are near
  double farthest_distance_ = 0;
  int searched_ = 0;
  bool explained_ = true;  // nothing was left out that may be at fault
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

}  // namespace

std::string InBodyText(const CauseInBody& place) {
  if (place.left_path == place.right_path) return absl::StrCat("in ", place.left_path, ": ");
  const auto path = [](const std::string& text) { return text.empty() ? "the main graph" : text; };
  return absl::StrCat("in ", path(place.left_path), " | ", path(place.right_path), ": ");
}

void Locate(std::pair<int, int> around, const ResultStream& left, const ResultStream& right,
            Cause* cause) {
  if (!cause->in_body.has_value()) return;
  CauseInBody& place = *cause->in_body;
  std::tie(place.left, place.right) = around;
  const auto find = [](const ResultStream& stream, const std::string& path, const std::string& name,
                       int otherwise) {
    const auto it =
        std::find_if(stream.results.begin(), stream.results.end(), [&](const StreamResult& result) {
          return result.name == name && result.path == path && result.kind != ResultKind::kOutput;
        });
    return it == stream.results.end() ? otherwise : static_cast<int>(it - stream.results.begin());
  };
  cause->left = find(left, place.left_path, place.left_name, place.left);
  cause->right = find(right, place.right_path, place.right_name, place.right);
}

std::optional<std::pair<int, int>> NodesWithBodies(const ForcedRun& run, const ForcedState& state,
                                                   const RegionNoise& noise, int right) {
  const LeftClasses& left = run.left();
  const int c = state.at(right).match;
  if (c == kNone || !left.computed(c) || !run.right().IsComputed(right)) return std::nullopt;
  int l = left.graph().producer(left.representative(c));
  int r = run.right().producer(right);
  if (!RunsGraphs(left.graph(), l) || !RunsGraphs(run.right(), r)) {
    l = OnlyWithBodies(left.graph(), noise.LeftRegion(c));
    r = OnlyWithBodies(run.right(), noise.RightRegion(right));
  }
  if (l == kNone || r == kNone) return std::nullopt;
  const StreamNode& ours = *left.graph().node(l).made;
  const StreamNode& theirs = *run.right().node(r).made;
  if (ours.op_type != theirs.op_type || ours.domain != theirs.domain) return std::nullopt;
  return std::pair(l, r);
}

absl::StatusOr<BodyFindings> SearchBodies(const ForcedRun& run, const ForcedState& state,
                                          std::pair<int, int> nodes, const CauseOptions& options) {
  return BodySearcher(run, state, nodes, options).Search();
}

}  // namespace onnxcmp
