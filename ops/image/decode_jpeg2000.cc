#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include <openjpeg.h>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

struct Stream {
  absl::Span<const uint8_t> bytes;
  size_t at = 0;
};

OPJ_SIZE_T Read(void* to, OPJ_SIZE_T count, void* data) {
  auto* stream = static_cast<Stream*>(data);
  const size_t part = std::min(count, stream->bytes.size() - stream->at);
  if (part == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, stream->bytes.data() + stream->at, part);
  stream->at += part;
  return part;
}

OPJ_OFF_T Skip(OPJ_OFF_T count, void* data) {
  auto* stream = static_cast<Stream*>(data);
  if (count < 0) return -1;
  const size_t part = std::min(static_cast<size_t>(count), stream->bytes.size() - stream->at);
  stream->at += part;
  return static_cast<OPJ_OFF_T>(part);
}

OPJ_BOOL Seek(OPJ_OFF_T to, void* data) {
  auto* stream = static_cast<Stream*>(data);
  if (to < 0 || static_cast<size_t>(to) > stream->bytes.size()) return OPJ_FALSE;
  stream->at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

void IgnoreMessage(const char*, void*) {}

// A component's value at a pixel, as a number in [0, 255]; components may be coarser than the
// image.
double ValueAt(const opj_image_comp_t& component, int64_t row, int64_t column) {
  const int64_t y = std::min<int64_t>(row / component.dy, component.h - 1);
  const int64_t x = std::min<int64_t>(column / component.dx, component.w - 1);
  const int32_t value = component.data[y * component.w + x];
  const double offset =
      component.sgnd != 0 ? std::ldexp(1.0, static_cast<int>(component.prec) - 1) : 0;
  return (value + offset) * 255 / (std::ldexp(1.0, static_cast<int>(component.prec)) - 1);
}

uint8_t ToByte(double value) {
  return static_cast<uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

}  // namespace

absl::StatusOr<Image> DecodeJpeg2000(absl::Span<const uint8_t> bytes, SizeCheck check) {
  Stream source = {bytes};
  const std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)> stream(
      opj_stream_create(OPJ_J2K_STREAM_CHUNK_SIZE, OPJ_TRUE), opj_stream_destroy);
  const bool is_bare = bytes[0] == 0xff;  // a code stream without a file around it
  const std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)> codec(
      opj_create_decompress(is_bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), opj_destroy_codec);
  if (stream == nullptr || codec == nullptr) {
    return absl::ResourceExhaustedError("no memory for a decoder of JPEG 2000");
  }
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), bytes.size());
  opj_stream_set_read_function(stream.get(), Read);
  opj_stream_set_skip_function(stream.get(), Skip);
  opj_stream_set_seek_function(stream.get(), Seek);
  opj_set_error_handler(codec.get(), IgnoreMessage, nullptr);
  opj_set_warning_handler(codec.get(), IgnoreMessage, nullptr);
  opj_set_info_handler(codec.get(), IgnoreMessage, nullptr);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* raw = nullptr;
  const bool has_header = opj_setup_decoder(codec.get(), &parameters) != 0 &&
                          opj_read_header(stream.get(), codec.get(), &raw) != 0;
  const std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)> decoded(raw, opj_image_destroy);
  if (!has_header || decoded == nullptr) {
    return absl::InvalidArgumentError("no header of a JPEG 2000");
  }
  OC_ASSIGN_OR_RETURN(Image image, NewImage(int64_t{decoded->y1} - decoded->y0,
                                            int64_t{decoded->x1} - decoded->x0, check));
  if (opj_decode(codec.get(), stream.get(), decoded.get()) == 0 ||
      opj_end_decompress(codec.get(), stream.get()) == 0) {
    return absl::InvalidArgumentError("a damaged JPEG 2000");
  }
  const opj_image_comp_t* components = decoded->comps;
  const int64_t channels = decoded->numcomps >= 3 ? 3 : 1;
  for (int64_t c = 0; c < channels; ++c) {
    const opj_image_comp_t& component = components[c];
    if (decoded->numcomps < 1 || component.data == nullptr || component.w < 1 || component.h < 1 ||
        component.dx < 1 || component.dy < 1 || component.prec < 1 || component.prec > 31) {
      return absl::InvalidArgumentError(absl::StrCat("component ", c, " of a JPEG 2000 is empty"));
    }
  }
  const bool is_ycc =
      channels == 3 &&
      (decoded->color_space == OPJ_CLRSPC_SYCC ||
       (decoded->color_space != OPJ_CLRSPC_SRGB && (components[1].dx > 1 || components[1].dy > 1)));
  for (int64_t row = 0; row < image.height; ++row) {
    for (int64_t column = 0; column < image.width; ++column) {
      double v[3];
      for (int64_t c = 0; c < 3; ++c) {
        v[c] = ValueAt(components[std::min(c, channels - 1)], row, column);
      }
      if (is_ycc) {
        const double y = v[0];
        const double cb = v[1] - 128;
        const double cr = v[2] - 128;
        v[0] = y + 1.402 * cr;
        v[1] = y - 0.344136 * cb - 0.714136 * cr;
        v[2] = y + 1.772 * cb;
      }
      uint8_t* rgb = image.Pixel(row, column);
      for (int64_t c = 0; c < 3; ++c) rgb[c] = ToByte(v[c]);
    }
  }
  return image;
}

}  // namespace onnxcmp
