// Candidates for partners of another model's inputs: inputs that need a value, and constants.
#ifndef ONNXCMP_FEED_INPUT_CANDIDATES_H_
#define ONNXCMP_FEED_INPUT_CANDIDATES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "feed/input_fit.h"
#include "feed/input_places.h"

namespace onnxcmp {

struct InputCandidate {
  std::string name;
  TypeInfo type;
  const Tensor* value = nullptr;  // an initializer's or a constant's
  const InputPlace* place = nullptr;
  bool taken = false;
  size_t claimed = 0;  // for a constant: number of readers of its partners

  bool is_input() const { return value == nullptr; }
  // True for an input that affects the outputs and has no partner.
  bool needy() const { return is_input() && !taken && place->read; }
};

// One side's candidates: inputs in the graph's order, then constants in theirs.
class InputCandidates {
 public:
  explicit InputCandidates(const Graph& graph);
  InputCandidates(const InputCandidates&) = delete;
  InputCandidates& operator=(const InputCandidates&) = delete;

  InputPlaces& places() { return places_; }
  size_t size() const { return candidates_.size(); }
  InputCandidate& operator[](size_t i) { return candidates_[i]; }
  const InputCandidate& operator[](size_t i) const { return candidates_[i]; }
  // By name, or null.
  InputCandidate* Find(const std::string& name);

 private:
  void Add(InputCandidate candidate);

  InputPlaces places_;
  std::vector<InputCandidate> candidates_;
  absl::flat_hash_map<std::string, size_t> by_name_;
};

// How well two free candidates fit: kNone unless at least one of them is an input.
Fit FitOf(const InputCandidate& left, const InputCandidate& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_CANDIDATES_H_
