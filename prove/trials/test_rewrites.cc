#include "prove/trials/test_rewrites.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "compare/causes/repro.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/input_sets/real_differences.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/model_side.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/input_sets.h"
#include "prove/rewrites.h"
#include "prove/trials/corner_inputs.h"
#include "prove/trials/prove_sizes.h"
#include "prove/trials/rewrite_models.h"
#include "record/base/work_bounds.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

using Models = PerSide<std::shared_ptr<const Model>>;

constexpr size_t kMostOfOne = 4;  // places of one rewrite that differ in constants or attributes
constexpr int kPairsBehind = 3;   // that have to differ, too
constexpr int64_t kElements = 1 << 23;     // that the inputs of all these have together
constexpr int64_t kFewElements = 1 << 17;  // with which what is proved is run for its overflow
constexpr absl::Duration kLongest = absl::Seconds(5);

struct Found {
  std::string text;  // "8.5 | 6 at a[0,0]"
  std::shared_ptr<const Repro> repro;
  Feeds feeds;
  bool is_type = false;  // types or shapes differ, which says nothing of numbers
};

// The two sides of a rewrite by themselves.
class Alone {
 public:
  // Nothing if they cannot be run.
  static std::optional<Alone> Open(const Models& models, const OpRegistry& registry,
                                   const CompareOptions& options) {
    const EvaluatorOptions running = {.threads = options.threads};
    auto left = ModelSide::Create(models.left, registry, running);
    auto right = ModelSide::Create(models.right, registry, running);
    if (!left.ok() || !right.ok()) return std::nullopt;
    auto inputs = InputSets::Open((*left)->graph(), (*right)->graph(), {});
    if (!inputs.ok()) return std::nullopt;
    return Alone(models, *std::move(left), *std::move(right), *std::move(inputs), options);
  }

  int64_t InputElements() const {
    int64_t elements = 0;
    for (const ValueInfo& input : left_->graph().inputs) {
      int64_t size = 1;
      for (const TypeInfo::Dim& dim : *input.type.shape) size *= dim.value.value_or(1);
      elements += size;
    }
    return elements;
  }

  // `brief`: on usual numbers alone.
  std::optional<Found> Search(bool brief) {
    SetsOptions sets;
    sets.sets = brief ? 1 : 4;
    if (!brief) sets.search = kLongest;
    const int64_t most = kElements / (1 + InputElements());
    sets.most_searched = static_cast<int>(std::clamp<int64_t>(most, 8, work_bounds::kCandidates));
    const absl::StatusOr<SetsResult> result = CompareSets(*left_, *right_, inputs_, options_, sets);
    if (!result.ok()) return std::nullopt;
    return FoundIn(result->comparison);
  }

  // On numbers that exact arithmetic does not have. `only_overflow`: finite ones.
  std::optional<Found> AtEnds(bool only_overflow) {
    const absl::StatusOr<FedInputs> usual = inputs_.MakeUp({}, Regime::kUsual, 0, std::nullopt);
    if (!usual.ok()) return std::nullopt;
    for (const Corner corner : kCorners) {
      if (only_overflow && !IsOfLargeFloats(corner)) continue;
      if (!IsDefinedAt(corner, left_->graph()) || !IsDefinedAt(corner, right_->graph())) continue;
      std::optional<Feeds> feeds = AtCorner(usual->left, corner);
      if (!feeds.has_value()) continue;
      std::optional<Found> found = On(*feeds, IsOfLargeFloats(corner));
      if (!found.has_value()) continue;
      const char* const where = IsOfLargeFloats(corner)       ? "overflows: "
                                : corner == Corner::kNan      ? "differs on NaN: "
                                : corner == Corner::kInfinity ? "differs on infinities: "
                                                              : "differs on large integers: ";
      found->text = absl::StrCat(where, found->text);
      return found;
    }
    return std::nullopt;
  }

  // `overflow`: only what is not finite on one side alone counts.
  std::optional<Found> On(const Feeds& feeds, bool overflow) {
    left_->SetFeeds(feeds);
    right_->SetFeeds(feeds);
    const absl::StatusOr<Comparison> comparison = Compare(*left_, *right_, options_);
    if (!comparison.ok()) return std::nullopt;
    if (overflow && !DifferBeyondNumbers(*comparison)) return std::nullopt;
    return FoundIn(*comparison);
  }

  bool TakesTheSame(const Alone& other) const {
    const std::vector<ValueInfo>& a = left_->graph().inputs;
    const std::vector<ValueInfo>& b = other.left_->graph().inputs;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ValueInfo& x, const ValueInfo& y) { return x.name == y.name; });
  }

 private:
  Alone(const Models& models, std::unique_ptr<ModelSide> left, std::unique_ptr<ModelSide> right,
        InputSets inputs, const CompareOptions& options)
      : models_(models),
        left_(std::move(left)),
        right_(std::move(right)),
        inputs_(std::move(inputs)),
        options_(options) {}

  // On the inputs that the sides have now.
  std::optional<Found> FoundIn(const Comparison& comparison) const {
    if (!comparison.left_summary.status.ok()) return std::nullopt;
    if (const absl::Status& status = comparison.right_summary.status; !status.ok()) {
      return Found{absl::StrCat("the right does not run: ", PrintableText(status.message())),
                   nullptr, *left_->feeds(), false};
    }
    if (comparison.verdict() != Verdict::kDifferent) return std::nullopt;
    const std::vector<OutputPair>& pairs = comparison.outputs.pairs;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const ValueDifference& difference = pairs[i].difference;
      if (difference.agree()) continue;
      const std::string text =
          !difference.reason.empty()
              ? PrintableText(difference.reason)
              : absl::StrCat(ElementsText(difference.max_absolute_pair), " at ",
                             PrintableText(pairs[i].left), difference.max_absolute_at);
      return Found{text, ReproOf(i), *left_->feeds(), !difference.reason.empty()};
    }
    return std::nullopt;
  }

  // The models with this output alone.
  std::shared_ptr<const Repro> ReproOf(size_t output) const {
    const auto left = left_->evaluator()->Run(*left_->feeds());
    const auto right = right_->evaluator()->Run(*right_->feeds());
    if (!left.ok() || !right.ok()) return nullptr;
    Repro repro;
    const auto only = [&](const Model& model) {
      Model one = model;
      one.graph.outputs = {model.graph.outputs[output]};
      return std::make_shared<const Model>(std::move(one));
    };
    repro.left = only(*models_.left);
    repro.right = only(*models_.right);
    for (const ValueInfo& input : left_->graph().inputs) {
      repro.inputs.push_back({input.name, left_->feeds()->at(input.name)});
    }
    repro.left_name = repro.left->graph.outputs[0].name;
    repro.left_result = (*left)[output];
    repro.right_result = (*right)[output];
    repro.expected = repro.left_result;
    return std::make_shared<const Repro>(std::move(repro));
  }

  Models models_;
  std::unique_ptr<ModelSide> left_, right_;
  InputSets inputs_;
  CompareOptions options_;
};

class Tester {
 public:
  Tester(const PerSide<Side*>& sides, const Comparison& comparison, const OpRegistry& registry,
         const CompareOptions& options, InputSets* sizes)
      : sides_(sides),
        models_{&sides.left->evaluator()->model(), &sides.right->evaluator()->model()},
        comparison_(comparison),
        registry_(registry) {
    if (sizes != nullptr && !IsProvedAtSizes()) MakeOtherSizes(*sizes, options);
    options_.tolerance = options.tolerance;
    options_.threads = options.threads;
    options_.stop = options.stop;
    options_.causes = false;
  }

  std::vector<RewriteFault> Test() {
    for (const Rewrite& rewrite : FindRewrites(comparison_)) {
      if (rewrite.state != RewriteState::kProved && rewrite.state != RewriteState::kTested)
        continue;
      // All rewrites of models that are proved whole are proved.
      const bool proved = rewrite.state == RewriteState::kProved || comparison_.proof->proved;
      std::map<std::string, std::optional<RewriteFault>> by_kind;
      for (const RewritePlace& place : rewrite.places) {
        const std::string kind = KindOf(place);
        const auto known = by_kind.find(kind);
        if (known != by_kind.end()) {
          if (known->second.has_value()) known->second->rows.push_back(place.rows.front());
          continue;
        }
        if (by_kind.size() == kMostOfOne || tested_ == work_bounds::kTrials) continue;
        by_kind[kind] = TestPlace(rewrite.what, place, proved);
      }
      for (auto& [kind, fault] : by_kind) {
        if (fault.has_value()) faults_.push_back(*std::move(fault));
      }
    }
    return std::move(faults_);
  }

 private:
  std::optional<Alone> Open(const absl::StatusOr<Models>& models) const {
    return models.ok() ? Alone::Open(*models, registry_, options_) : std::nullopt;
  }

  std::optional<RewriteFault> TestPlace(const std::string& what, const RewritePlace& place,
                                        bool proved) {
    ++tested_;
    RewriteFault fault;
    fault.what = what;
    fault.rows = {place.rows.front()};
    std::optional<Found> found;
    if (!proved) found = Search(nullptr, place, false);
    std::string sizes;
    if (!found.has_value() && other_.has_value()) {
      // A proof holds in the shapes of the run.
      found = Search(&other_->comparison, place, proved);
      sizes = absl::StrCat("; with ", PrintableText(other_->sizes));
    }
    if (found.has_value()) {
      fault.counterexample = absl::StrCat(found->text, RangeOfRun(*found), sizes);
    } else {
      found = AtEnds(place, proved);
      if (!found.has_value()) return std::nullopt;
      fault.at_ends = true;
      fault.counterexample = found->text;
    }
    fault.repro = found->repro;
    return fault;
  }

  // `shapes`: see CutRewrite(). `brief`: usual numbers alone.
  std::optional<Found> Search(const Comparison* shapes, const RewritePlace& place,
                              bool brief) const {
    std::optional<Alone> alone = Open(CutRewrite(models_, comparison_, place, shapes));
    if (!alone.has_value()) return std::nullopt;
    std::optional<Found> found = alone->Search(brief);
    if (!found.has_value()) return std::nullopt;
    // Rounding behind it hides most of what differs: all numbers are tried there.
    return SeenBehind(shapes, place, *alone, *std::move(found),
                      [](Alone& a) { return a.Search(/*brief=*/false); });
  }

  std::optional<Found> AtEnds(const RewritePlace& place, bool proved) const {
    std::optional<Alone> alone = Open(CutRewrite(models_, comparison_, place));
    if (!alone.has_value() || (proved && alone->InputElements() > kFewElements))
      return std::nullopt;
    const auto at_ends = [&](Alone& a) { return a.AtEnds(proved); };
    std::optional<Found> found = at_ends(*alone);
    if (!found.has_value() || proved) return found;
    return SeenBehind(nullptr, place, *alone, *std::move(found), at_ends);
  }

  // The finding, if the two still differ at the pairs behind it, else nothing: then the pair is one
  // by chance, or only the types of both sides differ there.
  std::optional<Found> SeenBehind(const Comparison* shapes, const RewritePlace& place,
                                  const Alone& alone, Found found,
                                  absl::FunctionRef<std::optional<Found>(Alone&)> again) const {
    RewritePlace last = place;
    for (int i = 0; i < kPairsBehind; ++i) {
      const std::optional<RewritePlace> next = NextBehind(comparison_, last);
      std::optional<Alone> behind;
      if (next.has_value()) behind = Open(CutWithNext(models_, comparison_, last, *next, shapes));
      if (!behind.has_value()) break;
      const bool same_feeds = !found.is_type && behind->TakesTheSame(alone);
      if (!same_feeds || !behind->On(found.feeds, false).has_value()) {
        std::optional<Found> other = again(*behind);
        if (!other.has_value()) return std::nullopt;
        if (found.is_type) found = *std::move(other);
      }
      // All pairs up to there are computed.
      RewritePlace both = *next;
      both.rows.insert(both.rows.end(), last.rows.begin(), last.rows.end());
      last = std::move(both);
    }
    if (found.is_type) return std::nullopt;
    return found;
  }

  bool IsProvedAtSizes() const {
    const ProofReport& proof = *comparison_.proof;
    return proof.proved && std::all_of(proof.sizes.begin(), proof.sizes.end(),
                                       [](const ProofSizes& sizes) { return sizes.proved; });
  }

  void MakeOtherSizes(InputSets& sizes, const CompareOptions& options) {
    const PerSide<Feeds> had = {*sides_.left->feeds(), *sides_.right->feeds()};
    other_ = CompareAtOtherSizes(sides_, sizes, options);
    sides_.left->SetFeeds(had.left);
    sides_.right->SetFeeds(had.right);
    if (other_.has_value() && other_->comparison.verdict() == Verdict::kFailed) other_.reset();
  }

  // The same for places that differ in names alone.
  std::string KindOf(const RewritePlace& place) const {
    std::string kind;
    for (const SideId side : kBothSides) {
      const ResultStream& stream = OfSide(comparison_, side);
      for (const int n : side == SideId::kLeft ? place.left : place.right) {
        const StreamNode& node = stream.nodes[Index(n)];
        absl::StrAppend(&kind, node.op_type, " ", node.attributes);
        for (const int read : node.inputs) {
          if (read == kNone) continue;
          const StreamResult& result = stream.results[Index(read)];
          const bool constant =
              result.kind == ResultKind::kInitializer || OpTypeOf(result, stream) == "Constant";
          absl::StrAppend(&kind, " ", result.type, " ", constant ? result.computation : 0);
        }
      }
    }
    return kind;
  }

  // "; the run had `t` from -3.1 to 4.1", of the first input of numbers.
  std::string RangeOfRun(const Found& found) const {
    if (found.repro == nullptr) return "";
    for (const ReproInput& input : found.repro->inputs) {
      for (const StreamResult& result : comparison_.left.results) {
        if (result.name != input.name || result.depth > 0 || !result.fingerprint.has_sketch ||
            result.fingerprint.size == 0) {
          continue;
        }
        const Statistics& statistics = result.fingerprint.numbers().statistics;
        return absl::StrFormat("; the run had `%s` from %.3g to %.3g", PrintableText(result.name),
                               statistics.min, statistics.max);
      }
    }
    return "";
  }

  const PerSide<Side*> sides_;
  const PerSide<const Model*> models_;
  const Comparison& comparison_;
  const OpRegistry& registry_;
  CompareOptions options_;
  std::optional<ComparedSizes> other_;  // none: no dimension is free
  size_t tested_ = 0;
  std::vector<RewriteFault> faults_;
};

}  // namespace

std::vector<RewriteFault> TestRewrites(const PerSide<Side*>& sides, const Comparison& comparison,
                                       const OpRegistry& registry, const CompareOptions& options,
                                       InputSets* sizes) {
  return Tester(sides, comparison, registry, options, sizes).Test();
}

}  // namespace onnxcmp
