// The places where a graph uses its inputs and initializers, in a form comparable with another
// graph's: the readers of a value and their slots, the readers of their results, and so on.
#ifndef ONNXCMP_FEED_INPUT_PLACES_H_
#define ONNXCMP_FEED_INPUT_PLACES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Colors are equal only if their surroundings are; deeper ones distinguish more.
struct InputPlace {
  // True if an output of the graph depends on it.
  bool read = false;
  // The operators after it, up to 1, 2, 3, ... steps away; the last entry covers all of them.
  std::vector<uint64_t> behind;
  // The same for each reader by itself; none if there are too many to distinguish.
  std::vector<std::vector<uint64_t>> readers;
  // All operators around it, in both directions, up to 1, 2, 3, ... steps away.
  std::vector<uint64_t> around;
  // Number of operators on the longest way from here to an output.
  int64_t height = 0;
  // Position of the first operator that reads it in the graph's order, and of its slot there.
  std::pair<size_t, size_t> position;
};

// Number of steps up to which two places agree; 0: not even their readers do.
int PlaceSimilarity(const InputPlace& left, const InputPlace& right);

// The same for two readers.
int ReaderSimilarity(const std::vector<uint64_t>& left, const std::vector<uint64_t>& right);

// Ignores attributes (exporters differ in them), dead nodes, the order of commutative inputs, and
// operators that only change the element type. Subgraphs belong to the graph.
class InputPlaces {
 public:
  explicit InputPlaces(const Graph& graph);

  // Places of the main graph's inputs, initializers and constants, or null. Pointers stay valid.
  const InputPlace* Find(absl::string_view name) const;

  // Computes colors and heights, which takes many passes over the graph.
  void Color();

  // Marks values as known: names of this graph, each with a number that the other graph uses for
  // the same value.
  void SetKnown(const absl::flat_hash_map<std::string, uint64_t>& known);

 private:
  struct Operator {
    uint64_t kind;
    std::vector<std::pair<uint64_t, int>> inputs;  // slot, value
    std::vector<int> outputs;
  };
  struct Reader {
    uint64_t slot;
    int op;
  };
  class Builder;

  void ConnectReaders();
  void ColorReaders(const std::vector<uint64_t>& op_colors);
  void ColorAfter();

  std::vector<Operator> ops_;  // topologically sorted, without dead ones
  int num_values_ = 0;
  std::vector<uint64_t> output_;                  // by value: 1 + the graph's output, or 0 if none
  std::vector<std::vector<Reader>> readers_;      // by value
  std::vector<std::pair<int, size_t>> producer_;  // by value: operator (-1: none), output
  absl::flat_hash_map<std::string, int> leaves_;
  std::vector<std::string> leaf_names_;
  absl::flat_hash_map<int, InputPlace> places_;  // by value
};

// The graph's inputs with InputPlace::read, without the rest.
absl::flat_hash_set<absl::string_view> InputsRead(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_PLACES_H_
