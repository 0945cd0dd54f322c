#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <vector>

#include <tiffio.h>

#include "evaluator/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

// The file in memory, as libtiff's callbacks see it.
struct Stream {
  absl::Span<const uint8_t> bytes;
  uint64_t at = 0;
};

tmsize_t Read(thandle_t handle, void* to, tmsize_t count) {
  auto* stream = static_cast<Stream*>(handle);
  if (count < 0 || stream->at >= stream->bytes.size()) return 0;
  const size_t part =
      std::min(static_cast<size_t>(count), stream->bytes.size() - static_cast<size_t>(stream->at));
  std::memcpy(to, stream->bytes.data() + stream->at, part);
  stream->at += part;
  return static_cast<tmsize_t>(part);
}

tmsize_t WriteNothing(thandle_t, void*, tmsize_t) { return 0; }

toff_t Seek(thandle_t handle, toff_t offset, int whence) {
  auto* stream = static_cast<Stream*>(handle);
  stream->at = offset + (whence == SEEK_CUR   ? stream->at
                         : whence == SEEK_END ? stream->bytes.size()
                                              : 0);
  return stream->at;
}

int Close(thandle_t) { return 0; }
toff_t Size(thandle_t handle) { return static_cast<Stream*>(handle)->bytes.size(); }
int IgnoreMessage(TIFF*, void*, const char*, const char*, va_list) { return 1; }

}  // namespace

// The first image of the file.
absl::StatusOr<Image> DecodeTiff(absl::Span<const uint8_t> bytes, SizeCheck check) {
  Stream stream = {bytes};
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), IgnoreMessage, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), IgnoreMessage, nullptr);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), tmsize_t{1} << 32);
  // "m": the file is not to be mapped.
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(
      TIFFClientOpenExt("image", "rm", &stream, Read, WriteNothing, Seek, Close, Size, nullptr,
                        nullptr, options.get()),
      TIFFClose);
  uint32_t width = 0;
  uint32_t height = 0;
  if (tiff == nullptr || TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1) {
    return absl::InvalidArgumentError("no header of a TIFF");
  }
  OC_ASSIGN_OR_RETURN(Image image, NewImage(height, width, check));
  std::vector<uint32_t> raster(static_cast<size_t>(image.height * image.width));
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, raster.data(), ORIENTATION_TOPLEFT,
                                /*stopOnError=*/1) != 1) {
    return absl::InvalidArgumentError("a damaged TIFF");
  }
  for (size_t i = 0; i < raster.size(); ++i) {
    image.rgb[3 * i] = static_cast<uint8_t>(TIFFGetR(raster[i]));
    image.rgb[3 * i + 1] = static_cast<uint8_t>(TIFFGetG(raster[i]));
    image.rgb[3 * i + 2] = static_cast<uint8_t>(TIFFGetB(raster[i]));
  }
  return image;
}

}  // namespace onnxcmp
