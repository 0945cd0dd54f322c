// Decides which values are kept while both sides run.
#ifndef ONNXCMP_COMPARE_SIDES_VALUE_KEEPER_H_
#define ONNXCMP_COMPARE_SIDES_VALUE_KEEPER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "compare/pictures/value_picture.h"
#include "compare/sides/early_differences.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Values with equal bits are never needed again. Large floats near a value of the other side are
// measured against it at once. In lock step, measured values and unmatched ones are dropped oldest
// first once they exceed bytes_that_stay and bytes_that_wait: two equivalent models then need
// little memory and no further run. From the first large difference on, all values are kept for the
// cause search that will follow.
class ValueKeeper {
 public:
  struct Options {
    ToleranceOptions tolerance;
    bool in_step = false;
    // In lock step, bytes of each side: limit of values that wait for their counterpart, and of
    // those that may be dropped.
    int64_t bytes_that_wait = 0;
    int64_t bytes_that_stay = 0;
    // By side: names of results to come, as far as they are known. Values waiting for one of these
    // on the other side are dropped last. They must outlive the object.
    PerSide<absl::flat_hash_set<absl::string_view>> to_come;
    // By side: true if its inputs and initializers are in memory anyway.
    PerSide<bool> holds_leaves = {false, false};
    // In lock step: receive all values of both sides from the first large difference on, for the
    // cause search. Null: not kept.
    PerSide<ValueBank*> search_banks = {nullptr, nullptr};
    // If the left's results take more bytes, there will be no search, and no values are kept for
    // it.
    int64_t search_memory = std::numeric_limits<int64_t>::max();
    const ThreadPool* pool = nullptr;  // may be null
    PictureAlbum* pictures = nullptr;  // pictures of measured pairs; null: not requested
  };

  // All must outlive the object.
  ValueKeeper(const PerSide<ValueBank*>& banks, EarlyDifferences* differences, Options options)
      : banks_(banks),
        differences_(*differences),
        to_come_(std::move(options.to_come)),
        options_(std::move(options)) {}

  void See(SideId side, int number, const StreamResult& result, const Value& value);
  // Time spent on measuring so far.
  double seconds() const { return seconds_; }

 private:
  // A kept value that may yet be measured.
  struct Waiting {
    int number;
    int64_t bytes;
    std::string name;
    std::optional<Shape> shape;
    DType own_precision;
    Fingerprint fingerprint;
  };

  // True if the other side has it bit for bit; drops it there.
  bool IsOnOtherSide(SideId side, const Hash128& content);
  // Removes the value waiting on a side that is nearly equal to this one: the one of its name,
  // else, if neither waits for its name, the nearest.
  std::optional<Waiting> TakeLike(SideId side, const StreamResult& result);
  // Distance of two values.
  struct Apart {
    double share = 0;  // relative to the scale
    double epsilons = 0;
  };
  // Measures it against the nearest value waiting on the other side; nothing if there is none.
  std::optional<Apart> Settle(SideId side, const StreamResult& result, const Value& value);
  // True if a value of its name and shape waits on a side; it must be far apart, or it would be
  // settled.
  bool HasNamesake(SideId side, const StreamResult& result) const;
  // True if large values leave little doubt that the sides compute different things.
  bool IsFault(SideId side, const StreamResult& result, const std::optional<Apart>& apart);
  // From here on both sides keep all values.
  void MeetFault();
  // Tracks the left's bytes: above search_memory there will be no search.
  void CountForSearch(const StreamResult& result);
  // Kept values that may be dropped, oldest first.
  struct Leaving {
    struct Kept {
      int number;
      int64_t bytes;
    };
    std::deque<Kept> numbers;
    int64_t bytes = 0;
  };

  const Value* Find(SideId side, int number) const;
  void Drop(SideId side, int number);
  // Keeps it for the cause search, if there will be one. False if there is no room for it.
  bool KeepForSearch(SideId side, int number, const StreamResult& result, const Value& value);
  void LetGo(SideId side, int number);
  void DropOldest(SideId side);
  // Called after a pair that far apart.
  void HoldIfSuspect(double apart);
  // Pins the most recently released left values.
  void HoldLatest();
  // False if there was no room for it.
  bool Keep(SideId side, int number, const Value& value);
  void Wait(SideId side, int number, const StreamResult& result, const Value& value);
  // Index of the waiting value of a side that may be dropped first.
  size_t LeastExpected(SideId side) const;
  // Removes a value by its index among those waiting.
  Waiting Remove(SideId side, size_t place);

  const PerSide<ValueBank*> banks_;
  EarlyDifferences& differences_;
  PerSide<absl::flat_hash_set<absl::string_view>>
      to_come_;  // those of the options, until they come
  const Options options_;
  PerSide<absl::flat_hash_map<Hash128, std::vector<int>>> contents_;  // kept results
  PerSide<Leaving> leaving_;
  int64_t held_bytes_ = 0;                     // bytes of pinned values
  std::deque<double> latest_apart_;            // distances of the last measured pairs, in epsilons
  PerSide<std::deque<Waiting>> waiting_ = {};  // the oldest first
  PerSide<int64_t> waiting_bytes_ = {0, 0};
  bool fault_met_ = false;
  int64_t left_bytes_ = 0;  // all of the left's results
  int in_vain_ = 0;         // large values of the right since the last one with a counterpart
  int namesakes_ = 0;       // number of these with an unmatched namesake
  double seconds_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_VALUE_KEEPER_H_
