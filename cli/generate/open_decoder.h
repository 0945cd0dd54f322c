// Models that are opened as decoders: one file, one for the prompt and one for all further tokens,
// an encoder beside them, or a folder that has them.
#ifndef ONNXCMP_CLI_GENERATE_OPEN_DECODER_H_
#define ONNXCMP_CLI_GENERATE_OPEN_DECODER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/compare_arguments.h"
#include "cli/compare_session.h"
#include "cli/process/interruption.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "generate/decoder.h"
#include "generate/decoder_side.h"
#include "generate/recorded_steps.h"
#include "generate/roles.h"
#include "record/base/per_side.h"

namespace onnxcmp::cli {

struct DecoderOptions {
  std::vector<std::string> states, roles;  // corrections, as FindRoles() takes them
  std::string inputs;                      // a file of values that stay the same; "": made up
};

// The models that a path names, in the order in which they run: an encoder, the model of the
// prompt, the one of all further tokens; the path itself if it is one model. A folder is looked
// into by the names that exporters give, others are joined by '+'.
std::vector<std::string> DecoderFiles(const std::string& path);

// True for a path that holds a recording and no models.
bool IsRecordingOfSteps(const std::string& path);

struct OpenDecoder {
  // With null for a prompt's model that it has not.
  DecoderSide both() const {
    return {side.get(), decoder.get(), prompt_side.get(), prompt_decoder.get(), recorded.get()};
  }

  std::unique_ptr<Side> side, prompt_side;
  std::unique_ptr<Decoder> decoder, prompt_decoder;
  std::unique_ptr<RecordedSteps> recorded;  // of a recording
  Feeds given;                              // GivenValues() of both
  // Weights that are in memory for as long as these are held: no step reads them again.
  std::vector<Tensor> weights;
};

class DecoderOpener {
 public:
  DecoderOpener(const CompareArguments& arguments, const DecoderOptions& options,
                Interruption& interruption)
      : arguments_(arguments), options_(options), tools_(arguments.run, interruption) {}

  // `rows`: of the given values. `like`: those of the other side; null: there is none.
  absl::StatusOr<OpenDecoder> Open(SideId id, const std::string& path, int64_t rows,
                                   const Feeds* like);

  // Both sides, of which one may be a recording.
  absl::StatusOr<PerSide<OpenDecoder>> OpenBoth(const PerSide<std::string>& paths, int64_t rows);

  // Corrections are for the models that have the input; one of all that were opened has to.
  absl::Status CheckCorrections() const;

 private:
  struct Models {
    std::unique_ptr<Side> encoder, prompt, steps;
    DecoderRoles of_prompt, of_steps;
  };
  // `beside`: the model by whose names the steps are found.
  absl::StatusOr<OpenDecoder> OpenRecorded(const std::string& path,
                                           const OpenDecoder& beside) const;
  absl::StatusOr<Models> OpenModels(const std::string& path);
  absl::StatusOr<std::unique_ptr<Side>> OpenModel(const std::string& path) const;
  // `roles`: those that the model's folder says.
  absl::StatusOr<DecoderRoles> RolesOf(const Graph& graph, std::vector<std::string> roles) const;
  absl::StatusOr<std::unique_ptr<Decoder>> MakeDecoder(SideId id, DecoderRoles roles,
                                                       const Feeds& given,
                                                       std::unique_ptr<Side>* side) const;

  const CompareArguments& arguments_;
  const DecoderOptions& options_;
  ComparisonTools tools_;
  absl::flat_hash_set<std::string> inputs_;  // names of the inputs of all that were opened
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_GENERATE_OPEN_DECODER_H_
