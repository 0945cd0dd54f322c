// The library onnxcmp::compare: runs two models, or reads recordings of their results, and says
// what is the same, what differs and why.
//
//   auto left = onnxcmp::OpenSide("a.onnx", registry);
//   auto right = onnxcmp::OpenSide("b.onnx", registry);
//   (*left)->SetFeeds(feeds);
//   (*right)->SetFeeds(feeds);
//   auto comparison = onnxcmp::Compare(**left, **right);
//   std::cout << onnxcmp::RenderTable(*comparison);
//   return onnxcmp::ExitStatusOf(*comparison);
#ifndef ONNXCMP_INCLUDE_ONNXCMP_COMPARE_H_
#define ONNXCMP_INCLUDE_ONNXCMP_COMPARE_H_

#include "compare/compare.h"                       // the comparison, its options and limits
#include "compare/input_sets/compare_on_inputs.h"  // comparisons on one set of inputs or several
#include "compare/outcome/comparison.h"            // findings
#include "compare/outcome/exit_status.h"
#include "compare/sides/model_side.h"
#include "compare/sides/recording_side.h"  // sides: recordings and models
#include "feed/input_sets.h"               // inputs: given, matched, made up
#include "onnxcmp/evaluator.h"
#include "record/differences/value_difference.h"  // two values
#include "record/recordings/recording.h"          // results of a run as a file
#include "reports/render_csv.h"                   // reports
#include "reports/render_dot.h"
#include "reports/render_html.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "reports/render_svg.h"
#include "reports/render_table.h"

#endif  // ONNXCMP_INCLUDE_ONNXCMP_COMPARE_H_
