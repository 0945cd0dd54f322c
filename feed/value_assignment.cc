#include "feed/value_assignment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "feed/input_fit.h"
#include "feed/type_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

bool Fits(const NamedValue& value, const ValueTarget& target) {
  const TypeInfo& type = target.inputs[0].type;
  const Value typed = ValueFor(value, type);
  return typed.is_tensor() ? FitOf(TypeOfTensor(typed.tensor()), type) >= Fit::kCast
                           : TypeConflict(typed, type).empty();
}

class Assigner {
 public:
  Assigner(const ValueList& values, const std::vector<ValueTarget>& targets, bool partial)
      : values_(values),
        targets_(targets),
        partial_(partial),
        taken_(values.names.size()),
        done_(targets.size()) {}

  absl::StatusOr<AssignedValues> Assign() {
    OC_RETURN_IF_ERROR(ByName());
    if (!values_.by_name) OC_RETURN_IF_ERROR(TheRest());
    std::vector<std::string> unused;
    for (size_t v = 0; v < taken_.size(); ++v) {
      if (!taken_[v] && !Names(values_.names[v])) unused.push_back(values_.names[v]);
    }
    const absl::Status status = UnusedValues(unused, values_.source, partial_, &assigned_.notes);
    if (!status.ok() && values_.by_name) {
      return absl::Status(status.code(), absl::StrCat(status.message(), "; ", Inputs()));
    }
    OC_RETURN_IF_ERROR(status);
    return std::move(assigned_);
  }

 private:
  // True if an input has the name, even if that takes another value.
  bool Names(const std::string& name) const {
    for (const ValueTarget& target : targets_) {
      for (const ValueTarget::Input& input : target.inputs) {
        if (input.name == name) return true;
      }
    }
    return false;
  }

  // "the inputs are x, mask" for messages.
  std::string Inputs() const {
    std::vector<std::string> names;
    for (const ValueTarget& target : targets_) {
      for (const ValueTarget::Input& input : target.inputs) {
        if (std::find(names.begin(), names.end(), input.name) == names.end()) {
          names.push_back(input.name);
        }
      }
    }
    CutList(&names, 8);
    return absl::StrCat("the inputs are ", absl::StrJoin(names, ", "));
  }

  absl::Status Give(const NamedValue& value, const ValueTarget::Input& input) {
    return GiveValue(ValueFor(value, input.type), input,
                     absl::StrCat(value.name, " of ", values_.source), &assigned_);
  }
  absl::Status GiveToAll(const NamedValue& value, size_t target) {
    done_[target] = true;
    for (const ValueTarget::Input& input : targets_[target].inputs) {
      OC_RETURN_IF_ERROR(Give(value, input));
    }
    return absl::OkStatus();
  }

  absl::Status ByName() {
    absl::flat_hash_map<absl::string_view, size_t> numbers;
    for (size_t v = 0; v < values_.names.size(); ++v) numbers.emplace(values_.names[v], v);
    for (size_t t = 0; t < targets_.size(); ++t) {
      const ValueTarget& target = targets_[t];
      std::optional<size_t> of_first;
      std::vector<std::optional<size_t>> own(target.inputs.size());
      for (size_t i = 0; i < own.size(); ++i) {
        const auto it = numbers.find(target.inputs[i].name);
        if (it == numbers.end() || (target.told && of_first.has_value())) continue;
        own[i] = it->second;
        if (!of_first.has_value()) of_first = it->second;
      }
      if (!of_first.has_value()) continue;
      done_[t] = true;
      for (size_t i = 0; i < own.size(); ++i) {
        const size_t v = own[i].value_or(*of_first);
        taken_[v] = true;
        OC_ASSIGN_OR_RETURN(const NamedValue value, values_.read(v));
        OC_RETURN_IF_ERROR(Give(value, target.inputs[i]));
      }
    }
    return absl::OkStatus();
  }

  // Assigns the values that names leave over.
  absl::Status TheRest() {
    std::vector<size_t> targets;
    for (size_t t = 0; t < targets_.size(); ++t) {
      if (!done_[t] && targets_[t].required) targets.push_back(t);
    }
    if (targets.empty()) return absl::OkStatus();
    std::vector<std::pair<size_t, NamedValue>> values;
    for (size_t v = 0; v < values_.names.size(); ++v) {
      if (taken_[v]) continue;
      OC_ASSIGN_OR_RETURN(NamedValue value, values_.read(v));
      values.emplace_back(v, std::move(value));
    }
    const auto give = [&](size_t v, size_t t, const char* how) {
      taken_[values[v].first] = true;
      assigned_.notes.push_back(absl::StrCat(SideName(targets_[targets[t]].inputs[0].side),
                                             " input `", targets_[targets[t]].inputs[0].name,
                                             "` takes ", values[v].second.name, " of ",
                                             values_.source, how));
      const absl::Status status = GiveToAll(values[v].second, targets[t]);
      values.erase(values.begin() + static_cast<ptrdiff_t>(v));
      targets.erase(targets.begin() + static_cast<ptrdiff_t>(t));
      return status;
    };
    for (std::optional<std::pair<size_t, size_t>> only = OnlyFit(values, targets); only.has_value();
         only = OnlyFit(values, targets)) {
      OC_RETURN_IF_ERROR(give(only->first, only->second, " (by type and shape)"));
    }
    bool in_order = values.size() == targets.size();
    for (size_t i = 0; in_order && i < values.size(); ++i) {
      in_order = Fits(values[i].second, targets_[targets[i]]);
    }
    while (in_order && !values.empty()) OC_RETURN_IF_ERROR(give(0, 0, " (by order)"));
    return absl::OkStatus();
  }

  // A value and a target that fit no others.
  std::optional<std::pair<size_t, size_t>> OnlyFit(
      const std::vector<std::pair<size_t, NamedValue>>& values,
      const std::vector<size_t>& targets) const {
    std::vector<int> count(targets.size());
    std::vector<std::vector<size_t>> fitting(values.size());
    for (size_t v = 0; v < values.size(); ++v) {
      for (size_t t = 0; t < targets.size(); ++t) {
        if (Fits(values[v].second, targets_[targets[t]])) {
          fitting[v].push_back(t);
          ++count[t];
        }
      }
    }
    for (size_t v = 0; v < values.size(); ++v) {
      if (fitting[v].size() == 1 && count[fitting[v][0]] == 1) return std::pair(v, fitting[v][0]);
    }
    return std::nullopt;
  }

  const ValueList& values_;
  const std::vector<ValueTarget>& targets_;
  bool partial_;
  std::vector<bool> taken_;  // by value
  std::vector<bool> done_;   // by target
  AssignedValues assigned_;
};

}  // namespace

absl::Status GiveValue(const Value& value, const ValueTarget::Input& input, const std::string& what,
                       AssignedValues* to) {
  absl::StatusOr<FittedValue> fitted = FitValue(value, input.type);
  if (!fitted.ok()) {
    return absl::Status(fitted.status().code(),
                        absl::StrCat(SideName(input.side), " input `", input.name, "` cannot take ",
                                     what, ": ", fitted.status().message()));
  }
  if (!fitted->note.empty()) {
    to->notes.push_back(
        absl::StrCat(SideName(input.side), " input `", input.name, "`: ", fitted->note));
  }
  to->feeds[input.side][input.name] = std::move(fitted->value);
  return absl::OkStatus();
}

absl::StatusOr<AssignedValues> AssignValues(const ValueList& values,
                                            const std::vector<ValueTarget>& targets, bool partial) {
  return Assigner(values, targets, partial).Assign();
}

void Append(AssignedValues from, AssignedValues* to) {
  for (const SideId side : kBothSides) {
    for (auto& [name, value] : from.feeds[side]) to->feeds[side][name] = std::move(value);
  }
  std::move(from.notes.begin(), from.notes.end(), std::back_inserter(to->notes));
}

}  // namespace onnxcmp
