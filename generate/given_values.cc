#include "generate/given_values.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "feed/made_up/input_purpose.h"
#include "generate/state_pairs.h"
#include "generate/tensors.h"

namespace onnxcmp {
namespace {

// Positions of an encoder whose length is open.
constexpr int64_t kEncoderPositions = 7;

bool IsCalledMask(const std::string& name) { return absl::StrContains(name, "mask"); }

// True if a value can be fed to an input of this type.
bool Takes(const TypeInfo& type, const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != type.dtype || !type.shape.has_value() ||
      type.shape->size() != value.tensor().shape().size()) {
    return false;
  }
  for (size_t i = 0; i < type.shape->size(); ++i) {
    const int64_t size = value.tensor().shape()[i];
    if ((*type.shape)[i].value.value_or(size) != size) return false;
  }
  return true;
}

// Inputs with the role kGiven, and states that no output gives.
std::vector<const ValueInfo*> GivenInputs(const Graph& graph, const DecoderRoles& roles) {
  std::vector<const ValueInfo*> inputs;
  for (const DecoderRoles::Input& input : roles.inputs) {
    const auto state = std::find_if(roles.states.begin(), roles.states.end(),
                                    [&](const StatePair& one) { return one.past == input.name; });
    const bool kept = input.role == Role::kState && state->present.empty() && !state->handed;
    if (input.role == Role::kGiven || kept)
      inputs.push_back(FindValueInfo(graph.inputs, input.name));
  }
  return inputs;
}

absl::StatusOr<Value> MadeUp(const ValueInfo& input, const InputPurposes& purposes,
                             const Shape& shape, RandomNumbers* random) {
  std::vector<double> numbers(static_cast<size_t>(NumElements(shape).value_or(0)));
  const bool real = IsFloatingPoint(input.type.dtype);
  const auto purpose = purposes.find(input.name);
  const int64_t limit =
      purpose == purposes.end() ? 2 : std::max<int64_t>(purpose->second.limit.value_or(2), 1);
  for (double& number : numbers) {
    if (real) {
      number = random->Normal();
    } else if (IsCalledMask(input.name) || input.type.dtype == DType::kBool) {
      number = 1;
    } else {
      number = static_cast<double>(random->Below(limit));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor tensor, TensorOf(input.type.dtype, shape, numbers));
  return Value(std::move(tensor));
}

}  // namespace

// Free dimensions: the batch has `rows`, others `length`.
absl::StatusOr<Shape> ShapeOf(const ValueInfo& input, const std::string& batch, int64_t rows,
                              int64_t length) {
  if (!input.type.shape.has_value()) {
    return InputError(input.name, "has no declared shape, so that it is not known what to feed");
  }
  Shape shape;
  for (const TypeInfo::Dim& dim : *input.type.shape) shape.push_back(dim.value.value_or(length));
  const size_t axis = BatchAxis(input.type, batch);
  if (axis < shape.size() && !(*input.type.shape)[axis].value.has_value()) shape[axis] = rows;
  return shape;
}

absl::StatusOr<Shape> GivenShape(const ValueInfo& input, const std::string& batch, int64_t rows) {
  return ShapeOf(input, batch, rows, kEncoderPositions);
}

absl::StatusOr<Feeds> GivenValues(const Graph& graph, const DecoderRoles& roles, int64_t rows,
                                  const Feeds& fixed) {
  Feeds given;
  const InputPurposes purposes = PurposesOf(graph);
  RandomNumbers random(1);
  for (const ValueInfo* input : GivenInputs(graph, roles)) {
    if (const auto by_user = fixed.find(input->name); by_user != fixed.end()) {
      given[input->name] = by_user->second;
      continue;
    }
    OC_ASSIGN_OR_RETURN(const Shape shape, GivenShape(*input, roles.batch, rows));
    OC_ASSIGN_OR_RETURN(given[input->name], MadeUp(*input, purposes, shape, &random));
  }
  return given;
}

absl::StatusOr<Feeds> GivenAsOn(const Graph& graph, const DecoderRoles& roles, const Feeds& other) {
  Feeds given;
  std::vector<const ValueInfo*> rest;
  absl::flat_hash_set<std::string> taken;
  for (const ValueInfo* input : GivenInputs(graph, roles)) {
    const auto same = other.find(input->name);
    if (same == other.end()) {
      rest.push_back(input);
      continue;
    }
    given[input->name] = same->second;
    taken.insert(input->name);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : other) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const ValueInfo* input : rest) {
    const auto like = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return !taken.contains(name) && Takes(input->type, other.at(name));
    });
    if (like != names.end()) {
      given[input->name] = other.at(*like);
      taken.insert(*like);
    } else if (!IsCalledMask(input->name)) {
      return InputError(input->name,
                        "stays the same in every step, and the other side has no such input: "
                        "--inputs gives values that belong together");
    }
  }
  return given;
}

absl::StatusOr<Feeds> EncoderFeeds(const Graph& graph, int64_t rows, const Feeds& fixed) {
  Feeds feeds;
  const InputPurposes purposes = PurposesOf(graph);
  RandomNumbers random(1);
  for (const ValueInfo* input : RequiredInputs(graph)) {
    if (const auto by_user = fixed.find(input->name); by_user != fixed.end()) {
      feeds[input->name] = by_user->second;
      continue;
    }
    OC_ASSIGN_OR_RETURN(const Shape shape, GivenShape(*input, "", rows));
    OC_ASSIGN_OR_RETURN(feeds[input->name], MadeUp(*input, purposes, shape, &random));
  }
  return feeds;
}

Feeds EncoderValues(const Graph& graph, const Feeds& feeds, const std::vector<Value>& outputs) {
  Feeds values;
  for (const auto& [name, value] : feeds) {
    if (IsCalledMask(name)) values[name] = value;
  }
  for (size_t i = 0; i < outputs.size(); ++i) values[graph.outputs[i].name] = outputs[i];
  return values;
}

}  // namespace onnxcmp
