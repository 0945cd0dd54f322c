// Purposes of a model's inputs, as far as its graph tells: they decide which made-up values test
// the model well.
#ifndef ONNXCMP_FEED_MADE_UP_INPUT_PURPOSE_H_
#define ONNXCMP_FEED_MADE_UP_INPUT_PURPOSE_H_

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
#include "feed/made_up/index_form.h"
#include "feed/made_up/standardization.h"
#include "feed/made_up/window_lengths.h"

namespace onnxcmp {

// Greater values take precedence if an input has several uses.
enum class Purpose : uint8_t {
  kNumbers,    // anything
  kPositive,   // read by Sqrt, Log, as a variance, as a divisor of integers
  kFeatures,   // tested by the nodes of trees
  kText,       // strings
  kAddedMask,  // added to the input of a Softmax: 0 or very negative
  kMask,       // tells which elements count: 1 or 0
  kLengths,    // number of elements along an axis that count
  kPositions,  // ascending within a table
  kIds,        // within a table
  kCondition,  // the condition of an If or a Loop
  kSmall,      // shapes, axes, counts, limits: fixed small numbers
  kImage,      // the bytes of an encoded image
};
absl::string_view PurposeName(Purpose purpose);

// An input's dimension; in sums of sizes, also as often as it counts.
struct InputDim {
  std::string input;
  int64_t axis = 0;
  int64_t times = 1;
};

struct IdTable {
  const Tensor* rows = nullptr;
  int64_t axis = 0;
  IndexForm index = {};  // how ids select them
};

struct NumberRange {
  double least = 0;
  double greatest = 0;
};

// By feature, the open interval of its numbers that reaches a leaf.
using TreePath = std::vector<std::pair<int64_t, NumberRange>>;

struct InputPurpose {
  Purpose purpose = Purpose::kNumbers;
  bool ties = false;  // the greatest or least of its numbers is chosen: some are equal
  // Ids and positions: rows of the table; lengths: the greatest. If it is the sum of sizes of other
  // inputs, these sizes.
  std::optional<int64_t> limit;
  std::vector<InputDim> limit_sum;
  // All lengths are the greatest plus this, not between 1 and that: the number of elements in a
  // cache.
  std::optional<int64_t> full;
  // Small numbers: element 0, element 1, and the step between elements.
  int64_t first = 0;
  int64_t rest = 0;
  int64_t step = 0;
  // Positions: the first, where lengths of a cache tell what came before.
  std::optional<int64_t> begin;
  bool pieces = false;  // sizes of pieces, which add up to the limit
  bool counts = false;  // iterations of a loop: also none, and more of them
  bool grows = false;   // other small numbers from set to set
  // Ids: a limit that holds beside a sum of sizes, of another table; 0: none.
  int32_t at_most = 0;
  double fraction = 0;  // small floats: the value of all elements, if it is not 0
  // Factors of numbers that are then summed: the more there are, the smaller they get.
  bool weights = false;
  // Ids: true if some use accepts none below 0; true if all uses are of computed numbers; true if
  // results of equal ids are added up or combined in another way.
  bool not_negative = false;
  bool shifted = false;
  bool adds_up = false;
  // Masks: true if integers are only added up, so that they may be any numbers.
  bool sums = false;
  // Ids: the divisor if every use takes them modulo a constant, so that they may be any numbers; 0:
  // some use is of the ids themselves.
  int32_t wraps = 0;
  // Ids: tables in the graph whose rows they select.
  std::vector<IdTable> tables;
  // Rows of tables that differ from the other side's: some ids have to select these.
  std::vector<int64_t> rows_that_differ;
  // Integers: the range common to the types of both sides.
  std::optional<NumberRange> integers;
  // Numbers that it is compared with or clipped at.
  std::vector<double> landmarks;
  // Factor of the size of numbers.
  double shrink = 1;
  // Numbers between differing constants of both sides: some elements take these values.
  std::vector<double> probes;
  // Numbers that mean a missing value, NaN among them.
  std::vector<double> missing;
  // The range that it is quantized to before any other use.
  std::optional<NumberRange> range;
  // Moves and scales them before any other use.
  std::optional<Standardization> standard;
  // Strings that occur in the graph.
  std::vector<std::string> words;
  // Features: by feature, the numbers that it is compared with.
  absl::flat_hash_map<int64_t, std::vector<double>> thresholds;
  // The only numbers that an encoder takes, by column; true for strings that may only be words of
  // the graph.
  static constexpr int64_t kEachColumn = -1;
  absl::flat_hash_map<int64_t, std::vector<double>> demanded;
  bool only_known = false;
  // Features: the paths to leaves.
  std::vector<TreePath> paths;
  // In words, with the node that determined it: "ids of Gather 'embedding'".
  std::string why;
};

// The joint purpose of an input in two models.
InputPurpose Merged(const InputPurpose& left, const InputPurpose& right);

// Adds the limit of another use: the ids of both are within it.
void AddLimit(const InputPurpose& other, InputPurpose* to);

// By input, for those with a use that determines a purpose.
using InputPurposes = absl::flat_hash_map<std::string, InputPurpose>;

// Follows casts, reshapes, comparisons with constants and the like, and goes into subgraphs and
// functions that are kept as one node.
InputPurposes PurposesOf(const Graph& graph);

// The same, computed once for each graph: every set of inputs needs it.
class PurposeCache {
 public:
  // Graphs are identified by their address, and must outlive the cache. The reference is valid as
  // long as the cache.
  const InputPurposes& Of(const Graph& graph);
  const WindowLengths& WindowsOf(const Graph& graph);
  // RowsThatDiffer() of two constants of these graphs, computed once as well.
  const std::vector<int64_t>& DifferingRows(const Tensor& left, const Tensor& right, int64_t axis);

 private:
  absl::node_hash_map<const Graph*, InputPurposes> purposes_;
  absl::node_hash_map<const Graph*, WindowLengths> windows_;
  absl::node_hash_map<std::pair<const Tensor*, const Tensor*>, std::vector<int64_t>> rows_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_INPUT_PURPOSE_H_
