#include "compare/reports/render_json.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compare/alignment/mark_names.h"
#include "compare/causes/cause_truth.h"
#include "compare/comparison/verdict.h"
#include "compare/pair/per_side.h"
#include "compare/reports/json_around.h"
#include "compare/reports/table/render_blocks.h"
#include "compare/reports/table/table_summary.h"
#include "compare/reports/words/keep_in_float_text.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Many readers hold numbers as doubles.
Json Integer(int64_t number) {
  constexpr int64_t kExact = int64_t{1} << 53;
  return number >= -kExact && number <= kExact ? Json(number) : Json(absl::StrCat(number));
}

Json Real(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

Json Text(absl::string_view text) { return std::string(text); }

Json Integers(absl::Span<const int64_t> numbers) {
  Json json = Json::array();
  for (const int64_t number : numbers) json.push_back(Integer(number));
  return json;
}

Json ToJson(const Statistics& statistics) {
  return {{"min", Real(statistics.min)},
          {"max", Real(statistics.max)},
          {"mean", Real(statistics.mean)},
          {"deviation", Real(statistics.deviation)},
          {"zeros", Integer(statistics.zeros)},
          {"nans", Integer(statistics.nans)},
          {"infinities", Integer(statistics.infinities)}};
}

Json Parts(const std::string& path) {
  Json json = Json::array();
  if (path.empty()) return json;
  for (const absl::string_view part : absl::StrSplit(path, '/')) json.push_back(Text(part));
  return json;
}

// By their numbers; null is none.
Json Results(const FewResults& results) {
  Json json = Json::array();
  for (const int result : results) json.push_back(result == kNone ? Json() : Json(result));
  return json;
}

Json ToJson(const StreamResult& result, const ResultStream& stream) {
  Json json = {{"kind", Text(ResultKindName(result.kind))}, {"name", result.name}};
  if (const std::string& op_type = OpTypeOf(result, stream); !op_type.empty()) {
    json["op_type"] = op_type;
    json["domain"] = DomainOf(result, stream);
  }
  if (result.node != kNone) {
    const StreamNode& node = stream.nodes[Index(result.node)];
    json["node"] = node.name;
    json["inputs"] = Results(node.inputs);
    if (!node.captures.empty()) json["captures"] = Results(node.captures);
  }
  json["path"] = Parts(result.path);
  json["depth"] = result.depth;
  if (result.source != kNone) json["source"] = result.source;
  json["type"] = result.type;
  if (result.shape.has_value()) {
    json["dtype"] = Text(NumpyName(result.dtype));
    json["shape"] = Integers(*result.shape);
  }
  json["elements"] = Integer(result.fingerprint.size);
  const Letters& letters = result.fingerprint.numbers().letters;
  json["letters"] = std::string(letters.begin(), letters.end());
  if (result.fingerprint.has_sketch)
    json["statistics"] = ToJson(result.fingerprint.numbers().statistics);
  return json;
}

Json ToJson(const ValueDifference& values) {
  Json json = {{"agree", values.agree}};
  if (!values.reason.empty()) json["reason"] = values.reason;
  json["elements"] = Integer(values.elements);
  json["beyond"] = Integer(values.beyond);
  json["both_nan"] = Integer(values.nans);
  json["rtol"] = Real(values.tolerance.rtol);
  json["atol"] = Real(values.tolerance.atol);
  json["whole"] = Real(values.tolerance.whole);
  json["apart"] = Real(values.apart);
  if (!values.fault.empty()) json["fault"] = values.fault;
  json["rms"] = Real(values.rms);
  json["cosine"] = Real(values.cosine);
  json["max_absolute"] = Real(values.max_absolute);
  json["max_absolute_at"] = values.max_absolute_at;
  json["max_relative"] = Real(values.max_relative);
  json["max_relative_at"] = values.max_relative_at;
  return json;
}

Json ToJson(const TensorDifference& difference) {
  Json json = ToJson(difference.values);
  json["same_bits"] = difference.same_bits;
  json["mean_absolute"] = Real(difference.mean_absolute);
  json["mean_relative"] = Real(difference.mean_relative);
  json["sqnr_db"] = Real(difference.sqnr);
  json["max_ulp"] = Real(difference.max_ulp);
  json["range"] = Real(difference.range);
  json["nan_left"] = Integer(difference.nan_left);
  json["nan_right"] = Integer(difference.nan_right);
  json["infinite_left"] = Integer(difference.infinite_left);
  json["infinite_right"] = Integer(difference.infinite_right);
  json["non_finite_disagree"] = Integer(difference.non_finite_disagree);
  json["beyond_0.1"] = Integer(difference.beyond_tenth);
  json["beyond_0.01"] = Integer(difference.beyond_hundredth);
  json["beyond_0.001"] = Integer(difference.beyond_thousandth);
  json["worst"] = Json::array();
  for (const ElementPair& pair : difference.worst) {
    json["worst"].push_back({{"index", pair.index},
                             {"left", pair.left},
                             {"right", pair.right},
                             {"absolute", Real(pair.absolute)},
                             {"relative", Real(pair.relative)}});
  }
  return json;
}

Json ToJson(const ComparedRow& row) {
  Json json = {{"relation", Text(RelationName(row.relation))},
               {"left", row.aligned.left},
               {"right", row.aligned.right},
               {"marks", Json::array()}};
  for (const absl::string_view name : MarkNames(row.aligned.marks)) {
    json["marks"].push_back(Text(name));
  }
  if (row.difference != nullptr) json["diff"] = ToJson(*row.difference);
  return json;
}

Json ToJson(const OutputPair& pair) {
  Json json = {{"left", pair.left},
               {"right", pair.right},
               {"type", pair.type},
               {"diff", ToJson(pair.difference)}};
  json["diff"]["same_bits"] = pair.same_bits;
  if (!pair.tolerance_reason.empty()) json["tolerance"] = pair.tolerance_reason;
  if (pair.recorded) json["recorded"] = true;
  if (pair.entry) json["entry"] = true;
  if (pair.reordered) json["reordered"] = true;
  if (pair.ties) json["ties"] = true;
  if (pair.moved.has_value()) json["moved_by_causes"] = Real(*pair.moved);
  return json;
}

Json ToJson(const TruthVerdict& verdict) {
  Json json = {{"nearer", Text(NearerName(verdict.nearer))},
               {"left", Real(verdict.left)},
               {"right", Real(verdict.right)}};
  // One side may be exact, or the other not finite: no number of times says that.
  if (std::isfinite(verdict.factor)) json["factor"] = Real(verdict.factor);
  return json;
}

Json ToJson(const Cause& cause, const Comparison& comparison) {
  const auto result = [](int index) { return index == kNone ? Json() : Json(index); };
  Json json = {{"left", result(cause.left)},
               {"right", result(cause.right)},
               {"kind", Text(CauseKindName(cause.kind))},
               {"text", cause.text},
               {"count", cause.count}};
  const auto name = [&](const char* side, int index, const ResultStream& stream) {
    if (index == kNone) return;
    const StreamResult& named = stream.results[Index(index)];
    json[absl::StrCat(side, "_name")] = named.name;
    if (const std::string& op_type = OpTypeOf(named, stream); !op_type.empty()) {
      json[absl::StrCat(side, "_op_type")] = op_type;
    }
    if (named.node != kNone) {
      json[absl::StrCat(side, "_node")] = stream.nodes[Index(named.node)].name;
    }
  };
  name("left", cause.left, comparison.left);
  name("right", cause.right, comparison.right);
  if (cause.in_body.has_value()) {
    const CauseInBody& place = *cause.in_body;
    json["in_body"] = {{"left", result(place.left)},
                       {"right", result(place.right)},
                       {"left_path", Parts(place.left_path)},
                       {"left_name", place.left_name},
                       {"right_path", Parts(place.right_path)},
                       {"right_name", place.right_name}};
  }
  if (cause.effect.has_value()) json["effect"] = Real(*cause.effect);
  if (cause.truth.has_value()) json["truth"] = ToJson(*cause.truth);
  if (const std::string words = TruthText(cause); !words.empty()) json["truth_text"] = words;
  if (cause.apart.has_value()) json["apart"] = Real(*cause.apart);
  if (cause.local.has_value()) json["diff"] = ToJson(*cause.local);
  if (!cause.repro_folder.empty()) json["repro"] = cause.repro_folder;
  return json;
}

Json ToJson(const TruthDistance& distance) {
  return {{"max_absolute", Real(distance.max_absolute)},
          {"rms", Real(distance.rms)},
          {"scale", Real(distance.scale)}};
}

Json ToJson(const SideShadow& side) {
  Json json = {{"ran", side.ran}};
  if (!side.status.ok()) json["error"] = Text(side.status.message());
  if (!side.other_flow.empty()) json["other_flow"] = side.other_flow;
  json["changed"] = Integer(side.changed);
  if (!side.first_changed.empty()) json["first_changed"] = side.first_changed;
  json["distances"] = Json::array();
  for (size_t r = 0; r < side.distances.size(); ++r) {
    if (!side.distances[r].has_value()) continue;
    Json distance = ToJson(*side.distances[r]);
    distance["result"] = r;
    if (side.misleading[r]) distance["misleading"] = true;
    json["distances"].push_back(std::move(distance));
  }
  return json;
}

std::string ShadowMember(const Comparison& comparison) {
  if (!comparison.shadow.has_value()) return "";
  const ShadowReport& shadow = *comparison.shadow;
  Json json = {{"left", ToJson(shadow.left)}, {"right", ToJson(shadow.right)}};
  if (shadow.verdict.has_value()) {
    json["verdict"] = ToJson(*shadow.verdict);
    json["of_outputs"] = shadow.of_outputs;
  }
  if (shadow.apart.has_value()) json["apart"] = Real(*shadow.apart);
  json["rows"] = Json::array();
  for (size_t i = 0; i < shadow.rows.size(); ++i) {
    if (!shadow.rows[i].has_value()) continue;
    Json row = ToJson(*shadow.rows[i]);
    row["row"] = i;
    json["rows"].push_back(std::move(row));
  }
  return absl::StrCat(",\n\"shadow\":", Dump(json));
}

std::string ExplanationMember(const Comparison& comparison) {
  if (!comparison.explanation.has_value()) return "";
  const Explanation& explanation = *comparison.explanation;
  const auto result = [](int index) { return index == kNone ? Json() : Json(index); };
  Json json = {{"row", explanation.row},
               {"left", result(explanation.left)},
               {"right", result(explanation.right)},
               {"attributes", Json::array()},
               {"inputs", Json::array()}};
  for (const ExplainedFact& fact : explanation.attributes) {
    json["attributes"].push_back({{"name", fact.name},
                                  {"left", fact.left},
                                  {"right", fact.right},
                                  {"differs", fact.differs}});
  }
  for (const ExplainedInput& input : explanation.inputs) {
    Json one = {{"left", result(input.left)},
                {"right", result(input.right)},
                {"same_bits", input.same_bits}};
    if (input.difference.has_value()) one["diff"] = ToJson(*input.difference);
    json["inputs"].push_back(std::move(one));
  }
  if (explanation.difference.has_value()) json["diff"] = ToJson(*explanation.difference);
  json["equal"] = Integer(explanation.equal);
  json["not_finite"] = Integer(explanation.not_finite);
  json["decades"] = Json::array();
  for (const DecadeCount& decade : explanation.decades) {
    json["decades"].push_back({{"decade", decade.decade}, {"elements", Integer(decade.elements)}});
  }
  json["worst"] = Json::array();
  for (const ExplainedElement& element : explanation.worst) {
    json["worst"].push_back({{"index", element.index},
                             {"left", element.left},
                             {"right", element.right},
                             {"double", element.in_double},
                             {"absolute", Real(element.absolute)}});
  }
  if (explanation.own.has_value()) {
    json["own"] = Real(*explanation.own);
    json["inherited"] = Real(*explanation.inherited);
  }
  if (explanation.left_truth.has_value()) {
    json["left_from_double"] = ToJson(*explanation.left_truth);
    json["right_from_double"] = ToJson(*explanation.right_truth);
  }
  json["left_readers"] = explanation.left_readers;
  json["right_readers"] = explanation.right_readers;
  return absl::StrCat(",\n\"explanation\":", Dump(json));
}

Json ToJson(const QuantizedLayer& layer) {
  Json json = {{"result", layer.result}, {"made_by", layer.made_by}};
  const auto result = [&](const char* name, int index) {
    if (index != kNone) json[name] = index;
  };
  result("partner", layer.partner);
  result("dequantized", layer.dequantized);
  if (layer.dtype != DType::kUndefined) {
    json["dtype"] = Text(NumpyName(layer.dtype));
    json["scales"] = Integer(layer.scales);
    json["scale"] = Real(layer.scale);
    json["zero_point"] = Real(layer.zero_point);
  }
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (value.has_value()) json[name] = Real(*value);
  };
  number("grid_least", layer.grid_least);
  number("grid_most", layer.grid_most);
  number("least", layer.least);
  number("most", layer.most);
  number("sqnr", layer.sqnr);
  number("cosine", layer.cosine);
  number("own_sqnr", layer.own_sqnr);
  number("saturated", layer.saturated);
  number("used", layer.used);
  number("weights_sqnr", layer.weights_sqnr);
  result("weights", layer.weights);
  number("cost", layer.cost);
  if (!layer.mistake.empty()) json["mistake"] = layer.mistake;
  return json;
}

Json ToJson(const std::vector<KeptNode>& nodes, const ResultStream& stream, bool names) {
  Json json = Json::array();
  for (const KeptNode& node : nodes) {
    if (names && !node.name.empty()) json.push_back(node.name);
    if (!names && node.name.empty()) json.push_back(stream.results[Index(node.result)].name);
  }
  return json;
}

std::string KeepInFloatMember(const Comparison& comparison) {
  if (!comparison.keep_in_float.has_value()) return "";
  const KeepInFloat& keep = *comparison.keep_in_float;
  const ResultStream& plain = OfSide(comparison, Other(keep.converted));
  constexpr double kNotFinite = std::numeric_limits<double>::infinity();
  return absl::StrCat(",\n\"keep_in_float\":",
                      Dump({{"side", std::string(SideName(Other(keep.converted)))},
                            {"option", Text(KeepInFloatOption(keep))},
                            {"nodes", ToJson(keep.nodes, plain, true)},
                            {"already", ToJson(keep.already, plain, true)},
                            {"without_name", ToJson(keep.nodes, plain, false)},
                            {"before", Real(keep.before.value_or(kNotFinite))},
                            {"after", Real(keep.after.value_or(kNotFinite))},
                            {"between", Text(BetweenName(keep.between))},
                            {"cut_short", keep.cut_short}}));
}

std::string QuantizationMember(const Comparison& comparison) {
  if (!comparison.quantization.has_value()) return "";
  const QuantizationReport& report = *comparison.quantization;
  Json json = {{"side", std::string(SideName(report.side))},
               {"both", report.both},
               {"layers", Json::array()},
               {"mistakes", Json::array()},
               {"notes", report.notes}};
  for (const QuantizedLayer& layer : report.layers) json["layers"].push_back(ToJson(layer));
  for (const QuantizationMistake& mistake : report.mistakes) {
    Json one = {{"result", mistake.result}, {"text", mistake.text}};
    if (mistake.partner != kNone) one["partner"] = mistake.partner;
    json["mistakes"].push_back(std::move(one));
  }
  if (report.output_error.has_value()) json["output_error"] = Real(*report.output_error);
  return absl::StrCat(",\n\"quantization\":", Dump(json));
}

Json ToJson(const NotFiniteOrigin& origin) {
  Json json = {{"result", origin.result},
               {"value", origin.nan ? "nan" : "infinity"},
               {"elements", Integer(origin.elements)},
               {"reason", Text(NotFiniteReasonName(origin.reason))}};
  if (!origin.index.empty()) json["index"] = origin.index;
  if (!origin.text.empty()) json["text"] = origin.text;
  json["made_from"] = Json::array();
  for (const MadeFrom& element : origin.made_from) {
    json["made_from"].push_back(
        {{"name", element.name}, {"index", element.index}, {"value", element.value}});
  }
  return json;
}

// An array with a line for each item.
template <typename Items, typename ItemToJson>
std::string Lines(const Items& items, const ItemToJson& to_json) {
  std::string text = "[";
  for (const auto& item : items) {
    absl::StrAppend(&text, text.size() == 1 ? "\n" : ",\n", Dump(to_json(item)));
  }
  absl::StrAppend(&text, text.size() == 1 ? "]" : "\n]");
  return text;
}
template <typename Items>
std::string Lines(const Items& items) {
  return Lines(items, [](const auto& item) { return ToJson(item); });
}

std::string ResultLines(const ResultStream& stream) {
  return Lines(stream.results, [&](const StreamResult& result) { return ToJson(result, stream); });
}

std::string SideJson(const SideSummary& summary, const ResultStream& stream,
                     absl::string_view results) {
  Json json = {{"source", summary.source.empty() ? stream.source : summary.source}};
  if (!summary.status.ok()) json["error"] = Text(summary.status.message());
  json["bytes"] = Integer(summary.bytes);
  json["nodes"] = Integer(summary.nodes);
  json["operators"] = Integer(summary.operators);
  json["initializers"] = Integer(summary.initializers);
  json["opsets"] = Json::object();
  for (const auto& [domain, version] : summary.opsets) json["opsets"][domain] = Integer(version);
  json["notes"] = summary.notes;
  std::string text = Dump(json);
  text.pop_back();  // the brace, which goes after the results
  return absl::StrCat(text, ",\"results\":", results, "}");
}

// What differs in tables and was not read; "" if there is nothing.
std::string UnreadMember(const Comparison& comparison) {
  if (comparison.unread.empty()) return "";
  Json json = Json::array();
  for (const UnreadRows& unread : comparison.unread) {
    json.push_back({{"left", unread.left}, {"right", unread.right}, {"rows", unread.rows}});
  }
  return absl::StrCat(",\n\"unread\":", Dump(json));
}

std::string MadeUpMembers(const Comparison& comparison) {
  if (!comparison.made_up_inputs.empty()) {
    return absl::StrCat(",\"made_up_inputs\":", Dump(comparison.made_up_inputs));
  }
  if (comparison.made_up_sets == 0) return "";
  std::string text = absl::StrCat(",\"made_up_sets\":", comparison.made_up_sets);
  if (!comparison.coverage.has_value()) return text;
  Json json = {{"nodes", comparison.coverage->nodes}, {"missing", Json::array()}};
  for (const UnexercisedNode& node : comparison.coverage->missing) {
    json["missing"].push_back({{"side", std::string(SideName(node.side))},
                               {"op_type", node.op_type},
                               {"name", node.name},
                               {"why", node.why}});
  }
  return absl::StrCat(text, ",\n\"coverage\":", Dump(json));
}

}  // namespace

std::string JsonAround(const Comparison& comparison, const JsonLines& lines) {
  const std::vector<std::string> words = VerdictText(comparison);
  return absl::StrCat(
      "{\"format\":\"onnxcmp\",\"version\":", kFormatVersion,
      ",\"verdict\":", Dump(Text(VerdictName(comparison.verdict))),
      ",\"exit\":", ExitStatusOf(comparison), ",\"summary\":", Dump(words.front()),
      ",\"words\":", Dump(words),
      comparison.status.ok() ? std::string()
                             : absl::StrCat(",\"error\":", Dump(Text(comparison.status.message()))),
      MadeUpMembers(comparison), UnreadMember(comparison),
      ",\n\"left\":", SideJson(comparison.left_summary, comparison.left, lines.left),
      ",\n\"right\":", SideJson(comparison.right_summary, comparison.right, lines.right),
      ",\n\"rows\":", lines.rows, ",\n\"causes\":",
      Lines(comparison.causes, [&](const Cause& cause) { return ToJson(cause, comparison); }),
      comparison.causes_not_searched.empty()
          ? std::string()
          : absl::StrCat(",\n\"causes_not_searched\":", Dump(comparison.causes_not_searched)),
      KeepInFloatMember(comparison),
      ",\n\"not_finite_left\":", Lines(comparison.left_not_finite.origins),
      ",\n\"not_finite_right\":", Lines(comparison.right_not_finite.origins),
      ShadowMember(comparison), ExplanationMember(comparison), QuantizationMember(comparison),
      comparison.blocks.has_value() ? absl::StrCat(",\n\"blocks\":", BlocksJson(*comparison.blocks))
                                    : std::string(),
      ",\n\"outputs\":", Lines(comparison.outputs.pairs),
      ",\n\"outputs_left_only\":", Dump(comparison.outputs.only_left),
      ",\n\"outputs_right_only\":", Dump(comparison.outputs.only_right),
      ",\n\"partial\":", comparison.outputs.partial ? "true" : "false",
      ",\n\"recorded\":", comparison.outputs.recorded, ",\n\"notes\":", Dump(comparison.notes),
      "}\n");
}

std::string RenderJson(const Comparison& comparison) {
  return JsonAround(comparison, {ResultLines(comparison.left), ResultLines(comparison.right),
                                 Lines(comparison.rows)});
}

}  // namespace onnxcmp
