// Sounds as a model's input: the samples of RIFF WAVE files as floats.
#ifndef ONNXCMP_SAMPLES_FILES_SOUND_SAMPLES_H_
#define ONNXCMP_SAMPLES_FILES_SOUND_SAMPLES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"

namespace onnxcmp {

// [channels, frames] in -1 to 1, and the frames in a second. PCM of 8, 16, 24 and 32 bits and
// floats of 32 and 64; InvalidArgument for what is damaged, Unimplemented for other encodings.
struct Sound {
  Tensor frames;
  int64_t rate = 0;
};
absl::StatusOr<Sound> ReadWave(absl::string_view bytes);

// The graph's only required floating input. InvalidArgument, with the inputs, if there is none or
// several.
absl::StatusOr<const ValueInfo*> SoundInputOf(const Graph& graph);

// The value for that input: the mean of the channels, cut or filled up with zeros to the length
// that the input declares. An error names the file.
absl::StatusOr<NamedValue> ReadSound(const std::string& path, const ValueInfo& input);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_SOUND_SAMPLES_H_
