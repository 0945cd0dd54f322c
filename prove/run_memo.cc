#include "prove/run_memo.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "prove/constant_facts.h"
#include "prove/field/prime_field.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Residues that are held, of 8 bytes each.
constexpr int64_t kMostMemoElements = int64_t{1} << 26;

// Elements of a node that are worth a look.
constexpr int64_t kWorthMemo = 1 << 14;

// Where the elements lie: tensors that a memo holds have no address in common.
uint64_t PlaceOf(const Tensor& tensor) {
  return tensor.defined() ? reinterpret_cast<uintptr_t>(tensor.raw_data()) : 0;
}

void AddShape(const Tensor& tensor, std::vector<uint64_t>* words) {
  words->push_back(static_cast<uint64_t>(tensor.dtype()));
  words->push_back(static_cast<uint64_t>(tensor.rank()));
  words->insert(words->end(), tensor.shape().begin(), tensor.shape().end());
}

void AddOrigin(const ValueOrigin& origin, std::vector<uint64_t>* words) {
  for (const Tensor* const tensor :
       {&origin.margin, &origin.score, &origin.shown, &origin.root, &origin.root_of,
        &origin.size_of, &origin.sign_of, &origin.exp_of_size, &origin.plus_exp.of,
        &origin.plus_exp.of_size, &origin.members, &origin.rises_with, &origin.one_hot_of,
        &origin.unscaled, &origin.unbounded, &origin.rest_of}) {
    words->push_back(PlaceOf(*tensor));
  }
  for (const Tensor& term : origin.terms) words->push_back(PlaceOf(term));
  words->push_back(origin.terms.size());
  for (const Tensor& atom : origin.atoms) words->push_back(PlaceOf(atom));
  words->insert(words->end(), {origin.atoms.size(), origin.truth});
  for (const Tensor& factor : origin.vanishes_with) words->push_back(PlaceOf(factor));
  for (const MeantNumber& number : {origin.scale, origin.low, origin.high}) {
    words->push_back(std::bit_cast<uint64_t>(number.number));
    words->push_back(static_cast<uint64_t>(number.residue));
  }
  words->push_back(static_cast<uint64_t>(origin.rises_along + 1));
  words->push_back(static_cast<uint64_t>(origin.rest_by));
  words->push_back((origin.shifted ? 1 : 0) + (origin.opposite ? 2 : 0) +
                   (origin.is_whole ? 4 : 0) + (origin.plus_exp.of_negative ? 8 : 0) +
                   (origin.plus_exp.inverse ? 16 : 0));
}

// The value without what only a run on numbers knows.
FieldValue WithoutNumber(const FieldValue& value) {
  FieldValue kept = value;
  kept.number = Value();
  return kept;
}

}  // namespace

std::optional<Hash128> RunMemo::KeyOf(uint64_t operation, absl::Span<const FieldValue> inputs,
                                      absl::Span<const Value> numbers, const ThreadPool& pool,
                                      ConstantFacts* constants) {
  int64_t elements = 0;
  std::vector<uint64_t> words = {operation, inputs.size()};
  for (const Value& number : numbers) {
    words.push_back(number.empty() ? 0 : 1);
    if (number.empty()) continue;
    if (!number.is_tensor()) return std::nullopt;
    AddShape(number.tensor(), &words);
    elements += number.tensor().num_elements();
  }
  for (const FieldValue& input : inputs) {
    words.push_back(input.empty() ? 0 : 1);
    if (input.empty()) continue;
    if (!input.number.is_tensor()) return std::nullopt;
    elements += input.number.tensor().num_elements();
  }
  if (elements < kWorthMemo) return std::nullopt;
  for (const FieldValue& input : inputs) {
    if (input.empty()) continue;
    AddShape(input.number.tensor(), &words);
    if (input.roundings != nullptr) {
      for (const RoundingStep& step : *input.roundings) words.push_back(step.number);
    }
    words.insert(words.end(), {PlaceOf(input.direction.of), PlaceOf(input.direction.scale),
                               static_cast<uint64_t>(input.direction.sign) * 2 +
                                   (input.direction.may_vanish ? 1 : 0)});
    words.push_back((input.fixed ? 1 : 0) | (input.exact ? 2 : 0) | (input.wraps ? 4 : 0));
    const WholeRange range = input.whole.value_or(WholeRange{1, 0});
    for (const long double end : {range.first, range.second}) {
      const auto near = static_cast<double>(end);
      words.push_back(std::bit_cast<uint64_t>(near));
      words.push_back(std::bit_cast<uint64_t>(static_cast<double>(end - near)));
    }
    if (input.residues.defined()) {
      words.insert(words.end(), {PlaceOf(input.residues), PlaceOf(input.exp_factor),
                                 PlaceOf(input.exp_exponent), PlaceOf(input.masked)});
      words.push_back(input.origin != nullptr ? 1 : 0);
      if (input.origin != nullptr) AddOrigin(*input.origin, &words);
    } else {
      const Hash128 content =
          constants == nullptr ? ContentOf(input.number, &pool) : constants->Content(input.number);
      words.insert(words.end(), {content.low, content.high});
    }
  }
  return HashOf(words);
}

const std::vector<FieldValue>* RunMemo::Find(const Hash128& key) const {
  const auto found = nodes_.find(key);
  return found == nodes_.end() ? nullptr : &found->second.outputs;
}

void RunMemo::Keep(const Hash128& key, absl::Span<const FieldValue> inputs,
                   const std::vector<FieldValue>& outputs) {
  for (const FieldValue& output : outputs) {
    if (output.residues.defined() && !Reserve(output.residues)) return;
  }
  Node node;
  // Tensors whose addresses are in the key must stay where they are.
  for (const FieldValue& input : inputs) node.inputs.push_back(WithoutNumber(input));
  for (const FieldValue& output : outputs) node.outputs.push_back(WithoutNumber(output));
  nodes_.emplace(key, std::move(node));
}

void RunMemo::Share(FieldValue* value) {
  Shared* const shared = Share(&value->residues);
  if (shared == nullptr) return;
  if (shared->exp_exponent.defined()) {
    value->exp_factor = shared->exp_factor;
    value->exp_exponent = shared->exp_exponent;
  } else {
    shared->exp_factor = value->exp_factor;
    shared->exp_exponent = value->exp_exponent;
  }
}

void RunMemo::ShareMask(FieldValue* value) { Share(&value->masked); }

RunMemo::Shared* RunMemo::Share(Tensor* tensor) {
  if (!tensor->defined() || tensor->num_elements() < kWorthMemo) return nullptr;
  const Hash128 elements =
      ToHash128(XXH3_128bits(tensor->raw_data(), static_cast<size_t>(tensor->byte_size())));
  std::vector<uint64_t> words = {elements.low, elements.high};
  AddShape(*tensor, &words);
  const auto [it, is_new] = shared_.try_emplace(HashOf(words));
  if (is_new && !Reserve(*tensor)) {
    shared_.erase(it);
    return nullptr;
  }
  Shared& shared = it->second;
  if (is_new) shared.residues = *tensor;
  *tensor = shared.residues;
  return &shared;
}

bool RunMemo::Reserve(const Tensor& residues) {
  if (elements_ + residues.num_elements() > kMostMemoElements) return false;
  elements_ += residues.num_elements();
  return true;
}

absl::StatusOr<std::vector<Value>> RunNumbers::Of(
    int64_t node, absl::FunctionRef<absl::StatusOr<std::vector<Value>>()> run) {
  constexpr int64_t kMostNumbersKept = int64_t{1} << 26;
  if (const auto known = nodes_.find(node); known != nodes_.end()) return known->second;
  OC_ASSIGN_OR_RETURN(std::vector<Value> results, run());
  int64_t bytes = 0;
  for (const Value& result : results) {
    // The account has no number for the elements of a sequence.
    if (!result.empty() && !result.is_tensor()) return results;
    if (result.is_tensor()) bytes += result.tensor().byte_size();
  }
  if (bytes <= kMostNumbersKept - bytes_) {
    bytes_ += bytes;
    nodes_.emplace(node, results);
  }
  return results;
}

}  // namespace onnxcmp
