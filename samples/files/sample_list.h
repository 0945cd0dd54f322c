// Samples to feed to two models: which there are, and how one is read.
#ifndef ONNXCMP_SAMPLES_FILES_SAMPLE_LIST_H_
#define ONNXCMP_SAMPLES_FILES_SAMPLE_LIST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/feeds.h"

namespace onnxcmp {

// How images become an input: decoded, resized, scaled, normalized, in the input's layout.
struct ImageOptions {
  // "256x224" (height, width), or "256": the shorter side, then the middle of the input's size;
  // "": the input's size, the image stretched.
  std::string resize;
  std::vector<double> mean, std;  // of each channel, or one for all; none: not normalized
  double range = 0;    // the greatest number of a pixel, 1 or 255; 0: as the model expects
  std::string layout;  // "nchw" or "nhwc"; "": by the input's shape
  bool bgr = false;
};

struct SampleOptions {
  int64_t limit = 0;  // at most so many; 0: all
  // Draws those that are taken if there are more; nothing: the first ones.
  std::optional<uint64_t> seed = std::nullopt;
  ImageOptions images = {};
  std::string labels = {};                 // a file of labels, as ReadLabels() takes it; "": none
  int64_t max_tensor = kDefaultMaxTensor;  // bytes of an array
};

struct GivenSample {
  std::string folder;  // of input_N.pb; "": the values
  std::vector<NamedValue>
      values;  // with a leading axis of 1 where the inputs have one for the batch
};

struct SampleList {
  std::vector<std::string> names;  // "0173", "cat/0173", "[173]"
  // An error names the file. May be called again for the same sample.
  std::function<absl::StatusOr<GivenSample>(int64_t sample)> read;
  std::vector<std::string> notes;             // how they are read, and which files are no samples
  std::vector<std::optional<double>> labels;  // by sample, if there is a file of them
};

// A folder of test_data_set_N, of .npz, .npy, .safetensors or .pb, of images, of .wav; a file of
// several sets; one whose first axis is the sample; .jsonl of token ids. The graph is one of those
// that are fed: its inputs say what images, sounds and tokens have to become. The registry and the
// graph must outlive the list. InvalidArgument, with what was found, if there are no samples.
absl::StatusOr<SampleList> OpenSamples(const std::string& path, const Graph& graph,
                                       const OpRegistry& registry, const SampleOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_SAMPLE_LIST_H_
