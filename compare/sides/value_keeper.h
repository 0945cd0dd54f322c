// Which values are kept while both sides run.
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
#include "compare/differences/tolerance.h"
#include "compare/pair/per_side.h"
#include "compare/pictures/value_picture.h"
#include "compare/sides/early_differences.h"
#include "compare/sides/value_bank.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/hash128.h"
#include "compare/streams/result_stream.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Bits that agree are never needed again. Large floats that are nearly those of a value of the
// other side are measured against it at once. Where both sides go in lock step, what was measured,
// and what waited in vain for its like, goes when there is much of it: two models that do the same
// need little memory for that and no further run. Where they come to be far apart a search for
// causes will follow, and what they give from there on stays.
class ValueKeeper {
 public:
  struct Options {
    ToleranceOptions tolerance;
    bool in_step = false;
    // In lock step, bytes of each side: values wait for their like, and those that may go stay, as
    // long as each of the two take no more.
    int64_t bytes_that_wait = 0;
    int64_t bytes_that_stay = 0;
    // By side: names of results to come, as far as they are known. What waits for one of them on
    // the other side goes last. They must outlive the object.
    PerSide<absl::flat_hash_set<absl::string_view>> to_come;
    // By side: whether its inputs and initializers are in memory anyway.
    PerSide<bool> holds_leaves = {false, false};
    // In lock step: who keeps what both sides give from where they are far apart on, all that a
    // search for causes will ask for. Null: nobody.
    PerSide<ValueBank*> search_banks = {nullptr, nullptr};
    // If the left's results take more bytes, there will be no search, and nothing is kept for it.
    int64_t search_memory = std::numeric_limits<int64_t>::max();
    const ThreadPool* pool = nullptr;  // may be null
    PictureAlbum* pictures = nullptr;  // of what is measured; null: nobody wants them
  };

  // All must outlive the object.
  ValueKeeper(const PerSide<ValueBank*>& banks, EarlyDifferences* differences, Options options)
      : banks_(banks),
        differences_(*differences),
        to_come_(std::move(options.to_come)),
        options_(std::move(options)) {}

  void See(SideId side, int number, const StreamResult& result, const Value& value);
  // What measuring has taken so far.
  double seconds() const { return seconds_; }

 private:
  // A value that is kept and may be measured yet.
  struct Waiting {
    int number;
    int64_t bytes;
    std::string name;
    std::optional<Shape> shape;
    DType own_precision;
    Fingerprint fingerprint;
  };

  // Whether the other side has it bit for bit, and then drops it there.
  bool IsOnOtherSide(SideId side, const Hash128& content);
  // Takes the value out that waits on a side and is nearly this one: that of its name, else, if
  // neither waits for its name, the nearest.
  std::optional<Waiting> TakeLike(SideId side, const StreamResult& result);
  // How far two values are apart.
  struct Apart {
    double share = 0;  // of the scale
    double epsilons = 0;
  };
  // Measures it against the nearest value that waits on the other side; nothing if it has to wait.
  std::optional<Apart> Settle(SideId side, const StreamResult& result, const Value& value);
  // Whether one of its name and shape waits on a side: nothing like it, or it would be settled.
  bool HasNamesake(SideId side, const StreamResult& result) const;
  // Whether what was seen of large values leaves little doubt that both sides do other things.
  bool IsFault(SideId side, const StreamResult& result, const std::optional<Apart>& apart);
  // From here on both sides keep what they give.
  void MeetFault();
  // Of the left: there are no searches of as many results as these.
  void CountForSearch(const StreamResult& result);
  // Values that are kept and may go, the oldest first.
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
  // For the search for causes, if there will be one. Whether that has room for it.
  bool KeepForSearch(SideId side, int number, const StreamResult& result, const Value& value);
  void LetGo(SideId side, int number);
  void DropOldest(SideId side);
  // After a pair that is so far apart.
  void HoldIfSuspect(double apart);
  // Those of the left that may go and came last may not.
  void HoldLatest();
  // Whether there was room for it.
  bool Keep(SideId side, int number, const Value& value);
  void Wait(SideId side, int number, const StreamResult& result, const Value& value);
  // The one of those that wait on a side that may go first.
  size_t LeastExpected(SideId side) const;
  // Takes that at a place out of those that wait.
  Waiting Remove(SideId side, size_t place);

  const PerSide<ValueBank*> banks_;
  EarlyDifferences& differences_;
  PerSide<absl::flat_hash_set<absl::string_view>>
      to_come_;  // those of the options, until they come
  const Options options_;
  PerSide<absl::flat_hash_map<Hash128, std::vector<int>>> contents_;  // results that are kept
  PerSide<Leaving> leaving_;
  int64_t held_bytes_ = 0;                     // of what may go no longer
  std::deque<double> latest_apart_;            // how far what was measured was apart, in epsilons
  PerSide<std::deque<Waiting>> waiting_ = {};  // the oldest first
  PerSide<int64_t> waiting_bytes_ = {0, 0};
  bool fault_met_ = false;
  int64_t left_bytes_ = 0;  // of all that the left has given
  int in_vain_ = 0;         // large values of the right since the last that met its like
  int namesakes_ = 0;       // of them: that met one of their name
  double seconds_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_VALUE_KEEPER_H_
