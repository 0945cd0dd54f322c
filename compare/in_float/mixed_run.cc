#include "compare/in_float/mixed_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "compare/quantization/dequantized_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// True if a quantizer treats this node as the end of the one before it.
bool EndsLayer(const StreamNode& made) {
  return (made.op_type == "Relu" || made.op_type == "Clip") && !made.inputs.empty() &&
         made.inputs[0] != kNone;
}

// Ratio of root mean squares over numbers that are finite on the first side; infinite if one is not
// on the second. For numbers that are no floats, the share of unequal ones.
double NoiseOf(const Value& signal, const Value& noisy) {
  if (!IsMeasurable(signal) || !IsMeasurable(noisy)) return 0;
  const Tensor& a = signal.tensor();
  const Tensor& b = noisy.tensor();
  if (a.num_elements() != b.num_elements()) return kInfinity;
  if (!IsFloatingPoint(a.dtype())) return std::sqrt(UnequalShare(a, b));
  const NumberReader x(a);
  const Counting finite = {.limit = std::numeric_limits<double>::max()};
  const PairSums sums = MomentsOf(x, NumberReader(b), nullptr, finite).sums;
  if (sums.count < MomentsOf(x, x, nullptr, finite).sums.count) return kInfinity;
  if (sums.differences == 0) return 0;
  return sums.left == 0 ? kInfinity : std::sqrt(sums.differences / sums.left);
}

}  // namespace

int MixedRun::StandIn(int n, int l) const {
  const int counterpart = counterparts_[Index(n)];
  int before = std::numeric_limits<int>::max();
  if (counterpart != kNone) {
    for (const int r : converted_.graph().Reads(counterpart)) {
      if (partners_[Index(r)] == l) return r;
    }
    for (const int r : converted_.graph().node(counterpart).made->outputs) {
      if (r != kNone) before = std::min(before, r);
    }
  }
  // Where the converted side computes with integers, a float node reads their dequantized values.
  const bool integers =
      quantized_ && counterpart != kNone &&
      converted_.graph().node(counterpart).made->op_type != plain_.graph().node(n).made->op_type;
  int last = kNone;
  for (const int r : stand_ins_[Index(l)]) {
    const StreamResult& result = converted_.graph().result(r);
    const bool numbers = IsFloatingPoint(result.dtype) ||
                         converted_.all_params().of(r).has_value() ||
                         !IsFloatingPoint(plain_.graph().result(l).dtype);
    if (r >= before || !numbers) continue;
    last = r;
    if (integers && IsFloatingPoint(result.dtype) &&
        converted_.all_params().Dequantizes(r) == kNone) {
      break;
    }
  }
  return last;
}

const Value& MixedRun::Now(int r, const State& state) const {
  const auto it = state.changed.find(r);
  return it == state.changed.end() ? converted_.value(r) : it->second;
}

Value MixedRun::InPlainForm(int l, int r, const Value& value) const {
  const StreamResult& wanted = plain_.graph().result(l);
  if (!IsMeasurable(value) || !IsFloatingPoint(wanted.dtype)) return value;
  const std::optional<DequantizedView> reals = converted_.RealsOf(r, value);
  return reals.has_value() ? plain_.InFormOf(l, *reals) : Value();
}

Value MixedRun::InConvertedForm(int r, const Value& value) const {
  if (!IsMeasurable(value) || !IsFloatingPoint(value.tensor().dtype())) return value;
  return converted_.InFormOf(r, DequantizedView(value.tensor()));
}

bool MixedRun::StaysExact(int l, int reader, const Kept& kept) const {
  const SideGraph& graph = plain_.graph();
  const int producer = graph.producer(l);
  const std::vector<int>& readers = graph.readers(l);
  if (quantized_) {
    // It is rounded for all readers as long as one that requires it is not kept.
    bool any = false;
    const auto asks = [&](int n) {
      if (!IsQuantizing(n)) return false;
      any = true;
      return !kept.nodes.contains(n);
    };
    // The input of a Relu is rounded after it.
    int maker = producer;
    while (maker != kNone && EndsLayer(*graph.node(maker).made)) {
      maker = graph.producer(graph.node(maker).made->inputs[0]);
    }
    if (maker != kNone && asks(maker)) return false;
    return std::none_of(readers.begin(), readers.end(), asks) && any;
  }
  if (kept.between == BetweenKept::kRounded || reader == kNone) return false;
  const bool plain = producer == kNone ? PlainInput(l) != kNone : kept.nodes.contains(producer);
  if (!plain) return false;
  if (kept.between == BetweenKept::kExact) return true;
  if (readers.size() != 1) return false;
  const std::vector<int> reads = graph.Reads(readers[0]);
  if (std::count(reads.begin(), reads.end(), l) != 1) return false;
  return std::none_of(graph.outputs().begin(), graph.outputs().end(),
                      [&](const auto& output) { return output.second == l; });
}

int MixedRun::PlainInput(int l) const {
  for (const int r : stand_ins_[Index(l)]) {
    const StreamResult& result = converted_.graph().result(r);
    if (result.kind == ResultKind::kInput && !IsCoarser(l, r)) return r;
  }
  return kNone;
}

Value MixedRun::Exact(int l, State* state) {
  if (const auto it = state->exact.find(l); it != state->exact.end()) return it->second;
  if (!quantized_) {
    const int input = PlainInput(l);
    return input == kNone ? Value() : InPlainForm(l, input, converted_.value(input));
  }
  const int producer = plain_.graph().producer(l);
  for (const int r : stand_ins_[Index(l)]) {
    const int maker = converted_.graph().producer(r);
    if (!IsFloatingPoint(converted_.graph().result(r).dtype) ||
        converted_.all_params().Dequantizes(r) != kNone ||
        (maker == kNone) != (producer == kNone)) {
      continue;
    }
    // If a quantizer removed a Relu, its input may have got the Relu's name.
    if (maker != kNone && converted_.graph().node(maker).made->op_type !=
                              plain_.graph().node(producer).made->op_type) {
      continue;
    }
    return InPlainForm(l, r, Now(r, *state));
  }
  if (producer == kNone || !RunKept(producer, state)) return Value();
  const auto it = state->exact.find(l);
  return it == state->exact.end() ? Value() : it->second;
}

Value MixedRun::Reading(int n, int l, State* state) {
  if (plain_.IsFixed(l)) {
    const std::vector<int>& readers = plain_.graph().readers(l);
    const bool own = quantized_ || (plain_.graph().producer(l) == kNone &&
                                    std::all_of(readers.begin(), readers.end(), [&](int reader) {
                                      return state->kept->nodes.contains(reader);
                                    }));
    if (own) return plain_.value(l);
  }
  if (StaysExact(l, n, *state->kept)) {
    if (Value exact = Exact(l, state); !exact.empty()) return exact;
  }
  const int r = StandIn(n, l);
  if (r != kNone) return InPlainForm(l, r, Now(r, *state));
  const bool same = plain_.IsFixed(l) || !IsFloatingPoint(plain_.graph().result(l).dtype);
  if (same) return plain_.value(l);
  // A quantizer lets the range of the integers do what a Relu does: the kept node has it before it.
  const int producer = plain_.graph().producer(l);
  if (!quantized_ || producer == kNone || !EndsLayer(*plain_.graph().node(producer).made) ||
      !RunKept(producer, state)) {
    return Value();
  }
  const auto it = state->exact.find(l);
  return it == state->exact.end() ? Value() : it->second;
}

bool MixedRun::RunKept(int n, State* state) {
  absl::flat_hash_map<int, Value> inputs;
  for (const int l : plain_.graph().Reads(n)) {
    Value value = Reading(n, l, state);
    if (value.empty()) return false;
    inputs.insert_or_assign(l, std::move(value));
  }
  ++runs_;
  const absl::StatusOr<std::vector<Value>> outputs =
      plain_.graph().Run(n, [&](int l) -> const Value& { return inputs.find(l)->second; });
  if (!outputs.ok()) return false;
  const FewResults& names = plain_.graph().node(n).made->outputs;
  for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
    if (names[i] != kNone) state->exact.insert_or_assign(names[i], (*outputs)[i]);
  }
  return true;
}

bool MixedRun::RunConverted(int m, State* state) {
  const SideGraph& graph = converted_.graph();
  const FewResults& names = graph.node(m).made->outputs;
  size_t left_over = 0;
  for (const int r : names) left_over += r != kNone ? 1 : 0;
  absl::flat_hash_set<int> done;
  for (const int n : kept_by_[Index(m)]) {
    if (!state->kept->nodes.contains(n)) continue;
    if (!RunKept(n, state)) return false;
    const StreamNode& ours = *plain_.graph().node(n).made;
    for (size_t i = 0; i < names.size(); ++i) {
      const int r = names[i];
      if (r == kNone || done.contains(r)) continue;
      const bool in_place = names.size() == ours.outputs.size();
      const auto it = state->exact.find(in_place ? ours.outputs[i] : partners_[Index(r)]);
      if (it == state->exact.end()) continue;
      Value value = InConvertedForm(r, it->second);
      if (value.empty()) return false;
      state->changed.insert_or_assign(r, std::move(value));
      done.insert(r);
    }
  }
  if (done.size() == left_over) return true;
  if (quantized_ && names.size() == 1 && graph.node(m).made->op_type == "DequantizeLinear") {
    const int l = partners_[Index(names[0])];
    if (l != kNone && !plain_.IsFixed(l) && StaysExact(l, kNone, *state->kept)) {
      const Value exact = Exact(l, state);
      Value value = exact.empty() ? Value() : InConvertedForm(names[0], exact);
      if (!value.empty()) {
        state->changed.insert_or_assign(names[0], std::move(value));
        return true;
      }
    }
  }
  const std::vector<int> reads = graph.Reads(m);
  const auto changed = [&](int r) { return state->changed.contains(r); };
  if (std::none_of(reads.begin(), reads.end(), changed)) return true;
  ++runs_;
  const absl::StatusOr<std::vector<Value>> outputs =
      graph.Run(m, [&](int r) -> const Value& { return Now(r, *state); });
  if (!outputs.ok()) return false;
  for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
    if (names[i] != kNone && !done.contains(names[i])) {
      state->changed.insert_or_assign(names[i], (*outputs)[i]);
    }
  }
  return true;
}

std::vector<Value> MixedRun::OutputsWith(const Kept& kept) {
  Kept all = kept;
  const bool rounded = kept.between == BetweenKept::kRounded;
  const bool as_it_is = rounded && kept.nodes.empty();
  if (!as_it_is && (quantized_ || !rounded)) all.nodes.insert(already_.begin(), already_.end());
  State state;
  state.kept = &all;
  for (size_t m = 0; m < converted_.graph().nodes().size(); ++m) {
    if (!RunConverted(static_cast<int>(m), &state)) return {};
  }
  std::vector<Value> outputs;
  for (const auto& [output, shown] : converted_.graph().outputs()) {
    outputs.push_back(shown == kNone ? Value() : Now(shown, state));
  }
  return outputs;
}

Value MixedRun::Rounded(int n, int l) const {
  const Value& own = plain_.value(l);
  const int r = StandIn(n, l);
  if (r == kNone || !IsMeasurable(own) || !IsFloatingPoint(own.tensor().dtype())) return own;
  if (plain_.IsFixed(l)) {
    Value constant = InPlainForm(l, r, converted_.value(r));
    return constant.empty() ? own : constant;
  }
  const int dequantized = converted_.all_params().Dequantizes(r);
  const int rounded = dequantized == kNone ? r : dequantized;
  const Value there = InConvertedForm(rounded, own);
  Value back = there.empty() ? Value() : InPlainForm(l, rounded, there);
  return back.empty() ? own : back;
}

double MixedRun::ErrorOfInputs(int n) const {
  absl::flat_hash_map<int, Value> inputs;
  for (const int l : plain_.graph().Reads(n)) inputs.insert_or_assign(l, Rounded(n, l));
  const absl::StatusOr<std::vector<Value>> outputs =
      plain_.graph().Run(n, [&](int l) -> const Value& { return inputs.find(l)->second; });
  if (!outputs.ok()) return 0;
  double error = 0;
  const FewResults& names = plain_.graph().node(n).made->outputs;
  for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
    if (names[i] != kNone) error = std::max(error, NoiseOf(plain_.value(names[i]), (*outputs)[i]));
  }
  return error;
}

double MixedRun::ErrorOfOutputs(int n) const {
  double error = 0;
  for (const int l : plain_.graph().node(n).made->outputs) {
    if (l == kNone || stand_ins_[Index(l)].empty()) continue;
    const Value& own = plain_.value(l);
    if (!IsMeasurable(own) || !IsFloatingPoint(own.tensor().dtype())) continue;
    const int r = stand_ins_[Index(l)].front();
    const Value there = InConvertedForm(r, own);
    if (!there.empty()) error = std::max(error, NoiseOf(own, InPlainForm(l, r, there)));
  }
  return error;
}

std::vector<double> MixedRun::Errors() const {
  absl::flat_hash_map<int, double> errors;  // by node
  for (const int n : candidates_) {
    const double of_inputs = ErrorOfInputs(n);
    const auto raise = [&](int node, double error) {
      double& known = errors.try_emplace(node, 0).first->second;
      known = std::max(known, error);
    };
    raise(n, std::max(of_inputs, ErrorOfOutputs(n)));
    for (const int l : plain_.graph().Reads(n)) {
      if (plain_.graph().producer(l) != kNone) raise(plain_.graph().producer(l), of_inputs);
    }
  }
  std::vector<double> of_candidates;
  for (const int n : candidates_) of_candidates.push_back(errors[n]);
  return of_candidates;
}

}  // namespace onnxcmp
