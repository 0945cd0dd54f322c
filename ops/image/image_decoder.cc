#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/image/codecs.h"

namespace onnxcmp {

namespace {

enum class Pixels : uint8_t { kRgb, kBgr, kGrayscale };

using Decoder = absl::StatusOr<Image> (*)(absl::Span<const uint8_t>, SizeCheck);

// By the file's first bytes; null if no format has them.
Decoder DecoderOf(absl::Span<const uint8_t> bytes) {
  using namespace std::string_view_literals;
  const absl::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto begins = [&](std::string_view magic) {
    return head.substr(0, magic.size()) == absl::string_view(magic.data(), magic.size());
  };
  if (begins("\xff\xd8\xff"sv)) return DecodeJpeg;
  if (begins("\x89PNG\r\n\x1a\n"sv)) return DecodePng;
  if (begins("II*\0"sv) || begins("MM\0*"sv)) return DecodeTiff;
  if (begins("RIFF"sv) && head.size() >= 12 && head.substr(8, 4) == "WEBP") return DecodeWebp;
  if (begins("\0\0\0\x0cjP  \r\n\x87\n"sv) || begins("\xff\x4f\xff\x51"sv)) return DecodeJpeg2000;
  if (begins("BM"sv)) return DecodeBmp;
  if (head.size() >= 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6') return DecodePnm;
  return nullptr;
}

// The luma of ITU-R BT.601 in fixed point, as Pillow computes it.
uint8_t Luma(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

// ImageDecoder (ai.onnx 20): the pixels (height, width, channels) of an encoded image: BMP, JPEG,
// JPEG 2000, TIFF, PNG, WebP, PNM. What cannot be decoded gives an empty image, as the text says;
// what the formats allow but we do not read is an error.
absl::StatusOr<Kernel> ImageDecoder(const KernelInit& node) {
  const std::string format = node.String("pixel_format");
  const Pixels pixels = format == "BGR"         ? Pixels::kBgr
                        : format == "Grayscale" ? Pixels::kGrayscale
                                                : Pixels::kRgb;
  if (pixels == Pixels::kRgb && format != "RGB") {
    return absl::InvalidArgumentError(
        absl::StrCat("pixel_format must be RGB, BGR or Grayscale, not \"", format, "\""));
  }
  return [pixels](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor stream, ctx.ContiguousInput(0));
    const auto bytes = stream.AsSpan<uint8_t>();
    Image image;
    if (const Decoder decode = DecoderOf(bytes); decode != nullptr) {
      absl::StatusOr<Image> decoded = decode(bytes, [&](int64_t height, int64_t width) {
        return ctx.CheckSize(DType::kUint8, {height, width, 4});
      });
      if (decoded.ok()) {
        image = *std::move(decoded);
      } else if (!absl::IsInvalidArgument(decoded.status())) {
        return decoded.status();
      }
    }
    const int64_t channels = pixels == Pixels::kGrayscale ? 1 : 3;
    OC_ASSIGN_OR_RETURN(Tensor out,
                        ctx.Allocate(DType::kUint8, {image.height, image.width, channels}));
    auto* to = out.mutable_data<uint8_t>();
    for (int64_t i = 0; i < image.height * image.width; ++i, to += channels) {
      const uint8_t* rgb = image.rgb.data() + i * 3;
      if (pixels == Pixels::kGrayscale) {
        *to = Luma(rgb);
      } else {
        to[0] = rgb[pixels == Pixels::kRgb ? 0 : 2];
        to[1] = rgb[1];
        to[2] = rgb[pixels == Pixels::kRgb ? 2 : 0];
      }
    }
    return ctx.SetOutput(0, std::move(out));
  };
}

}  // namespace

void RegisterImageDecoder(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ImageDecoder", {20}, ImageDecoder);
}

}  // namespace onnxcmp
