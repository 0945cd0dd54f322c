// The elements of a pair that a page shows, as JSON.
#ifndef ONNXCMP_REPORTS_JSON_PICTURE_H_
#define ONNXCMP_REPORTS_JSON_PICTURE_H_

#include <cstddef>

#include "compare/pictures/value_picture.h"
#include "reports/json_writer.h"

namespace onnxcmp {

struct PictureDetail {
  size_t slices = 1;  // number of maps; 0: none, which leaves the counts by decade
};

// As the member `values` of a row. Tensors of few elements are numbers; the cells of maps are bytes
// in base64, as docs/formats.md says.
void WritePicture(const ValuePicture& picture, const PictureDetail& detail, JsonWriter& out);

// How long that will be.
size_t AboutBytes(const ValuePicture& picture, const PictureDetail& detail);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_PICTURE_H_
