#include "prove/unknown_values.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/residues.h"
#include "prove/foldable_layer.h"
#include "prove/node_kinds.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

Tensor RandomResidues(const PrimeField& field, uint64_t function, absl::Span<const int64_t> shape) {
  Residues residues = Residues::Filled(shape, 0);
  Residue next = 0;
  for (Residue& residue : residues.values) residue = field.Random(function, next++);
  absl::StatusOr<Tensor> tensor = ToTensor(residues);
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

// A number for the residues of a value; nothing if some are no numbers.
absl::StatusOr<uint64_t> InputHash(const PrimeField& field, const FieldValue& value) {
  if (value.empty()) return uint64_t{0};
  if (!value.number.is_tensor()) {
    return value.fixed ? ContentOf(value.number).low : value.identity;
  }
  const Tensor& number = value.number.tensor();
  if (value.fixed && !IsFloatingPoint(number.dtype())) return ContentOf(value.number).low;
  OC_ASSIGN_OR_RETURN(const Residues residues, ResiduesOfNumbers(field, value));
  if (std::find(residues.values.begin(), residues.values.end(), kNoNumber) !=
      residues.values.end()) {
    return absl::UnimplementedError("an input is NaN, or unknown, in exact arithmetic");
  }
  uint64_t hash = XXH3_64bits(residues.values.data(), residues.values.size() * sizeof(Residue));
  for (const int64_t size : residues.shape) hash = MixNumbers(hash, static_cast<uint64_t>(size));
  return MixNumbers(hash, static_cast<uint64_t>(number.dtype()));
}

}  // namespace

bool Varies(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DType::kString &&
         !IsComplex(value.tensor().dtype());
}

uint64_t SeedOfConstants(const PerSide<const ResultStream*>& streams) {
  uint64_t seed = FunctionNumber("constants");
  for (const SideId side : kBothSides) {
    for (const StreamResult& result : streams[side]->results) {
      if (result.kind == ResultKind::kInitializer) {
        seed = MixNumbers(seed, result.fingerprint.content.low);
      }
    }
    for (const StreamNode& node : streams[side]->nodes) seed = MixNumbers(seed, node.attributes);
  }
  return seed;
}

FieldValue RandomValue(const PrimeField& field, const Value& number, uint64_t key) {
  FieldValue value;
  value.number = number;
  value.fixed = false;
  value.residues = RandomResidues(field, key, number.tensor().shape());
  return value;
}

void VaryDefaults(const PrimeField& field, const Model& model, FieldValues* given) {
  if (model.ir_version < 4) return;
  for (const Initializer& initializer : model.graph.initializers) {
    const std::string& name = initializer.name;
    const auto is_it = [&](const ValueInfo& input) { return input.name == name; };
    if (given->contains(name) || !Varies(initializer.value) ||
        std::none_of(model.graph.inputs.begin(), model.graph.inputs.end(), is_it)) {
      continue;
    }
    (*given)[name] = RandomValue(field, initializer.value,
                                 MixNumbers(FunctionNumber("input"), FunctionNumber(name)));
  }
}

bool IsSameInput(const PerSide<const Feeds*>& feeds, const std::string& left,
                 const std::string& right) {
  const auto a = feeds.left->find(left);
  const auto b = feeds.right->find(right);
  if (a == feeds.left->end() || b == feeds.right->end()) return false;
  return a->second.TypeString() != b->second.TypeString() ||
         ContentOf(a->second) == ContentOf(b->second);
}

uint64_t InputKey(const PerSide<const Feeds*>& feeds, absl::Span<const ProofPair> pairs,
                  SideId side, const std::string& name) {
  if (side == SideId::kRight && !IsSameInput(feeds, name, name)) {
    for (const ProofPair& pair : pairs) {
      if (pair.right == name && IsSameInput(feeds, pair.left, name) &&
          !IsSameInput(feeds, pair.left, pair.left)) {
        return MixNumbers(FunctionNumber("input"), FunctionNumber(pair.left));
      }
    }
    return MixNumbers(FunctionNumber("input of the right"), FunctionNumber(name));
  }
  return MixNumbers(FunctionNumber("input"), FunctionNumber(name));
}

absl::StatusOr<std::vector<FieldValue>> UnknownFunction(const PrimeField& field, const Node& node,
                                                        uint64_t operation,
                                                        absl::Span<const FieldValue> inputs,
                                                        absl::Span<const Value> numbers) {
  uint64_t key = operation;
  bool shaped = ShapesByNumbers(node);
  bool fixed = true;
  for (const FieldValue& input : inputs) {
    fixed = fixed && input.fixed;
    OC_ASSIGN_OR_RETURN(const uint64_t hash, InputHash(field, input));
    key = MixNumbers(key, hash);
    const bool places =
        input.number.is_tensor() && !IsRealTensor(input.number) && !OnlyPlaces(node);
    shaped = shaped || (!input.fixed && places);
  }
  std::vector<FieldValue> outputs(numbers.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (numbers[i].empty()) continue;
    FieldValue& output = outputs[i];
    output.fixed = fixed;
    output.exact = false;
    output.shaped = shaped;
    const uint64_t function = MixNumbers(key, i);
    if (numbers[i].is_tensor()) {
      output.residues = RandomResidues(field, function, numbers[i].tensor().shape());
    } else {
      output.identity = function;
    }
  }
  return outputs;
}

std::vector<FieldValue> UnknownValues(const PrimeField& field, uint64_t key,
                                      absl::Span<const Value> numbers) {
  std::vector<FieldValue> outputs(numbers.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    FieldValue& output = outputs[i];
    output.number = numbers[i];
    output.fixed = numbers[i].empty();
    output.exact = false;
    output.identity = MixNumbers(key, i);
    if (!numbers[i].is_tensor()) continue;
    output.residues = RandomResidues(field, output.identity, numbers[i].tensor().shape());
  }
  return outputs;
}

}  // namespace onnxcmp
