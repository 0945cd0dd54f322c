#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "generate/generation_chain.h"
#include "generate/generation_words.h"
#include "generate/render_generation.h"
#include "record/text/utf8.h"
#include "reports/render_json.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::ordered_json;

// Infinite ones as null, as comparisons have them.
Json Number(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json Texts(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(RepairUtf8(text));
  return list;
}

Json InvariantsOf(const std::vector<Invariant>& invariants) {
  Json list = Json::array();
  for (const Invariant& one : invariants) {
    Json item = {{"name", RepairUtf8(one.name)}, {"outcome", OutcomeName(one.outcome)}};
    if (!one.why.empty()) item["why"] = RepairUtf8(one.why);
    if (one.outcome == Invariant::Outcome::kBroken && one.why.empty()) {
      item["prompt"] = one.row;
      item["token"] = one.position;
      item["step"] = one.step;
      item["node"] = RepairUtf8(one.node);
      item["result"] = RepairUtf8(one.result);
      item["logits"] = RepairUtf8(one.elements);
    }
    item["max_difference"] = Number(one.max_difference);
    list.push_back(std::move(item));
  }
  return list;
}

template <typename T>
Json BothOf(const PerSide<T>& both) {
  if constexpr (std::is_same_v<T, double>) {
    return {{"left", Number(both.left)}, {"right", Number(both.right)}};
  } else {
    return {{"left", both.left}, {"right", both.right}};
  }
}

Json StepsOf(const Generation& generation) {
  Json steps = Json::array();
  for (const GeneratedStep& step : generation.steps) {
    Json rows = Json::array();
    for (const GeneratedStep::Row& row : step.rows) {
      rows.push_back({{"token", BothOf(row.token)},
                      {"margin", BothOf(row.margin)},
                      {"max_difference", Number(row.max_difference)},
                      {"kl", Number(row.kl)}});
    }
    Json item;
    item["relation"] =
        step.relation.has_value() ? Json(std::string(RelationName(*step.relation))) : Json(nullptr);
    item["state"] = step.state.empty() ? Json(nullptr) : Json(RepairUtf8(step.state));
    item["rows"] = std::move(rows);
    steps.push_back(std::move(item));
  }
  return steps;
}

void AddSteps(const Generation& generation, Json* members) {
  Json& json = *members;
  json["prompts"] = generation.prompts;
  json["steps"] = StepsOf(generation);
  json["failing_step"] = generation.failing.has_value() ? Json(*generation.failing) : Json(nullptr);
  json["token_change"] = nullptr;
  if (generation.change.has_value()) {
    const TokenChange& change = *generation.change;
    json["token_change"] = {{"step", change.step},
                            {"prompt", change.row},
                            {"tie", change.tie},
                            {"apart", Number(change.apart)},
                            {"rounding", Number(change.rounding)}};
  }
  json["lines"] = Texts(OutcomeLines(generation));
}

Json GenerationMembers(const Generation& generation) {
  Json json;
  json["exit_status"] = generation.ExitStatus();
  for (const SideId side : kBothSides) {
    json[std::string(SideName(side))] = {{"source", RepairUtf8(generation.sources[side])},
                                         {"roles", Texts(generation.roles[side])}};
  }
  AddSteps(generation, &json);
  json["error"] = generation.status.ok()
                      ? Json(nullptr)
                      : Json(RepairUtf8(std::string(generation.status.message())));
  json["alone"] = InvariantsOf(generation.alone);
  json["comparison"] = nullptr;
  if (generation.comparison != nullptr) {
    json["comparison"] = Json::parse(RenderJson(*generation.comparison));
  }
  return json;
}

}  // namespace

std::string RenderGenerationJson(const Generation& generation) {
  return GenerationMembers(generation).dump(1) + "\n";
}

std::string RenderStepsJson(const Generation& generation) {
  Json json;
  AddSteps(generation, &json);
  return json.dump();
}

std::string RenderGenerationChainJson(const GenerationChain& chain) {
  const std::optional<size_t> broken = chain.BrokenBy();
  Json json;
  json["exit_status"] = chain.ExitStatus();
  json["models"] = Texts(chain.models);
  json["broken_by"] = broken.has_value() ? Json(*broken) : Json(nullptr);
  json["passes"] = Json::array();
  for (const Generation& pass : chain.passes) json["passes"].push_back(GenerationMembers(pass));
  json["ends"] = chain.ends.has_value() ? GenerationMembers(*chain.ends) : Json(nullptr);
  return json.dump(1) + "\n";
}

std::string RenderInvariantsJson(const Invariants& invariants) {
  Json json;
  json["exit_status"] = invariants.ExitStatus();
  json["roles"] = Texts(invariants.roles);
  json["taken_for"] =
      invariants.taken_for.empty() ? Json(nullptr) : Json(RepairUtf8(invariants.taken_for));
  json["invariants"] = InvariantsOf(invariants.tried);
  return json.dump(1) + "\n";
}

}  // namespace onnxcmp
