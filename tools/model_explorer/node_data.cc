#include "tools/model_explorer/node_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/outputs/compared_row.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

using NodeDataJson = nlohmann::ordered_json;

// JSON has no infinity: values that do not compare are as far apart as this.
constexpr double kFarthestShown = 1e30;
constexpr double kMostDecibels = 400;
constexpr char kTextColor[] = "#14171a";

// Finding for a node: the worst of its results.
struct NodeFinding {
  Relation relation = Relation::kSame;
  std::optional<double> error;  // beside the values' size; nothing: it has no partner

  void Add(const NodeFinding& other) {
    if (Badness(other.relation) > Badness(relation)) relation = other.relation;
    if (other.error.has_value()) error = std::max(error.value_or(0), *other.error);
  }

 private:
  static int Badness(Relation relation) {
    switch (relation) {
      case Relation::kDifferent:
        return 3;
      case Relation::kClose:
        return 2;
      case Relation::kSame:
        return 1;
      default:
        return 0;
    }
  }
};

double ErrorOf(const ComparedRow& row) {
  if (row.difference == nullptr) return 0;
  const TensorDifference& difference = *row.difference;
  if (!difference.values.reason.empty() || difference.non_finite_disagree > 0)
    return kFarthestShown;
  const double share = std::pow(10.0, -difference.sqnr / 20);
  return std::isfinite(share) ? std::min(share, kFarthestShown) : difference.values.max_relative;
}

// By result of a side.
std::vector<std::optional<NodeFinding>> FindingsOf(const Comparison& comparison, SideId side) {
  const ResultStream& stream = OfSide(comparison, side);
  std::vector<std::optional<NodeFinding>> findings(stream.results.size());
  for (const ComparedRow& row : comparison.rows) {
    const auto& own = side == SideId::kLeft ? row.aligned.left : row.aligned.right;
    if (own.empty()) continue;
    NodeFinding finding = {row.relation, std::nullopt};
    // A result that became part of a pair has no partner of its own.
    if (row.aligned.paired()) finding.error = ErrorOf(row);
    for (const int result : own) findings[Index(result)] = {row.relation, std::nullopt};
    findings[Index(own.back())] = finding;
  }
  return findings;
}

// By result: which of the nodes of its path made it.
std::vector<int> NumbersInPaths(const ResultStream& stream) {
  absl::flat_hash_map<absl::string_view, int> counts;
  std::vector<int> by_node(stream.nodes.size());
  for (size_t i = 0; i < by_node.size(); ++i) by_node[i] = counts[stream.nodes[i].path]++;
  std::vector<int> numbers;
  for (const StreamResult& result : stream.results) {
    numbers.push_back(result.node == kNone ? -1 : by_node[Index(result.node)]);
  }
  return numbers;
}

using Graphs = std::map<std::string, std::map<std::string, NodeFinding>>;

Graphs PlaceFindings(const Comparison& comparison, SideId side, const ExplorerIds& ids) {
  const ResultStream& stream = OfSide(comparison, side);
  const std::vector<std::optional<NodeFinding>> findings = FindingsOf(comparison, side);
  const std::vector<int> numbers = NumbersInPaths(stream);
  Graphs graphs;
  for (size_t r = 0; r < findings.size(); ++r) {
    if (!findings[r].has_value()) continue;
    const StreamResult& result = stream.results[r];
    ExplorerResult asked;
    asked.path = result.path;
    asked.name = result.name;
    asked.output = result.kind == ResultKind::kOutput;
    asked.op_type = OpTypeOf(result, stream);
    // A path that ends in an index is that of a body, whose names are as they were.
    if (!result.path.empty() && result.path.back() != ']') asked.node = numbers[r];
    for (const ExplorerPlace& place : ids.PlacesOf(asked)) {
      const auto [it, is_new] = graphs[place.graph].try_emplace(place.node, *findings[r]);
      if (!is_new) it->second.Add(*findings[r]);
    }
  }
  return graphs;
}

// Dark on light, and told apart by people who see red and green alike.
const char* BackgroundOf(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return "#e3e7eb";
    case Relation::kClose:
      return "#a6cbf0";
    case Relation::kDifferent:
      return "#f5a26b";
    default:
      return "#cdb7ec";
  }
}

// From light for errors of rounding to dark for 1 and beyond, by decades. The page's orange.
std::string BackgroundOf(double error) {
  constexpr std::array<int, 3> kLight = {0xf2, 0xf4, 0xf6}, kDark = {0xd9, 0x66, 0x1f};
  constexpr double kDecadesShown = 8;
  const double share =
      error > 0 ? std::clamp((std::log10(error) + kDecadesShown) / kDecadesShown, 0.0, 1.0) : 0;
  std::string color = "#";
  for (size_t i = 0; i < kLight.size(); ++i) {
    const double part = kLight[i] + share * (kDark[i] - kLight[i]);
    absl::StrAppend(&color, absl::Hex(static_cast<int>(std::lround(part)), absl::kZeroPad2));
  }
  return color;
}

// `value_of`: of a finding, or null for none.
template <typename ValueOf>
std::string DataText(const Graphs& graphs, const char* name, const ValueOf& value_of) {
  NodeDataJson json = NodeDataJson::object();
  for (const auto& [graph, nodes] : graphs) {
    NodeDataJson results = NodeDataJson::object();
    for (const auto& [node, finding] : nodes) {
      NodeDataJson value = value_of(finding);
      if (!value.is_null()) results[node] = std::move(value);
    }
    if (!results.empty()) json[graph] = {{"results", std::move(results)}, {"name", name}};
  }
  return absl::StrCat(json.dump(1, ' ', false, NodeDataJson::error_handler_t::replace), "\n");
}

}  // namespace

std::vector<NodeDataFile> NodeDataOf(const Comparison& comparison, SideId side,
                                     const ExplorerIds& ids) {
  const Graphs graphs = PlaceFindings(comparison, side, ids);
  const auto of_error = [](const NodeFinding& finding, double value) {
    return NodeDataJson(
        {{"value", value}, {"bgColor", BackgroundOf(*finding.error)}, {"textColor", kTextColor}});
  };
  const auto error = [&](const NodeFinding& finding) {
    return finding.error.has_value() ? of_error(finding, *finding.error) : NodeDataJson();
  };
  const auto decibels = [&](const NodeFinding& finding) {
    if (!finding.error.has_value()) return NodeDataJson();
    const double sqnr = *finding.error > 0 ? -20 * std::log10(*finding.error) : kMostDecibels;
    return of_error(finding, std::min(sqnr, kMostDecibels));
  };
  const auto relation = [](const NodeFinding& finding) {
    return NodeDataJson({{"value", std::string(RelationName(finding.relation))},
                         {"bgColor", BackgroundOf(finding.relation)},
                         {"textColor", kTextColor}});
  };
  const std::string name(SideName(side));
  return {{absl::StrCat(name, ".error.json"), DataText(graphs, "onnxcmp: error", error)},
          {absl::StrCat(name, ".sqnr.json"), DataText(graphs, "onnxcmp: SQNR, dB", decibels)},
          {absl::StrCat(name, ".relation.json"), DataText(graphs, "onnxcmp: relation", relation)}};
}

absl::StatusOr<std::vector<NodeDataFile>> NodeDataOfModel(const Comparison& comparison, SideId side,
                                                          const std::string& path) {
  const int max_depth = LoadOptions().max_depth;
  std::shared_ptr<onnx::ModelProto> model;
  if (absl::EndsWith(path, "txt") || absl::EndsWith(path, "text")) {
    OC_ASSIGN_OR_RETURN(model, ReadModelFile(path, max_depth));
  } else {
    OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
    OC_ASSIGN_OR_RETURN(ModelInFile read, ReadModelInPlace(file, max_depth));
    model = std::move(read.proto);
  }
  return NodeDataOf(comparison, side, ExplorerIds(std::move(model)));
}

}  // namespace onnxcmp
