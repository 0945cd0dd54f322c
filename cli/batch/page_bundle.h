// Script and style of a batch's page, which CMake makes from cli/batch/page.
#ifndef ONNXCMP_CLI_BATCH_PAGE_BUNDLE_H_
#define ONNXCMP_CLI_BATCH_PAGE_BUNDLE_H_

#include "reports/page_bundle.h"

namespace onnxcmp::cli {

const PageBundle& GetBatchBundle();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAGE_BUNDLE_H_
