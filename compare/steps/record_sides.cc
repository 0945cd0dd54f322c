#include "compare/steps/record_sides.h"

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "compare/shadow/shadow_run.h"
#include "compare/sides/lock_step.h"
#include "compare/sides/shared_nodes.h"

namespace onnxcmp {
namespace {

// Which values of both sides are kept: bits that agree are never needed again.
class Keeper {
 public:
  explicit Keeper(PerSide<SideRecord>* records) : records_(*records) {}

  void See(SideId side, int number, const StreamResult& result, const Value& value) {
    const Hash128& content = result.fingerprint.content;
    contents_[side].try_emplace(content);
    // The model and the feeds hold these anyway.
    if (result.kind == ResultKind::kInitializer || result.kind == ResultKind::kInput) {
      records_[side].bank.Keep(number, value, /*free=*/true);
      return;
    }
    const auto other = contents_[Other(side)].find(content);
    if (other != contents_[Other(side)].end()) {
      std::vector<int>& kept = other->second;
      if (kept.empty()) return;
      records_[Other(side)].bank.Drop(kept.back());
      kept.pop_back();
      return;
    }
    if (records_[side].bank.Keep(number, value)) contents_[side][content].push_back(number);
  }

 private:
  PerSide<SideRecord>& records_;
  PerSide<absl::flat_hash_map<Hash128, std::vector<int>>> contents_;  // results that are kept
};

// One side on its way.
class FirstRun {
 public:
  FirstRun(SideId id, Side* side, const RecordSidesOptions& options, SharedNodes* shared,
           Keeper* keeper, SideRecord* record)
      : record_(*record),
        watcher_(options.watch ? options.watch(SideName(id)) : nullptr),
        visit_([id, keeper, record](int number, const StreamResult& result,
                                    const Value& value) -> absl::Status {
          if (result.kind == ResultKind::kOutput) record->outputs.emplace_back(number, value);
          keeper->See(id, number, result, value);
          return absl::OkStatus();
        }) {
    RecordOptions recording;
    recording.max_depth = options.max_depth;
    recording.pool = options.pool;
    recording.cache = options.cache;
    recording.shared = shared;
    recording.watcher = watcher_.get();
    if (options.shadow && side->evaluator() != nullptr) {
      shadow_.emplace(*side->evaluator(), *side->feeds(), watcher_.get(), options.max_depth,
                      options.shadow_memory);
      recording.watcher = &*shadow_;
    }
    run_ = side->StartRecord(recording, visit_);
  }

  RecordRun* run() { return run_.get(); }

  // After its last step.
  void Finish() {
    record_.stream = run_->TakeStream();
    if (!shadow_.has_value()) return;
    record_.shadow = shadow_->Finish(record_.stream);
    record_.outputs_in_double = shadow_->TakeOutputs();
  }

 private:
  SideRecord& record_;
  std::unique_ptr<Observer> watcher_;
  std::optional<ShadowRun> shadow_;
  std::function<absl::Status(int, const StreamResult&, const Value&)> visit_;
  std::unique_ptr<RecordRun> run_;
};

}  // namespace

SideRecords RecordSides(const PerSide<Side*>& sides, const RecordSidesOptions& options) {
  SideRecords records;
  for (const SideId id : kBothSides) records.sides[id].bank = ValueBank(options.keep_values / 2);
  Keeper keeper(&records.sides);
  if (!options.share || !ComputeAlike(sides)) {
    for (const SideId id : kBothSides) {
      FirstRun run(id, sides[id], options, nullptr, &keeper, &records.sides[id]);
      while (run.run()->Step()) {
      }
      run.Finish();
    }
    return records;
  }
  SharedNodes shared(sides.left->evaluator()->registry(), options.cache, options.pool);
  FirstRun left(SideId::kLeft, sides.left, options, &shared, &keeper, &records.sides.left);
  FirstRun right(SideId::kRight, sides.right, options, &shared, &keeper, &records.sides.right);
  RunInLockStep({left.run(), right.run()},
                StepsOfLeftBefore(sides, &shared.facts(), options.cache, options.pool));
  left.Finish();
  right.Finish();
  records.shared_nodes = shared.nodes();
  return records;
}

}  // namespace onnxcmp
