#include "compare/causes/cause_effects.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/repair/repair_suggestions.h"
#include "compare/sides/replacer.h"

namespace onnxcmp {

std::vector<Value> CauseEffects::OutputsWithout(const Replacements& replaced) const {
  absl::flat_hash_map<absl::string_view, Value> values;
  for (const auto& [r, value] : replaced) {
    values[run_.right().result(r).name] = run_.right().ForModel(r, value);
  }
  Replacer replacer(std::move(values));
  absl::StatusOr<std::vector<Value>> outputs = right_.Run(feeds_, &replacer);
  return outputs.ok() ? *std::move(outputs) : std::vector<Value>();
}

std::optional<double> CauseEffects::DistanceWithout(const Replacements& replaced) const {
  const std::vector<Value> outputs = OutputsWithout(replaced);
  if (outputs.empty()) return std::nullopt;
  const auto counterparts = OutputCounterparts(run_.left(), run_.right());
  std::optional<double> greatest;
  const auto& shown = run_.right().outputs();
  for (size_t i = 0; i < shown.size() && i < outputs.size(); ++i) {
    const auto counterpart = counterparts.find(shown[i].second);
    if (counterpart == counterparts.end()) continue;
    const Value& wanted = run_.left().value(counterpart->second);
    const Value given = run_.right().FromModel(shown[i].second, outputs[i]);
    if (!IsMeasurable(wanted) || !IsMeasurable(given) ||
        !SameKindOfNumber(wanted.tensor().dtype(), given.tensor().dtype())) {
      continue;
    }
    const double distance =
        wanted.tensor().num_elements() == given.tensor().num_elements()
            ? Distance(run_.left().measured(counterpart->second), Measure(given.tensor()))
            : std::numeric_limits<double>::infinity();
    greatest = std::max(greatest.value_or(0), distance);
  }
  return greatest;
}

}  // namespace onnxcmp
