#include "compare/in_double/shadow_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/downstream.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

std::string KeyOf(const Result& result) {
  return absl::StrCat(result.kind == ResultKind::kOutput ? "output " : "", result.path, "/",
                      result.name);
}

// In the form that --tolerance takes.
std::string NameOf(absl::string_view key) {
  return std::string(key.substr(key.substr(0, 1) == "/" ? 1 : 0));
}

bool IsGiven(const Result& result) {
  return result.kind == ResultKind::kInitializer || result.kind == ResultKind::kInput;
}

}  // namespace

void ShadowRun::Collector::Add(const Result& result) {
  if (IsGiven(result)) return;
  const int64_t bytes = BytesHeldBy(result.value);
  const bool fits = bytes_ + bytes <= keep_values_;
  if (fits) {
    bytes_ += bytes;
    LeaveMemoryAccount(result.value);
  }
  values_[KeyOf(result)] = fits ? result.value : Value();
}

std::optional<Value> ShadowRun::Collector::Take(const Result& result) {
  const auto it = values_.find(KeyOf(result));
  if (it == values_.end()) return std::nullopt;
  std::optional<Value> value = std::move(it->second);
  values_.erase(it);
  return value;
}

std::string ShadowRun::Collector::TakeRest() {
  std::string name;
  for (const auto& [key, value] : values_) {
    if (name.empty() || key < name) name = key;
  }
  values_.clear();
  bytes_ = 0;
  return name.empty() ? "" : NameOf(name);
}

ShadowRun::ShadowRun(const Evaluator& evaluator, const Feeds& feeds, Observer* inner, int max_depth,
                     int64_t keep_values)
    : inner_(inner),
      max_depth_(max_depth),
      collector_(keep_values),
      on_results_in_double_([this](const Result& result, auto* /*replacement*/) {
        collector_.Add(result);
        return absl::OkStatus();
      }) {
  shadow_.ran = true;
  const auto start = [&]() -> absl::Status {
    OC_ASSIGN_OR_RETURN(evaluator_, evaluator.InDouble());
    OC_ASSIGN_OR_RETURN(run_, evaluator_->Start(feeds, &on_results_in_double_));
    return absl::OkStatus();
  };
  shadow_.status = start();
}

void ShadowRun::OnNodeStart(const NodeStart& start) {
  if (inner_ != nullptr) inner_->OnNodeStart(start);
  if (start.index == node_) return;
  node_ = start.index;
  inside_ = false;
}

void ShadowRun::OnGraphStart(const GraphStart& start) {
  if (inner_ != nullptr) inner_->OnGraphStart(start);
}

absl::Status ShadowRun::OnResult(const Result& result, std::optional<Value>* replacement) {
  const int number = result.depth <= max_depth_ ? next_++ : kNone;
  if (!IsGiven(result) && shadow_.status.ok()) {
    // An interruption of the model's own run reaches the watcher below.
    while (shadow_.status.ok() && more_ && (steps_ == 0 || steps_ <= node_)) Step();
    if (shadow_.status.ok()) {
      const std::optional<Value> in_double = collector_.Take(result);
      if (number != kNone) {
        shadow_.distances.resize(static_cast<size_t>(next_));
        Compare(result, in_double);
        if (in_double.has_value() && result.kind == ResultKind::kOutput && result.depth == 0) {
          outputs_.emplace_back(number, *in_double);
        }
      }
    }
  }
  return inner_ == nullptr ? absl::OkStatus() : inner_->OnResult(result, replacement);
}

void ShadowRun::Step() {
  // Remaining results of the previous node: those of iterations or branches that only this run has.
  NoteFlow(collector_.TakeRest());
  const absl::StatusOr<bool> more = run_->Step();
  if (!more.ok()) {
    shadow_.status = more.status();
    return;
  }
  more_ = *more;
  ++steps_;
}

void ShadowRun::NoteFlow(std::string name) {
  if (name.empty()) return;
  inside_ = true;
  if (shadow_.other_flow.empty()) shadow_.other_flow = std::move(name);
}

void ShadowRun::Compare(const Result& result, const std::optional<Value>& in_double) {
  const int number = next_ - 1;
  if (!in_double.has_value()) {
    NoteFlow(NameOf(KeyOf(result)));
    changed_.push_back(number);
    return;
  }
  // The result of a node with changes inside.
  if (inside_ && result.depth == 0) changed_.push_back(number);
  if (in_double->empty()) return;
  bool same = true;
  if (result.value.is_tensor() && in_double->is_tensor()) {
    const Tensor& own = result.value.tensor();
    const Tensor& other = in_double->tensor();
    same = own.shape() == other.shape();
    if (same && IsFloatingPoint(own.dtype()) && IsFloatingPoint(other.dtype())) {
      shadow_.distances.back() = TruthDistanceOf(own, other);
      return;
    }
    if (same && !IsComplex(own.dtype())) same = ContentOf(result.value) == ContentOf(*in_double);
  }
  if (same) return;
  inside_ = true;
  if (result.kind != ResultKind::kOutput && ++shadow_.changed == 1) {
    shadow_.first_changed = NameOf(KeyOf(result));
  }
  changed_.push_back(number);
}

SideShadow ShadowRun::Finish(const ResultStream& stream) {
  if (shadow_.status.ok()) NoteFlow(collector_.TakeRest());
  shadow_.distances.resize(stream.results.size());
  shadow_.misleading = Behind(changed_, stream);
  for (const int r : changed_) {
    if (Index(r) < shadow_.misleading.size()) {
      shadow_.misleading[Index(r)] = true;
    }
  }
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const int source = stream.results[r].source;
    if (source != kNone && shadow_.misleading[static_cast<size_t>(source)]) {
      shadow_.misleading[r] = true;
    }
  }
  return std::move(shadow_);
}

}  // namespace onnxcmp
