#include "compare/in_float/mixed_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/quantization/dequantized_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/changed_replay.h"

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

// The converted side where what kept nodes give has changed it.
class MixedRun::ConvertedReplay : public ChangedReplay {
 public:
  ConvertedReplay(MixedRun* mixed, State* state)
      : ChangedReplay(mixed->converted_.graph(), &state->changed), mixed_(*mixed), state_(*state) {}

 private:
  const Value& Own(int r) const override { return mixed_.converted_.value(r); }
  bool IsSettled(int m) override {
    return absl::c_none_of(mixed_.kept_by_[Index(m)], [&](int n) { return IsKept(n); }) &&
           !MayStayExact(m) && !ReadsChanged(m);
  }

  Outputs Compute(int m) override {
    const FewResults& names = graph().node(m).made->outputs;
    std::vector<Value> outputs(names.size());
    for (const int n : mixed_.kept_by_[Index(m)]) {
      if (IsKept(n) && !AddKept(n, names, &outputs)) return absl::CancelledError("a kept node");
    }
    size_t open = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      open += names[i] != kNone && outputs[i].empty() ? 1 : 0;
    }
    if (open == 0) return outputs;
    if (MayStayExact(m)) {
      const Value exact = mixed_.Exact(mixed_.partners_[Index(names[0])], &state_);
      outputs[0] = exact.empty() ? Value() : mixed_.InConvertedForm(names[0], exact);
      if (!outputs[0].empty()) return outputs;
    }
    if (!ReadsChanged(m)) return outputs;
    Outputs ran = RunNode(m);
    if (!ran.ok()) return ran;
    for (size_t i = 0; i < std::min(names.size(), ran->size()); ++i) {
      if (outputs[i].empty()) outputs[i] = (*ran)[i];
    }
    return outputs;
  }

  bool IsKept(int n) const { return state_.kept->nodes.contains(n); }
  bool MayStayExact(int m) const {
    const StreamNode& made = *graph().node(m).made;
    if (!mixed_.quantized_ || made.outputs.size() != 1 || made.op_type != "DequantizeLinear") {
      return false;
    }
    const int l = mixed_.partners_[Index(made.outputs[0])];
    return l != kNone && !mixed_.plain_.IsFixed(l) && mixed_.StaysExact(l, kNone, *state_.kept);
  }
  // Adds what a kept node gives, in the converted side's type. False if it cannot.
  bool AddKept(int n, const FewResults& names, std::vector<Value>* outputs) {
    if (!mixed_.RunKept(n, &state_)) return false;
    const FewResults& ours = mixed_.plain_.graph().node(n).made->outputs;
    for (size_t i = 0; i < names.size(); ++i) {
      const int r = names[i];
      if (r == kNone || !(*outputs)[i].empty()) continue;
      const bool in_place = names.size() == ours.size();
      const auto it = state_.exact.find(in_place ? ours[i] : mixed_.partners_[Index(r)]);
      if (it == state_.exact.end()) continue;
      (*outputs)[i] = mixed_.InConvertedForm(r, it->second);
      if ((*outputs)[i].empty()) return false;
    }
    return true;
  }

  MixedRun& mixed_;
  State& state_;
};

std::vector<Value> MixedRun::OutputsWith(const Kept& kept) {
  Kept all = kept;
  const bool rounded = kept.between == BetweenKept::kRounded;
  const bool as_it_is = rounded && kept.nodes.empty();
  if (!as_it_is && (quantized_ || !rounded)) all.nodes.insert(already_.begin(), already_.end());
  State state;
  state.kept = &all;
  ConvertedReplay replay(this, &state);
  const bool ran = replay.ReplayAll();
  runs_ += replay.runs();
  if (!ran) return {};
  std::vector<Value> outputs;
  for (const auto& [output, shown] : converted_.graph().outputs()) {
    outputs.push_back(shown == kNone ? Value() : replay.Read(shown));
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
