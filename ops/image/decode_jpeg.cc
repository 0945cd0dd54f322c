#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

// Needs <cstdio> before it.
#include <jpeglib.h>
// Needs jpeglib.h before it.
#include <jerror.h>

#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

// libjpeg reports an error by leaving with longjmp: nothing with a destructor may live in the
// functions that it leaves.
struct Session {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  std::jmp_buf leave;
  bool is_cut_short = false;
  bool is_open = false;

  ~Session() {
    if (is_open) jpeg_destroy_decompress(&info);
  }
};

Session* SessionOf(j_common_ptr info) { return static_cast<Session*>(info->client_data); }

[[noreturn]] void Leave(j_common_ptr info) { std::longjmp(SessionOf(info)->leave, 1); }

void TakeMessage(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) SessionOf(info)->is_cut_short = true;
}

void PrintNothing(j_common_ptr) {}

bool ReadHeader(Session* session, const uint8_t* bytes, size_t size) {
  jpeg_decompress_struct& info = session->info;
  info.err = jpeg_std_error(&session->errors);
  session->errors.error_exit = Leave;
  session->errors.emit_message = TakeMessage;
  session->errors.output_message = PrintNothing;
  info.client_data = session;
  if (setjmp(session->leave) != 0) return false;
  jpeg_create_decompress(&info);
  session->is_open = true;
  jpeg_mem_src(&info, bytes, static_cast<unsigned long>(size));
  jpeg_read_header(&info, TRUE);
  const bool is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_calc_output_dimensions(&info);
  return true;
}

// `row`: memory for one row of four channels.
bool ReadRows(Session* session, uint8_t* row, uint8_t* rgb) {
  jpeg_decompress_struct& info = session->info;
  if (setjmp(session->leave) != 0) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    const size_t line = info.output_scanline;
    const size_t width = info.output_width;
    uint8_t* to = rgb + line * width * 3;
    if (info.out_color_space == JCS_RGB) {
      jpeg_read_scanlines(&info, &to, 1);
      continue;
    }
    jpeg_read_scanlines(&info, &row, 1);
    for (size_t i = 0; i < width; ++i) {
      // Adobe's files hold the inverse of the inks, others the inks.
      const unsigned flip = info.saw_Adobe_marker ? 0 : 255;
      const unsigned light = row[4 * i + 3] ^ flip;
      for (size_t c = 0; c < 3; ++c) {
        to[3 * i + c] = static_cast<uint8_t>(((row[4 * i + c] ^ flip) * light + 127) / 255);
      }
    }
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

absl::StatusOr<Image> DecodeJpeg(absl::Span<const uint8_t> bytes, SizeCheck check) {
  const auto session = std::make_unique<Session>();
  if (!ReadHeader(session.get(), bytes.data(), bytes.size())) {
    return absl::InvalidArgumentError("no header of a JPEG");
  }
  OC_ASSIGN_OR_RETURN(Image image,
                      NewImage(session->info.output_height, session->info.output_width, check));
  std::vector<uint8_t> row(static_cast<size_t>(image.width) * 4);
  if (!ReadRows(session.get(), row.data(), image.rgb.data()) || session->is_cut_short) {
    return absl::InvalidArgumentError("a damaged JPEG");
  }
  return image;
}

}  // namespace onnxcmp
