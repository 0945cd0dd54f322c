// What the inputs of a model are for, as far as its graph tells: what a made-up value has to be
// like to test something.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

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

struct IdTable {
  const Tensor* rows = nullptr;
  int64_t axis = 0;
};

struct NumberRange {
  double least = 0;
  double greatest = 0;
};

// By feature, between which numbers it has to be, both excluded, so that a leaf is reached.
using TreePath = std::vector<std::pair<int64_t, NumberRange>>;

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
  bool grows = false;   // other small numbers from set to set
  double fraction = 0;  // small floats: all elements, if it is not 0
  // Numbers that others are multiplied with and added up: they get smaller the more there are.
  bool weights = false;
  // Ids: whether some use takes none below 0; whether what several say is added up or the like.
  bool not_negative = false;
  bool shifted = false;  // all uses are of other numbers that were made of them
  bool adds_up = false;
  // Ids: tables whose rows they choose, in the graph.
  std::vector<IdTable> tables;
  // Rows of tables that differ from the other side's: some ids have to be these.
  std::vector<int64_t> rows_that_differ;
  // Integers: what the types of both sides hold.
  std::optional<NumberRange> integers;
  // Numbers that it is compared with or cut off at.
  std::vector<double> landmarks;
  // Numbers are as many times as large as usual.
  double shrink = 1;
  // Numbers between two that constants of both sides differ in: some are to be these.
  std::vector<double> probes;
  // Numbers that stand for what is missing, NaN among them.
  std::vector<double> missing;
  // What it is quantized to before anything else reads it.
  std::optional<NumberRange> range;
  // Strings that the graph knows.
  std::vector<std::string> words;
  // Features: by feature what it is compared with.
  absl::flat_hash_map<int64_t, std::vector<double>> thresholds;
  // Features: what leads to leaves, one by one.
  std::vector<TreePath> paths;
  // In words, with the node that gave it: "ids of Gather 'embedding'".
  std::string why;
};

// What two models use an input for, together.
InputPurpose Merged(const InputPurpose& left, const InputPurpose& right);

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
  // RowsThatDiffer() of two constants of these graphs, which are looked at once as well.
  const std::vector<int64_t>& DifferingRows(const Tensor& left, const Tensor& right, int64_t axis);

 private:
  absl::node_hash_map<const Graph*, InputPurposes> purposes_;
  absl::node_hash_map<std::pair<const Tensor*, const Tensor*>, std::vector<int64_t>> rows_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_INPUT_PURPOSE_H_
