#include "reports/render_json.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "compare/causes/cause.h"
#include "compare/causes/cause_truth.h"
#include "compare/outcome/proof_report.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/rulings.h"
#include "record/base/per_side.h"
#include "record/text/display_text.h"
#include "reports/fix_json.h"
#include "reports/json_around.h"
#include "reports/json_conversion.h"
#include "reports/json_lines.h"
#include "reports/json_values.h"
#include "reports/proof_json.h"
#include "reports/table/render_fusions.h"
#include "reports/table/table_summary.h"
#include "reports/words/change_words.h"
#include "reports/words/proof_words.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp {
namespace {

constexpr int kFormatVersion = 1;

ReportJson Parts(const std::string& path) {
  ReportJson json = ReportJson::array();
  if (path.empty()) return json;
  for (const absl::string_view part : absl::StrSplit(path, '/')) json.push_back(JsonText(part));
  return json;
}

ReportJson ToJson(const std::vector<AttributePair>& attributes) {
  ReportJson json = ReportJson::array();
  for (const AttributePair& pair : attributes) {
    json.push_back({{"name", pair.name},
                    {"left", pair.left},
                    {"right", pair.right},
                    {"differs", pair.differs}});
  }
  return json;
}

// Parses a text that is JSON.
ReportJson Parsed(const std::string& text) {
  return ReportJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

ReportJson ToJson(const ValueDifference& values) { return Parsed(DifferenceJson(values)); }
ReportJson ToJson(const TensorDifference& difference) { return Parsed(DifferenceJson(difference)); }

ReportJson ToJson(const OutputPair& pair) {
  ReportJson json = {{"left", pair.left},
                     {"right", pair.right},
                     {"type", pair.type},
                     {"diff", ToJson(pair.difference)}};
  json["diff"]["same_bits"] = pair.same_bits;
  if (!pair.tolerance_reason.empty()) json["tolerance"] = pair.tolerance_reason;
  if (pair.recorded) json["recorded"] = true;
  if (pair.entry) json["entry"] = true;
  if (pair.reordered) json["reordered"] = true;
  if (pair.ties) json["ties"] = true;
  if (!pair.chosen_by.empty()) json["chosen_by"] = JsonText(pair.chosen_by);
  if (pair.margin.has_value()) {
    json["margin"] = {{"apart", JsonReal(pair.margin->apart)},
                      {"moved", JsonReal(pair.margin->moved)}};
  }
  if (pair.sqnr_with_ids.has_value()) json["sqnr_with_ids"] = JsonReal(*pair.sqnr_with_ids);
  if (pair.honest_noise) json["honest_noise"] = true;
  if (pair.sqnr.has_value()) json["sqnr"] = JsonReal(*pair.sqnr);
  if (IsDecidedBy(Ground::kNearer, pair)) json["nearer_in_double"] = true;
  if (pair.moved.has_value()) json["moved_by_causes"] = JsonReal(*pair.moved);
  return json;
}

ReportJson ToJson(const TruthFinding& verdict) {
  ReportJson json = {{"nearer", JsonText(NearerName(verdict.nearer))},
                     {"left", JsonReal(verdict.left)},
                     {"right", JsonReal(verdict.right)}};
  // If one side is exact or the other not finite, there is no factor.
  if (std::isfinite(verdict.factor)) json["factor"] = JsonReal(verdict.factor);
  return json;
}

ReportJson ToJson(const Cause& cause, const Comparison& comparison) {
  const auto result = [](int index) { return index == kNone ? ReportJson() : ReportJson(index); };
  ReportJson json = {{"left", result(cause.left)},
                     {"right", result(cause.right)},
                     {"kind", JsonText(CauseKindName(cause.kind))},
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
  if (!cause.attributes.empty()) json["attributes"] = ToJson(cause.attributes);
  if (cause.overflow) json["overflow"] = true;
  if (cause.effect.has_value()) json["effect"] = JsonReal(*cause.effect);
  if (cause.mending.has_value()) {
    json["verified"] = cause.mending->verified();
    json["gain"] = JsonReal(cause.mending->gain());
  }
  if (const std::string words = CertificateText(cause); !words.empty()) json["certificate"] = words;
  if (cause.truth.has_value()) json["truth"] = ToJson(*cause.truth);
  if (const std::string words = TruthText(cause); !words.empty()) json["truth_text"] = words;
  if (cause.apart.has_value()) json["apart"] = JsonReal(*cause.apart);
  if (cause.local.has_value()) json["diff"] = ToJson(*cause.local);
  if (const std::string words = CauseProofText(comparison, cause); !words.empty()) {
    json["proof_text"] = words;
    if (CauseProofOf(comparison, cause) == RowProof::kDiffers) json["differs_exactly"] = true;
  }
  if (!cause.repro_folder.empty()) json["repro"] = cause.repro_folder;
  return json;
}

std::string ProofMember(const Comparison& comparison) {
  if (comparison.proof == nullptr) return "";
  return absl::StrCat(",\n\"proof\":", DumpJson(ProofJson(comparison)));
}

ReportJson ToJson(const TruthDistance& distance) {
  return {{"max_absolute", JsonReal(distance.max_absolute)},
          {"rms", JsonReal(distance.rms)},
          {"scale", JsonReal(distance.scale)}};
}

ReportJson ToJson(const SideShadow& side) {
  ReportJson json = {{"ran", side.ran}};
  if (!side.status.ok()) json["error"] = JsonText(side.status.message());
  if (!side.other_flow.empty()) json["other_flow"] = side.other_flow;
  json["changed"] = JsonInteger(side.changed);
  if (!side.first_changed.empty()) json["first_changed"] = side.first_changed;
  json["distances"] = ReportJson::array();
  for (size_t r = 0; r < side.distances.size(); ++r) {
    if (!side.distances[r].has_value()) continue;
    ReportJson distance = ToJson(*side.distances[r]);
    distance["result"] = r;
    if (side.misleading[r]) distance["misleading"] = true;
    json["distances"].push_back(std::move(distance));
  }
  return json;
}

std::string ShadowMember(const Comparison& comparison) {
  if (!comparison.shadow.has_value()) return "";
  const ShadowReport& shadow = *comparison.shadow;
  ReportJson json = {{"left", ToJson(shadow.left)}, {"right", ToJson(shadow.right)}};
  if (shadow.farthest.has_value()) {
    json["verdict"] = ToJson(*shadow.farthest);
    json["of_outputs"] = shadow.of_outputs;
  }
  if (shadow.apart.has_value()) json["apart"] = JsonReal(*shadow.apart);
  json["rows"] = ReportJson::array();
  for (size_t i = 0; i < shadow.rows.size(); ++i) {
    if (!shadow.rows[i].has_value()) continue;
    ReportJson row = ToJson(*shadow.rows[i]);
    row["row"] = i;
    json["rows"].push_back(std::move(row));
  }
  return absl::StrCat(",\n\"shadow\":", DumpJson(json));
}

std::string ExplanationMember(const Comparison& comparison) {
  if (!comparison.explanation.has_value()) return "";
  const Explanation& explanation = *comparison.explanation;
  const auto result = [](int index) { return index == kNone ? ReportJson() : ReportJson(index); };
  ReportJson json = {{"row", explanation.row},
                     {"left", result(explanation.left)},
                     {"right", result(explanation.right)},
                     {"attributes", ToJson(explanation.attributes)},
                     {"inputs", ReportJson::array()}};
  for (const ExplainedInput& input : explanation.inputs) {
    ReportJson one = {{"left", result(input.left)},
                      {"right", result(input.right)},
                      {"same_bits", input.same_bits}};
    if (input.difference.has_value()) one["diff"] = ToJson(*input.difference);
    json["inputs"].push_back(std::move(one));
  }
  if (explanation.difference.has_value()) json["diff"] = ToJson(*explanation.difference);
  json["equal"] = JsonInteger(explanation.equal);
  json["not_finite"] = JsonInteger(explanation.not_finite);
  json["decades"] = ReportJson::array();
  for (const DecadeCount& decade : explanation.decades) {
    json["decades"].push_back(
        {{"decade", decade.decade}, {"elements", JsonInteger(decade.elements)}});
  }
  json["worst"] = ReportJson::array();
  for (const ExplainedElement& element : explanation.worst) {
    json["worst"].push_back({{"index", element.index},
                             {"left", element.left},
                             {"right", element.right},
                             {"double", element.in_double},
                             {"absolute", JsonReal(element.absolute)}});
  }
  if (explanation.own.has_value()) {
    json["own"] = JsonReal(*explanation.own);
    json["inherited"] = JsonReal(*explanation.inherited);
  }
  if (explanation.left_truth.has_value()) {
    json["left_from_double"] = ToJson(*explanation.left_truth);
    json["right_from_double"] = ToJson(*explanation.right_truth);
  }
  if (explanation.order.has_value()) {
    json["order_of_sums"] = {{"side", JsonText(SideName(explanation.order_side))},
                             {"sums", JsonInteger(explanation.order_sums)},
                             {"moved", JsonReal(*explanation.order)}};
  }
  json["claims"] = ReportJson::array();
  for (const Claim& claim : explanation.claims) {
    json["claims"].push_back({{"rule", RowOfRule(claim.rule).name},
                              {"points", JsonReal(claim.points)},
                              {"left", result(claim.left)},
                              {"right", result(claim.right)},
                              {"how", claim.how},
                              {"outcome", OutcomeName(claim.outcome)}});
  }
  json["left_readers"] = explanation.left_readers;
  json["right_readers"] = explanation.right_readers;
  return absl::StrCat(",\n\"explanation\":", DumpJson(json));
}

ReportJson ToJson(const NotFiniteOrigin& origin) {
  ReportJson json = {{"result", origin.result},
                     {"value", origin.nan ? "nan" : "infinity"},
                     {"elements", JsonInteger(origin.elements)},
                     {"reason", JsonText(NotFiniteReasonName(origin.reason))}};
  if (!origin.index.empty()) json["index"] = origin.index;
  if (!origin.text.empty()) json["text"] = origin.text;
  json["made_from"] = ReportJson::array();
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
    absl::StrAppend(&text, text.size() == 1 ? "\n" : ",\n", DumpJson(to_json(item)));
  }
  absl::StrAppend(&text, text.size() == 1 ? "]" : "\n]");
  return text;
}
template <typename Items>
std::string Lines(const Items& items) {
  return Lines(items, [](const auto& item) { return ToJson(item); });
}

std::string SideJson(const SideSummary& summary, const ResultStream& stream,
                     absl::string_view results) {
  ReportJson json = {{"source", summary.source.empty() ? stream.source : summary.source}};
  if (!summary.ran_in.empty()) json["ran_in"] = JsonText(summary.ran_in);
  if (!summary.status.ok()) json["error"] = JsonText(summary.status.message());
  json["bytes"] = JsonInteger(summary.bytes);
  json["nodes"] = JsonInteger(summary.nodes);
  json["operators"] = JsonInteger(summary.operators);
  json["initializers"] = JsonInteger(summary.initializers);
  json["opsets"] = ReportJson::object();
  for (const auto& [domain, version] : summary.opsets)
    json["opsets"][domain] = JsonInteger(version);
  json["notes"] = summary.notes;
  std::string text = DumpJson(json);
  text.pop_back();  // the brace, which comes after the results
  return absl::StrCat(text, ",\"results\":", results, "}");
}

// Tables with differences that were not read; "" if there are none.
std::string UnreadMember(const Comparison& comparison) {
  if (comparison.unread.empty()) return "";
  ReportJson json = ReportJson::array();
  for (const UnreadRows& unread : comparison.unread) {
    json.push_back({{"left", unread.left}, {"right", unread.right}, {"rows", unread.rows}});
  }
  return absl::StrCat(",\n\"unread\":", DumpJson(json));
}

std::string ChangesMember(const Comparison& comparison) {
  ReportJson json = ReportJson::array();
  for (const Change& change : WhatChanged(comparison)) {
    ReportJson one = {{"kind", change.label},
                      {"text", absl::StrReplaceAll(change.what, {{kNoBreak, " "}})}};
    if (change.count > 0) {
      one["count"] = JsonInteger(change.count);
      one["rows"] = change.rows;
    }
    json.push_back(std::move(one));
  }
  return absl::StrCat(",\n\"changes\":", DumpJson(json));
}

std::string SizesMember(const Comparison& comparison) {
  if (comparison.sizes.empty()) return "";
  ReportJson json = ReportJson::array();
  for (const TriedSizes& one : comparison.sizes) {
    json.push_back({{"sizes", one.sizes},
                    {"left_runs", one.status.left.ok()},
                    {"right_runs", one.status.right.ok()},
                    {"agree", one.agrees}});
  }
  return absl::StrCat(",\n\"sizes\":", DumpJson(json));
}

std::string DismissedMember(const Comparison& comparison) {
  if (comparison.dismissed.empty()) return "";
  const auto one = [&](const DismissedCause& dismissed) {
    ReportJson json = ToJson(dismissed.cause, comparison);
    json["veto"] = JsonText(VetoName(dismissed.veto));
    json["why"] = JsonText(VetoText(dismissed.veto));
    return json;
  };
  return absl::StrCat(",\n\"dismissed\":", Lines(comparison.dismissed, one));
}

std::string MadeUpMembers(const Comparison& comparison) {
  if (!comparison.made_up_inputs.empty()) {
    return absl::StrCat(",\"made_up_inputs\":", DumpJson(comparison.made_up_inputs));
  }
  if (comparison.made_up_sets == 0) return "";
  std::string text = absl::StrCat(",\"made_up_sets\":", comparison.made_up_sets);
  if (!comparison.coverage.has_value()) return text;
  ReportJson json = {{"nodes", comparison.coverage->nodes}, {"missing", ReportJson::array()}};
  for (const UnexercisedNode& node : comparison.coverage->missing) {
    json["missing"].push_back({{"side", std::string(SideName(node.side))},
                               {"op_type", node.op_type},
                               {"name", node.name},
                               {"why", node.why}});
  }
  return absl::StrCat(text, ",\n\"coverage\":", DumpJson(json));
}

}  // namespace

std::string JsonAround(const Comparison& comparison, const JsonLines& lines) {
  const std::vector<std::string> words = VerdictText(comparison);
  return absl::StrCat(
      "{\"format\":\"onnxcmp\",\"version\":", kFormatVersion,
      ",\"verdict\":", DumpJson(JsonText(VerdictName(comparison.verdict()))),
      ",\"exit\":", ExitStatusOf(comparison), ",\"summary\":", DumpJson(words.front()),
      ",\"words\":", DumpJson(words),
      comparison.status.ok()
          ? std::string()
          : absl::StrCat(",\"error\":", DumpJson(JsonText(comparison.status.message()))),
      MadeUpMembers(comparison), UnreadMember(comparison), SizesMember(comparison),
      ",\n\"left\":", SideJson(comparison.left_summary, comparison.left, lines.left),
      ",\n\"right\":", SideJson(comparison.right_summary, comparison.right, lines.right),
      ",\n\"rows\":", lines.rows, ",\n\"causes\":",
      Lines(comparison.causes, [&](const Cause& cause) { return ToJson(cause, comparison); }),
      comparison.causes_not_searched.empty()
          ? std::string()
          : absl::StrCat(",\n\"causes_not_searched\":", DumpJson(comparison.causes_not_searched)),
      DismissedMember(comparison), KeepInFloatMember(comparison), ChangesMember(comparison),
      ",\n\"not_finite_left\":", Lines(comparison.left_not_finite.origins),
      ",\n\"not_finite_right\":", Lines(comparison.right_not_finite.origins),
      ProofMember(comparison), ShadowMember(comparison), ExplanationMember(comparison),
      QuantizationMember(comparison),
      comparison.fusions.has_value()
          ? absl::StrCat(",\n\"blocks\":", FusionsJson(*comparison.fusions))
          : std::string(),
      ",\n\"outputs\":", Lines(comparison.outputs.pairs),
      ",\n\"outputs_left_only\":", DumpJson(comparison.outputs.only_left),
      ",\n\"outputs_right_only\":", DumpJson(comparison.outputs.only_right),
      ",\n\"partial\":", comparison.outputs.partial ? "true" : "false",
      ",\n\"recorded\":", comparison.outputs.recorded, ",\n\"notes\":", DumpJson(comparison.notes),
      "}\n");
}

std::string RenderJsonHead(const Comparison& comparison) {
  return JsonAround(comparison, {"[]", "[]", "[]"});
}

std::string RenderJsonRows(const Comparison& comparison) { return RowLines(comparison); }

std::string RenderJsonResults(const ResultStream& side) { return ResultLines(side); }

std::string RenderJson(const Comparison& comparison, const FixReport* fix) {
  JsonLines lines = AllLines(comparison);
  // The member comes after the array of rows.
  if (fix != nullptr) lines.rows += absl::StrCat(",\n\"fix\":", DumpJson(FixJson(*fix)));
  return JsonAround(comparison, lines);
}

}  // namespace onnxcmp
