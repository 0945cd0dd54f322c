#include "reports/json_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/types/span.h"
#include "compare/pictures/picture_bounds.h"

namespace onnxcmp {
namespace {

// Bytes of cells. Of values: from the least to the greatest finite one of both sides. Of
// differences: from the least to the greatest that is not 0, by their logarithms.
enum ValueCode : uint8_t { kNan, kMinusInfinity, kLeast, kGreatest = 254, kInfinite };
enum DifferenceCode : uint8_t { kEqual, kLeastDifference, kFarthest = 254, kNotFinite };

bool AsNumbers(const ValuePicture& picture) { return picture.whole() && picture.elements <= 64; }

char ByteOf(int number) { return static_cast<char>(static_cast<unsigned char>(number)); }

char ByteBetween(double share, int from, int to) {
  return ByteOf(from + static_cast<int>(std::lround(share * (to - from))));
}

char ValueByte(double value, const PictureBounds& bounds) {
  if (std::isnan(value)) return ByteOf(kNan);
  if (std::isinf(value)) return ByteOf(value < 0 ? kMinusInfinity : kInfinite);
  return ByteBetween(bounds.Share(value, 0), kLeast, kGreatest);
}

char DifferenceByte(double left, double right, const PictureBounds& decades) {
  if (AreEqualElements(left, right)) return ByteOf(kEqual);
  const double difference = std::abs(left - right);
  if (!std::isfinite(difference)) return ByteOf(kNotFinite);
  return ByteBetween(decades.Share(std::log10(difference), 0), kLeastDifference, kFarthest);
}

void WriteNumbers(absl::string_view name, const std::vector<double>& numbers, JsonWriter& out) {
  out.Begin(name, '[');
  for (const double number : numbers) out.Real(number);
  out.End(']');
}

void WriteCells(absl::string_view name, const std::vector<double>& numbers,
                const PictureBounds& bounds, JsonWriter& out) {
  std::string bytes;
  for (const double number : numbers) bytes += ValueByte(number, bounds);
  out.Text(name, absl::Base64Escape(bytes));
}

void WriteBounds(absl::string_view name, const PictureBounds& bounds, JsonWriter& out) {
  if (bounds.empty()) return;
  out.Begin(name, '[');
  out.Real(bounds.least);
  out.Real(bounds.greatest);
  out.End(']');
}

void WriteMaps(const ValuePicture& picture, absl::Span<const PictureSlice> slices,
               JsonWriter& out) {
  PictureBounds values, decades;
  for (const PictureSlice& slice : slices) {
    for (size_t i = 0; i < slice.left.size(); ++i) {
      values.Add(slice.left[i]);
      values.Add(slice.right[i]);
      const double difference = std::abs(slice.left[i] - slice.right[i]);
      if (difference > 0) decades.Add(std::log10(difference));
    }
  }
  out.Begin("size", '[');
  out.Integer(picture.rows);
  out.Integer(picture.columns);
  out.End(']');
  out.Begin("cells", '[');
  out.Integer(picture.cell_rows);
  out.Integer(picture.cell_columns);
  out.End(']');
  WriteBounds("scale", values, out);
  WriteBounds("scale_of_difference", decades, out);
  out.Integer("all_slices", picture.all_slices);
  out.Begin("slices", '[');
  for (const PictureSlice& slice : slices) {
    out.Begin('{');
    out.Text("at", slice.at);
    WriteCells("left", slice.left, values, out);
    WriteCells("right", slice.right, values, out);
    std::string bytes;
    for (size_t i = 0; i < slice.left.size(); ++i) {
      bytes += DifferenceByte(slice.left[i], slice.right[i], decades);
    }
    out.Text("difference", absl::Base64Escape(bytes));
    out.End('}');
  }
  out.End(']');
}

}  // namespace

void WritePicture(const ValuePicture& picture, const PictureDetail& detail, JsonWriter& out) {
  out.Begin("values", '{');
  if (picture.counted < picture.elements) out.Integer("counted", picture.counted);
  out.Integer("equal", picture.equal);
  if (picture.not_finite > 0) out.Integer("not_finite", picture.not_finite);
  out.Begin("decades", '[');
  for (const DecadeCount& decade : picture.decades) {
    out.Begin('[');
    out.Integer(decade.decade);
    out.Integer(decade.elements);
    out.End(']');
  }
  out.End(']');
  if (AsNumbers(picture)) {
    WriteNumbers("left", picture.slices.front().left, out);
    WriteNumbers("right", picture.slices.front().right, out);
  } else if (detail.slices > 0) {
    WriteMaps(picture, absl::MakeConstSpan(picture.slices).subspan(0, detail.slices), out);
  }
  out.End('}');
}

size_t AboutBytes(const ValuePicture& picture, const PictureDetail& detail) {
  if (AsNumbers(picture)) return 100 + 20 * picture.slices.front().left.size();
  size_t bytes = 250;
  for (size_t i = 0; i < std::min(detail.slices, picture.slices.size()); ++i) {
    bytes += 4 * picture.slices[i].left.size();
  }
  return bytes;
}

}  // namespace onnxcmp
