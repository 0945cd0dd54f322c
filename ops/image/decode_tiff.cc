#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <vector>

#include <tiffio.h>

#include "evaluator/base/status_macros.h"
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

// libtiff multiplies colors by an alpha that is said to be no part of them yet; by none that is. So
// colors come as they are stored, as from the other formats.
absl::Status KeepColors(TIFF* tiff) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) != 1 || count == 0 ||
      kinds[0] != EXTRASAMPLE_UNASSALPHA) {
    return absl::OkStatus();
  }
  std::vector<uint16_t> said(kinds, kinds + count);  // setting the field frees the old value
  said[0] = EXTRASAMPLE_ASSOCALPHA;
  if (TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, count, said.data()) != 1) {
    return absl::InvalidArgumentError("a TIFF with a damaged alpha channel");
  }
  return absl::OkStatus();
}

// Pixels in the order of the file, for which libtiff has to be asked for the orientation that they
// have. Of 16 bits a channel the high byte stays, as in other formats; libtiff rounds.
bool ReadAsStored(TIFF* tiff, uint16_t orientation, uint32_t width, uint32_t height,
                  uint32_t* raster) {
  char message[1024];
  TIFFRGBAImage reader;
  if (TIFFRGBAImageOK(tiff, message) != 1 ||
      TIFFRGBAImageBegin(&reader, tiff, /*stopOnError=*/1, message) != 1) {
    return false;
  }
  reader.req_orientation = orientation;
  for (int value = 0; value < 65536 && reader.Bitdepth16To8 != nullptr; ++value) {
    reader.Bitdepth16To8[value] = static_cast<uint8_t>(value >> 8);
  }
  const bool read = TIFFRGBAImageGet(&reader, raster, width, height) == 1;
  TIFFRGBAImageEnd(&reader);
  return read;
}

}  // namespace

// The first image of the file, turned as its tag says (other formats' tags are not read).
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
  uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ORIENTATION, &orientation);
  const bool rows_are_columns =
      orientation >= ORIENTATION_LEFTTOP && orientation <= ORIENTATION_LEFTBOT;
  OC_ASSIGN_OR_RETURN(Image image, rows_are_columns ? NewImage(width, height, check)
                                                    : NewImage(height, width, check));
  OC_RETURN_IF_ERROR(KeepColors(tiff.get()));
  std::vector<uint32_t> raster(static_cast<size_t>(image.height * image.width));
  if (!ReadAsStored(tiff.get(), orientation, width, height, raster.data())) {
    return absl::InvalidArgumentError("a damaged TIFF");
  }
  const bool from_right =
      orientation == ORIENTATION_TOPRIGHT || orientation == ORIENTATION_BOTRIGHT ||
      orientation == ORIENTATION_RIGHTTOP || orientation == ORIENTATION_RIGHTBOT;
  const bool from_bottom =
      orientation == ORIENTATION_BOTRIGHT || orientation == ORIENTATION_BOTLEFT ||
      orientation == ORIENTATION_RIGHTBOT || orientation == ORIENTATION_LEFTBOT;
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const int64_t across = from_right ? image.width - 1 - x : x;
      const int64_t down = from_bottom ? image.height - 1 - y : y;
      const uint32_t pixel = raster[static_cast<size_t>(
          rows_are_columns ? across * image.height + down : down * image.width + across)];
      uint8_t* rgb = &image.rgb[static_cast<size_t>(3 * (y * image.width + x))];
      rgb[0] = static_cast<uint8_t>(TIFFGetR(pixel));
      rgb[1] = static_cast<uint8_t>(TIFFGetG(pixel));
      rgb[2] = static_cast<uint8_t>(TIFFGetB(pixel));
    }
  }
  return image;
}

}  // namespace onnxcmp
