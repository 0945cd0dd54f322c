// Where a graph uses its inputs and initializers, in a form that can be compared with another
// graph's: what reads a value, in which slot, what reads the results of that, and so on.
#ifndef ONNXCMP_COMPARE_INPUTS_INPUT_PLACES_H_
#define ONNXCMP_COMPARE_INPUTS_INPUT_PLACES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Colors are equal only if what they stand for is; deeper ones tell more apart.
struct InputPlace {
  // Whether an output of the graph depends on it.
  bool read = false;
  // The operators after it, up to 1, 2, 3, ... steps away; the last one: all of them.
  std::vector<uint64_t> behind;
  // The same for each reader by itself; none if there are too many to tell apart.
  std::vector<std::vector<uint64_t>> readers;
  // All that is around it, in both directions, up to 1, 2, 3, ... steps away.
  std::vector<uint64_t> around;
  // Operators on the longest way from here to an output.
  int64_t height = 0;
  // Of the first operator that reads it, and of its slot there, in the graph's order.
  std::pair<size_t, size_t> position;
};

// How far two places look alike; 0: not even their readers do.
int PlaceLikeness(const InputPlace& left, const InputPlace& right);

// The same for two readers.
int ReaderLikeness(const std::vector<uint64_t>& left, const std::vector<uint64_t>& right);

// Attributes do not count (exporters differ in them), nor do dead nodes, the order of commutative
// inputs, and operators that only change the element type. Subgraphs belong to the graph.
class InputPlaces {
 public:
  explicit InputPlaces(const Graph& graph);

  // Places of the main graph's inputs, initializers and constants, or null. Pointers stay valid.
  const InputPlace* Find(absl::string_view name) const;

  // Looks at all that is around each value, which takes many passes: colors and heights are there
  // after this.
  void Color();

  // Takes values as known: names of this graph, and a number for each that the other graph uses for
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
  std::vector<uint64_t> output_;              // by value: 1 + the graph's output that it is, or 0
  std::vector<std::vector<Reader>> readers_;  // by value
  std::vector<std::pair<int, size_t>> producer_;  // by value: operator (-1: none), output
  absl::flat_hash_map<std::string, int> leaves_;
  std::vector<std::string> leaf_names_;
  absl::flat_hash_map<int, InputPlace> places_;  // by value
};

// The graph's inputs that are InputPlace::read, for those who want to know nothing else.
absl::flat_hash_set<absl::string_view> InputsRead(const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_INPUT_PLACES_H_
