// Script and style of the page that RenderHtml writes, from page/dist.
#ifndef ONNXCMP_REPORTS_PAGE_BUNDLE_H_
#define ONNXCMP_REPORTS_PAGE_BUNDLE_H_

#include "absl/strings/string_view.h"

namespace onnxcmp {

struct PageBundle {
  absl::string_view script;
  absl::string_view script_sha256;  // in hexadecimal digits
  absl::string_view style;
  absl::string_view style_sha256;
};

// The build makes it from page_bundle.cc.in.
const PageBundle& GetPageBundle();

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_PAGE_BUNDLE_H_
