// Queries about the results of runs on several sets of inputs; tells if outputs show anything over
// all of them.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_TOLD_OUTPUTS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_TOLD_OUTPUTS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/run/result.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// The output rows of a stream.
inline std::vector<const StreamResult*> OutputsOf(const ResultStream& stream) {
  std::vector<const StreamResult*> outputs;
  for (const StreamResult& result : stream.results) {
    if (result.kind == ResultKind::kOutput) outputs.push_back(&result);
  }
  return outputs;
}

// True if a run makes but few results and elements.
inline bool MakesFew(const ResultStream& stream, size_t results, int64_t most) {
  if (stream.results.size() > results) return false;
  int64_t elements = 0;
  for (const StreamResult& result : stream.results) elements += result.fingerprint.size;
  return elements < most;
}

// True if further sets cost almost nothing.
inline bool IsSmall(const ResultStream& stream) { return MakesFew(stream, 1500, 2'000'000); }

// True if even dozens of sets do.
inline bool IsTiny(const ResultStream& stream) { return MakesFew(stream, 150, 50'000); }

// The greatest magnitude in any output.
inline double LargestOutput(const ResultStream& stream) {
  double largest = 0;
  for (const StreamResult* output : OutputsOf(stream)) {
    if (!output->fingerprint.has_sketch) continue;
    const Statistics& of = output->fingerprint.numbers().statistics;
    largest = std::max({largest, std::abs(of.min), std::abs(of.max)});
  }
  return largest;
}

class ToldOutputs {
 public:
  void Add(const ResultStream& stream) {
    const std::vector<const StreamResult*> outputs = OutputsOf(stream);
    told_.resize(std::max(told_.size(), outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Fingerprint& fingerprint = outputs[i]->fingerprint;
      Told& told = told_[i];
      told.tells |=
          fingerprint.size > 0 && fingerprint.numbers().statistics.nans < fingerprint.size;
      told.varies |= told.sets > 0 && told.last != fingerprint.content;
      told.last = fingerprint.content;
      ++told.sets;
    }
  }

  // True if all outputs are NaN, empty, or the same on all sets.
  bool Nothing() const {
    return !told_.empty() && std::all_of(told_.begin(), told_.end(), [](const Told& told) {
      return !told.tells || (told.sets > 1 && !told.varies);
    });
  }

 private:
  struct Told {
    bool tells = false;   // more than NaN
    bool varies = false;  // varies with the inputs
    int sets = 0;
    Hash128 last;
  };
  std::vector<Told> told_;  // by output
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_TOLD_OUTPUTS_H_
