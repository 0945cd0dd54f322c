#include "show/render_model_json.h"

#include <cstddef>
#include <cstdint>

#include "reports/json_values.h"
#include "show/drawing.h"
#include "show/model/pair_difference.h"

namespace onnxcmp {
namespace {

ReportJson Value(const ShownGraph& graph, const std::string& name) {
  ReportJson json = {{"name", name}};
  if (const std::string type = graph.TypeOf(name); !type.empty()) json["type"] = type;
  return json;
}

ReportJson Values(const ShownGraph& graph, const std::vector<std::string>& names) {
  ReportJson json = ReportJson::array();
  for (const std::string& name : names) json.push_back(Value(graph, name));
  return json;
}

ReportJson GraphJson(const ShownGraph& graph, const NodeSelection& selection);

ReportJson NodeJson(const ShownGraph& graph, const ShownNode& node, size_t index,
                    const NodeSelection& selection) {
  ReportJson json = {{"index", index}, {"name", node.name}, {"op", node.op_type}};
  if (!node.domain.empty()) json["domain"] = node.domain;
  if (!node.overload.empty()) json["overload"] = node.overload;
  json["inputs"] = node.inputs;
  json["outputs"] = Values(graph, node.outputs);
  json["attributes"] = ReportJson::object();
  for (const auto& [name, value] : node.attributes) json["attributes"][name] = value;
  if (!node.scope.empty()) json["scope"] = node.scope;
  if (!node.source.empty()) json["source"] = node.source;
  if (node.operations.has_value()) json["operations"] = *node.operations;
  for (const auto& [name, body] : node.graphs) {
    json["graphs"].push_back({{"attribute", name}, {"graph", GraphJson(*body, selection)}});
  }
  return json;
}

ReportJson GraphJson(const ShownGraph& graph, const NodeSelection& selection) {
  ReportJson json = {{"name", graph.name},
                     {"inputs", Values(graph, graph.inputs)},
                     {"outputs", Values(graph, graph.outputs)}};
  json["constants"] = ReportJson::array();
  for (const ShownConstant& constant : graph.constants) {
    ReportJson one = {
        {"name", constant.name}, {"type", constant.type()}, {"bytes", JsonInteger(constant.bytes)}};
    if (constant.inlined()) one["value"] = constant.value;
    if (constant.external) one["external"] = true;
    json["constants"].push_back(std::move(one));
  }
  json["nodes"] = ReportJson::array();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!selection.Reaches(graph.nodes[i])) continue;
    json["nodes"].push_back(NodeJson(graph, graph.nodes[i], i, selection));
  }
  return json;
}

ReportJson Imports(const OpsetImports& imports) {
  ReportJson json = ReportJson::object();
  for (const auto& [domain, version] : imports) json[domain] = version;
  return json;
}

ReportJson HeadJson(const ShownModel& model) {
  ReportJson json = {{"model", model.path},
                     {"ir_version", model.ir_version},
                     {"producer", model.producer},
                     {"opsets", Imports(model.imports)}};
  for (const auto& [name, places] : model.free_dimensions) {
    json["free_dimensions"].push_back({{"name", name}, {"inputs", places}});
  }
  for (const auto& [key, value] : model.metadata) json["metadata"][key] = value;
  if (!model.notes.empty()) json["notes"] = model.notes;
  return json;
}

ReportJson OfModel(const ShownModel& model, const NodeSelection& selection) {
  ReportJson json = HeadJson(model);
  json["graph"] = GraphJson(model.graph, selection);
  json["functions"] = ReportJson::array();
  for (const ShownFunction& function : model.functions) {
    if (!selection.Reaches(function.body)) continue;
    ReportJson one = {{"name", function.name}, {"domain", function.domain}};
    if (!function.overload.empty()) one["overload"] = function.overload;
    one["calls"] = function.calls;
    one["attributes"] = function.attributes;
    one["opsets"] = Imports(function.imports);
    one["graph"] = GraphJson(function.body, selection);
    json["functions"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string ModelJson(const ShownModel& model, const NodeSelection& selection) {
  return DumpJson(OfModel(model, selection)) + "\n";
}

std::string StatsJson(const ShownModel& model, const ModelStats& stats) {
  ReportJson json = HeadJson(model);
  json["nodes"] = stats.nodes;
  json["parameters"] = JsonInteger(stats.parameters);
  json["bytes"] = JsonInteger(stats.bytes);
  json["operations"] = stats.operations;
  json["nodes_not_counted"] = stats.not_counted;
  json["unread_constants"] = stats.unread;
  json["operators"] = ReportJson::array();
  for (const ModelStats::Operator& op : stats.operators) {
    json["operators"].push_back({{"op", op.op},
                                 {"nodes", op.nodes},
                                 {"parameters", JsonInteger(op.parameters)},
                                 {"bytes", JsonInteger(op.bytes)},
                                 {"operations", op.operations}});
  }
  json["types"] = ReportJson::array();
  for (const ModelStats::Type& type : stats.types) {
    json["types"].push_back({{"type", std::string(DTypeName(type.dtype))},
                             {"constants", type.constants},
                             {"parameters", JsonInteger(type.parameters)},
                             {"bytes", JsonInteger(type.bytes)}});
  }
  json["scopes"] = ReportJson::array();
  for (const ModelStats::Scope& scope : stats.scopes) {
    json["scopes"].push_back({{"scope", scope.name},
                              {"nodes", scope.nodes},
                              {"parameters", JsonInteger(scope.parameters)},
                              {"bytes", JsonInteger(scope.bytes)},
                              {"operations", scope.operations}});
  }
  return DumpJson(json) + "\n";
}

std::string PairJson(const ShownModel& left, const ShownModel& right,
                     const std::vector<NodePair>& pairs) {
  ReportJson json = {{"left", OfModel(left, NodeSelection())},
                     {"right", OfModel(right, NodeSelection())}};
  json["pairs"] = ReportJson::array();
  for (const NodePair& pair : pairs) {
    ReportJson one = {{"left", pair.left < 0 ? ReportJson() : ReportJson(pair.left)},
                      {"right", pair.right < 0 ? ReportJson() : ReportJson(pair.right)},
                      {"relation", NameOf(pair.relation)}};
    if (!pair.difference.empty()) one["difference"] = pair.difference;
    json["pairs"].push_back(std::move(one));
  }
  json["differences"] = ReportJson::array();
  for (const EndDifference& difference : ModelDifferences(left, right, pairs)) {
    json["differences"].push_back(difference.text);
  }
  return DumpJson(json) + "\n";
}

}  // namespace onnxcmp
