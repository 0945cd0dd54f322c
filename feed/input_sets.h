// The inputs of a comparison: given in files or made up, the same for both sides.
//
//   auto sets = InputSets::Open(left->graph, right->graph, options);
//   for (int64_t i = 0; i < sets->size(); ++i) {
//     auto inputs = sets->Get(i);   // inputs->left, inputs->right, inputs->notes
//   }
#ifndef ONNXCMP_FEED_INPUT_SETS_H_
#define ONNXCMP_FEED_INPUT_SETS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/feeds.h"
#include "feed/frozen_inputs.h"
#include "feed/generated_inputs.h"
#include "feed/input_files.h"
#include "feed/input_mapping.h"
#include "feed/longer_inputs.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/regime.h"
#include "feed/value_assignment.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct InputOptions {
  // Files for both sides; for one side, from which the other side's inputs follow unless it has its
  // own file. None: inputs are made up. Names that in_memory has are no files.
  std::string inputs;
  std::string left_inputs;
  std::string right_inputs;
  bool each = false;                   // see InputFiles
  bool partial = false;                // accept values that no input takes
  std::vector<std::string> map_input;  // LEFT=RIGHT
  GeneratedInputs generated;
  std::map<std::string, InputFiles> in_memory;
};

// One set of inputs for both sides.
struct FedInputs {
  std::string name;  // "test_data_set_0", "[3]"; "" if there is only one set
  Feeds left;
  Feeds right;
  std::vector<LongerInput> longer;  // given to one side with more positions than to the other
  std::vector<std::string> notes;   // casts, values that no input takes, guesses
  // Beside a recording: the model's inputs that were made up, and the source of the others.
  std::vector<std::string> made_up;
  std::string from;
};

class InputSets {
 public:
  // The graphs must outlive the sets.
  static absl::StatusOr<InputSets> Open(const Graph& left, const Graph& right,
                                        const InputOptions& options);
  // One set of inputs that are already in memory, with the names of either model: `source` names
  // them in messages ("the feeds").
  static absl::StatusOr<InputSets> OpenGiven(const Graph& left, const Graph& right,
                                             const InputOptions& options,
                                             std::vector<NamedValue> given,
                                             const std::string& source);
  // For one model beside a recording: `recorded` are the recording's inputs, which the model takes
  // unless a file is given.
  static absl::StatusOr<InputSets> OpenLeft(const Graph& left, const InputOptions& options,
                                            InputsOfRecording recorded = {});
  static absl::StatusOr<InputSets> OpenRight(const Graph& right, const InputOptions& options,
                                             InputsOfRecording recorded = {});

  // Number of sets; 1 if they are made up.
  int64_t size() const { return size_; }
  absl::StatusOr<FedInputs> Get(int64_t set);

  // True if no inputs were given.
  bool made_up() const {
    return files_.left == nullptr && files_.right == nullptr && !given_.has_value();
  }

  // True if made-up numbers are ramps.
  bool ramp() const { return generated_.ramp; }

  // Makes up a further set: with these sizes, this regime and other random numbers; with a mixture
  // each input has its own regime; some numbers are `probes`. Only if all inputs are made up.
  absl::StatusOr<FedInputs> MakeUp(const SizeChoice& sizes, Regime regime, uint64_t numbers,
                                   std::optional<uint64_t> mixture,
                                   const std::vector<double>& probes = {});
  // The resulting sizes of free dimensions: "batch 2, sequence 16"; "" if there are none.
  std::string Sizes(const SizeChoice& sizes);
  // Sums of sizes to try for models that run on no other sizes, the likeliest first.
  std::vector<SizeSum> SumsToTry();
  // The assumed purposes of the made-up inputs, a line each, as far as the graphs tell.
  std::vector<std::string> Purposes();
  // The masks among the inputs of the left, or else of the right; and the inputs that are constants
  // on the other side.
  std::vector<std::string> Masks();
  std::vector<FrozenInput> Frozen();
  // Midpoints between the limits that the two sides compare an input with, where these differ. None
  // if there are many.
  std::vector<double> BetweenLimits();
  // True if the models take any inputs.
  bool takes_any() const;

  // Empty for a single model.
  const InputMapping& mapping() const { return mapping_; }

 private:
  absl::Status OpenFiles(const InputOptions& options);
  static absl::StatusOr<std::shared_ptr<InputFiles>> OpenFile(const std::string& path,
                                                              const InputOptions& options);
  static absl::StatusOr<InputSets> OpenOne(SideId side, const Graph& graph,
                                           const InputOptions& options, InputsOfRecording recorded);

  bool shared() const { return files_.left != nullptr && files_.left == files_.right; }
  PerSide<bool> models() const { return {graphs_.left != nullptr, graphs_.right != nullptr}; }
  ValueTarget::Input InputOf(SideId side, const std::string& name) const;
  std::vector<ValueTarget> Targets(const PerSide<bool>& wanted) const;
  absl::Status ReadFile(int64_t set, InputFiles& file, const PerSide<bool>& wanted,
                        AssignedValues* to);
  absl::Status ReadFolder(const FeedFile& source, const PerSide<bool>& wanted,
                          AssignedValues* to) const;
  absl::Status ReadByPosition(const FeedFile& source, SideId side, bool only_guesses,
                              AssignedValues* to) const;
  bool IsGuessed(SideId side, const std::string& name) const;
  absl::Status Propagate(AssignedValues* to) const;
  absl::Status PropagatePair(const MappedInput& pair, AssignedValues* to) const;
  absl::Status Generate(bool all, AssignedValues* to);
  std::vector<std::string> MissingBesideRecording(const AssignedValues& values) const;
  std::string Source(int64_t set) const;
  absl::Status CheckComplete(const AssignedValues& values) const;

  PerSide<const Graph*> graphs_ = {nullptr, nullptr};  // null: a recording
  PerSide<std::shared_ptr<InputFiles>> files_;         // null: none
  std::optional<std::vector<NamedValue>> given_;       // values that are not from a file
  std::string given_source_;
  bool given_all_ = true;  // missing values are an error and are not made up
  InputMapping mapping_;
  GeneratedInputs generated_;
  PurposeCache purposes_;
  bool partial_ = false;
  int64_t size_ = 1;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_SETS_H_
