#include "reports/proof_json.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "compare/outcome/proof_report.h"
#include "prove/rewrites.h"
#include "record/base/per_side.h"
#include "reports/words/proof_text.h"

namespace onnxcmp {
namespace {

ReportJson ToJson(const ProofRow& row) {
  return {{"left", row.left}, {"right", row.right}, {"proved", row.proof == RowProof::kProved}};
}

ReportJson ToJson(const ProofConversions& conversions) {
  ReportJson json = {{"side", conversions.side},
                     {"constants", ReportJson::array()},
                     {"results", ReportJson::array()},
                     {"outputs", conversions.outputs}};
  for (const ProofConversion& constant : conversions.constants) {
    json["constants"].push_back({{"constant", constant.constant},
                                 {"type", constant.type},
                                 {"elements", JsonInteger(constant.elements)},
                                 {"zeros", JsonInteger(constant.zeros)},
                                 {"out_of_range", JsonInteger(constant.out_of_range)}});
  }
  for (const ProofRoundedResults& results : conversions.results) {
    json["results"].push_back({{"type", results.type},
                               {"count", JsonInteger(static_cast<int64_t>(results.nodes.size()))},
                               {"nodes", results.nodes}});
  }
  return json;
}

void AddEnds(SideId side, const std::vector<ProofEnd>& ends, bool with_why, ReportJson* to) {
  for (const ProofEnd& end : ends) {
    ReportJson json = {
        {"side", std::string(SideName(side))}, {"node", end.node}, {"op_type", end.op_type}};
    if (with_why) json["why"] = end.why;
    to->push_back(std::move(json));
  }
}

ReportJson RestsOn(const ProofReport& proof) {
  ReportJson folds = ReportJson::array();
  for (const ProofFold& fold : proof.folds) {
    folds.push_back({{"left", fold.left}, {"right", fold.right}, {"ulp", JsonInteger(fold.ulp)}});
  }
  ReportJson json = {{"inputs_as_fed", proof.given},
                     {"inputs_guessed", proof.guessed},
                     {"shapes_as_on_these", proof.given_shapes},
                     {"masks_as_infinity", proof.masks},
                     {"rounded_jumps", proof.rounded_jumps},
                     {"constants", proof.constants},
                     {"folded_constants", std::move(folds)}};
  if (proof.conversions.proved) json["conversions"] = ToJson(proof.conversions);
  return json;
}

}  // namespace

ReportJson ProofJson(const Comparison& comparison) {
  if (comparison.proof == nullptr) return {};
  const ProofReport& proof = *comparison.proof;
  ReportJson json = {{"proved", proof.proved}, {"text", ProofText(proof, true)}};
  if (!proof.not_possible.empty()) {
    json["not_possible"] = proof.not_possible;
    return json;
  }
  json["proved_with_exact_numbers"] = proof.conversions.proved;
  if (proof.proved || proof.conversions.proved) {
    json["runs"] = kProofRuns;
    json["chance_of_error"] = std::ldexp(1.0, -kProofChanceBits);
  }
  json["pairs"] = JsonInteger(proof.results);
  json["proved_pairs"] = JsonInteger(proof.proved_results);
  json["outputs"] = ReportJson::array();
  for (const ProofRow& row : proof.outputs) json["outputs"].push_back(ToJson(row));
  json["rests_on"] = RestsOn(proof);
  json["other_sizes"] = ReportJson::array();
  for (const ProofSizes& sizes : proof.sizes) {
    ReportJson one = {{"sizes", sizes.sizes}, {"proved", sizes.proved}};
    if (!sizes.why.empty()) one["why"] = sizes.why;
    json["other_sizes"].push_back(std::move(one));
  }
  json["not_proved"] = ReportJson::array();
  for (const ProofRow& row : proof.parted) {
    json["not_proved"].push_back({{"left", row.left},
                                  {"right", row.right},
                                  {"differs_exactly", row.proof == RowProof::kDiffers},
                                  {"why", row.why}});
  }
  json["ends"] = ReportJson::array();
  AddEnds(SideId::kLeft, proof.left_ends, true, &json["ends"]);
  AddEnds(SideId::kRight, proof.right_ends, true, &json["ends"]);
  json["unknown_functions"] = ReportJson::array();
  AddEnds(SideId::kLeft, proof.left_functions, false, &json["unknown_functions"]);
  AddEnds(SideId::kRight, proof.right_functions, false, &json["unknown_functions"]);
  json["rewrites"] = ReportJson::array();
  for (const Rewrite& rewrite : FindRewrites(comparison)) {
    ReportJson one = {{"what", rewrite.what},
                      {"places", JsonInteger(static_cast<int64_t>(rewrite.places.size()))},
                      {"finding", std::string(RewriteStateName(rewrite.state))}};
    if (const RewriteFault* fault = rewrite.fault; fault != nullptr) {
      one[fault->at_ends ? "at_ends" : "counterexample"] = fault->counterexample;
      if (!fault->folder.empty()) one["repro"] = fault->folder;
    }
    json["rewrites"].push_back(std::move(one));
  }
  return json;
}

}  // namespace onnxcmp
