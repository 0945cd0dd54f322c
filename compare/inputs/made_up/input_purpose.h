// What the inputs of a model are for, as far as its graph tells: what a made-up value has to be
// like to test something.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The greater, the more it decides: of several uses the last one counts.
enum class Purpose : uint8_t {
  kNumbers,    // anything
  kPositive,   // read by Sqrt, Log, as a variance, as a divisor of integers
  kFeatures,   // tested by the nodes of trees
  kText,       // strings
  kAddedMask,  // added to what a Softmax reads: 0 or very negative
  kMask,       // which elements count: 1 or 0
  kLengths,    // how many elements along an axis count
  kPositions,  // ascending within a table
  kIds,        // within a table
  kCondition,  // of an If, a Loop
  kSmall,      // shapes, axes, counts, limits: fixed small numbers
  kImage,      // the bytes of an encoded image
};
absl::string_view PurposeName(Purpose purpose);

// An input's dimension.
struct InputDim {
  std::string input;
  int64_t axis = 0;
};

struct InputPurpose {
  Purpose purpose = Purpose::kNumbers;
  // Ids and positions: rows of the table; lengths: the greatest. Where that is the sum of sizes of
  // other inputs, those.
  std::optional<int64_t> limit;
  std::vector<InputDim> limit_sum;
  // Lengths are all the greatest plus this, and not from 1 to that: what a cache holds.
  std::optional<int64_t> full;
  // Small numbers: element 0, element 1, and from one element to the next.
  int64_t first = 0;
  int64_t rest = 0;
  int64_t step = 0;
  bool pieces = false;  // sizes of pieces, which are the limit together
  bool counts = false;  // rounds of a loop: also none, and more of them
  double fraction = 0;  // small floats: all elements, if it is not 0
  // Numbers that others are multiplied with and added up: they get smaller the more there are.
  bool weights = false;
  // Strings that the graph knows.
  std::vector<std::string> words;
  // Features: by feature what it is compared with.
  absl::flat_hash_map<int64_t, std::vector<double>> thresholds;
  // In words, with the node that gave it: "ids of Gather 'embedding'".
  std::string why;
};

// By input, of those that have a use that tells.
using InputPurposes = absl::flat_hash_map<std::string, InputPurpose>;

// Looks through casts, reshapes, comparisons with constants and the like, and into subgraphs and
// functions that are kept as one node.
InputPurposes PurposesOf(const Graph& graph);

// The same, each graph being looked at once: every set of inputs asks anew.
class PurposeCache {
 public:
  // Graphs are known by their address, and must outlive the cache. The reference holds as long as
  // it.
  const InputPurposes& Of(const Graph& graph);

 private:
  absl::node_hash_map<const Graph*, InputPurposes> purposes_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_
