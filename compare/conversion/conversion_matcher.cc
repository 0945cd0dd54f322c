#include "compare/conversion/conversion_matcher.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "compare/conversion/converted_partners.h"
#include "compare/conversion/honest_constant.h"
#include "compare/conversion/packed_weights.h"
#include "compare/quantization/quantized_weights.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/kept_range.h"
#include "record/operators/operator_traits.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

// True for types that a conversion may pass numbers through.
bool IsPlainFloat(DType dtype) {
  return dtype == DType::kDouble || dtype == DType::kFloat || dtype == DType::kFloat16 ||
         dtype == DType::kBfloat16;
}

// Converters put casts between floats anywhere; others change numbers.
bool CastsFloats(const SideGraph& graph, const StreamNode& made) {
  return HasTrait(made, OperatorTrait::kCasts) && !made.inputs.empty() && made.inputs[0] != kNone &&
         made.outputs[0] != kNone && IsPlainFloat(graph.result(made.inputs[0]).dtype) &&
         IsPlainFloat(graph.result(made.outputs[0]).dtype);
}

// True if shapes are equal but for axes of one element in front.
bool BroadcastAlike(const StreamResult& a, const StreamResult& b) {
  if (!a.shape.has_value() || !b.shape.has_value()) return a.shape == b.shape;
  const auto past_ones = [](const Shape& shape) {
    const auto first = absl::c_find_if(shape, [](int64_t size) { return size != 1; });
    return Shape(first, shape.end());
  };
  return past_ones(*a.shape) == past_ones(*b.shape);
}

bool Copies(const StreamNode& made) {
  return HasTrait(made, OperatorTrait::kCopies) && !made.inputs.empty() &&
         made.inputs[0] != kNone && made.outputs[0] != kNone;
}

// The scale of the second factor of a product of integers, which is a constant: the product, cast
// to float, is multiplied by that of both.
int ScaleAppliedAfter(const SideGraph& graph, const ConstantValues& constants, int product) {
  for (int hop = 0, at = product; hop < 2 && at != kNone; ++hop) {
    if (graph.readers(at).size() != 1) return kNone;
    const StreamNode& reader = *graph.node(graph.readers(at)[0]).made;
    if (reader.op_type == "Cast") {
      at = reader.outputs[0];
      continue;
    }
    if (reader.op_type != "Mul") return kNone;
    const int scales = reader.inputs[0] == at ? reader.inputs[1] : reader.inputs[0];
    if (scales == kNone) return kNone;
    const int maker = graph.producer(scales);
    if (maker == kNone || graph.node(maker).made->op_type != "Mul") {
      return constants.IsFixed(scales) ? scales : kNone;
    }
    // The scale of the first factor comes first, and may be a constant, too.
    const FewResults& factors = graph.node(maker).made->inputs;
    for (auto scale = factors.rbegin(); scale != factors.rend(); ++scale) {
      if (*scale != kNone && constants.IsFixed(*scale)) return *scale;
    }
    return kNone;
  }
  return kNone;
}

}  // namespace

Tensor Transposed(const Tensor& matrix) {
  const absl::Span<const int64_t> strides = matrix.strides();
  return matrix.Strided({matrix.dim(1), matrix.dim(0)}, {strides[1], strides[0]}, matrix.offset());
}

ConversionMatcher::ConversionMatcher(const SideGraph& plain, const SideGraph& converted,
                                     const QuantParamsByResult& params,
                                     const std::vector<int>& partners,
                                     ConstantValues* plain_constants,
                                     ConstantValues* converted_constants, const ThreadPool* pool)
    : plain_(plain),
      converted_(converted),
      params_(params),
      partners_(partners),
      plain_constants_(*plain_constants),
      converted_constants_(*converted_constants),
      pool_(pool),
      twins_(IsQuantized(plain.stream())),
      plain_facts_(plain.evaluator()->registry()),
      converted_facts_(converted.evaluator()->registry()),
      classes_(plain.stream().results.size(), kNone),
      members_(plain.stream().results.size()),
      reshaped_(converted.stream().results.size()),
      stands_for_(converted.stream().results.size()) {
  NumberPlain();
  for (const int r : converted.results()) {
    if (converted.result(r).kind != ResultKind::kInput) continue;
    const int l = partners[Index(r)];
    if (l != kNone && plain.result(l).kind == ResultKind::kInput) {
      stands_for_[Index(r)] = {classes_[Index(l)]};
    }
  }
  for (size_t m = 0; m < converted.nodes().size(); ++m) Follow(static_cast<int>(m));
}

uint64_t ConversionMatcher::OperationOf(const SideGraph& graph, NodeFactsCache* facts,
                                        int n) const {
  const SideGraph::GraphNode& node = graph.node(n);
  if (node.node == nullptr || !node.captures.empty()) return 0;
  return facts->Of(*node.node).operation;
}

void ConversionMatcher::NumberPlain() {
  absl::flat_hash_map<Hash128, int> constants;
  absl::flat_hash_map<std::vector<uint64_t>, int> nodes;  // first node of an operation and inputs
  for (const int l : plain_.results()) {
    int number = l;
    const int n = plain_.producer(l);
    if (n == kNone) {
      const StreamResult& result = plain_.result(l);
      if (result.kind == ResultKind::kInitializer) {
        number = constants.try_emplace(result.fingerprint.content, l).first->second;
      }
    } else {
      const StreamNode& made = *plain_.node(n).made;
      const uint64_t operation = OperationOf(plain_, &plain_facts_, n);
      // Integers of the plain side are such on both sides.
      const bool rounds = made.op_type == "QuantizeLinear" || made.op_type == "DequantizeLinear";
      if (l == made.outputs[0] && (CastsFloats(plain_, made) || Copies(made) || rounds)) {
        number = classes_[Index(made.inputs[0])];
      } else if (operation != 0 && !made.inputs.empty()) {
        std::vector<uint64_t> key = {operation};
        for (const int read : made.inputs) {
          key.push_back(read == kNone ? ~uint64_t{0}
                                      : static_cast<uint64_t>(classes_[Index(read)]));
        }
        const int first = nodes.try_emplace(key, n).first->second;
        const FewResults& outputs = plain_.node(first).made->outputs;
        const auto slot = static_cast<size_t>(plain_.result(l).slot);
        if (first != n && slot < outputs.size() && outputs[slot] != kNone) {
          number = classes_[Index(outputs[slot])];
        }
      }
    }
    classes_[Index(l)] = number;
    members_[Index(number)].push_back(l);
  }
}

bool ConversionMatcher::StandsFor(int r, int l) const {
  return absl::c_linear_search(stands_for_[Index(r)], classes_[Index(l)]);
}

std::optional<QuantParams> ConversionMatcher::ParamsOf(int r) const {
  if (params_.of(r).has_value() || !IsInteger(converted_.result(r).dtype)) return params_.of(r);
  for (const int n : converted_.readers(r)) {
    const StreamNode& made = *converted_.node(n).made;
    const int output = made.outputs[0];
    if (output == kNone || made.inputs.empty()) continue;
    if (made.inputs[0] == r && HasTrait(made, OperatorTrait::kMoves) &&
        HasTrait(made, OperatorTrait::kOneDataInput)) {
      const std::optional<QuantParams>& moved = params_.of(output);
      if (moved.has_value() && converted_.result(moved->scale).fingerprint.size == 1) return moved;
    }
    const bool convolves = made.op_type == "ConvInteger";
    if ((convolves || made.op_type == "MatMulInteger") && made.inputs.size() > 1 &&
        made.inputs[1] == r) {
      const int scale = ScaleAppliedAfter(converted_, converted_constants_, output);
      if (scale == kNone) continue;
      return QuantParams{scale, made.inputs.size() > 3 ? made.inputs[3] : kNone, convolves ? 0 : -1,
                         0};
    }
  }
  return std::nullopt;
}

ConstantRounding ConversionMatcher::RoundingOf(int l, int r, bool transposed) {
  const StreamResult& ours = plain_.result(l);
  const StreamResult& theirs = converted_.result(r);
  if (!transposed && ours.fingerprint.content == theirs.fingerprint.content) {
    return ConstantRounding::kHonest;
  }
  if (ours.fingerprint.size != theirs.fingerprint.size) return ConstantRounding::kWrong;
  // Booleans, integers and strings of the plain side are no numbers to be rounded.
  if (!IsFloatingPoint(ours.dtype)) return ConstantRounding::kWrong;
  const auto [it, is_new] =
      roundings_.try_emplace({classes_[Index(l)], r, transposed}, ConstantRounding::kWrong);
  if (!is_new) return it->second;
  const Value& value = plain_constants_.Of(l);
  if (!IsMeasurable(value) || (transposed && value.tensor().rank() != 2)) {
    return ConstantRounding::kWrong;
  }
  const Tensor stored = value.tensor().InMemory(pool_).value_or(value.tensor());
  const Tensor plain = transposed ? Transposed(stored) : stored;
  // The integers that it is dequantized from, past casts.
  int from = r;
  for (int n = converted_.producer(from); n != kNone; n = converted_.producer(from)) {
    const StreamNode& made = *converted_.node(n).made;
    if (!CastsFloats(converted_, made) && !Copies(made)) break;
    from = made.inputs[0];
  }
  const int dequantized = params_.Dequantizes(from);
  const int integers = dequantized != kNone ? dequantized : from;
  ConstantRounding rounding = ConstantRounding::kWrong;
  if (const std::optional<QuantParams> params = ParamsOf(integers);
      !twins_ && params.has_value() && IsInteger(converted_.result(integers).dtype)) {
    const std::optional<QuantParamValues> values = converted_constants_.ParamsOf(integers, *params);
    const Value& numbers = converted_constants_.Of(integers);
    if (values.has_value() && IsMeasurable(numbers) &&
        IsQuantizedFrom(plain, numbers.tensor(), *values, pool_)) {
      rounding = ConstantRounding::kHonest;
    }
  } else if (const Value& numbers = converted_constants_.Of(r);
             IsMeasurable(numbers) && IsFloatingPoint(theirs.dtype)) {
    rounding = onnxcmp::RoundingOf(plain, numbers.tensor(), pool_);
  }
  it->second = rounding;
  return rounding;
}

std::vector<int> ConversionMatcher::HonestConstants() const {
  std::vector<int> honest;
  for (const auto& [constants, rounding] : roundings_) {
    if (rounding == ConstantRounding::kHonest) honest.push_back(std::get<1>(constants));
  }
  return honest;
}

ConstantRounding ConversionMatcher::Reads(int l, int r) {
  if ((l == kNone) != (r == kNone)) return ConstantRounding::kWrong;
  if (l == kNone || StandsFor(r, l)) return ConstantRounding::kHonest;
  const bool fixed = plain_constants_.IsFixed(l) && converted_constants_.IsFixed(r) &&
                     BroadcastAlike(plain_.result(l), converted_.result(r));
  return fixed ? RoundingOf(l, r) : ConstantRounding::kWrong;
}

std::vector<int> ConversionMatcher::CandidatesFor(int m) const {
  std::vector<int> candidates;
  const auto add = [&](int n) {
    if (n != kNone && !absl::c_linear_search(candidates, n)) candidates.push_back(n);
  };
  const StreamNode& made = *converted_.node(m).made;
  for (const int r : made.outputs) {
    if (r != kNone && partners_[Index(r)] != kNone) add(plain_.producer(partners_[Index(r)]));
  }
  for (const int r : made.inputs) {
    if (r == kNone || stands_for_[Index(r)].empty()) continue;
    for (const int number : stands_for_[Index(r)]) {
      for (const int l : members_[Index(number)]) {
        for (const int n : plain_.readers(l)) add(n);
      }
    }
    break;
  }
  return candidates;
}

ConstantRounding ConversionMatcher::Match(int m, int n) {
  const StreamNode& ours = *plain_.node(n).made;
  const StreamNode& theirs = *converted_.node(m).made;
  if (theirs.op_type == "MatMulNBits" && ours.op_type == "MatMul") return MatchPacked(m, n);
  if (ours.op_type != theirs.op_type || ours.domain != theirs.domain)
    return ConstantRounding::kWrong;
  const uint64_t operation = OperationOf(converted_, &converted_facts_, m);
  // A cast to floats may be one to other floats.
  const bool casts = HasTrait(ours, OperatorTrait::kCasts) && ours.outputs[0] != kNone &&
                     theirs.outputs[0] != kNone &&
                     IsFloatingPoint(plain_.result(ours.outputs[0]).dtype) &&
                     IsFloatingPoint(converted_.result(theirs.outputs[0]).dtype);
  if (!casts && (operation == 0 || operation != OperationOf(plain_, &plain_facts_, n))) {
    return ConstantRounding::kWrong;
  }
  const auto at = [](const FewResults& inputs, size_t i) {
    return i < inputs.size() ? inputs[i] : kNone;
  };
  const size_t slots = std::max(ours.inputs.size(), theirs.inputs.size());
  const auto reads = [&](bool exchanged) {
    ConstantRounding worst = ConstantRounding::kHonest;
    for (size_t i = 0; worst != ConstantRounding::kWrong && i < slots; ++i) {
      worst = std::max(worst, Reads(at(ours.inputs, exchanged ? 1 - i : i), at(theirs.inputs, i)));
    }
    return worst;
  };
  ConstantRounding worst = reads(false);
  if (worst == ConstantRounding::kWrong && slots == 2 &&
      HasTrait(ours, OperatorTrait::kCommutative)) {
    worst = reads(true);
  }
  if (worst != ConstantRounding::kHonest) return worst;
  for (size_t i = 0; i < std::min(ours.outputs.size(), theirs.outputs.size()); ++i) {
    const int r = theirs.outputs[i];
    if (r == kNone || ours.outputs[i] == kNone) continue;
    stands_for_[Index(r)] = {classes_[Index(ours.outputs[i])]};
  }
  return worst;
}

// A product whose weights only its node can unpack.
ConstantRounding ConversionMatcher::MatchPacked(int m, int n) {
  const StreamNode& ours = *plain_.node(n).made;
  const StreamNode& theirs = *converted_.node(m).made;
  const auto constant = [&](size_t slot) -> const Tensor* {
    const int r = slot < theirs.inputs.size() ? theirs.inputs[slot] : kNone;
    const Value* const value = r == kNone ? nullptr : &converted_constants_.Of(r);
    return value != nullptr && IsMeasurable(*value) ? &value->tensor() : nullptr;
  };
  const Node* const node = converted_.node(m).node;
  if (node == nullptr || ours.inputs.size() != 2 || theirs.inputs.size() < 3 ||
      (theirs.inputs.size() > kBiasOfPacked && theirs.inputs[kBiasOfPacked] != kNone) ||
      !plain_constants_.IsFixed(ours.inputs[1]) || !StandsFor(theirs.inputs[0], ours.inputs[0])) {
    return ConstantRounding::kWrong;
  }
  const Value& weights = plain_constants_.Of(ours.inputs[1]);
  const Tensor* const packed = constant(1);
  const Tensor* const scales = constant(2);
  if (packed == nullptr || scales == nullptr || !IsMeasurable(weights) ||
      weights.tensor().rank() != 2) {
    return ConstantRounding::kWrong;
  }
  const std::optional<PackedWeights> unpacked = UnpackNBits(*node, *packed, *scales, constant(3));
  if (!unpacked.has_value()) return ConstantRounding::kWrong;
  const Tensor transposed = Transposed(weights.tensor().InMemory(pool_).value_or(weights.tensor()));
  if (transposed.shape() != unpacked->codes.shape() ||
      !IsQuantizedFrom(transposed, unpacked->codes, unpacked->params, pool_)) {
    return ConstantRounding::kWrong;
  }
  stands_for_[Index(theirs.outputs[0])] = {classes_[Index(ours.outputs[0])]};
  return ConstantRounding::kHonest;
}

// True if a node of the plain side differs from this one by the numbers of constants alone. One of
// another version, or with a body, may have none of these: it is run.
bool ConversionMatcher::HasOtherConstants(int m, int n) const {
  const StreamNode& ours = *plain_.node(n).made;
  const StreamNode& theirs = *converted_.node(m).made;
  if (ours.op_type != theirs.op_type || ours.domain != theirs.domain ||
      ours.attributes != theirs.attributes || ours.inputs.size() != theirs.inputs.size()) {
    return false;
  }
  bool others = false;
  for (size_t i = 0; i < ours.inputs.size(); ++i) {
    const int l = ours.inputs[i];
    const int r = theirs.inputs[i];
    if ((l == kNone) != (r == kNone)) return false;
    if (l == kNone || StandsFor(r, l)) continue;
    others = true;
    if (!plain_constants_.IsFixed(l) || !converted_constants_.IsFixed(r)) return false;
    const auto known = roundings_.find({classes_[Index(l)], r, false});
    if (known == roundings_.end() || known->second == ConstantRounding::kClamped) return false;
  }
  return others;
}

bool ConversionMatcher::RoundsAsTwin(const StreamNode& made) const {
  std::vector<int> others;
  const auto add = [&](int n) {
    if (n != kNone && plain_.node(n).made->op_type == made.op_type) others.push_back(n);
  };
  for (const int number : stands_for_[Index(made.inputs[0])]) {
    for (const int l : members_[Index(number)]) {
      for (const int n : plain_.readers(l)) add(n);
    }
  }
  if (const int l = partners_[Index(made.outputs[0])]; l != kNone) add(plain_.producer(l));
  const auto parameter = [](const SideGraph& graph, const StreamNode& of, size_t slot) {
    const int read = slot < of.inputs.size() ? of.inputs[slot] : kNone;
    return read == kNone ? std::nullopt : std::optional(graph.result(read).fingerprint.content);
  };
  const auto same = [&](int n) {
    const StreamNode& ours = *plain_.node(n).made;
    return ours.attributes == made.attributes &&
           parameter(plain_, ours, 1) == parameter(converted_, made, 1) &&
           parameter(plain_, ours, 2) == parameter(converted_, made, 2);
  };
  return absl::c_any_of(others, same) ||
         (others.empty() && stands_for_[Index(made.inputs[0])].empty());
}

bool ConversionMatcher::PassOn(int m) {
  const StreamNode& made = *converted_.node(m).made;
  const int r = made.outputs[0];
  if (r == kNone || made.inputs.empty() || made.inputs[0] == kNone) return false;
  const int read = made.inputs[0];
  if (CastsFloats(converted_, made) || Copies(made)) {
    stands_for_[Index(r)] = stands_for_[Index(read)];
    return !stands_for_[Index(r)].empty();
  }
  if (made.op_type == "QuantizeLinear" || made.op_type == "DynamicQuantizeLinear") {
    stands_for_[Index(r)] = stands_for_[Index(read)];
    if (made.op_type == "QuantizeLinear") {
      if (twins_ && !RoundsAsTwin(made)) wrong_.push_back(r);
      AddActivation(r);
    }
    return !stands_for_[Index(read)].empty();
  }
  if (made.op_type != "DequantizeLinear") return false;
  const std::optional<QuantParams>& written = params_.written(read);
  // Written with other parameters than it is read with.
  const auto same = [&](int a, int b) {
    return a == b ||
           (a != kNone && b != kNone &&
            converted_.result(a).fingerprint.content == converted_.result(b).fingerprint.content);
  };
  const auto at = [&](size_t slot) {
    return slot < made.inputs.size() ? made.inputs[slot] : kNone;
  };
  const std::optional<QuantParams>& known = params_.read(read);
  const bool along = known.has_value() && written.has_value() &&
                     converted_.result(known->scale).fingerprint.size > 1 &&
                     (known->axis != written->axis || known->block != written->block);
  if (written.has_value() && !stands_for_[Index(read)].empty() &&
      (along || !same(written->scale, at(1)) || !same(written->zero_point, at(2)))) {
    wrong_.push_back(read);
    wrong_.push_back(r);
  }
  stands_for_[Index(r)] = stands_for_[Index(read)];
  return !stands_for_[Index(r)].empty();
}

// A result that is only rounded is checked after that, since the range may do an activation: a
// quantizer that removes a Relu gives its name to the result before it.
bool ConversionMatcher::IsOnlyRounded(int r) const {
  const std::vector<int>& readers = converted_.readers(r);
  return !readers.empty() && absl::c_all_of(readers, [&](int n) {
    return converted_.node(n).made->op_type == "QuantizeLinear";
  });
}

void ConversionMatcher::AddActivation(int r) {
  const std::optional<QuantParams>& written = params_.written(r);
  if (!written.has_value()) return;
  const std::optional<QuantParamValues> values = converted_constants_.ParamsOf(r, *written);
  if (!values.has_value() || !values->per_tensor()) return;
  const double step = values->scales[0];
  const double least = (values->least - values->zero_points[0]) * step;
  const double most = (values->most - values->zero_points[0]) * step;
  if (least < 0) return;
  FewResults all;
  for (const int number : stands_for_[Index(r)]) {
    if (plain_.result(number).fingerprint.numbers().statistics.min > -step) {
      all.push_back(number);
    }
    for (const int l : members_[Index(number)]) {
      for (const int n : plain_.readers(l)) {
        const StreamNode& reader = *plain_.node(n).made;
        const bool activates = reader.op_type == "Relu" || reader.op_type == "Clip";
        if (!activates || reader.inputs[0] != l || reader.outputs[0] == kNone) continue;
        const KeptRange kept = KeptBy(plain_, reader);
        const Statistics& after = plain_.result(reader.outputs[0]).fingerprint.numbers().statistics;
        if (!kept.cuts() || least < kept.least - step || most > kept.greatest + step ||
            after.min < least - step) {
          continue;
        }
        all.push_back(classes_[Index(reader.outputs[0])]);
      }
    }
  }
  stands_for_[Index(r)] = all;
}

// A result that passes on another number than that of its name, as after a Relu that was removed,
// is to be checked.
void ConversionMatcher::CheckName(int r) {
  const int l = partners_[Index(r)];
  if (l == kNone || !plain_.IsComputed(l) || StandsFor(r, l) || IsOnlyRounded(r) ||
      !absl::StartsWith(converted_.result(r).name, plain_.result(l).name) ||
      plain_.result(l).shape != converted_.result(r).shape) {
    return;
  }
  unmatched_.emplace_back(l, r);
  stands_for_[Index(r)] = {classes_[Index(l)]};
}

void ConversionMatcher::Follow(int m) {
  const StreamNode& made = *converted_.node(m).made;
  if (absl::c_all_of(made.outputs,
                     [&](int r) { return r == kNone || converted_constants_.IsFixed(r); })) {
    return;
  }
  if (PassOn(m)) {
    CheckName(made.outputs[0]);
    return;
  }
  const int passed = made.inputs.empty() ? kNone : made.inputs[0];
  if (passed != kNone && made.outputs[0] != kNone &&
      (HasTrait(made, OperatorTrait::kCasts)
           ? CastsFloats(converted_, made)
           : PassesNumbers(made) || HasTrait(made, OperatorTrait::kKeepsOrder))) {
    const int r = made.outputs[0];
    reshaped_[Index(r)] = ClassesInOrder(passed);
    for (const int number : reshaped_[Index(r)]) {
      if (plain_.result(number).shape != converted_.result(r).shape) continue;
      stands_for_[Index(r)] = {number};
      ++matched_;
      return;
    }
  }
  for (const int n : CandidatesFor(m)) {
    if (Match(m, n) != ConstantRounding::kHonest) continue;
    ++matched_;
    return;
  }
  for (const int r : made.outputs) {
    if (r == kNone || partners_[Index(r)] == kNone) continue;
    const int l = partners_[Index(r)];
    if (!plain_.IsComputed(l) || IsOnlyRounded(r)) continue;
    if (absl::c_linear_search(ClassesInOrder(r), classes_[Index(l)])) continue;
    // Other results of dynamic quantization are parameters.
    if (!IsFloatingPoint(converted_.result(r).dtype) && IsFloatingPoint(plain_.result(l).dtype) &&
        !params_.of(r).has_value()) {
      continue;
    }
    unmatched_.emplace_back(l, r);
    if (HasOtherConstants(m, plain_.producer(l))) wrong_.push_back(r);
    const bool same_shape = plain_.result(l).shape == converted_.result(r).shape;
    (same_shape ? stands_for_ : reshaped_)[Index(r)] = {classes_[Index(l)]};
    if (same_shape && IsInteger(converted_.result(r).dtype)) AddActivation(r);
  }
}

}  // namespace onnxcmp
