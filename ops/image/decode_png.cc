#include <csetjmp>
#include <cstring>
#include <vector>

#include <png.h>

#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

// libpng reports an error by leaving with longjmp: nothing with a destructor may live in the
// functions that it leaves.
struct Session {
  explicit Session(absl::Span<const uint8_t> bytes) : at(bytes.data()), left(bytes.size()) {}
  ~Session() { png_destroy_read_struct(&png, &info, nullptr); }

  const uint8_t* at;
  size_t left;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

void Read(png_structp png, png_bytep to, size_t count) {
  auto* session = static_cast<Session*>(png_get_io_ptr(png));
  if (count > session->left) png_error(png, "too short");
  std::memcpy(to, session->at, count);
  session->at += count;
  session->left -= count;
}

[[noreturn]] void Leave(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void IgnoreWarning(png_structp, png_const_charp) {}

// Leaves the image as rows of RGB with 8 bits a channel.
bool ReadHeader(Session* session) {
  session->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, Leave, IgnoreWarning);
  if (session->png == nullptr) return false;
  session->info = png_create_info_struct(session->png);
  if (session->info == nullptr) return false;
  if (setjmp(png_jmpbuf(session->png)) != 0) return false;
  png_set_read_fn(session->png, session, Read);
  png_read_info(session->png, session->info);
  png_set_expand(session->png);
  png_set_strip_16(session->png);
  png_set_gray_to_rgb(session->png);
  png_set_strip_alpha(session->png);
  png_set_interlace_handling(session->png);
  png_read_update_info(session->png, session->info);
  return true;
}

bool ReadRows(Session* session, png_bytepp rows) {
  if (setjmp(png_jmpbuf(session->png)) != 0) return false;
  png_read_image(session->png, rows);
  png_read_end(session->png, nullptr);
  return true;
}

}  // namespace

absl::StatusOr<Image> DecodePng(absl::Span<const uint8_t> bytes, SizeCheck check) {
  Session session(bytes);
  if (!ReadHeader(&session)) return absl::InvalidArgumentError("no header of a PNG");
  OC_ASSIGN_OR_RETURN(Image image, NewImage(png_get_image_height(session.png, session.info),
                                            png_get_image_width(session.png, session.info), check));
  if (png_get_rowbytes(session.png, session.info) != static_cast<size_t>(image.width) * 3) {
    return absl::InvalidArgumentError("a PNG with rows of another width");
  }
  std::vector<png_bytep> rows;
  for (int64_t row = 0; row < image.height; ++row) rows.push_back(image.Pixel(row, 0));
  if (!ReadRows(&session, rows.data())) return absl::InvalidArgumentError("a damaged PNG");
  return image;
}

}  // namespace onnxcmp
