// A recording beside the other side, and what is settled of its results so far: all that the rules
// of recordings look at.
#ifndef ONNXCMP_COMPARE_RECORDED_RECORDING_VIEW_H_
#define ONNXCMP_COMPARE_RECORDED_RECORDING_VIEW_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "compare/alignment/alignment.h"
#include "compare/inside/swallowed_steps.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class RecordingView {
 public:
  // At least one side is recorded; of two recordings the right's results look for partners. `sides`
  // must outlive it.
  explicit RecordingView(const PerSide<RecordedSide>& sides);

  // Takes over what is settled; `settled` must outlive it, or the next call.
  void Take(const Alignment& settled);

  SideId side() const { return side_; }
  const PerSide<RecordedSide>& sides() const { return sides_; }
  const RecordedSide& recording() const { return sides_[side_]; }
  const RecordedSide& other() const { return sides_[Other(side_)]; }
  // True if the other side is a model that runs in our interpreter.
  bool has_model() const { return !model().recorded && graph_.runs(); }
  const ResultStream& own() const { return *recording().stream; }
  const StreamResult& own(int r) const { return recording().result(r); }
  const ResultStream& model() const { return *other().stream; }
  const StreamResult& model(int m) const { return other().result(m); }
  const SideGraph& graph() const { return graph_; }        // the model's
  const LayersOfModel& layers() const { return layers_; }  // the model's

  const Alignment& settled() const { return *settled_; }
  // By recorded result: the other side's result, kNone if there is none.
  const std::vector<int>& partners() const { return settled_->partners(side_); }
  int partner(int r) const { return partners()[Index(r)]; }
  // The row in which a recorded result is paired; null if there is none.
  const AlignedRow* RowOf(int r) const { return rows_[Index(r)]; }
  // True if the user, or the values of an entry, gave a recorded result its partner.
  bool Stays(int r) const;
  // True if a recorded result stands beside one that explains it.
  bool IsBeside(int r) const { return beside_.contains(r); }
  bool IsNearPartner(int r) const;
  // True if a recorded result has the name of a result, or of any output: it is that one, however
  // wrong.
  bool IsNameOf(int r, int m) const;
  // True if a recorded result has no partner, or one that is neither near nor its namesake.
  bool IsOpen(int r) const;

 private:
  const PerSide<RecordedSide>& sides_;
  const SideId side_;
  const SideGraph graph_;
  const LayersOfModel layers_;
  absl::flat_hash_set<std::string> output_names_;
  const Alignment* settled_ = nullptr;
  std::vector<const AlignedRow*> rows_;  // by recorded result
  absl::flat_hash_set<int> beside_;
};

// True for numbers that tell: floats of which there are many, and various.
bool TellsAsFloats(const StreamResult& result);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_RECORDING_VIEW_H_
