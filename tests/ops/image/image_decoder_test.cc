#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The pixels red, (0, 128, 255), (10, 20, 30), (200, 100, 50), written by Pillow 13; the palette
// has a transparent entry.
constexpr char kPng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DA0PCfiVtE7sQTYwAe+ASd"
    "pIdVGgAAAABJRU5ErkJggg==";
constexpr char kPalettePng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAgMAAAAP2OW3AAAADFBMVEXIZDL/AAAKFB4AgP80uWfCAAAAAXRS"
    "TlMAQObYZgAAAAxJREFUeJxjKGASAAABaACDEm3vZQAAAABJRU5ErkJggg==";
constexpr char kTransparentPng[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAGklEQVR4nGP4z8DAwNDw/z8Tt4hcw4knxhwA"
    "NlAGJMb+OJAAAAAASUVORK5CYII=";
constexpr char kWebp[] =
    "UklGRjwAAABXRUJQVlA4TC8AAAAvAUAAAB8gECBEyJQtSkhADPD/k0UqgQChxIT/GCfzH0xRbQM1bRuw+E06"
    "IvofHAA=";
constexpr char kTiff[] =
    "SUkqABgAAACAP8AQNAP8FBQPMgyDKAgACgAAAQMAAQAAAAIAAAABAQMAAQAAAAIAAAACAQMAAwAAAJYAAAAD"
    "AQMAAQAAAAUAAAAGAQMAAQAAAAIAAAARAQQAAQAAAAgAAAAVAQMAAQAAAAMAAAAWAQMAAQAAAAIAAAAXAQQA"
    "AQAAAA8AAAAcAQMAAQAAAAEAAAAAAAAACAAIAAgA";
// The alphas are 128, 0, 255 and 64, and the colors are not multiplied by them.
constexpr char kTransparentTiff[] =
    "SUkqAAgAAAALAAABBAABAAAAAgAAAAEBBAABAAAAAgAAAAIBAwAEAAAAkgAAAAMBAwABAAAAAQAAAAYBAwABAAAA"
    "AgAAABEBBAABAAAAmgAAABUBAwABAAAABAAAABYBBAABAAAAAgAAABcBBAABAAAAEAAAABwBAwABAAAAAQAAAFIB"
    "AwABAAAAAgAAAAAAAAAIAAgACAAIAP8AAIAAgP8AChQe/8hkMkA=";
// The grays 1, 2, 3 over 4, 5, 6, and where the number of the orientation is.
constexpr char kOrientedTiff[] =
    "SUkqAAgAAAALAAABBAABAAAAAwAAAAEBBAABAAAAAgAAAAIBAwADAAAAkgAAAAMBAwABAAAAAQAAAAYBAwABAAAA"
    "AgAAABEBBAABAAAAmAAAABIBAwABAAAAAQAAABUBAwABAAAAAwAAABYBBAABAAAAAgAAABcBBAABAAAAEgAAABwB"
    "AwABAAAAAQAAAAAAAAAIAAgACAABAQECAgIDAwMEBAQFBQUGBgY=";
constexpr size_t kOrientationAt = 90;
// The pixel 01ff, 80ff, feff.
constexpr char k16BitTiff[] =
    "SUkqAA4AAAD/Af+A//4JAAABBAABAAAAAQAAAAEBBAABAAAAAQAAAAIBAwADAAAAgAAAAAMBAwABAAAAAQAAAAYB"
    "AwABAAAAAgAAABEBBAABAAAACAAAABUBAwABAAAAAwAAABYBBAABAAAAAQAAABcBBAABAAAABgAAAAAAAAAQABAA"
    "EAA=";
// One row of black and white with 16 bits.
constexpr char kGray16Png[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABEAAAAACB2fwVAAAADUlEQVR4nGNgYPj/HwADAgH/5ncLrgAAAABJ"
    "RU5ErkJggg==";
// 8 x 8 pixels of gray 100.
constexpr char kGrayJpeg[] =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4n"
    "ICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAEC"
    "AwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk"
    "M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJ"
    "ipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3"
    "+Pn6/9oACAEBAAA/AMOv/9k=";
// 8 x 8 pixels of the inks (10, 200, 30, 40), as Adobe writes them.
constexpr char kInksJpeg[] =
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYH"
    "CQcGBggLCAkKCgoKCgYICwwLCgwJCgoK/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAA"
    "AAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNC"
    "scEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6"
    "g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq"
    "8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwD91K/Nuv2Er9XK/9k=";
// 8 x 8 pixels, a bare code stream: the four colors in quarters.
constexpr char kCodeStream[] =
    "/0//UQAvAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAADBwEBBwEBBwEB/1IADAAAAAEAAwQE"
    "AAH/XAANQEBISFBISFBISFD/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjT/kAAKAAAA"
    "AADaAAH/k8fUBASfz7QMBf9/z7QMBv9/z8AKfgBT8wIGuwcHAGvH2gUD5AUH1AQAbwQ/CF/PwAoPnBT8wEAB"
    "pwlvB8/AGn4A0fgCgAVHNDkW8QVHWNwIdwVHdLWzx9oLB84SA+QIB4dCx9MHmd4vBuorz8/AFj7QWH2goAfP"
    "A9q8DSzCsEsHva0nj8/AHn4A8PtBABe8/Cu4uX8WqIHjYmyPFq5rf8faDQPkCQHyAhcRbqUZnwxt7mgWAc/A"
    "Gj7QaD6gMBX/Y8CSSBu4oob7fRYCbf/Z";

std::string Bytes(const char* base64) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(base64, &bytes));
  return bytes;
}

absl::StatusOr<Tensor> Decode(const std::string& bytes, const char* format = "RGB") {
  const std::vector<uint8_t> values(bytes.begin(), bytes.end());
  return OpTest("ImageDecoder", 20)
      .Attr("pixel_format", format)
      .Input(Tensor::Of<uint8_t>({static_cast<int64_t>(values.size())}, values))
      .Run();
}

const Tensor Colors() {
  return Tensor::Of<uint8_t>({2, 2, 3}, {255, 0, 0, 0, 128, 255, 10, 20, 30, 200, 100, 50});
}

TEST(ImageDecoder, CodecsWithoutLoss) {
  for (const char* file : {kPng, kPalettePng, kTransparentPng, kWebp, kTiff, kTransparentTiff}) {
    ExpectTensor(Decode(Bytes(file)), Colors());
  }
  ExpectTensor(Decode(Bytes(kGray16Png)), Tensor::Of<uint8_t>({1, 2, 3}, {0, 0, 0, 255, 255, 255}));
  ExpectTensor(Decode(Bytes(k16BitTiff)), Tensor::Of<uint8_t>({1, 1, 3}, {1, 128, 254}));
}

// Expected values from Pillow.
TEST(ImageDecoder, OrientationsOfTiff) {
  const std::vector<std::vector<uint8_t>> turned = {
      {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
      {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  std::string bytes = Bytes(kOrientedTiff);
  for (size_t i = 0; i < turned.size(); ++i) {
    bytes[kOrientationAt] = static_cast<char>(i + 1);
    ExpectTensor(Decode(bytes, "Grayscale"),
                 Tensor::Of<uint8_t>(i < 4 ? Shape{2, 3, 1} : Shape{3, 2, 1}, turned[i]));
  }
}

TEST(ImageDecoder, PixelFormats) {
  ExpectTensor(Decode(Bytes(kPng), "BGR"),
               Tensor::Of<uint8_t>({2, 2, 3}, {0, 0, 255, 255, 128, 0, 30, 20, 10, 50, 100, 200}));
  // Pillow's convert("L").
  ExpectTensor(Decode(Bytes(kPng), "Grayscale"),
               Tensor::Of<uint8_t>({2, 2, 1}, {76, 104, 18, 124}));
  ExpectError(Decode("", "RGBA").status(), absl::StatusCode::kInvalidArgument,
              "pixel_format must be RGB, BGR or Grayscale, not \"RGBA\"");
}

void ExpectUniform(const absl::StatusOr<Tensor>& image, const std::vector<uint8_t>& color) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), color.begin(), color.end());
  ExpectTensor(image, Tensor::Of<uint8_t>({8, 8, 3}, pixels));
}

TEST(ImageDecoder, Jpegs) {
  ExpectUniform(Decode(Bytes(kGrayJpeg)), {100, 100, 100});
  ExpectUniform(Decode(Bytes(kInksJpeg)), {207, 46, 190});
  const auto image = Decode(Bytes(kCodeStream));
  ASSERT_TRUE(image.ok());
  ASSERT_EQ(image->shape(), (Shape{8, 8, 3}));
  EXPECT_EQ(std::vector<uint8_t>(image->data<uint8_t>(), image->data<uint8_t>() + 3),
            (std::vector<uint8_t>{255, 0, 0}));
}

TEST(ImageDecoder, Pnm) {
  const Tensor colors = Colors();
  const std::string raw(reinterpret_cast<const char*>(colors.raw_data()), 12);
  ExpectTensor(Decode("P6\n# a comment\n2 2\n255\n" + raw), colors);
  ExpectTensor(Decode("P3 2 2 255 255 0 0 0 128 255 10 20 30 200 100 50"), colors);
  const auto gray = [](std::vector<uint8_t> values) {
    std::vector<uint8_t> rgb;
    for (uint8_t value : values) rgb.insert(rgb.end(), 3, value);
    return Tensor::Of<uint8_t>({1, static_cast<int64_t>(values.size()), 3}, rgb);
  };
  ExpectTensor(Decode("P2 3 1 10 0 5 10"), gray({0, 128, 255}));
  ExpectTensor(Decode(std::string("P5 2 1 65535\n\xff\xff\x80\x00", 17)), gray({255, 128}));
  ExpectTensor(Decode("P1 3 1 010"), gray({255, 0, 255}));
  ExpectTensor(Decode("P4 3 1\n\xa0"), gray({0, 255, 0}));
}

std::string Little(int64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(i < 8 ? value >> (8 * i) : 0));
  return out;
}

std::string Bmp(int64_t width, int64_t height, int64_t bits, int64_t compression,
                const std::string& colors, const std::string& pixels) {
  return "BM" + Little(0, 8) + Little(54 + static_cast<int64_t>(colors.size()), 4) + Little(40, 4) +
         Little(width, 4) + Little(height, 4) + Little(1, 2) + Little(bits, 2) +
         Little(compression, 4) + Little(0, 20) + colors + pixels;
}

TEST(ImageDecoder, Bmp) {
  const Tensor row = Tensor::Of<uint8_t>({1, 2, 3}, {255, 0, 0, 0, 255, 255});
  const std::string palette = Little(0xff0000, 4) + Little(0x00ffff, 4);
  ExpectTensor(Decode(Bmp(2, 1, 24, 0, "", Little(0xff0000, 3) + Little(0x00ffff, 3) + "  ")), row);
  ExpectTensor(Decode(Bmp(2, 1, 32, 0, "", palette)), row);
  ExpectTensor(Decode(Bmp(2, 1, 16, 0, "", Little(0x7c00, 2) + Little(0x03ff, 2))), row);
  const std::string masks = Little(0xf800, 4) + Little(0x07e0, 4) + Little(0x001f, 4);
  ExpectTensor(Decode(Bmp(2, 1, 16, 3, masks, Little(0xf800, 2) + Little(0x07ff, 2))), row);
  ExpectTensor(Decode(Bmp(2, 1, 1, 0, palette, Little(0x40, 4))), row);
  ExpectTensor(Decode(Bmp(2, 1, 4, 0, palette, Little(0x01, 4))), row);
  ExpectTensor(Decode(Bmp(2, 1, 8, 0, palette, Little(0x0100, 4))), row);
  // Rows go upwards, or downwards with a negative height.
  const std::string lines = Little(0x00, 4) + Little(0x80, 4);
  const Tensor up = Tensor::Of<uint8_t>({2, 1, 3}, {0, 255, 255, 255, 0, 0});
  ExpectTensor(Decode(Bmp(1, 2, 1, 0, palette, lines)), up);
  ExpectTensor(Decode(Bmp(1, -2, 1, 0, palette, lines)),
               Tensor::Of<uint8_t>({2, 1, 3}, {255, 0, 0, 0, 255, 255}));
  ExpectError(Decode(Bmp(1, 1, 8, 4, palette, lines)).status(), absl::StatusCode::kUnimplemented,
              "BMP with compression 4");
}

TEST(ImageDecoder, BmpOfRuns) {
  const std::string palette = Little(0x000000, 4) + Little(0xffffff, 4);
  const auto decode = [&](int64_t width, int64_t height, int64_t bits, std::vector<int> runs) {
    return Decode(
        Bmp(width, height, bits, bits == 8 ? 1 : 2, palette, std::string(runs.begin(), runs.end())),
        "Grayscale");
  };
  ExpectTensor(decode(3, 1, 8, {2, 1, 1, 0, 0, 1}), Tensor::Of<uint8_t>({1, 3, 1}, {255, 255, 0}));
  ExpectTensor(decode(3, 1, 4, {3, 0x10, 0, 1}), Tensor::Of<uint8_t>({1, 3, 1}, {255, 0, 255}));
  // Pixels one by one, padded to 16 bits, then the end of the row; a step; what is left out.
  ExpectTensor(decode(3, 2, 8, {0, 3, 1, 0, 1, 9, 0, 0, 0, 2, 1, 0, 1, 1, 0, 1}),
               Tensor::Of<uint8_t>({2, 3, 1}, {0, 255, 0, 255, 0, 255}));
  ExpectTensor(decode(3, 2, 4, {0, 3, 0x10, 0x10, 0, 0, 1, 0x10}),
               Tensor::Of<uint8_t>({2, 3, 1}, {255, 0, 0, 255, 0, 255}));
  // More than there is room for.
  ExpectTensor(decode(1, 1, 8, {9, 1, 0, 0, 9, 1}), Tensor::Of<uint8_t>({1, 1, 1}, {255}));
}

// As the text says: what cannot be decoded gives an empty image.
TEST(ImageDecoder, DamageGivesAnEmptyImage) {
  const Tensor empty = Tensor::Of<uint8_t>({0, 0, 3}, {});
  ExpectTensor(Decode(""), empty);
  ExpectTensor(Decode("GIF89a"), empty);
  ExpectTensor(Decode("P6 9999999999 9999999999 255 "), empty);
  ExpectTensor(Decode("P3 1 1 255 1 2", "Grayscale"), Tensor::Of<uint8_t>({0, 0, 1}, {}));
  ExpectTensor(Decode(Bmp(INT32_MAX, INT32_MIN, 32, 0, "", "")), empty);
  ExpectTensor(Decode(Bytes(kGrayJpeg).substr(0, 300)), empty);
}

// Every file cut short anywhere, and with any byte changed: nothing but a result or an error.
TEST(ImageDecoder, SurvivesDamage) {
  const std::string bmp =
      Bmp(2, 1, 1, 0, Little(0xff0000, 4) + Little(0x00ffff, 4), Little(0x40, 4));
  const std::string runs =
      Bmp(2, 1, 4, 2, Little(0xff0000, 4) + Little(0x00ffff, 4), Little(0x0002, 2) + Little(0, 2));
  std::vector<std::string> files = {bmp, runs, "P2 3 1 10 0 5 10", "P4 3 1\n\xa0"};
  for (const char* file :
       {kPng, kPalettePng, kWebp, kTiff, kOrientedTiff, kGray16Png, kGrayJpeg, kCodeStream}) {
    files.push_back(Bytes(file));
  }
  for (const std::string& file : files) {
    for (size_t i = 0; i < file.size(); ++i) {
      static_cast<void>(Decode(file.substr(0, i)));
      for (int flip : {0x01, 0x80, 0xff}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        static_cast<void>(Decode(changed));
      }
    }
  }
}

}  // namespace
}  // namespace onnxcmp::testing
