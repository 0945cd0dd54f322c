#include "reports/fix_json.h"

#include "record/base/per_side.h"

namespace onnxcmp {

ReportJson FixJson(const FixReport& fix) {
  ReportJson json = {{"side", JsonText(SideName(fix.side))},
                     {"agrees", fix.agrees},
                     {"verified", fix.verified},
                     {"tried", fix.tried},
                     {"certificates", fix.certificates},
                     {"checks", fix.checks},
                     {"notes", fix.notes},
                     {"edits", ReportJson::array()}};
  for (const FixStep& step : fix.steps) {
    json["edits"].push_back({{"lines", step.edit.lines},
                             {"cause", step.cause},
                             {"before", JsonReal(step.before)},
                             {"after", JsonReal(step.after)}});
  }
  if (!fix.file.empty()) json["file"] = fix.file;
  return json;
}

}  // namespace onnxcmp
