// ForcedRun as a replay: what a reader gets, and what need not run again.
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "compare/causes/forced/forced_run.h"
#include "record/base/work_bounds.h"
#include "record/graphs/replay.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {

bool ForcedRun::TakeFromBase(int n, const ForcedState& base, ForcedState* state) const {
  const auto fixed_as_before = [&](int r) {
    const auto now = state->fixed.find(r);
    const auto then = base.fixed.find(r);
    const bool is = now != state->fixed.end();
    return is == (then != base.fixed.end()) && (!is || now->second == then->second);
  };
  const StreamNode& made = *right_.node(n).made;
  if (base.keys[Index(n)] != state->keys[Index(n)] ||
      !absl::c_all_of(right_.Reads(n), [&](int r) { return SameNow(*state, base, r); }) ||
      !absl::c_all_of(made.outputs, [&](int r) { return r == kNone || fixed_as_before(r); })) {
    return false;
  }
  for (const int r : made.outputs) {
    if (r == kNone) continue;
    state->results[Index(r)] = base.at(r);
    if (base.at(r).match != kNone) ++state->matched;
  }
  if (base.skipped.contains(n)) state->skipped.insert(n);
  return true;
}

bool ForcedRun::TakeKnown(int n, const ForcedState* base, ForcedState* state) const {
  const StreamNode& made = *right_.node(n).made;
  const bool as_in_plain_run = absl::c_all_of(right_.Reads(n), [&](int r) {
    return state->at(r).held_content == right_.result(r).fingerprint.content;
  });
  // The plain run gave the same result; its value is only needed if the left does not have it.
  const auto is_known = [&](int r) {
    return r == kNone || left_.Find(right_.result(r).fingerprint.content) != kNone ||
           !plain_[Index(r)].empty();
  };
  if (as_in_plain_run && absl::c_all_of(made.outputs, is_known)) {
    for (const int r : made.outputs) {
      if (r == kNone) continue;
      ForcedResult& result = state->results[Index(r)];
      result.own_content = right_.result(r).fingerprint.content;
      const int same = left_.Find(result.own_content);
      result.own = same != kNone ? ValueFor(same, r) : std::exchange(plain_[Index(r)], Value());
    }
    return true;
  }
  if (base == nullptr || base->keys[Index(n)] != state->keys[Index(n)]) return false;
  const auto known = [&](int r) {
    return r == kNone || !base->at(r).own.empty() ||
           (base->at(r).match != kNone && base->at(r).own_content == base->at(r).held_content);
  };
  if (!absl::c_all_of(made.outputs, known)) return false;
  for (const int r : made.outputs) {
    if (r == kNone) continue;
    ForcedResult& result = state->results[Index(r)];
    result.own_content = base->at(r).own_content;
    result.own = base->at(r).own.empty() ? base->at(r).held : base->at(r).own;
  }
  return true;
}

// Readers get the left's value of a result that matches one of the left, else what it came to.
class ForcedRun::ForcedReplay : public ReplayPolicy {
 public:
  ForcedReplay(const ForcedRun& run, const ForcedState* base, const Abandon& abandon,
               ForcedState* state)
      : ReplayPolicy(run.right_), run_(run), base_(base), abandon_(abandon), state_(*state) {}

 private:
  const Value& Read(int r) override { return state_.at(r).held; }

  bool IsSettled(int n) override {
    state_.keys[Index(n)] = run_.KeyOf(n, state_);
    if (base_ != nullptr) return run_.TakeFromBase(n, *base_, &state_);
    if (!run_.IsLost(n, state_) || lost_runs_++ < work_bounds::kTrials) return false;
    state_.skipped.insert(n);
    return true;
  }

  Outputs Compute(int n) override {
    known_ = run_.TakeKnown(n, base_, &state_);
    return known_ ? Outputs(std::vector<Value>()) : RunNode(n, /*as_side=*/true);
  }

  bool Take(int n, Outputs outputs) override {
    const FewResults& names = graph().node(n).made->outputs;
    for (size_t i = 0; i < names.size() && !known_; ++i) {
      if (names[i] == kNone) continue;
      ForcedResult& result = state_.results[Index(names[i])];
      result.own = outputs.ok() ? (*outputs)[i] : Value();
      result.own_content =
          result.own.empty() ? Hash128() : ContentOf(result.own, run_.left_.pool());
    }
    for (const int r : names) {
      if (r != kNone) run_.MatchOutput(n, r, &state_);
    }
    return GoesOn(names);
  }

  bool GoesOn(const FewResults& names) {
    bool lost = false;
    for (const int r : names) {
      if (r == kNone || state_.fixed.contains(r)) continue;
      const bool matched = state_.at(r).match != kNone;
      in_vain_ = matched ? 0 : in_vain_ + 1;
      lost = lost || (r == abandon_.needed && !matched);
    }
    return in_vain_ < abandon_.patience && !lost;
  }

  const ForcedRun& run_;
  const ForcedState* const base_;
  const Abandon& abandon_;
  ForcedState& state_;
  bool known_ = false;  // the node's results were taken without a run
  int in_vain_ = 0;     // results in a row that find no match
  int lost_runs_ = 0;
};

ForcedState ForcedRun::Run(const FixedMatches& fixed, const ForcedState* base,
                           const Abandon& abandon) const {
  ForcedState state;
  state.fixed = fixed;
  state.results.resize(right_.stream().results.size());
  state.keys.resize(right_.nodes().size());
  for (const int r : right_.results()) {
    if (right_.producer(r) == kNone) MatchLeaf(r, &state);
  }
  ForcedReplay replay(*this, base, abandon, &state);
  state.abandoned = !replay.ReplayAll();
  runs_ += replay.runs();
  if (state.abandoned) return state;
  for (const int r : right_.results()) {
    const ForcedResult& result = state.at(r);
    // Nodes that read it before it was paired have yet to run on the left's constant.
    if (result.rule == MatchRule::kStructure && right_.IsConstant(r)) state.fixed[r] = result.match;
  }
  return state;
}

ForcedState ForcedRun::Completed(const ForcedState& state) const {
  ForcedState base = state;
  for (const int n : state.skipped) base.keys[Index(n)] = Hash128();
  return Run(state.fixed, &base);
}

}  // namespace onnxcmp
