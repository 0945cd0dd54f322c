// Purposes of a model's inputs, as far as its graph tells: they decide which made-up values test
// the model well.
#ifndef ONNXCMP_FEED_MADE_UP_INPUT_PURPOSE_H_
#define ONNXCMP_FEED_MADE_UP_INPUT_PURPOSE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

// The alternatives of a purpose: rows of purpose_table tell them, ValueMaker has a maker of each.

struct NumberPurpose {  // anything
  static constexpr absl::string_view kName = "numbers";
  // Factors of numbers that are then summed: the more there are, the smaller they get.
  bool weights = false;
};

struct PositivePurpose {  // read by Sqrt, Log, as a variance, as a divisor of integers
  static constexpr absl::string_view kName = "positive numbers";
};

struct FeaturePurpose {  // tested by the nodes of trees
  static constexpr absl::string_view kName = "features";
  // By feature, the numbers that it is compared with.
  absl::flat_hash_map<int64_t, std::vector<double>> thresholds = {};
  std::vector<TreePath> paths = {};  // to leaves
};

struct TextPurpose {  // strings
  static constexpr absl::string_view kName = "text";
};

struct AddedMaskPurpose {  // added to the input of a Softmax: 0 or very negative
  static constexpr absl::string_view kName = "mask";
};

struct MaskPurpose {  // tells which elements count: 1 or 0
  static constexpr absl::string_view kName = "mask";
  bool sums = false;  // integers that are only added up, so that they may be any numbers
};

struct LengthPurpose {  // number of elements along an axis that count
  static constexpr absl::string_view kName = "lengths";
  // All are the greatest plus this, not between 1 and that: the number of elements in a cache.
  std::optional<int64_t> full = {};
};

struct PositionPurpose {  // ascending within a table
  static constexpr absl::string_view kName = "positions";
  std::optional<int64_t> begin = {};  // where lengths of a cache tell what came before
};

struct IdPurpose {  // within a table
  static constexpr absl::string_view kName = "ids";
  bool shifted = false;  // all uses are of computed numbers
  bool adds_up = false;  // results of equal ids are added up or combined in another way
  // The divisor if every use takes them modulo a constant, so that they may be any numbers; 0: some
  // use is of the ids themselves.
  int32_t wraps = 0;
  std::vector<IdTable> tables = {};  // in the graph, whose rows they select
  // Rows of tables that differ from the other side's: some ids have to select these.
  std::vector<int64_t> rows_that_differ = {};
};

struct ConditionPurpose {  // the condition of an If or a Loop
  static constexpr absl::string_view kName = "condition";
};

struct SmallPurpose {  // shapes, axes, counts, limits: fixed small numbers
  static constexpr absl::string_view kName = "small numbers";
  // Element 0, element 1, and the step between elements.
  int64_t first = 0;
  int64_t rest = 0;
  int64_t step = 0;
  double fraction = 0;  // the value of all elements, if it is not 0
  bool pieces = false;  // sizes of pieces, which add up to the limit
  bool counts = false;  // iterations of a loop: also none, and more of them
  bool grows = false;   // others from set to set
};

struct ImagePurpose {  // the bytes of an encoded image
  static constexpr absl::string_view kName = "image";
};

// Later ones take precedence if an input has several uses.
using Purpose = std::variant<NumberPurpose, PositivePurpose, FeaturePurpose, TextPurpose,
                             AddedMaskPurpose, MaskPurpose, LengthPurpose, PositionPurpose,
                             IdPurpose, ConditionPurpose, SmallPurpose, ImagePurpose>;
absl::string_view PurposeName(const Purpose& purpose);

// A purpose, with what else is known of the input whatever it is for.
struct InputPurpose {
  Purpose purpose;
  // Ids and positions: rows of the table; lengths: the greatest. If it is the sum of sizes of other
  // inputs, these sizes.
  std::optional<int64_t> limit;
  std::vector<InputDim> limit_sum;
  int32_t at_most = 0;        // a limit that holds beside a sum of sizes, of another table; 0: none
  bool not_negative = false;  // ids: some use accepts none below 0
  bool ties = false;          // the greatest or least of its numbers is chosen: some are equal
  std::optional<NumberRange> integers;  // the range common to the types of both sides
  std::vector<double> landmarks;        // that it is compared with or clipped at
  double shrink = 1;                    // factor of the size of numbers
  // Numbers between differing constants of both sides: some elements take these values.
  std::vector<double> probes;
  std::vector<double> missing;              // that mean a missing value, NaN among them
  std::optional<NumberRange> range;         // that it is quantized to before any other use
  std::optional<Standardization> standard;  // moves and scales them before any other use
  std::vector<std::string> words;           // that occur in the graph
  std::vector<double> keys;                 // numbers that an encoder knows
  // The only numbers that an encoder takes, by column; true for strings that may only be words of
  // the graph.
  static constexpr int64_t kEachColumn = -1;
  absl::flat_hash_map<int64_t, std::vector<double>> demanded;
  bool only_known = false;
  // In words, with the node that determined it: "ids of Gather 'embedding'".
  std::string why;

  template <typename Alternative>
  bool Is() const {
    return std::holds_alternative<Alternative>(purpose);
  }
  // Null if it is another purpose.
  template <typename Alternative>
  const Alternative* As() const {
    return std::get_if<Alternative>(&purpose);
  }
  bool IsOfNumbers() const { return Is<NumberPurpose>() || Is<PositivePurpose>(); }
  bool IsMask() const { return Is<MaskPurpose>() || Is<AddedMaskPurpose>(); }
};

// Adds another use in the same graph; the purpose with more precedence stays.
void AddUse(InputPurpose use, InputPurpose* to);

// The joint purpose of an input in two models.
InputPurpose Merged(const InputPurpose& left, const InputPurpose& right);

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
