// The values of pairs of results, after both sides have run: those that were kept, others by
// running again.
#ifndef ONNXCMP_COMPARE_SIDES_PAIR_VALUES_H_
#define ONNXCMP_COMPARE_SIDES_PAIR_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/sides/side.h"
#include "compare/sides/value_store.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct ResultPair {
  int left = kNone;
  int right = kNone;
};

// A view of one side after its Record(): its stream, and the values that were kept.
struct RecordedSide {
  Side* side = nullptr;
  const ResultStream* stream = nullptr;
  ValueStore* store = nullptr;  // null: nothing was kept

  // Null if the value is not kept.
  const Value* Find(int number) const { return store == nullptr ? nullptr : store->Find(number); }
  const StreamResult& result(int number) const { return stream->results[Index(number)]; }
  const Evaluator* evaluator() const { return side->evaluator(); }  // null for a recording
};

// Approximate bytes of a result in memory.
int64_t AboutBytes(const StreamResult& result);
// The same for all results of main graph nodes. Equal elements count once: most such results are
// views of one buffer.
int64_t ComputedBytes(const ResultStream& stream);

class PairValues {
 public:
  using Visitor =
      absl::FunctionRef<absl::Status(size_t pair, const Value& left, const Value& right)>;
  using Watch = std::function<std::unique_ptr<Observer>(absl::string_view run)>;

  // At most `budget` bytes of the left's values are held at a time besides kept ones, or one value
  // if it is larger. `watch` may be empty; it is called with "left again" and "right again".
  PairValues(const PerSide<RecordedSide>& sides, int64_t budget, Watch watch)
      : left_(sides.left), right_(sides.right), budget_(budget), watch_(std::move(watch)) {}

  // Visits each pair once: those that are kept first, the others in the order of their right
  // results.
  absl::Status ForEach(absl::Span<const ResultPair> pairs, Visitor visit);

 private:
  absl::Status VisitWindow(absl::Span<const ResultPair> pairs, absl::Span<const size_t> window,
                           Visitor visit);
  // By result: true if a run of that side is to keep it for the cause search.
  std::vector<bool> WantedAgain(SideId side) const;

  RecordedSide left_;
  RecordedSide right_;
  int64_t budget_;
  Watch watch_;
};

// Shows the values of the results that are true in `wanted`, of one more run of the side, with the
// nodes that gave them: null for inputs, initializers and recordings. `watch` is called with `run`,
// as "left again"; nothing runs if no result is wanted. No other place runs a side again for
// values.
using NodeVisitor =
    absl::FunctionRef<absl::Status(int result, const Value& value, const Node* node)>;
absl::Status VisitWithNodes(const RecordedSide& side, absl::string_view run,
                            const PairValues::Watch& watch, const std::vector<bool>& wanted,
                            NodeVisitor visit);
// The same without the nodes.
absl::Status VisitAgain(const RecordedSide& side, absl::string_view run,
                        const PairValues::Watch& watch, const std::vector<bool>& wanted,
                        Side::Visitor visit);
// The same, kept values first, so that only a value that is not kept takes a run.
absl::Status VisitValues(const RecordedSide& side, absl::string_view run,
                         const PairValues::Watch& watch, std::vector<bool> wanted,
                         Side::Visitor visit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_PAIR_VALUES_H_
