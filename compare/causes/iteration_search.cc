#include "compare/causes/iteration_search.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/bodies/body_models.h"
#include "compare/sides/value_store.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// A side that ran one iteration.
struct RecordedIteration {
  explicit RecordedIteration(int64_t budget) : store(budget, 0) {}
  RecordedSide side(ModelSide& model) { return {&model, &stream, &store}; }

  ResultStream stream;
  ValueStore store;
};

absl::Status Record(ModelSide& model, FingerprintCache* cache, const ThreadPool* pool,
                    RecordedIteration* recorded) {
  RecordOptions options;
  options.max_depth = 0;
  options.pool = pool;
  options.cache = cache;
  recorded->stream =
      model.Record(options, [&](int number, const StreamResult& result, const Value& value) {
        recorded->store.Keep(number, value, result.kind == ResultKind::kInitializer);
        return absl::OkStatus();
      });
  return model.summary().status;
}

struct Place {
  std::string path, name;
  int outer = kNone;  // the result, if it is read from around
};

// `label`: the label of the branch or the iteration.
Place PlaceOf(const std::string& path, const std::string& name, const std::string& label,
              const Node& node, const SideGraph& graph, const BodyPair::Captures& captures) {
  if (path.empty()) {
    const auto captured = captures.find(name);
    if (captured != captures.end()) {
      const StreamResult& result = graph.result(captured->second);
      return {result.path, result.name, captured->second};
    }
  }
  // The call path of a node in a body begins with that of the outer node.
  absl::string_view own = path;
  if (!node.call_path.empty() && absl::ConsumePrefix(&own, node.call_path)) {
    absl::ConsumePrefix(&own, "/");
  }
  const std::string around = absl::StrCat(PathOfNode(node), label);
  return {own.empty() ? around : absl::StrCat(around, "/", own), name, kNone};
}

std::pair<std::string, std::string> NameIn(const ResultStream& stream, int result) {
  if (result == kNone) return {};
  const StreamResult& known = stream.results[Index(result)];
  return {known.path, known.name};
}

// Turns it into a cause of the graph around the bodies.
Cause Outward(Cause cause, const BodyPlaces& places, const SideGraph& left, const SideGraph& right,
              const BodyPair& pair, const ResultStream& left_body, const ResultStream& right_body) {
  CauseInBody inner;
  if (cause.in_body.has_value()) {
    inner = *cause.in_body;
  } else {
    std::tie(inner.left_path, inner.left_name) = NameIn(left_body, cause.left);
    std::tie(inner.right_path, inner.right_name) = NameIn(right_body, cause.right);
  }
  cause.text = std::string(absl::StripPrefix(cause.text, InBodyText(inner)));
  const Place ours = PlaceOf(inner.left_path, inner.left_name, places.left_label, places.left_node,
                             left, pair.left_captures());
  const Place theirs = PlaceOf(inner.right_path, inner.right_name, places.right_label,
                               places.right_node, right, pair.right_captures());
  cause.left = ours.outer;
  cause.right = theirs.outer;
  cause.in_body.reset();
  if (ours.outer == kNone || theirs.outer == kNone) {
    cause.in_body = CauseInBody{.left_path = ours.path,
                                .left_name = ours.name,
                                .right_path = theirs.path,
                                .right_name = theirs.name};
    cause.text = absl::StrCat(InBodyText(*cause.in_body), cause.text);
  }
  cause.effect.reset();
  cause.mending.reset();
  cause.not_tried.clear();
  return cause;
}

}  // namespace

absl::StatusOr<IterationReport> SearchIteration(const Iteration& iteration,
                                                const BodyPlaces& places, const SideGraph& left,
                                                const SideGraph& right, const CauseOptions& options,
                                                BodyPair* pair) {
  OC_RETURN_IF_ERROR(pair->Feed(iteration));
  FingerprintCache cache;
  RecordedIteration ours(options.search_memory);
  RecordedIteration theirs(options.search_memory);
  OC_RETURN_IF_ERROR(Record(pair->left(), &cache, options.pool, &ours));
  OC_RETURN_IF_ERROR(Record(pair->right(), &cache, options.pool, &theirs));
  CauseOptions inner = options;
  inner.outputs_agree = false;
  inner.far.clear();
  inner.outputs.clear();
  inner.agrees = nullptr;
  inner.watch = nullptr;
  OC_ASSIGN_OR_RETURN(CauseReport found,
                      FindCauses({ours.side(pair->left()), theirs.side(pair->right())},
                                 Align(ours.stream, theirs.stream), inner));
  IterationReport report;
  for (const std::string& note : found.notes) {
    report.notes.push_back(absl::StrCat("in ", iteration.path, ": ", note));
  }
  for (Cause& cause : found.causes) {
    // Outer values are searched in the graph around.
    if (cause.kind == CauseKind::kInput && !cause.in_body.has_value()) {
      report.explained = false;
      continue;
    }
    report.causes.push_back(
        Outward(std::move(cause), places, left, right, *pair, ours.stream, theirs.stream));
  }
  return report;
}

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

}  // namespace onnxcmp
