#include "samples/files/sound_samples.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "samples/files/input_form.h"

namespace onnxcmp {
namespace {

// Fields of the format chunk.
constexpr size_t kChunkHead = 8;    // bytes: its name, its size
constexpr size_t kFormatSize = 16;  // bytes, at least
constexpr size_t kSubFormat = 24;   // offset of the encoding in an extensible format
constexpr uint64_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;
constexpr uint64_t kBitsInByte = 8;

// A number of so many bytes, the lowest first.
uint64_t Number(absl::string_view bytes, size_t offset, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    number |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[offset + i])) << (kBitsInByte * i);
  }
  return number;
}

struct Format {
  uint64_t encoding = 0, channels = 0, rate = 0, bits = 0;
};

absl::StatusOr<Format> FormatOf(absl::string_view chunk) {
  if (chunk.size() < kFormatSize) return absl::InvalidArgumentError("its format is cut off");
  Format format = {Number(chunk, 0, 2), Number(chunk, 2, 2), Number(chunk, 4, 4),
                   Number(chunk, 14, 2)};
  if (format.encoding == kExtensible && chunk.size() >= kSubFormat + 2) {
    format.encoding = Number(chunk, kSubFormat, 2);
  }
  const bool pcm = format.encoding == kPcm && (format.bits == 8 || format.bits == 16 ||
                                               format.bits == 24 || format.bits == 32);
  const bool floats = format.encoding == kFloat && (format.bits == 32 || format.bits == 64);
  if (!pcm && !floats) {
    return absl::UnimplementedError(absl::StrCat("encoding ", format.encoding, " of ", format.bits,
                                                 " bits: PCM and floats are read"));
  }
  if (format.channels == 0) return absl::InvalidArgumentError("it has no channels");
  return format;
}

float FrameOf(absl::string_view data, size_t offset, const Format& format) {
  const size_t bytes = format.bits / kBitsInByte;
  const uint64_t number = Number(data, offset, bytes);
  if (format.encoding == kFloat) {
    return bytes == sizeof(float) ? std::bit_cast<float>(static_cast<uint32_t>(number))
                                  : static_cast<float>(std::bit_cast<double>(number));
  }
  // Eight bits have an offset; all others are signed.
  if (bytes == 1) return (static_cast<float>(number) - 128) / 128;
  const uint64_t sign = uint64_t{1} << (format.bits - 1);
  const auto value = static_cast<int64_t>(number ^ sign) - static_cast<int64_t>(sign);
  return static_cast<float>(static_cast<double>(value) / static_cast<double>(sign));
}

}  // namespace

absl::StatusOr<Sound> ReadWave(absl::string_view bytes) {
  constexpr size_t kHead = 12;
  if (bytes.size() < kHead || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE") {
    return absl::InvalidArgumentError("it is no WAVE file");
  }
  std::optional<Format> format;
  for (size_t at = kHead; at + kChunkHead <= bytes.size();) {
    const absl::string_view name = bytes.substr(at, 4);
    const auto size = static_cast<size_t>(Number(bytes, at + 4, 4));
    const absl::string_view chunk = bytes.substr(at + kChunkHead, size);
    if (name == "fmt ") {
      OC_ASSIGN_OR_RETURN(format, FormatOf(chunk));
    } else if (name == "data") {
      if (!format.has_value()) return absl::InvalidArgumentError("its sound precedes its format");
      if (chunk.size() < size) return absl::InvalidArgumentError("its sound is cut off");
      const size_t width = format->bits / kBitsInByte;
      const auto channels = static_cast<size_t>(format->channels);
      const size_t frames = chunk.size() / (width * channels);
      if (frames == 0) return absl::InvalidArgumentError("it has no sound");
      std::vector<float> samples(frames * channels);
      for (size_t frame = 0; frame < frames; ++frame) {
        for (size_t c = 0; c < channels; ++c) {
          samples[c * frames + frame] = FrameOf(chunk, (frame * channels + c) * width, *format);
        }
      }
      return Sound{Tensor::Of<float>({static_cast<int64_t>(channels), static_cast<int64_t>(frames)},
                                     samples),
                   static_cast<int64_t>(format->rate)};
    }
    at += kChunkHead + size + size % 2;
  }
  return absl::InvalidArgumentError("it has no sound");
}

absl::StatusOr<const ValueInfo*> SoundInputOf(const Graph& graph) {
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  if (required.size() == 1 && IsFloatingPoint(required[0]->type.dtype)) return required[0];
  std::vector<std::string> all;
  for (const ValueInfo* input : required) all.push_back(absl::StrCat("`", input->name, "`"));
  return absl::InvalidArgumentError(
      absl::StrCat("sounds are for a model with one floating input, and this one has ",
                   all.empty() ? "no inputs" : absl::StrJoin(all, ", "),
                   ": give .npz files that have a value for each"));
}

absl::StatusOr<NamedValue> ReadSound(const std::string& path, const ValueInfo& input) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::StatusOr<Sound> sound = ReadWave(file->bytes());
  if (!sound.ok()) {
    return absl::Status(sound.status().code(), absl::StrCat(path, ": ", sound.status().message()));
  }
  const absl::Span<const float> frames = sound->frames.AsSpan<float>();
  const auto channels = static_cast<size_t>(sound->frames.dim(0));
  const auto length = static_cast<size_t>(sound->frames.dim(1));
  std::vector<float> mean(length);
  for (size_t frame = 0; frame < length; ++frame) {
    double sum = 0;
    for (size_t c = 0; c < channels; ++c) sum += frames[c * length + frame];
    mean[frame] = static_cast<float>(sum / static_cast<double>(channels));
  }
  mean.resize(static_cast<size_t>(SizeOf(input, -1).value_or(static_cast<int64_t>(length))));
  Shape shape(static_cast<size_t>(std::max<int64_t>(RankOf(input).value_or(2), 1)), 1);
  shape.back() = static_cast<int64_t>(mean.size());
  return NamedValue{input.name, Tensor::Of<float>(shape, mean), false};
}

}  // namespace onnxcmp
