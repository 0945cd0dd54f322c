#include "compare/stages/record_sides.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/in_double/shadow_run.h"
#include "compare/sides/lock_step.h"
#include "compare/sides/shared_nodes.h"
#include "compare/sides/value_keeper.h"
#include "evaluator/tensor/stored_value.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

RecordOptions RecordingOf(const RecordSidesOptions& options) {
  RecordOptions recording;
  recording.max_depth = options.max_depth;
  recording.pool = options.pool;
  recording.cache = options.cache;
  recording.modules = options.modules;
  return recording;
}

// The first run of one side.
class FirstRun {
 public:
  // `watcher` and `shared` may be null.
  FirstRun(SideId id, Side* side, const RecordSidesOptions& options, Observer* watcher,
           SharedNodes* shared, ValueKeeper* keeper, SideRecord* record)
      : record_(*record),
        step_(absl::StrCat("run ", SideName(id))),
        cache_(*options.cache),
        keeper_(*keeper),
        timings_(options.timings),
        visit_([id, keeper, record](int number, const StreamResult& result,
                                    const Value& value) -> absl::Status {
          if (result.kind == ResultKind::kOutput) record->outputs.emplace_back(number, value);
          keeper->See(id, number, result, value);
          return absl::OkStatus();
        }) {
    RecordOptions recording = RecordingOf(options);
    recording.shared = shared;
    recording.watcher = watcher;
    if (options.shadow && side->evaluator() != nullptr) {
      shadow_.emplace(*side->evaluator(), *side->feeds(), watcher, options.max_depth,
                      options.shadow_memory);
      recording.watcher = &*shadow_;
    }
    run_ = side->StartRecord(recording, visit_);
  }

  // As RecordRun::Step.
  bool Step() {
    if (timings_ == nullptr) return run_->Step();
    const double looked = cache_.seconds();
    const double measured = keeper_.seconds();
    const Stopwatch watch;
    const bool more = run_->Step();
    const double seconds = watch.seconds();
    const double looking = cache_.seconds() - looked;
    const double measuring = keeper_.seconds() - measured;
    timings_->Add(step_, seconds - looking - measuring);
    timings_->Add("look at results", looking);
    timings_->Add("measure", measuring);
    return more;
  }

  // Called after the last step.
  void Finish() {
    record_.stream = run_->TakeStream();
    if (!shadow_.has_value()) return;
    record_.shadow = shadow_->Finish(record_.stream);
    record_.outputs_in_double = shadow_->TakeOutputs();
  }

 private:
  SideRecord& record_;
  std::string step_;
  const FingerprintCache& cache_;
  const ValueKeeper& keeper_;
  Timings* timings_;
  std::optional<ShadowRun> shadow_;
  std::function<absl::Status(int, const StreamResult&, const Value&)> visit_;
  std::unique_ptr<RecordRun> run_;
};

// True if the right's run would repeat the left's. The layout of inputs must be the same, since
// kernels may add elements in the order in which they lie.
bool RunAlike(const PerSide<Side*>& sides, FingerprintCache* cache, const ThreadPool* pool) {
  if (&sides.left->evaluator()->model() != &sides.right->evaluator()->model()) return false;
  const Feeds& left = *sides.left->feeds();
  const Feeds& right = *sides.right->feeds();
  const auto is_plain = [](const Value& value) {
    return value.is_tensor() && value.tensor().is_contiguous();
  };
  return left.size() == right.size() && absl::c_all_of(left, [&](const auto& feed) {
           const auto other = right.find(feed.first);
           return other != right.end() && is_plain(feed.second) && is_plain(other->second) &&
                  cache->Content(feed.second, pool) == cache->Content(other->second, pool);
         });
}

// One run for both sides: all results of one are the other's, bit for bit, and none of their values
// will be needed.
void RecordOnce(const PerSide<Side*>& sides, const RecordSidesOptions& options,
                PerSide<SideRecord>* records) {
  const StepTimer timer(options.timings, "run both");
  SideRecord& left = records->left;
  SideRecord& right = records->right;
  const auto visit = [&](int number, const StreamResult& result, const Value& value) {
    if (result.kind == ResultKind::kOutput) {
      left.outputs.emplace_back(number, value);
    } else if (result.kind != ResultKind::kResult) {
      for (const SideId id : kBothSides) (*records)[id].store.Keep(number, value, /*free=*/true);
    }
    return absl::OkStatus();
  };
  RecordOptions recording = RecordingOf(options);
  const std::unique_ptr<Observer> watcher =
      options.watch ? options.watch("left and right") : nullptr;
  recording.watcher = watcher.get();
  recording.glance = !options.numbers;
  left.stream = sides.left->Record(recording, visit);
  sides.right->TakeRecordOf(*sides.left, recording);
  right.stream = left.stream;
  right.stream.source = sides.right->summary().source;
  right.outputs = left.outputs;
  if (options.timings == nullptr) return;
  const auto nodes = static_cast<int64_t>(left.stream.nodes.size());
  options.timings->shared += nodes;
  options.timings->nodes += 2 * nodes;
}

absl::flat_hash_set<absl::string_view> NamesOfResults(const Graph& graph) {
  absl::flat_hash_set<absl::string_view> names;
  names.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

// Fingerprints weights in files before anything runs: during the runs that would happen one by one.
// The alignment will need the numbers of those that one side has more often.
void LookAtWeights(const PerSide<Side*>& sides, const RecordSidesOptions& options) {
  struct Weight {
    const Value* value = nullptr;
    int64_t more_on_left = 0;
  };
  // Equal bytes on both sides share one buffer.
  absl::flat_hash_map<const Buffer*, size_t> places;
  std::vector<Weight> weights;
  for (const SideId id : kBothSides) {
    if (sides[id]->evaluator() == nullptr) continue;
    for (const Initializer& initializer : sides[id]->evaluator()->model().graph.initializers) {
      if (!IsStored(initializer.value)) continue;
      const Buffer* buffer = initializer.value.tensor().buffer().get();
      const auto [it, is_new] = places.try_emplace(buffer, weights.size());
      if (is_new) weights.push_back({&initializer.value});
      weights[it->second].more_on_left += id == SideId::kLeft ? 1 : -1;
    }
  }
  const StepTimer timer(options.timings, "look at weights");
  options.pool->ParallelFor(static_cast<int64_t>(weights.size()), [&](int64_t i) {
    const Weight& weight = weights[static_cast<size_t>(i)];
    options.cache->Get(*weight.value, options.pool, /*lazy=*/weight.more_on_left == 0);
  });
}

void TellConstants(const PerSide<Side*>& sides, const RecordSidesOptions& options) {
  ConstantNodes& constants = options.seen->nodes;
  constants.HoldUpTo(options.keep_values / 4);
  for (const SideId id : kBothSides) {
    for (const Initializer& initializer : sides[id]->evaluator()->model().graph.initializers) {
      constants.AddConstant(options.cache->Content(initializer.value, options.pool));
    }
    if (!options.seen->with_inputs) continue;
    for (const auto& [name, value] : *sides[id]->feeds()) {
      constants.AddConstant(options.cache->Content(value, options.pool));
    }
  }
}

// Runs both side by side, so that common nodes run once.
void RecordInStep(const PerSide<Side*>& sides, const RecordSidesOptions& options,
                  ValueKeeper* keeper, PerSide<SideRecord>* records) {
  const std::unique_ptr<Observer> watcher =
      options.watch ? options.watch("left and right") : nullptr;
  if (options.seen != nullptr) TellConstants(sides, options);
  SharedNodes shared(sides.left->evaluator()->registry(), options.cache, options.pool,
                     options.seen == nullptr ? nullptr : &options.seen->nodes);
  FirstRun left(SideId::kLeft, sides.left, options, watcher.get(), &shared, keeper, &records->left);
  FirstRun right(SideId::kRight, sides.right, options, watcher.get(), &shared, keeper,
                 &records->right);
  std::vector<int64_t> left_before;
  {
    const StepTimer timer(options.timings, "number values");
    LockStep plan = PlanLockStep(sides, &shared.facts(), options.cache, options.pool);
    left_before = std::move(plan.left_before);
    shared.HoldFor(std::move(plan.meetings), options.keep_values / 4);
  }
  RunInLockStep([&](SideId side) { return side == SideId::kLeft ? left.Step() : right.Step(); },
                left_before);
  left.Finish();
  right.Finish();
  if (options.timings != nullptr) {
    options.timings->shared += shared.nodes();
    for (const SideId id : kBothSides) {
      options.timings->nodes += static_cast<int64_t>((*records)[id].stream.nodes.size());
    }
  }
}

}  // namespace

SideRecords RecordSides(const PerSide<Side*>& sides, const RecordSidesOptions& options) {
  SideRecords made;
  PerSide<SideRecord>& records = made.sides;
  if (options.timings != nullptr) options.cache->CountSeconds();
  const bool in_step = options.share && ComputeAlike(sides);
  if (in_step && !options.shadow && RunAlike(sides, options.cache, options.pool)) {
    for (const SideId id : kBothSides) records[id].store = ValueStore(options.keep_values / 2, 0);
    RecordOnce(sides, options, &records);
    return made;
  }
  ValueKeeper::Options keeping;
  keeping.tolerance = options.tolerance;
  keeping.in_step = in_step;
  keeping.bytes_that_wait = options.keep_values / 16;
  keeping.bytes_that_stay = options.keep_values / 16;
  keeping.pool = options.pool;
  keeping.pictures = options.pictures;
  keeping.search_memory = options.search_memory;
  for (const SideId id : kBothSides) {
    ValueStore& store = records[id].store;
    store = ValueStore(options.keep_values / 2, options.search_memory);
    if (options.search_memory > 0) keeping.search_banks[id] = &store.for_search();
    keeping.holds_leaves[id] = sides[id]->evaluator() != nullptr;
    if (in_step) keeping.to_come[id] = NamesOfResults(sides[id]->evaluator()->model().graph);
  }
  ValueKeeper keeper({&records.left.store.kept(), &records.right.store.kept()}, &made.differences,
                     keeping);
  LookAtWeights(sides, options);
  if (!in_step) {
    for (const SideId id : kBothSides) {
      const std::unique_ptr<Observer> watcher =
          options.watch ? options.watch(SideName(id)) : nullptr;
      FirstRun run(id, sides[id], options, watcher.get(), nullptr, &keeper, &records[id]);
      while (run.Step()) {
      }
      run.Finish();
    }
    return made;
  }
  RecordInStep(sides, options, &keeper, &records);
  return made;
}

PerSide<RecordedSide> ViewsOf(const PerSide<Side*>& sides, PerSide<SideRecord>* records) {
  PerSide<RecordedSide> views;
  for (const SideId id : kBothSides) {
    views[id] = {sides[id], &(*records)[id].stream, &(*records)[id].store};
  }
  return views;
}

}  // namespace onnxcmp
