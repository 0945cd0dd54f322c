// The first step of a comparison: both sides run, or are read, and are recorded.
#ifndef ONNXCMP_COMPARE_STAGES_RECORD_SIDES_H_
#define ONNXCMP_COMPARE_STAGES_RECORD_SIDES_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/in_double/shadow.h"
#include "compare/pictures/value_picture.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/early_differences.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "compare/sides/value_store.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/base/timings.h"
#include "record/differences/tolerance.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct RecordSidesOptions {
  int max_depth = std::numeric_limits<int>::max();
  int64_t keep_values = 0;  // bytes of both sides' stores together
  // Bytes that each side's store has for the cause search; 0: there will be none.
  int64_t search_memory = 0;
  // Compute nodes common to both sides once.
  bool share = true;
  // Numbers will be needed even for results whose bits both sides have.
  bool numbers = true;
  bool modules = false;  // as RecordOptions::modules
  bool shadow = false;
  int64_t shadow_memory = 0;  // limit for the results of one node in double
  const ThreadPool* pool = nullptr;
  PictureAlbum* pictures = nullptr;  // for pairs measured on the way; null: not requested
  FingerprintCache* cache = nullptr;
  SeenConstants* seen = nullptr;  // findings of earlier runs; may be null
  ToleranceOptions tolerance;
  Timings* timings = nullptr;  // may be null
  // Called with "left", "right", or "left and right" for runs in lock step. May be empty.
  std::function<std::unique_ptr<Observer>(absl::string_view run)> watch;
};

// The record of a side, and the values that were kept.
struct SideRecord {
  ResultStream stream;
  // Values that the other side does not have bit for bit, as far as they fit; for the cause search
  // those of both models from the first large difference on, within search_memory.
  ValueStore store;
  std::vector<std::pair<int, Value>> outputs;  // by result
  SideShadow shadow;
  std::vector<std::pair<int, Value>> outputs_in_double;
};

struct SideRecords {
  PerSide<SideRecord> sides;
  EarlyDifferences differences;  // measured during the runs
};

SideRecords RecordSides(const PerSide<Side*>& sides, const RecordSidesOptions& options);

// Valid as long as the sides and the records.
PerSide<RecordedSide> ViewsOf(const PerSide<Side*>& sides, PerSide<SideRecord>* records);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_RECORD_SIDES_H_
