// The classic table's rows of a run, recorded while it runs.
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_STREAM_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_STREAM_H_

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/run/on_results.h"
#include "evaluator/run/result.h"
#include "tools/classic/classic_row.h"

namespace onnxcmp {

// Records the row of each result of the main graph as it appears. Keeps tensors only on request.
class ClassicStream {
 public:
  // The pool (may be null) must outlive the stream.
  ClassicStream(bool keep_tensors, const ThreadPool* pool)
      : keep_tensors_(keep_tensors),
        pool_(pool),
        observer_([this](const Result& result, auto* /*replacement*/) {
          Add(result);
          return absl::OkStatus();
        }) {}
  ClassicStream(const ClassicStream&) = delete;
  ClassicStream& operator=(const ClassicStream&) = delete;

  // Of the run whose rows are recorded.
  Observer* observer() { return &observer_; }

  // The rows so far.
  std::vector<ClassicRow> TakeRows() { return std::move(rows_); }

 private:
  void Add(const Result& result);

  bool keep_tensors_;
  const ThreadPool* pool_;
  OnResults observer_;
  std::vector<ClassicRow> rows_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_STREAM_H_
